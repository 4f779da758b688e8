/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects of the ORNIC provider.
 *
 * The kernel allocates rings and doorbell records. The provider maps them when
 * it creates an object. Small rings share mappings, of which it keeps a spare
 * one when it destroys objects.
 */
#ifndef ORNIC_H
#define ORNIC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/driver.h>
#include <rdma/ornic-abi.h>
#include <ccan/container_of.h>
#include <util/compiler.h>

#include "ornic_hw.h"

#define ORNIC_CACHE_LINE	64

/**
 * struct ornic_device - RDMA device
 * @vdev: verbs device
 * @driver_id: RDMA driver ID from the kernel; part of each ioctl
 */
struct ornic_device {
	struct verbs_device vdev;
	uint32_t driver_id;
};

/* Lists of mapped slabs, by the remainder of their number */
#define ORNIC_SLAB_HEADS	64

/**
 * struct ornic_slab - mapped memory that rings of several objects share
 * @next: next one of the list
 * @id: number; the kernel gives no other memory of the context the same
 * @map: start of the mapping
 * @length: bytes of it
 * @users: objects that have memory in it
 */
struct ornic_slab {
	struct ornic_slab *next;
	uint64_t id;
	void *map;
	size_t length;
	unsigned int users;
};

/**
 * struct ornic_slabs - mapped slabs of a context
 * @lock: protects the other members, and those of slabs
 * @spare: slab without users that stays mapped, or NULL; in its list
 * @heads: lists of slabs, by @id modulo ORNIC_SLAB_HEADS
 */
struct ornic_slabs {
	pthread_mutex_t lock;
	struct ornic_slab *spare;
	struct ornic_slab *heads[ORNIC_SLAB_HEADS];
};

/**
 * struct ornic_ringmem - mapping that holds rings and doorbell record
 * @slab: slab of the mapping; NULL: the object has it alone
 * @map: start of the mapping, NULL without one
 * @length: bytes of it
 */
struct ornic_ringmem {
	struct ornic_slab *slab;
	void *map;
	size_t length;
};

/**
 * struct ornic_leaver - QP or WQ that is being destroyed; see num.c
 * @next: next one of the list
 * @num: its number
 * @send_cq: its send CQ, or NULL
 * @recv_cq: its receive CQ, or NULL
 * @users: threads that got @num for a new QP or WQ and drop its completions;
 *	protected by the lock of struct ornic_nums
 * @lock: held while its completions are dropped; protects @clean
 * @clean: they have been dropped
 */
struct ornic_leaver {
	struct ornic_leaver *next;
	uint32_t num;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	unsigned int users;
	pthread_mutex_t lock;
	bool clean;
};

/**
 * struct ornic_nums - numbers of QPs and WQs that are being destroyed
 * @lock: protects @leavers, the links and the users; not held over commands
 * @idle: signaled when one of @leavers has a user less
 * @leavers: list, the last one first
 */
struct ornic_nums {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	struct ornic_leaver *leavers;
};

/**
 * struct ornic_context_pages - locations of the pages of a context
 * @db: doorbell page
 * @board: board page, with ORNIC_UCONTEXT_CAP_SHADOW
 * @clock: clock page, with ORNIC_UCONTEXT_CAP_CLOCK
 * @push: push page, with ORNIC_UCONTEXT_CAP_PUSH
 */
struct ornic_context_pages {
	struct ornic_mmap_place db;
	struct ornic_mmap_place board;
	struct ornic_mmap_place clock;
	struct ornic_mmap_place push;
};

/**
 * struct ornic_context - an open device
 * @vctx: verbs context
 * @caps: enum ornic_ucontext_caps
 * @null_key: lkey of the null MR, with ORNIC_UCONTEXT_CAP_NULL_MR
 * @send_ops: bit n: the device supports enum ibv_wr_opcode n
 * @pages: where the kernel has the doorbell page, the board and the clock
 * @pages_lock: held while one of these is mapped
 * @db: doorbell page, write only; NULL before the first CQ or SRQ is created
 * @board: board page, as @db; NULL without ORNIC_UCONTEXT_CAP_SHADOW
 * @push: push page, as @db; NULL without ORNIC_UCONTEXT_CAP_PUSH
 * @clock: clock page, read only; NULL before the first CQ that needs it
 * @nums: numbers of QPs and WQs that are being destroyed
 * @slabs: mapped slabs
 * @push_lock: held while a WQE is pushed ([ORNIC-PUSH-3])
 * @push_at: offset of the next line of @push; protected by @push_lock
 */
