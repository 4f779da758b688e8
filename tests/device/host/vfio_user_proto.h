/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The vfio-user protocol, version 0.0: messages in host byte order, as both
 * ends are on one machine.
 */
#ifndef ORNIC_DEVICE_VFIO_USER_PROTO_H
#define ORNIC_DEVICE_VFIO_USER_PROTO_H

#include <stdint.h>

/* Commands of the client */
enum vfio_user_cmd {
	VFIO_USER_VERSION = 1,
	VFIO_USER_DMA_MAP = 2,
	VFIO_USER_DMA_UNMAP = 3,
	VFIO_USER_DEVICE_GET_INFO = 4,
	VFIO_USER_DEVICE_GET_REGION_INFO = 5,
	VFIO_USER_DEVICE_GET_IRQ_INFO = 7,
	VFIO_USER_DEVICE_SET_IRQS = 8,
	VFIO_USER_REGION_READ = 9,
	VFIO_USER_REGION_WRITE = 10,
	VFIO_USER_DEVICE_RESET = 13,
	VFIO_USER_REGION_WRITE_MULTI = 15,
	VFIO_USER_CMD_COUNT = 16,
};

/* Bits of the header's flags: 3:0 are the type */
#define VFIO_USER_TYPE_MASK 0xfU
#define VFIO_USER_TYPE_REQUEST 0U
#define VFIO_USER_TYPE_REPLY 1U
#define VFIO_USER_NO_REPLY (1U << 4)
#define VFIO_USER_ERROR (1U << 5)

struct vfio_user_header {
	uint16_t id;
	uint16_t cmd;
	uint32_t size; /* bytes, including this header */
	uint32_t flags;
	uint32_t error; /* errno, in replies with VFIO_USER_ERROR */
};

/* Followed by JSON text with its NUL */
struct vfio_user_version {
	uint16_t major;
	uint16_t minor;
};

#define VFIO_USER_MAP_READ (1U << 0)
#define VFIO_USER_MAP_WRITE (1U << 1)

struct vfio_user_dma_map {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;
	uint64_t iova;
	uint64_t size;
};

#define VFIO_USER_UNMAP_ALL (1U << 1)

struct vfio_user_dma_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t iova;
	uint64_t size;
};

#define VFIO_USER_DEVICE_RESET_OK (1U << 0)
#define VFIO_USER_DEVICE_PCI (1U << 1)

struct vfio_user_device_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t regions;
	uint32_t irqs;
};

#define VFIO_USER_REGION_READABLE (1U << 0)
#define VFIO_USER_REGION_WRITABLE (1U << 1)

struct vfio_user_region_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t cap_offset;
	uint64_t size;
	uint64_t offset;
};

#define VFIO_USER_IRQ_EVENTFD (1U << 0)

struct vfio_user_irq_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t count;
};

#define VFIO_USER_IRQ_DATA_NONE (1U << 0)
#define VFIO_USER_IRQ_DATA_BOOL (1U << 1)
#define VFIO_USER_IRQ_DATA_EVENTFD (1U << 2)
#define VFIO_USER_IRQ_DATA_MASK 0x7U
#define VFIO_USER_IRQ_MASK (1U << 3)
#define VFIO_USER_IRQ_UNMASK (1U << 4)
#define VFIO_USER_IRQ_TRIGGER (1U << 5)
#define VFIO_USER_IRQ_ACTION_MASK 0x38U

/* DATA_BOOL: followed by one byte per interrupt */
struct vfio_user_irq_set {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t start;
	uint32_t count;
};

/* Followed by the data in a write request and a read reply */
struct vfio_user_region_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
};

struct vfio_user_write_entry {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
	uint8_t data[8];
};

/* Followed by count entries of struct vfio_user_write_entry */
struct vfio_user_write_multi {
	uint64_t count;
};

/* Regions of a PCI device, numbered as in the kernel's VFIO */
#define VFIO_USER_REGION_CONFIG 7
#define VFIO_USER_REGIONS 9

/* Kinds of interrupts of a PCI device, numbered likewise */
#define VFIO_USER_IRQ_MSIX 2
#define VFIO_USER_IRQ_ERR 3
#define VFIO_USER_IRQS 5

#define VFIO_USER_CHECK_SIZE(type, bytes) \
	_Static_assert(sizeof(struct type) == (bytes), #type)

VFIO_USER_CHECK_SIZE(vfio_user_header, 16);
VFIO_USER_CHECK_SIZE(vfio_user_version, 4);
VFIO_USER_CHECK_SIZE(vfio_user_dma_map, 32);
VFIO_USER_CHECK_SIZE(vfio_user_dma_unmap, 24);
VFIO_USER_CHECK_SIZE(vfio_user_device_info, 16);
VFIO_USER_CHECK_SIZE(vfio_user_region_info, 32);
VFIO_USER_CHECK_SIZE(vfio_user_irq_info, 16);
VFIO_USER_CHECK_SIZE(vfio_user_irq_set, 20);
VFIO_USER_CHECK_SIZE(vfio_user_region_access, 16);
VFIO_USER_CHECK_SIZE(vfio_user_write_entry, 24);
VFIO_USER_CHECK_SIZE(vfio_user_write_multi, 8);

#endif /* ORNIC_DEVICE_VFIO_USER_PROTO_H */
