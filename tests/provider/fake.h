/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A fake kernel and a fake device for the provider. They run in its process and
 * have no threads: each action is a call of the test.
 *
 * The kernel is the set of libibverbs functions that libornic calls. Its memory
 * is a memfd, which the provider maps like the character device. The device has
 * its own mapping of the same memory and follows hardware.rst.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "ornic.h"
#include "ornic_abi.h"

#define FAKE_QPS	8
#define FAKE_CQS	8
#define FAKE_SRQS	4
#define FAKE_WQS	4
#define FAKE_PAGE	4096u
#define FAKE_BYTES	(16u << 20)
#define FAKE_SLAB	(64 * FAKE_PAGE)
#define FAKE_OWN	(16 * FAKE_PAGE) /* larger rings share no slab */
#define FAKE_FIRST_QPN	0x000101
#define FAKE_FIRST_WQN	0x000201
#define FAKE_DRIVER_ID	77
#define FAKE_NULL_KEY	0x4e00
#define FAKE_CLOCK	0x123456789aULL	/* initial timestamp of the device */
#define FAKE_KEY	0x1200		/* key of regions and windows */
#define FAKE_PACKETS	1000		/* constant value of packet counters */
#define FAKE_COUNTED	64000		/* constant value of byte counters */

/**
 * struct fake_qp - a QP, an SRQ or a WQ, as the device sees it
 * @qpn: number; 0: free
 * @object: the object in the process
 * @state: state
 * @sq: ring
 * @rq: ring
 * @dbr: doorbell record
 * @sq_slots: size of @sq
 * @rq_wqes: size of @rq
 * @stride_shift: log2 of the bytes of a WQE of @rq
 * @sq_ci: next slot to execute
 * @rq_ci: next receive WQE to use
 */
struct fake_qp {
	uint32_t qpn;
	void *object;
	enum ibv_qp_state state;
	uint8_t *sq;
	uint8_t *rq;
	struct ornic_qp_dbr *dbr;
	uint32_t sq_slots;
	uint32_t rq_wqes;
	uint32_t stride_shift;
	uint32_t sq_ci;
	uint32_t rq_ci;
};

/**
 * struct fake_cq - a CQ as the device sees it
 * @cqn: number; 0: free
 * @object: the object in the process
 * @ring: entries
 * @dbr: doorbell record
 * @log_size: log2 of the entries
 * @log_cqe_size: log2 of the bytes of an entry
 * @pi: next entry to write
 * @answered: arm word that was answered last
 * @told: index that doorbells told last; see fake_take_cq_doorbell()
 */
struct fake_cq {
	uint32_t cqn;
	struct ibv_cq *object;
	uint8_t *ring;
	struct ornic_cq_dbr *dbr;
	uint8_t log_size;
	uint8_t log_cqe_size;
	uint32_t pi;
	uint32_t answered;
	uint32_t told;
};

/**
 * struct fake_place - memory of rings
 * @mem: the device's mapping of it
 * @map: mapping that holds it
 * @base: bytes from the start of the mapping
 */
struct fake_place {
	uint8_t *mem;
	struct ornic_mmap_place map;
	uint32_t base;
};

/**
 * struct fake - fake kernel, fake device, and the provider opened on them
 * @mem: the device's mapping of all memory
 * @fd: memfd of the memory
 * @used: allocated bytes of the memory
 * @doorbell: the doorbell page
 * @push: the push page, or NULL
 * @board: the board page
 * @clock: the clock page
 * @ucontext: response to the command that opened it
 * @qps: queue pairs
 * @cqs: completion queues
 * @srqs: shared receive queues
 * @wqs: work queues
 * @dev: the provider's device
 * @ctx: the provider's context
 * @all_ops: its operations, by all calls of verbs_set_ops()
 * @ops: @all_ops once they are set
 * @shadow: the device has ORNIC_CAPS_SHADOW
 * @has_push: the device has ORNIC_FEAT_PUSH
 * @no_slot: QPs get no slot on the board
 * @log_sq_slots: log2 of the slots of send queues; 0: as requested
 * @log_cqe_size: log2 of the bytes of a CQE, as reported; 0: as requested
 * @fail: errno of the next command
 * @fail_next: errno of the command after it
 * @bad_mmap: the next mapping gets an offset that cannot be mapped
 * @new_slabs: each object gets a slab of its own, which others could share
 * @slab: slab of which new objects get memory
 * @slab_used: bytes of it in use
 * @then: called once, before the next command returns that destroys a QP or WQ
 *	or resizes a CQ or an SRQ; the command has taken effect
 * @commands: number of successful commands
 * @clock_now: current timestamp of the device
 * @av: address vector of new AHs
 * @last_attr: attributes of the last QP created, as the kernel received them
 * @last_cq_attr: attributes of the last CQ created
 * @last_moderation: moderation of the last CQ modified
 * @last_access: access flags of the last region changed
 * @last_qp_req: driver-specific part of the last request to create a QP
 * @last_modify_req: driver-specific part of the last request to change a rate
 * @last_rate: rate of that request
 * @last_wq_attr: attributes of the last WQ created
 * @last_table: WQs of the last indirection table
 * @last_table_size: number of WQs in @last_table
 * @last_flow: attributes of the last flow rule, without its specifications
 * @last_read_flags: flags of the last read of counters
 * @last_counts: values of the last two completion counters created, the last one
 *	behind the other
 * @device: driver-specific response to a query of the device
 * @said: last message on the log of libibverbs, "" for none
 */