struct ornic_context {
	struct verbs_context vctx;
	uint32_t caps;
	uint32_t null_key;
	uint64_t send_ops;
	struct ornic_context_pages pages;
	pthread_mutex_t pages_lock;
	void *db;
	struct ornic_board *board;
	void *push;
	const struct ornic_clock_info *clock;
	struct ornic_nums nums;
	struct ornic_slabs slabs;
	pthread_spinlock_t push_lock;
	uint32_t push_at;
};

/**
 * struct ornic_lock - spin lock that single-threaded objects do not take
 * @spin: the lock
 * @needed: false: the application uses the object from one thread at a time
 */
struct ornic_lock {
	pthread_spinlock_t spin;
	bool needed;
};

/**
 * struct ornic_td - thread domain: one thread at a time uses its objects
 * @ibv_td: verbs thread domain
 * @users: parent domains that refer to it
 */
struct ornic_td {
	struct ibv_td ibv_td;
	atomic_int users;
};

/**
 * struct ornic_pd - protection domain or parent domain
 * @ibv_pd: verbs protection domain
 * @pd: parent domain: its protection domain; protection domain: NULL
 * @td: parent domain: its thread domain or NULL
 * @users: protection domain: number of parent domains that refer to it; parent
 *	domain: number of QPs, CQs, SRQs and WQs created with it
 * @alloc: parent domain: allocator of the application or NULL
 * @free: frees memory from @alloc
 * @pd_context: argument of @alloc and @free
 */
struct ornic_pd {
	struct ibv_pd ibv_pd;
	struct ornic_pd *pd;
	struct ornic_td *td;
	atomic_int users;
	void *(*alloc)(struct ibv_pd *pd, void *pd_context, size_t size,
		       size_t alignment, uint64_t resource_type);
	void (*free)(struct ibv_pd *pd, void *pd_context, void *ptr,
		     uint64_t resource_type);
	void *pd_context;
};

/**
 * enum ornic_resource - resource types for the allocator of a parent domain
 * @ORNIC_RESOURCE_QP: struct ornic_qp
 * @ORNIC_RESOURCE_CQ: struct ornic_cq
 * @ORNIC_RESOURCE_SRQ: struct ornic_srq
 * @ORNIC_RESOURCE_WQ: struct ornic_wq
 *
 * The allocator provides these structures only. The kernel allocates rings and
 * doorbell records.
 */
enum ornic_resource {
	ORNIC_RESOURCE_QP	= 1,
	ORNIC_RESOURCE_CQ	= 2,
	ORNIC_RESOURCE_SRQ	= 3,
	ORNIC_RESOURCE_WQ	= 4,
};

/**
 * struct ornic_owner - source of the memory of an object
 * @pd: parent domain that the object refers to, or NULL
 * @allocated: the memory is from the allocator of @pd
 */
struct ornic_owner {
	struct ornic_pd *pd;
	bool allocated;
};

/**
 * struct ornic_ah - address handle
 * @ibv_ah: verbs address handle
 * @av: address vector as the kernel resolved it, copied into each send WQE
 */
struct ornic_ah {
	struct ibv_ah ibv_ah;
	struct ornic_av av;
};

struct ornic_cq;

/* Lists of queues that complete in a CQ, by the low bits of their number */
#define ORNIC_CQ_HEADS	256

