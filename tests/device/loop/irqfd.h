/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interrupts: firing eventfds that the client owns.
 *
 * The client shares the open file description of each eventfd it sends.
 * O_NONBLOCK is a flag of the description, so the client can clear it at any
 * moment and fill the counter. A write(2) from here would then never return,
 * and a check before each write does not close the race. The kernel itself
 * fires an eventfd without waiting for room when an AIO request that names the
 * eventfd completes (io_submit(2), IOCB_FLAG_RESFD). The requests here read
 * nothing from an empty pipe and complete at once.
 */
#ifndef ORNIC_DEVICE_IRQFD_H
#define ORNIC_DEVICE_IRQFD_H

#include <stdbool.h>

#include <linux/aio_abi.h>

/**
 * struct irqfd - AIO state for firing eventfds, one per process
 * @ctx: AIO context
 * @pipe: its read end completes requests, its write end refuses them
 * @pending: completed requests that still take room in @ctx
 */
struct irqfd {
	aio_context_t ctx;
	int pipe[2];
	unsigned int pending;
};

/**
 * irqfd_init - create the AIO context and the pipe
 * @irqfd: to initialise
 *
 * Return: 0 or a negative errno; -ENOSYS means a kernel without CONFIG_AIO.
 */
int irqfd_init(struct irqfd *irqfd);

/**
 * irqfd_uninit - undo irqfd_init()
 * @irqfd: initialised
 */
void irqfd_uninit(struct irqfd *irqfd);

/**
 * irqfd_valid - check that a descriptor is an eventfd
 * @irqfd: initialised
 * @fd: open descriptor of any kind; neither fired nor changed
 *
 * Return: true when irqfd_fire() accepts it.
 */
bool irqfd_valid(struct irqfd *irqfd, int fd);

/**
 * irqfd_fire - add one to an eventfd without waiting
 * @irqfd: initialised
 * @fd: eventfd; a full counter stays full
 *
 * Return: 0 or a negative errno.
 */
int irqfd_fire(struct irqfd *irqfd, int fd);

#endif /* ORNIC_DEVICE_IRQFD_H */
