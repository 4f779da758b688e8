/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interrupts: firing eventfds that belong to somebody else.
 *
 * The client shares the open file description of each eventfd it sends.
 * O_NONBLOCK is a flag of the description, so the client can clear it at any
 * moment, fill the counter, and a write(2) from here never returns; a look
 * before each write loses the race sooner or later. The kernel itself fires an
 * eventfd without ever waiting for room: when an AIO request that names the
 * eventfd completes (io_submit(2), IOCB_FLAG_RESFD). Here such a request reads
 * nothing from an empty pipe and completes at once.
 */
#ifndef ORNIC_DEVICE_IRQFD_H
#define ORNIC_DEVICE_IRQFD_H

#include <stdbool.h>

#include <linux/aio_abi.h>

/**
 * struct irqfd - what firing needs, one per process
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
 * irqfd_init - get ready
 * @irqfd: to initialise
 *
 * Return: 0 or a negative errno; -ENOSYS means a kernel without CONFIG_AIO.
 */
int irqfd_init(struct irqfd *irqfd);

/**
 * irqfd_uninit - end of irqfd_init()
 * @irqfd: initialised
 */
void irqfd_uninit(struct irqfd *irqfd);

/**
 * irqfd_valid - is a descriptor an eventfd
 * @irqfd: initialised
 * @fd: an open descriptor of any kind; neither fired nor changed
 *
 * Return: whether irqfd_fire() takes it.
 */
bool irqfd_valid(struct irqfd *irqfd, int fd);

/**
 * irqfd_fire - add one to an eventfd, without ever waiting
 * @irqfd: initialised
 * @fd: an eventfd; a counter that is full stays full
 *
 * Return: 0 or a negative errno.
 */
int irqfd_fire(struct irqfd *irqfd, int fd);

#endif /* ORNIC_DEVICE_IRQFD_H */