/**
 * struct ornic_polled - requests of a queue whose completions were polled
 * @cq: its CQ, or NULL
 * @next: next one of the list of @cq
 * @key: bits of the last word of its completions: number of the QP or WQ, and
 *	ORNIC_WC_SEND_QUEUE; see ORNIC_CQE_KEY
 * @count: number of requests, modulo 2^32, since the queue left RESET: those
 *	completed and polled, and for send queues the unsignaled ones before them
 *
 * A request is outstanding until its completion was polled, so that a CQ with
 * room for all requests of its queues is not overrun. The lock of @cq
 * protects @next, @key and stores of @count.
 */
struct ornic_polled {
	struct ornic_cq *cq;
	struct ornic_polled *next;
	uint32_t key;
	_Atomic(uint32_t) count;
} __attribute__((aligned(ORNIC_CACHE_LINE)));

/**
 * enum ornic_cq_state - which ring the device writes to
 * @ORNIC_CQ_LIVE: the mapped one
 * @ORNIC_CQ_RESIZING: unknown until the resize ends and releases resize_lock
 * @ORNIC_CQ_LOST: one that could not be mapped, and there is no other; another
 *	resize may recover it
 * @ORNIC_CQ_DEAD: as LOST, but it may hold completions of a QP or WQ that was
 *	reset or destroyed; the CQ cannot be recovered
 */
enum ornic_cq_state {
	ORNIC_CQ_LIVE,
	ORNIC_CQ_RESIZING,
	ORNIC_CQ_LOST,
	ORNIC_CQ_DEAD,
};

/**
 * struct ornic_cq - completion queue
 * @lock: protects the other members, except @vcq and those set once
 * @min_num: polls for this many entries or fewer take the slow path: 0, or
 *	INT_MAX while @state is not ORNIC_CQ_LIVE
 * @ring: first struct ornic_cqe; with @log_cqe_size 6 each has struct
 *	ornic_cqe_ext in front
 * @dbr: doorbell record
 * @ci: consumer index, free-running
 * @at: entry of @ci, from which ordinary polls begin
 * @end: end of the ring: @ring and all its entries
 * @want: phase of a valid entry at @at, and the key of @polled
 * @run: extended poll: entries of @polled that are not counted yet
 * @polled: the queue of the last completion, or @other
 * @other: for completions of queues that are not in @heads
 * @heads: queues that complete here
 * @mask: entries of the ring - 1
 * @phase_shift: shifts the bit of @ci that changes with each pass to bit 31
 * @cqe: current entry of an extended poll
 * @poll: poll_cq for entries of this size, with or without the lock
 * @vcq: verbs CQ, ordinary or extended
 * @arm: arm word written last
 * @told: without ORNIC_UCONTEXT_CAP_SHADOW, consumer index that the device was
 *	told last
 * @cqn: CQ number of the device
 * @log_cqe_size: log2 of the bytes of an entry
 * @mem: mapping that holds @ring and @dbr
 * @state: whether the device writes to @ring
 * @resize_lock: serialises resizes; other users of the ring wait for it
 * @owner: parent domain and memory
 */
struct ornic_cq {
	struct ornic_lock lock;
	uint8_t *ring;
	struct ornic_cq_dbr *dbr;
	uint8_t *at;
	uint8_t *end;
	struct ornic_polled *polled;
	uint32_t want;
	uint32_t ci;
	int min_num;
	uint32_t mask;
	uint32_t phase_shift;
	uint32_t run;
	const struct ornic_cqe *cqe;
	int (*poll)(struct ornic_cq *cq, int num, struct ibv_wc *wc);
	struct verbs_cq vcq;
	uint32_t arm;
	uint32_t told;
	uint32_t cqn;
	uint8_t log_cqe_size;
	struct ornic_ringmem mem;
	enum ornic_cq_state state;
	pthread_mutex_t resize_lock;
	struct ornic_owner owner;
	struct ornic_polled other;
	struct ornic_polled *heads[ORNIC_CQ_HEADS];
} __attribute__((aligned(ORNIC_CACHE_LINE)));

