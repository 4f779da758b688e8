/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A vfio-user server endpoint: one socket, one function, one client at a time.
 * The endpoint never blocks on the client, neither for the rest of a message
 * nor for room to reply, so a faulty client harms only itself.
 */
#ifndef ORNIC_DEVICE_VFIO_USER_H
#define ORNIC_DEVICE_VFIO_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "env/env.h"
#include "host/vfio_user_proto.h"
#include "loop/loop.h"

/* Limit of descriptors per message, announced in VERSION */
#define VFIO_USER_MAX_FDS 16
/* Limit of bytes per region access, announced in VERSION: a config space */
#define VFIO_USER_MAX_XFER 4096
/*
 * Limit of the cost of one client per turn of the loop, for fairness. The unit
 * is about one write to a register.
 */
#define VFIO_USER_TURN 256
#define VFIO_USER_COST_MESSAGE 4
#define VFIO_USER_COST_MAP 32
#define VFIO_USER_COST_RESET VFIO_USER_TURN
/* Largest message, bytes: 200 posted writes, or a long VERSION */
#define VFIO_USER_MAX_MSG 16384

struct vfio_user;

/**
 * struct vfio_user_ops - operations of the PCI function behind the endpoint
 * @dma_map: as mem_map()
 * @dma_unmap: as mem_unmap(); the range is not accessed after the return
 * @reset: execute DEVICE_RESET
 * @region_read: read @len bytes at @offset inside the region; 1, 2, 4 or 8
 *	bytes, aligned, for a BAR
 * @region_write: write likewise; calls vfio_user_charge() if it costs more than
 *	a write to a register
 * @irq_set_fd: set the eventfd of an MSI-X vector, -1 for none; takes ownership
 *	of @fd
 * @irq_trigger: raise a vector as if the device had raised it
 * @closed: the client is gone: reset, release its memory and its eventfds
 */
struct vfio_user_ops {
	int (*dma_map)(struct vfio_user *vu, uint64_t iova, uint64_t len,
		       unsigned int prot, int fd, uint64_t offset);
	int (*dma_unmap)(struct vfio_user *vu, uint64_t iova, uint64_t len);
	void (*reset)(struct vfio_user *vu);
	void (*region_read)(struct vfio_user *vu, unsigned int region,
			    uint64_t offset, void *buf, uint32_t len);
	void (*region_write)(struct vfio_user *vu, unsigned int region,
			     uint64_t offset, const void *buf, uint32_t len);
	void (*irq_set_fd)(struct vfio_user *vu, unsigned int vector, int fd);
	void (*irq_trigger)(struct vfio_user *vu, unsigned int vector);
	void (*closed)(struct vfio_user *vu);
};

/**
 * struct vfio_user_stats - counters of an endpoint
 * @connects: clients accepted
 * @refused: clients refused: the card was in use, or no descriptor was free
 * @messages: complete messages received
 * @errors: requests that failed
 */
struct vfio_user_stats {
	uint64_t connects;
	uint64_t refused;
	uint64_t messages;
	uint64_t errors;
};

/**
 * struct vfio_user - an endpoint
 * @ops: operations of the function
 * @loop: event loop of the endpoint
 * @env: environment for violations and log messages
 * @path: path of the socket
 * @region_size: size of each region, bytes; 0 if there is none
 * @irq_count: number of interrupts, by kind
 * @listener: the listening socket
 * @client: the connection; fd is -1 without a client
 * @negotiated: VERSION was exchanged
 * @in_header: header in @in
 * @in: message being received
 * @in_len: bytes of @in received
 * @in_fd: descriptors received with @in
 * @in_fd_count: number of @in_fd
 * @budget: rest of VFIO_USER_TURN
 * @unfinished: the message in @in is executed in part; the next turn continues
 * @multi_done: entries of an unfinished REGION_WRITE_MULTI that are done
 * @out_header: header in @out
 * @out: reply being sent
 * @out_len: bytes of @out
 * @out_sent: bytes of @out sent
 * @stats: counters
 */
struct vfio_user {
	const struct vfio_user_ops *ops;
	struct loop *loop;
	struct env *env;
	const char *path;
	uint64_t region_size[VFIO_USER_REGIONS];
	uint32_t irq_count[VFIO_USER_IRQS];
	struct loop_fd listener;
	struct loop_fd client;
	bool negotiated;
	union {
		struct vfio_user_header in_header;
		uint8_t in[VFIO_USER_MAX_MSG];
	};
	size_t in_len;
	int in_fd[VFIO_USER_MAX_FDS];
	unsigned int in_fd_count;
	unsigned int budget;
	bool unfinished;
	size_t multi_done;
	union {
		struct vfio_user_header out_header;
		uint8_t out[VFIO_USER_MAX_MSG];
	};
	size_t out_len;
	size_t out_sent;
	struct vfio_user_stats stats;
};

/**
 * vfio_user_open - start to listen
 * @vu: zeroed endpoint with ops, loop, env, path, region_size and irq_count set
 * @listener: non-blocking socket that listens at @path, owned from now on if this
 *	succeeds; -1: make it
 *
 * Return: 0 or a negative errno.
 */
int vfio_user_open(struct vfio_user *vu, int listener);

/**
 * vfio_user_close - drop the client, stop listening, remove the socket
 * @vu: the endpoint, open or not
 */
void vfio_user_close(struct vfio_user *vu);

/**
 * vfio_user_drop - close the connection, if there is one, and keep listening
 * @vu: the endpoint
 */
void vfio_user_drop(struct vfio_user *vu);

/**
 * vfio_user_unread - look whether the client has sent more than was executed
 * @vu: the endpoint, between two messages or parts of one
 *
 * Return: true also for a part of a message, and when the client is gone.
 */
bool vfio_user_unread(const struct vfio_user *vu);

/**
 * vfio_user_charge - charge the client for work
 * @vu: the endpoint
 * @cost: VFIO_USER_COST_* or a number of writes to registers
 *
 * The client's turn ends when @vu->budget is used up.
 */
static inline void vfio_user_charge(struct vfio_user *vu, unsigned int cost)
{
	vu->budget -= cost < vu->budget ? cost : vu->budget;
}

/**
 * vfio_user_handle - execute one command
 * @vu: endpoint with a complete message in @in
 * @reply_len: incremented by the bytes of payload written behind the header in
 *	@out
 *
 * A descriptor that is taken over is replaced by -1 in @in_fd. With @unfinished
 * set on return, call again with the same message in the next turn.
 *
 * Return: 0, or a negative errno for the client.
 */
int vfio_user_handle(struct vfio_user *vu, size_t *reply_len);

#endif /* ORNIC_DEVICE_VFIO_USER_H */