struct fake {
	uint8_t *mem;
	int fd;
	size_t used;
	uint64_t *doorbell;
	struct ornic_push_line *push;
	struct ornic_board *board;
	struct ornic_clock_info *clock;
	struct ornic_alloc_ucontext_resp ucontext;
	struct fake_qp qps[FAKE_QPS];
	struct fake_cq cqs[FAKE_CQS];
	struct fake_qp srqs[FAKE_SRQS];
	struct fake_qp wqs[FAKE_WQS];
	struct verbs_device *dev;
	struct verbs_context *ctx;
	struct verbs_context_ops all_ops;
	const struct verbs_context_ops *ops;
	bool shadow;
	bool has_push;
	bool no_slot;
	uint8_t log_sq_slots;
	uint8_t log_cqe_size;
	int fail;
	int fail_next;
	bool bad_mmap;
	bool new_slabs;
	struct fake_place slab;
	size_t slab_used;
	void (*then)(struct fake *fake);
	unsigned int commands;
	uint64_t clock_now;
	struct ornic_av av;
	struct ibv_qp_init_attr_ex last_attr;
	struct ibv_cq_init_attr_ex last_cq_attr;
	struct ibv_moderate_cq last_moderation;
	int last_access;
	struct ornic_create_qp_req last_qp_req;
	struct ornic_modify_qp_req last_modify_req;
	uint32_t last_rate;
	struct ibv_wq_init_attr last_wq_attr;
	uint32_t last_table[FAKE_WQS];
	uint32_t last_table_size;
	struct ibv_flow_attr last_flow;
	uint32_t last_read_flags;
	struct ornic_comp_counts *last_counts[2];
	struct ornic_query_device_resp device;
	char said[256];
};

/**
 * struct fake_wqe - contiguous copy of a send WQE
 * @hdr: header
 * @opcode: opcode in @hdr.ctrl
 * @flags: flags in @hdr.ctrl
 * @count: SGEs or bytes of inline data, by the length in @hdr.ctrl
 * @slots: slots in the ring
 * @bytes: everything after the header
 * @data: SGEs or inline data, in @bytes
 */
struct fake_wqe {
	struct ornic_sq_hdr hdr;
	uint32_t opcode;
	uint32_t flags;
	uint32_t count;
	uint32_t slots;
	uint8_t bytes[2048];
	const uint8_t *data;
};

/* fake_kernel.c */
extern struct fake *fake_now;
extern const struct verbs_device_ops *fake_dev_ops;

/* Defines a command that has no effect */
#define COMMAND(name, ...)		\
	int name(__VA_ARGS__)		\
	{				\
		return fake_fails();	\
	}

uint64_t fake_alloc(size_t bytes);
int fake_fails(void);
void fake_answered(void);
uint64_t fake_mmap_offset(uint64_t offset);
struct fake_place fake_place(size_t bytes);
void fake_open(struct fake *fake, bool shadow, bool push);
void fake_close(struct fake *fake);
unsigned int fake_objects(const struct fake *fake);
struct ibv_qp *fake_create_qp(struct fake *fake, enum ibv_qp_type type,
			      struct ibv_cq *cq, uint32_t send_wr,
			      uint32_t recv_wr, uint64_t send_ops);
void fake_to_state(struct ibv_qp *ibqp, enum ibv_qp_state state);

/* fake_queues.c */
uint8_t fake_log2(uint32_t n);
uint8_t fake_stride(uint32_t max_sge);

/* fake_device.c */
bool fake_take_send(struct fake_qp *qp, enum ibv_qp_type type,
		    struct fake_wqe *wqe);
bool fake_take_recv(struct fake_qp *qp, struct ornic_rq_hdr *hdr,
		    struct ornic_sge *sge);
struct ornic_cqe *fake_cqe(const struct fake_cq *cq, uint32_t pos);
void fake_complete(struct fake_cq *cq, const struct ornic_cqe *cqe);
void fake_complete_ext(struct fake_cq *cq, const struct ornic_cqe *cqe,
		       const struct ornic_cqe_ext *ext);
int fake_take_cq_doorbell(struct fake *fake, struct fake_cq *cq);
enum ornic_arm_type fake_asked(const struct fake_cq *cq);
void fake_answer(struct fake_cq *cq);
void fake_release_sends(struct fake_qp *qp);
uint64_t fake_take_doorbell(struct fake *fake);

/* The provider allocates its device, opens it once more, and imports the open context */
static inline struct verbs_device *fake_alloc_device(void)
{
	struct verbs_sysfs_dev sysfs = { .driver_id = FAKE_DRIVER_ID };

	return fake_dev_ops->alloc_device(&sysfs);
}

static inline struct verbs_context *fake_alloc_context(struct fake *fake)
{
	return fake_dev_ops->alloc_context(&fake->dev->device, fake->fd, NULL);
}

static inline struct verbs_context *fake_import(struct fake *fake)
{
	return fake_dev_ops->import_context(&fake->dev->device, fake->fd);
}

/* The device's side of an object */
static inline struct fake_qp *fake_qp(struct ibv_qp *ibqp)
{
	return &fake_now->qps[ibqp->handle];
}

static inline struct fake_cq *fake_cq(struct ibv_cq *ibcq)
{
	return &fake_now->cqs[ibcq->handle - 1];
}

static inline struct fake_qp *fake_srq(struct ibv_srq *ibsrq)
{
	return &fake_now->srqs[ibsrq->handle];
}

static inline struct fake_qp *fake_wq(struct ibv_wq *ibwq)
{
	return &fake_now->wqs[ibwq->handle];
}

#endif /* FAKE_H */