/**
 * struct ornic_sq - send queue
 * @lock: protects the queue; held from wr_start to wr_complete or wr_abort
 * @ring: slots of ORNIC_SLOT_SIZE bytes
 * @end: first byte after the ring
 * @next: slot in which the next WQE begins; @end stands for @ring
 * @stop: from @next to here slots are free, by the consumer index last read,
 *	and no more of them than requests may be posted
 * @origin: address that index 0 would have if the ring were endless; an integer
 *	modulo 2^64
 * @ops: bit n: enum ibv_wr_opcode n may be posted in the current state
 * @dbr: doorbell record
 * @slots: size of the ring; 0: no ring
 * @max_wr: requests that may be outstanding
 * @more: slots of all WQEs but the first of each, modulo 2^32; so the number of
 *	requests is the producer index less this
 * @first_more: ibv_wr_*: @more before the transaction
 * @max_sge: SGEs of a work request
 * @max_inline: bytes of inline data of a work request
 * @small_inline: bytes of inline data that fit into the first slot of an RC or
 *	ETH WQE, at most @max_inline
 * @max_tso_header: bytes of headers of a TSO request; 0: no TSO
 * @plain: ibv_wr_*: the WQE being built begins in the slot before @next, and
 *	its SGEs or inline data go behind the route of RC or ETH
 * @wqe: ibv_wr_*: if not @plain: the WQE being built, or NULL
 * @data: ibv_wr_*: if not @plain, and with @wqe: where its SGEs or inline data
 *	go, or NULL
 * @no_addr: ibv_wr_*: the datagram being built has no address yet, or the XRC
 *	request no SRQ
 * @first: @next before the call or transaction, in the ring as of @origin
 * @error: ibv_wr_*: the first error since wr_start, positive errno
 * @slot: slot on the board, or ORNIC_BOARD_NO_SLOT
 * @ctx: context with the doorbell page and the board
 * @polled: requests that are not outstanding any more
 *
 * The structure has cache lines of its own, because another thread may post
 * receives.
 */
struct ornic_sq {
	struct ornic_lock lock;
	uint8_t *ring;
	uint8_t *end;
	uint8_t *next;
	uint8_t *stop;
	uint64_t origin;
	uint64_t ops;
	struct ornic_qp_dbr *dbr;
	uint32_t slots;
	uint32_t max_wr;
	uint32_t more;
	uint32_t first_more;
	uint32_t max_sge;
	uint32_t max_inline;
	size_t small_inline;
	uint32_t max_tso_header;
	struct ornic_sq_hdr *wqe;
	void *data;
	bool plain;
	bool no_addr;
	uint64_t first;
	int error;
	uint32_t slot;
	struct ornic_context *ctx;
	struct ornic_polled polled;
} __attribute__((aligned(ORNIC_CACHE_LINE)));

/**
 * struct ornic_rq - receive queue
 * @lock: protects the queue
 * @ring: receive WQEs
 * @dbr: doorbell record
 * @pi: producer index, in WQEs, free-running
 * @limit: upper bound of @pi, from @polled or the consumer index last read
 * @mask: WQEs of the ring - 1
 * @stride_shift: log2 of the bytes of a WQE
 * @max_sge: SGEs of a work request
 * @max_wr: QP or WQ: requests that may be outstanding. SRQ: WQEs of the ring:
 *	those that the kernel grants, and as many by which the consumer index
 *	may lag behind ([ORNIC-ORD-6])
 * @open: work requests may be posted. QP or WQ: outside RESET, and without an
 *	SRQ. SRQ: unless a resize lost the ring.
 * @resizing: SRQ: the device may leave @ring until the resize ends and releases
 *	resize_lock; @limit is @pi
 * @shared: this is an SRQ, whose completions may be those of other processes,
 *	so it goes by the consumer index of the device
 * @polled: QP or WQ: requests that are not outstanding any more
 *
 * The structure has a cache line of its own; see struct ornic_sq.
 */
struct ornic_rq {
	struct ornic_lock lock;
	uint8_t *ring;
	struct ornic_qp_dbr *dbr;
	uint32_t pi;
	uint32_t limit;
	uint32_t mask;
	uint32_t stride_shift;
	uint32_t max_sge;
	uint32_t max_wr;
	bool open;
	bool resizing;
	bool shared;
	struct ornic_polled polled;
} __attribute__((aligned(ORNIC_CACHE_LINE)));

