/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A vfio-user server endpoint: one socket, one function, one client at a time.
 * Nothing here waits for the client, neither for the rest of a message nor for
 * room to reply; whatever it does wrong costs only itself.
 */
#ifndef ORNIC_DEVICE_VFIO_USER_H
#define ORNIC_DEVICE_VFIO_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "env.h"
#include "loop.h"
#include "vfio_user_proto.h"

/* Descriptors in one message, as told to the client. */
#define VFIO_USER_MAX_FDS 16
/* Bytes of one region access, as told to the client: all of config space. */
#define VFIO_USER_MAX_XFER 4096
/*
 * What one client may cost in one turn of the loop, so that others have theirs.
 * The unit is about a write to a register.
 */
#define VFIO_USER_TURN 256
#define VFIO_USER_COST_MESSAGE 4
#define VFIO_USER_COST_MAP 32
#define VFIO_USER_COST_RESET VFIO_USER_TURN
/* The largest message: 200 posted writes, or a VERSION with much to say. */
#define VFIO_USER_MAX_MSG 16384

struct vfio_user;

/**
 * struct vfio_user_ops - the function behind the endpoint
 * @dma_map: as mem_map()
 * @dma_unmap: as mem_unmap(); on return nobody accesses the range
 * @reset: DEVICE_RESET
 * @region_read: @len bytes at @offset, inside the region; for a BAR 1, 2, 4 or
 *	8 bytes, aligned
 * @region_write: likewise; charges what is more than a write to a register
 * @irq_set_fd: MSI-X vector fires this eventfd, -1 for none; takes over @fd
 * @irq_trigger: fire a vector as if the device had
 * @closed: the client is gone: forget its memory and its eventfds, reset
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
 * struct vfio_user_stats - what an endpoint counts
 * @connects: clients that were accepted
 * @refused: clients that came while another was there
 * @messages: complete messages
 * @errors: error replies
 */
struct vfio_user_stats {
	uint64_t connects;
	uint64_t refused;
	uint64_t messages;
	uint64_t errors;
};

/**
 * struct vfio_user - an endpoint
 * @ops: the function behind it
 * @loop: runs it
 * @env: counts its violations, shows its messages
 * @path: of the socket
 * @region_size: bytes of each region, 0 where there is none
 * @irq_count: of each kind of interrupt
 * @listener: the socket
 * @client: the connection, fd -1 when there is none
 * @negotiated: VERSION was exchanged
 * @in: message being received
 * @in_len: bytes of @in received
 * @in_fd: descriptors that came with it
 * @in_fd_count: number of @in_fd
 * @budget: what is left of VFIO_USER_TURN
 * @unfinished: the message in @in is carried out in part, and goes on next turn
 * @multi_done: entries of an unfinished REGION_WRITE_MULTI that are done
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
 * vfio_user_open - listen
 * @vu: zeroed, then ops, loop, env, path, region_size and irq_count filled in
 *
 * Return: 0 or a negative errno.
 */
int vfio_user_open(struct vfio_user *vu);

/**
 * vfio_user_close - drop the client, stop listening, remove the socket
 * @vu: open or not
 */
void vfio_user_close(struct vfio_user *vu);

/**
 * vfio_user_drop - end the connection, if there is one; keep listening
 * @vu: the endpoint
 */
void vfio_user_drop(struct vfio_user *vu);

/**
 * vfio_user_charge - something was done for the client
 * @vu: the endpoint
 * @cost: VFIO_USER_COST_* or a number of writes to registers
 *
 * When @budget is used up the client's turn ends.
 */
static inline void vfio_user_charge(struct vfio_user *vu, unsigned int cost)
{
	vu->budget -= cost < vu->budget ? cost : vu->budget;
}

/**
 * vfio_user_handle - carry out one command
 * @vu: with a complete message in @in
 * @reply_len: bytes of payload put behind the header in @out; 0 at first
 *
 * A descriptor that is used up is replaced by -1 in @in_fd. With @unfinished
 * set on return, call again with the same message in the next turn.
 *
 * Return: 0, or a negative errno for the client.
 */
int vfio_user_handle(struct vfio_user *vu, size_t *reply_len);

#endif /* ORNIC_DEVICE_VFIO_USER_H */
