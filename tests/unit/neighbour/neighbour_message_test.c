// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* vfio-user messages of an attacker, and clients that come and go */
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/state.h"
#include "neighbour.h"
#include "work_clock.h"

/* Messages sent at most before a turn */
#define MESSAGES 1024
#define ENTRIES 500
#define REGIONS 60000
#define PAGE 4096ULL
/* The regions leave every second page free */
#define REGIONS_START (1ULL << 40)
/* Memory of a client that leaves */
#define LEFT_BYTES (512ULL << 20)
#define LEFT_START (1ULL << 41)

struct message {
	unsigned int cmd;
	unsigned int flags;
	const void *payload;
	size_t len;
};

static void drain(struct neighbours *n)
{
	static uint8_t bytes[1 << 16];

	while (client_readable(n->world->client[0]) &&
	       read(n->world->client[0], bytes, sizeof(bytes)) > 0)
		continue;
}

static void flood(struct neighbours *n, const struct message *message, int fd)
{
	unsigned int i;

	drain(n);
	for (i = 0; i < MESSAGES; i++)
		if (!client_try_send(n->world->client[0], message->cmd,
				     message->flags, message->payload,
				     message->len, fd))
			break;
}

static void push(struct neighbours *n)
{
	flood(n, (const struct message *)n->attack->arg, -1);
}

static const struct vfio_user_version version;
static const struct vfio_user_device_info info = { .argsz = sizeof(info) };
static const struct vfio_user_region_info region = { .argsz = sizeof(region) };
static const struct vfio_user_irq_info irq = { .argsz = sizeof(irq) };
static const struct vfio_user_irq_set trigger = {
	.argsz = sizeof(trigger),
	.flags = VFIO_USER_IRQ_TRIGGER | VFIO_USER_IRQ_DATA_NONE,
	.index = VFIO_USER_IRQ_MSIX,
	.count = CARD_VECTORS_MAX,
};
static const struct vfio_user_region_access config = {
	.region = VFIO_USER_REGION_CONFIG,
	.count = PCI_CONFIG_SIZE,
};
static const struct vfio_user_region_access clock_reg = {
	.region = ORNIC_BAR_REGS,
	.offset = ORNIC_REG_CLOCK,
	.count = 8,
};
static const struct {
	struct vfio_user_region_access access;
	uint8_t data[PCI_CONFIG_SIZE];
} config_write = { .access = config };

#define M(_cmd, _payload) (uintptr_t)&(const struct message){ \
		.cmd = VFIO_USER_##_cmd, \
		.payload = &(_payload), .len = sizeof(_payload), \
	}

static struct {
	struct vfio_user_write_multi head;
	struct vfio_user_write_entry entry[ENTRIES];
} multi;

/* One message with many writes; @arg is the first entry */
static void push_writes(struct neighbours *n)
{
	const struct vfio_user_write_entry *entry =
		(const struct vfio_user_write_entry *)n->attack->arg;
	struct message message = {
		.cmd = VFIO_USER_REGION_WRITE_MULTI,
		.payload = &multi,
		.len = sizeof(multi),
	};
	unsigned int i;

	multi.head.count = ENTRIES;
	for (i = 0; i < ENTRIES; i++)
		multi.entry[i] = *entry;
	flood(n, &message, -1);
}

#define WRITE(_region, _offset, _count, ...) \
	(uintptr_t)&(const struct vfio_user_write_entry){ \
		.region = _region, .offset = _offset, .count = _count, \
		.data = { __VA_ARGS__ }, \
	}

/* Eventfds for all vectors of a message */
static void push_eventfds(struct neighbours *n)
{
	struct vfio_user_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_USER_IRQ_TRIGGER | VFIO_USER_IRQ_DATA_EVENTFD,
		.index = VFIO_USER_IRQ_MSIX,
		.count = 1,
	};
	struct message message = {
		.cmd = VFIO_USER_DEVICE_SET_IRQS,
		.payload = &set,
		.len = sizeof(set),
	};
	int fd = eventfd(UINT32_MAX, EFD_NONBLOCK);

	flood(n, &message, fd);
	close(fd);
}

/* All vectors have an eventfd that is full */
static void full_eventfds(struct neighbours *n)
{
	eventfd_t full = UINT64_MAX - 1;
	unsigned int i;

	for (i = 0; i < CARD_VECTORS_MAX; i++) {
		attacker(n)->irq_fd[i] = eventfd(0, EFD_NONBLOCK);
		assert_int_equal(eventfd_write(attacker(n)->irq_fd[i], full),
				 0);
	}
}

/* ---- DMA map ---- */

static void many_regions(struct neighbours *n)
{
	unsigned int i;

	for (i = 0; i < REGIONS; i++)
		assert_int_equal(mem_map(&attacker(n)->mem,
					 REGIONS_START + 2 * i * PAGE, PAGE,
					 MEM_READ, n->host[0]->fd, 0), 0);
}

/* A region in front of all others is added and removed */
static void push_map_and_unmap(struct neighbours *n)
{
	struct vfio_user_dma_unmap unmap = { .argsz = sizeof(unmap),
					     .size = PAGE };
	struct vfio_user_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_USER_MAP_READ,
		.size = PAGE,
	};
	struct message message[] = {
		{ VFIO_USER_DMA_MAP, VFIO_USER_NO_REPLY, &map, sizeof(map) },
		{ VFIO_USER_DMA_UNMAP, VFIO_USER_NO_REPLY, &unmap,
		  sizeof(unmap) },
	};
	int client = n->world->client[0];
	unsigned int i;

	for (i = 0; i < 16; i++) {
		if (!client_try_send(client, message[0].cmd, message[0].flags,
				     &map, sizeof(map), n->host[0]->fd) ||
		    !client_try_send(client, message[1].cmd, message[1].flags,
				     &unmap, sizeof(unmap), -1))
			break;
	}
}