/**
 * struct ornic_srq - shared receive queue
 * @vsrq: verbs SRQ
 * @rq: the queue
 * @srqn: SRQ number of the device
 * @mem: mapping that holds the ring and the doorbell record
 * @resize_lock: serialises resizes; threads that post wait for it
 * @owner: parent domain and memory
 */
struct ornic_srq {
	struct verbs_srq vsrq;
	struct ornic_rq rq;
	uint32_t srqn;
	struct ornic_ringmem mem;
	pthread_mutex_t resize_lock;
	struct ornic_owner owner;
};

/**
 * struct ornic_wq - work queue: a receive queue for Ethernet frames
 * @rq: the queue
 * @ibv_wq: verbs WQ
 * @mem: mapping that holds the ring and the doorbell record
 * @owner: parent domain and memory
 */
struct ornic_wq {
	struct ornic_rq rq;
	struct ibv_wq ibv_wq;
	struct ornic_ringmem mem;
	struct ornic_owner owner;
};

/**
 * struct ornic_counter_point - counter attached to a result of read_counters()
 * @desc: packets or bytes
 * @index: index of the result
 */
struct ornic_counter_point {
	enum ibv_counter_description desc;
	uint32_t index;
};

/**
 * struct ornic_counters - counters of flow rules
 * @vcounters: verbs counters
 * @lock: protects the members below
 * @points: attached counters
 * @num: entries of @points
 * @flows: number of rules that use the counters; while there are any, @points
 *	does not change
 */
struct ornic_counters {
	struct verbs_counters vcounters;
	pthread_mutex_t lock;
	struct ornic_counter_point *points;
	uint32_t num;
	uint32_t flows;
};

/**
 * struct ornic_flow - flow rule
 * @ibv_flow: verbs flow
 * @counters: counters of the rule, or NULL
 */
struct ornic_flow {
	struct ibv_flow ibv_flow;
	struct ornic_counters *counters;
};

/**
 * enum ornic_wqe_kind - route after the header of a send WQE
 * @ORNIC_WQE_RC: struct ornic_route_rc
 * @ORNIC_WQE_UD: struct ornic_route_ud
 * @ORNIC_WQE_ETH: struct ornic_route_eth
 */
enum ornic_wqe_kind {
	ORNIC_WQE_RC,
	ORNIC_WQE_UD,
	ORNIC_WQE_ETH,
};

/**
 * struct ornic_qp - queue pair
 * @vqp: verbs QP, ordinary or extended
 * @kind: kind of its send WQEs
 * @post_send: ibv_post_send() for that kind
 * @sq: send queue
 * @rq: receive queue
 * @ops: @sq.ops once the QP is in RTS
 * @qpn: QP number of the device
 * @mem: mapping that holds the rings and the doorbell record; none for XRC_RECV
 *	and RSS QPs, which own neither
 * @owner: parent domain and memory
 */
struct ornic_qp {
	struct verbs_qp vqp;
	enum ornic_wqe_kind kind;
	int (*post_send)(struct ornic_qp *qp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad_wr);
	struct ornic_sq sq;
	struct ornic_rq rq;
	uint64_t ops;
	uint32_t qpn;
	struct ornic_ringmem mem;
	struct ornic_owner owner;
};

static inline struct ornic_device *to_ornic_device(struct ibv_device *ibdev)
{
	return container_of(ibdev, struct ornic_device, vdev.device);
}

static inline struct ornic_context *to_ornic_context(struct ibv_context *ibctx)
{
	return container_of(ibctx, struct ornic_context, vctx.context);
}

static inline struct ornic_td *to_ornic_td(struct ibv_td *ibtd)
{
	return container_of(ibtd, struct ornic_td, ibv_td);
}

static inline struct ornic_pd *to_ornic_pd(struct ibv_pd *ibpd)
{
	return container_of(ibpd, struct ornic_pd, ibv_pd);
}

