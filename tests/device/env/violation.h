/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Violations by a guest, a client or a peer. Each is counted by name and never
 * stops the device. One list makes the enum and the names; append to the
 * section of the file that detects the violation.
 */
#ifndef ORNIC_DEVICE_VIOLATION_H
#define ORNIC_DEVICE_VIOLATION_H

#define VIOLATIONS(V)                                                      \
	/* vfio-user */                                                    \
	V(VFIO_BAD_HEADER, "vfio_bad_header")                              \
	V(VFIO_BAD_SIZE, "vfio_bad_size")                                  \
	V(VFIO_BAD_VERSION, "vfio_bad_version")                            \
	V(VFIO_BAD_STATE, "vfio_bad_state")                                \
	V(VFIO_BAD_COMMAND, "vfio_bad_command")                            \
	V(VFIO_BAD_ARGSZ, "vfio_bad_argsz")                                \
	V(VFIO_BAD_FLAGS, "vfio_bad_flags")                                \
	V(VFIO_BAD_FDS, "vfio_bad_fds")                                    \
	V(VFIO_BAD_REGION, "vfio_bad_region")                              \
	V(VFIO_BAD_RANGE, "vfio_bad_range")                                \
	V(VFIO_BAD_IRQ, "vfio_bad_irq")                                    \
	V(VFIO_BAD_EVENTFD, "vfio_bad_eventfd")                            \
	V(VFIO_BAD_MAP, "vfio_bad_map")                                    \
	V(VFIO_BAD_UNMAP, "vfio_bad_unmap")                                \
	/* guest memory */                                                 \
	V(MEM_FAULT, "mem_fault")                                          \
	/* PCI function */                                                 \
	V(PCI_BAR_DISABLED, "pci_bar_disabled")                            \
	V(PCI_IRQ_VECTOR, "pci_irq_vector")

enum violation {
#define V(id, name) VIOLATION_##id,
	VIOLATIONS(V)
#undef V
	VIOLATION_COUNT
};

/**
 * violation_name - name of a violation in statistics and messages
 * @v: the violation
 *
 * Return: a static string.
 */
const char *violation_name(enum violation v);

#endif /* ORNIC_DEVICE_VIOLATION_H */