/* All regions go at once; then the client has to map each of them again */
static void push_unmap_all(struct neighbours *n)
{
	struct vfio_user_dma_unmap unmap = { .argsz = sizeof(unmap),
					     .flags = VFIO_USER_UNMAP_ALL };
	struct message message = { VFIO_USER_DMA_UNMAP, VFIO_USER_NO_REPLY,
				   &unmap, sizeof(unmap) };
	struct vfio_user_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_USER_MAP_READ,
		.size = PAGE,
	};

	if (attacker(n)->mem.count >= REGIONS) {
		flood(n, &message, -1);
		n->addr = 0;
		return;
	}
	for (; n->addr < REGIONS; n->addr++) {
		map.iova = REGIONS_START + 2 * n->addr * PAGE;
		if (!client_try_send(n->world->client[0], VFIO_USER_DMA_MAP,
				     VFIO_USER_NO_REPLY, &map, sizeof(map),
				     n->host[0]->fd))
			break;
	}
}

/* ---- clients ---- */

static void push_reconnect(struct neighbours *n)
{
	struct world *w = n->world;
	struct vfio_user_version hello = {};

	/* The card has not accepted the client yet */
	if (attacker(n)->vu.stats.connects <= n->addr)
		return;
	n->addr++;
	close(w->client[0]);
	w->client[0] = client_connect(w, 0);
	client_send(w->client[0], VFIO_USER_VERSION, 0, &hello, sizeof(hello),
		    -1);
	client_send(w->client[0], VFIO_USER_DEVICE_RESET, 0, NULL, 0, -1);
}

static void map_much(struct neighbours *n)
{
	int fd = memfd_create("guest", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, LEFT_BYTES), 0);
	assert_int_equal(mem_map(&attacker(n)->mem, LEFT_START, LEFT_BYTES,
				 MEM_READ | MEM_WRITE, fd, 0), 0);
	close(fd);
	memset(mem_ptr(&attacker(n)->mem, LEFT_START, LEFT_BYTES, MEM_WRITE), 1,
	       LEFT_BYTES);
}

/* The client leaves, and another one comes at once */
static void push_leave(struct neighbours *n)
{
	if (n->addr++)
		return;
	close(n->world->client[0]);
	n->world->client[0] = client_connect(n->world, 0);
}

/* A message in pieces of one byte */
static void push_byte(struct neighbours *n)
{
	static const struct vfio_user_header header = {
		.cmd = VFIO_USER_DEVICE_RESET,
		.flags = VFIO_USER_NO_REPLY,
		.size = sizeof(header),
	};
	const uint8_t *byte = (const uint8_t *)&header;

	assert_int_equal(write(n->world->client[0],
			       byte + n->addr++ % sizeof(header), 1), 1);
}

#define TURNS 200
/* Each interrupt is a system call */
#define TRIGGERS_NS (2 * VFIO_USER_TURN * WORK_CALL_NS)

static const struct attack attacks[] = {
	{ "version_again", NULL, push, TURNS, M(VERSION, version), 0, 0 },
	{ "unknown_command", NULL, push, TURNS,
	  (uintptr_t)&(const struct message){ .cmd = 1000 }, 0, 0 },
	{ "device_info", NULL, push, TURNS,
	  M(DEVICE_GET_INFO, info), 0, 0 },
	{ "region_info", NULL, push, TURNS,
	  M(DEVICE_GET_REGION_INFO, region), 0, 0 },
	{ "irq_info", NULL, push, TURNS,
	  M(DEVICE_GET_IRQ_INFO, irq), 0, 0 },
	{ "irq_eventfds", NULL, push_eventfds, TURNS, 0, 0, 0 },
	{ "irq_triggers", full_eventfds, push, TURNS,
	  M(DEVICE_SET_IRQS, trigger), TRIGGERS_NS, 0 },
	{ "irq_tests", full_eventfds, push_writes, TURNS,
	  WRITE(ORNIC_BAR_REGS, ORNIC_REG_IRQ_TEST, 4), 0, 0 },
	{ "config_reads", NULL, push, TURNS,
	  M(REGION_READ, config), 0, 0 },
	{ "config_writes", NULL, push, TURNS,
	  M(REGION_WRITE, config_write), 0, 0 },
	{ "register_reads", NULL, push, TURNS,
	  M(REGION_READ, clock_reg), 0, 0 },
	{ "register_resets", NULL, push_writes, TURNS,
	  WRITE(ORNIC_BAR_REGS, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET), 0, 0 },
	{ "register_dma_tests", many_regions, push_writes, TURNS,
	  WRITE(ORNIC_BAR_REGS, ORNIC_REG_DMA_TEST, 8), 0, 0 },
	{ "doorbells", NULL, push_writes, TURNS,
	  WRITE(ORNIC_BAR_DB, 0, 8), 0, 0 },
	{ "resets", NULL, push, TURNS,
	  (uintptr_t)&(const struct message){
		.cmd = VFIO_USER_DEVICE_RESET }, 0, 0 },
	{ "maps_and_unmaps", many_regions, push_map_and_unmap, TURNS, 0, 0, 0 },
	{ "unmap_all", many_regions, push_unmap_all, TURNS, 0, 0, 0 },
	{ "reconnects", NULL, push_reconnect, TURNS, 0, 0, 0 },
	{ "leaves", map_much, push_leave, TURNS, 0, 0, 0 },
	{ "bytes", NULL, push_byte, TURNS, 0, 0, 0 },
};

int main(void)
{
	return neighbours_main("neighbour_message", attacks,
			       ARRAY_SIZE(attacks));
}