static inline struct ornic_ah *to_ornic_ah(struct ibv_ah *ibah)
{
	return container_of(ibah, struct ornic_ah, ibv_ah);
}

static inline struct ornic_cq *to_ornic_cq(struct ibv_cq *ibcq)
{
	return container_of(ibcq, struct ornic_cq, vcq.cq);
}

static inline struct ornic_cq *to_ornic_cq_ex(struct ibv_cq_ex *ibcq)
{
	return container_of(ibcq, struct ornic_cq, vcq.cq_ex);
}

static inline struct ornic_srq *to_ornic_srq(struct ibv_srq *ibsrq)
{
	return container_of(ibsrq, struct ornic_srq, vsrq.srq);
}

static inline struct ornic_wq *to_ornic_wq(struct ibv_wq *ibwq)
{
	return container_of(ibwq, struct ornic_wq, ibv_wq);
}

static inline struct ornic_counters *
to_ornic_counters(struct ibv_counters *ibcounters)
{
	return container_of(ibcounters, struct ornic_counters,
			    vcounters.counters);
}

static inline struct ornic_flow *to_ornic_flow(struct ibv_flow *ibflow)
{
	return container_of(ibflow, struct ornic_flow, ibv_flow);
}

static inline struct ornic_qp *to_ornic_qp(struct ibv_qp *ibqp)
{
	return container_of(ibqp, struct ornic_qp, vqp.qp);
}

static inline struct ornic_qp *to_ornic_qp_ex(struct ibv_qp_ex *ibqp)
{
	return container_of(ibqp, struct ornic_qp, vqp.qp_ex);
}

static inline void ornic_lock(struct ornic_lock *lock)
{
	if (likely(lock->needed))
		pthread_spin_lock(&lock->spin);
}

static inline void ornic_unlock(struct ornic_lock *lock)
{
	if (likely(lock->needed))
		pthread_spin_unlock(&lock->spin);
}

/**
 * ornic_rq_open() - open or close a receive queue for work requests
 * @rq: receive queue, not locked
 * @open: whether work requests may be posted
 */
static inline void ornic_rq_open(struct ornic_rq *rq, bool open)
{
	ornic_lock(&rq->lock);
	rq->open = open;
	ornic_unlock(&rq->lock);
}

/* uctx.c */
struct verbs_context *ornic_alloc_context(struct ibv_device *ibdev, int cmd_fd,
					  void *private_data);
struct verbs_context *ornic_import_context(struct ibv_device *ibdev,
					   int cmd_fd);
int ornic_context_map_queues(struct ornic_context *ctx);
int ornic_context_map_clock(struct ornic_context *ctx);

/* clock.c */
uint64_t ornic_clock_to_ns(const struct ornic_clock_info *page,
			   uint64_t timestamp);
int ornic_query_rt_values(struct ibv_context *ibctx,
			  struct ibv_values_ex *values);

/* pd.c */
struct ibv_pd *ornic_alloc_pd(struct ibv_context *ibctx);
struct ibv_pd *
ornic_alloc_parent_domain(struct ibv_context *ibctx,
			  struct ibv_parent_domain_init_attr *attr);
int ornic_dealloc_pd(struct ibv_pd *ibpd);
struct ibv_pd *ornic_import_pd(struct ibv_context *ibctx, uint32_t handle);
void ornic_unimport_pd(struct ibv_pd *ibpd);
struct ibv_td *ornic_alloc_td(struct ibv_context *ibctx,
			      struct ibv_td_init_attr *attr);
int ornic_dealloc_td(struct ibv_td *ibtd);
void *ornic_lines_zalloc(size_t size);
void *ornic_object_alloc(struct ornic_owner *owner, struct ibv_pd *ibpd,
			 size_t size, enum ornic_resource resource);
void ornic_object_free(const struct ornic_owner *owner, void *object,
		       enum ornic_resource resource);
bool ornic_owner_is_one_thread(const struct ornic_owner *owner);
void ornic_lock_init(struct ornic_lock *lock, bool needed);
void ornic_lock_destroy(struct ornic_lock *lock);

/* slab.c */
void ornic_nums_init(struct ornic_nums *nums);
void ornic_nums_uninit(struct ornic_nums *nums);
void ornic_num_leave(struct ornic_nums *nums, struct ornic_leaver *leaver);
void ornic_num_left(struct ornic_nums *nums, struct ornic_leaver *leaver,
		    bool gone);
void ornic_num_take(struct ornic_nums *nums, uint32_t num);

void ornic_slabs_init(struct ornic_slabs *slabs);
void ornic_slabs_uninit(struct ornic_slabs *slabs);
int ornic_slab_map(struct ornic_context *ctx,
		   const struct ornic_mmap_place *place,
		   struct ornic_ringmem *mem);
void ornic_slab_unmap(struct ornic_context *ctx, struct ornic_ringmem *mem);

/* mr.c */
struct ibv_mr *ornic_reg_mr(struct ibv_pd *ibpd, void *addr, size_t length,
			    uint64_t hca_va, int access);
struct ibv_mr *ornic_reg_dmabuf_mr(struct ibv_pd *ibpd, uint64_t offset,
				   size_t length, uint64_t iova, int fd,
				   int access);
int ornic_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *ibpd,
		   void *addr, size_t length, int access);
struct ibv_mr *ornic_alloc_null_mr(struct ibv_pd *ibpd);
struct ibv_mr *ornic_import_mr(struct ibv_pd *ibpd, uint32_t handle);
void ornic_unimport_mr(struct ibv_mr *mr);
int ornic_dereg_mr(struct verbs_mr *vmr);

/* mw.c */
struct ibv_mw *ornic_alloc_mw(struct ibv_pd *ibpd, enum ibv_mw_type type);
int ornic_dealloc_mw(struct ibv_mw *mw);
int ornic_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind);

/* xrcd.c */
struct ibv_xrcd *ornic_open_xrcd(struct ibv_context *ibctx,
				 struct ibv_xrcd_init_attr *attr);
int ornic_close_xrcd(struct ibv_xrcd *ibxrcd);

/* ah.c */
struct ibv_ah *ornic_create_ah(struct ibv_pd *ibpd, struct ibv_ah_attr *attr);
int ornic_destroy_ah(struct ibv_ah *ibah);

/* cq.c */
struct ibv_cq *ornic_create_cq(struct ibv_context *ibctx, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector);
struct ibv_cq_ex *ornic_create_cq_ex(struct ibv_context *ibctx,
				     struct ibv_cq_init_attr_ex *attr);
int ornic_resize_cq(struct ibv_cq *ibcq, int cqe);
int ornic_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr);
int ornic_destroy_cq(struct ibv_cq *ibcq);
int ornic_req_notify_cq(struct ibv_cq *ibcq, int solicited_only);
void ornic_cq_clean(struct ornic_cq *cq, uint32_t qpn);
void ornic_cq_attach(struct ibv_cq *ibcq, struct ornic_polled *polled,
		     uint32_t key);
void ornic_cq_detach(struct ornic_polled *polled);
void ornic_cq_select(struct ornic_cq *cq, uint32_t word);
void ornic_cqs_clean(struct ibv_cq *send_cq, struct ibv_cq *recv_cq,
		     uint32_t qpn);
bool ornic_cq_is_lost(struct ornic_cq *cq);

/* poll.c */
void ornic_cq_choose_poll(struct ornic_cq *cq);
int ornic_poll_cq(struct ibv_cq *ibcq, int num, struct ibv_wc *wc);

/* cq_ex.c */
void ornic_cq_fill_pfns(struct ornic_cq *cq, uint64_t wc_flags);

/* srq.c */
struct ibv_srq *ornic_create_srq(struct ibv_pd *ibpd,
				 struct ibv_srq_init_attr *attr);
struct ibv_srq *ornic_create_srq_ex(struct ibv_context *ibctx,
				    struct ibv_srq_init_attr_ex *attr);
int ornic_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		     int attr_mask);
int ornic_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr);
int ornic_get_srq_num(struct ibv_srq *ibsrq, uint32_t *srq_num);
int ornic_destroy_srq(struct ibv_srq *ibsrq);
void ornic_srq_wait(struct ornic_srq *srq);

/* wq.c */
struct ibv_wq *ornic_create_wq(struct ibv_context *ibctx,
			       struct ibv_wq_init_attr *attr);
int ornic_modify_wq(struct ibv_wq *ibwq, struct ibv_wq_attr *attr);
int ornic_destroy_wq(struct ibv_wq *ibwq);

/* rwq_table.c */
struct ibv_rwq_ind_table *
ornic_create_rwq_table(struct ibv_context *ibctx,
		       struct ibv_rwq_ind_table_init_attr *attr);
int ornic_destroy_rwq_table(struct ibv_rwq_ind_table *table);

/* flow.c */
struct ibv_flow *ornic_create_flow(struct ibv_qp *ibqp,
				   struct ibv_flow_attr *attr);
int ornic_destroy_flow(struct ibv_flow *ibflow);

/* counters.c */
struct ibv_counters *
ornic_create_counters(struct ibv_context *ibctx,
		      struct ibv_counters_init_attr *attr);
int ornic_attach_counters_point_flow(struct ibv_counters *ibcounters,
				     struct ibv_counter_attach_attr *attr,
				     struct ibv_flow *ibflow);
int ornic_read_counters(struct ibv_counters *ibcounters, uint64_t *values,
			uint32_t num, uint32_t flags);
int ornic_destroy_counters(struct ibv_counters *ibcounters);
void ornic_counters_get(struct ornic_counters *counters);
void ornic_counters_put(struct ornic_counters *counters);

#ifndef ORNIC_LACKS_COMP_CNTR
/* comp_cntr.c */
struct ibv_comp_cntr *
ornic_create_comp_cntr(struct ibv_context *ibctx,
		       struct ibv_comp_cntr_init_attr *attr);
int ornic_destroy_comp_cntr(struct ibv_comp_cntr *ibcntr);
int ornic_query_comp_cntr_caps(struct ibv_context *ibctx,
			       struct ibv_comp_cntr_caps *caps,
			       size_t caps_size);
int ornic_qp_attach_comp_cntr(struct ibv_qp *ibqp, struct ibv_comp_cntr *ibcntr,
			      struct ibv_qp_attach_comp_cntr_attr *attr);
int ornic_read_comp_cntr(struct ibv_comp_cntr *ibcntr, uint64_t *value);
int ornic_read_err_comp_cntr(struct ibv_comp_cntr *ibcntr, uint64_t *value);
#endif

/* qp.c */
struct ibv_qp *ornic_create_qp(struct ibv_pd *ibpd,
			       struct ibv_qp_init_attr *attr);
struct ibv_qp *ornic_create_qp_ex(struct ibv_context *ibctx,
				  struct ibv_qp_init_attr_ex *attr);
int ornic_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		    int attr_mask);
int ornic_modify_qp_rate_limit(struct ibv_qp *ibqp,
			       struct ibv_qp_rate_limit_attr *attr);
int ornic_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		   int attr_mask, struct ibv_qp_init_attr *init_attr);
struct ibv_qp *ornic_open_qp(struct ibv_context *ibctx,
			     struct ibv_qp_open_attr *attr);
int ornic_destroy_qp(struct ibv_qp *ibqp);

/* wr.c */
void ornic_qp_choose_post_send(struct ornic_qp *qp, bool shadow);
int ornic_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr);
int ornic_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr);
int ornic_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr);
int ornic_post_wq_recv(struct ibv_wq *ibwq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad_wr);
int ornic_post_recv_bell(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr);
int ornic_post_srq_recv_bell(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr);
int ornic_post_wq_recv_bell(struct ibv_wq *ibwq, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **bad_wr);

/* wr_ex.c */
int ornic_qp_fill_pfns(struct ibv_context *ibctx, struct ornic_qp *qp,
		       const struct ibv_qp_init_attr_ex *attr, bool shadow);

#endif /* ORNIC_H */
