/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Objects and entry points of the verbs driver */
#ifndef ORNIC_RDMA_H
#define ORNIC_RDMA_H

#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/uverbs_ioctl.h>

#include "ornic_api.h"
#include "check.h"
#include "pbl.h"
#include "ringmem.h"
#include "srq.h"

#define ORNIC_IB_PORT		1
#define ORNIC_IB_PKEYS		1
/* An address handle takes only host memory, so the limit is arbitrary */
#define ORNIC_IB_MAX_AH		BIT(20)
/* The only supported flag of enum ibv_rx_hash_function_flags */
#define ORNIC_RX_HASH_TOEPLITZ	BIT(0)
/* Number of no QP, for completions of a QP that is gone */
#define ORNIC_QPN_NONE		ORNIC_CQE_QPN

/**
 * struct ornic_ib_dev - verbs device
 * @ibdev:	of the RDMA core
 * @odev:	of the core driver, valid between probe and remove
 * @dead:	the device has stopped: poll_cq flushes posted work requests
 * @max_wr:	work requests of a queue, for any legal number of SGEs and
 *		inline bytes
 * @max_sge:	of a send or receive work request
 * @max_inline:	bytes
 * @max_cqe:	entries of a CQ, a power of two
 * @max_srq_wr:	receives of an SRQ, a power of two; 0 without SRQs
 * @max_wq_wr:	receives of a WQ, a power of two
 * @max_rwq_table_size: WQs of a table, a power of two
 * @max_reg_pages: pages of a fast registration; 0 without support
 * @gid_len:	entries of the GID table
 * @void_pdn:	PD without QPs
 * @null_key:	of the null MR, with ORNIC_FEAT_NULL_MR
 * @qps:	kernel QPs by device number; holding its lock keeps QPs in it
 *		alive
 * @kcqs_lock:	protects @kcqs
 * @kcqs:	CQs of kernel consumers, to be woken when the device dies
 * @death:	notified when the device dies
 * @flush_work:	wakes @kcqs
 * @counter_ids: ids of @counters
 * @counters_lock: protects @counters, @counted, and the QPs and sums of the
 *		counters
 * @counters:	counters that QPs are bound to
 * @counted:	sum of all counters, past and present
 * @delay_drops: number of ORNIC_EVENT_WQ_DELAY_DROP events
 */
struct ornic_ib_dev {
	struct ib_device ibdev;
	struct ornic_dev *odev;
	bool dead;
	u32 max_wr;
	u32 max_sge;
	u32 max_inline;
	u32 max_cqe;
	u32 max_srq_wr;
	u32 max_wq_wr;
	u32 max_rwq_table_size;
	u32 max_reg_pages;
	u32 gid_len;
	u32 void_pdn;
	u32 null_key;
	struct xarray qps;
	struct mutex kcqs_lock; /* protects kcqs */
	struct list_head kcqs;
	struct notifier_block death;
	struct work_struct flush_work;
	struct ida counter_ids;
	struct mutex counters_lock; /* see above */
	struct list_head counters;
	u64 counted[ORNIC_QP_STAT_COUNT];
	atomic64_t delay_drops;
};

/**
 * struct ornic_mmap - memory that a process may map; freed by mmap_free
 * @entry:	of the RDMA core
 * @mem:	rings, owned by this, or
 * @page:	one page of memory, or
 * @io:		physical address of the doorbell page, if the others are NULL
 * @read_only:	the process must not write to @page
 */
struct ornic_mmap {
	struct rdma_user_mmap_entry entry;
	struct ornic_ringmem *mem;
	struct page *page;
	phys_addr_t io;
	bool read_only;
};

/**
 * struct ornic_ucontext - user context
 * @ibuctx:	of the RDMA core
 * @uctx:	doorbell page and board
 * @db_mmap:	the doorbell page
 * @board_mmap:	the board, NULL without one
 * @clock_mmap:	the clock page, NULL without one
 */
struct ornic_ucontext {
	struct ib_ucontext ibuctx;
	struct ornic_uctx uctx;
	struct ornic_mmap *db_mmap;
	struct ornic_mmap *board_mmap;
	struct ornic_mmap *clock_mmap;
};

/**
 * struct ornic_pd - protection domain
 * @ibpd:	of the RDMA core
 * @pdn:	its number
 * @windows:	windows that were ever allocated
 * @windows_freed: of these, the ones that do not exist any more
 */
struct ornic_pd {
	struct ib_pd ibpd;
	u32 pdn;
	atomic_t windows;
	atomic_t windows_freed;
};

struct ornic_xrcd {
	struct ib_xrcd ibxrcd;
	u32 xrcdn;
};

struct ornic_ah {
	struct ib_ah ibah;
	struct ornic_av av;
};

/**
 * struct ornic_mr - memory region
 * @ibmr:	of the RDMA core
 * @umem:	memory of a process, else NULL
 * @pbl:	page list; for fast registration map_mr_sg fills it
 * @access:	requested IB_ACCESS_*; not for fast registration
 * @max_pages:	for fast registration: capacity of @pbl
 * @npages:	for fast registration: current pages in @pbl
 */
struct ornic_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	struct ornic_pbl pbl;
	int access;
	u32 max_pages;
	u32 npages;
};

struct ornic_mw {
	struct ib_mw ibmw;
};

/**
 * struct ornic_cq_buf - memory of a completion queue
 * @mem:	ring, followed by the doorbell record
 * @pbl:	page list of the ring
 * @mmap:	set for a process, and then it owns @mem
 * @log_bytes:	log2 of the bytes of the ring
 */
struct ornic_cq_buf {
	struct ornic_ringmem *mem;
	struct ornic_pbl pbl;
	struct ornic_mmap *mmap;
	u8 log_bytes;
};

/**
 * struct ornic_cq - completion queue
 * @ibcq:	of the RDMA core
 * @res:	receives its events
 * @buf:	ring and doorbell record
 * @resize_lock: protects @buf of a process, which a resize replaces
 * @ring:	ring of a kernel consumer; for a process only number and sizes
 * @lock:	kernel consumer: protects @ring, @sqs, @rqs and the consumer
 *		sides of the queues in these lists. Of a process: protects @buf
 *		from events.
 * @sqs:	send queues of kernel QPs that complete here
 * @rqs:	receive queues of kernel QPs that complete here
 * @kcq:	kernel consumer: entry in @kcqs of the device
 * @ready:	the completion handler may be called: always for a process, and
 *		for a kernel consumer once the CQ has had a QP, because the core
 *		sets the handler before it has finished creating the CQ
 * @due:	failures that may occur: one
 * @told_arm:	of a process: arm word at the last event; under @lock
 * @told:	of a process: events at which the arm word was @told_arm
 */
struct ornic_cq {
	struct ib_cq ibcq;
	struct ornic_res res;
	struct ornic_cq_buf buf;
	struct mutex resize_lock; /* see above */
	struct ornic_cq_ring ring;
	spinlock_t lock; /* see above */
	struct list_head sqs;
	struct list_head rqs;
	struct list_head kcq;
	bool ready;
	atomic_t due;
	__le32 told_arm;
	u8 told;
};

/* Marks a receive in wr_id, because a failed completion has no opcode */
#define ORNIC_WR_RECV		BIT_ULL(63)

/**
 * struct ornic_wr - record of a posted work request
 * @wr_id:	the consumer's. The device gets the number of the request
 *		instead, with ORNIC_WR_RECV for a receive: the consumer's may be
 *		a pointer, which the device must not be able to forge.
 * @end:	producer index after it, in slots (send) or WQEs (receive)
 * @room:	bytes that a receive can hold
 */
struct ornic_wr {
	u64 wr_id;
	u32 end;
	u32 room;
};

/**
 * struct ornic_recv_ring - ring of an SRQ or a WQ
 * @mem:	WQEs, followed by the doorbell record
 * @pbl:	page list of the WQEs
 * @mmap:	set for a process, and then it owns @mem
 * @log_wqes:	log2 of the number of WQEs
 * @dbr_offset:	bytes from the start of @mem
 * @size:	total bytes
 */
struct ornic_recv_ring {
	struct ornic_ringmem *mem;
	struct ornic_pbl pbl;
	struct ornic_mmap *mmap;
	u8 log_wqes;
	u32 dbr_offset;
	u32 size;
};

/**
 * struct ornic_srq - shared receive queue
 * @ibsrq:	of the RDMA core
 * @res:	receives its events
 * @stride_shift: log2 of the bytes of a WQE
 * @max_sge:	of a WQE
 * @due:	events that may occur: one error, and one for each limit
 * @modify_lock: protects @ring; serialises modify and query
 * @ring:	a process may replace it by a resize
 * @lock:	kernel consumer: protects @recvs, @pi and the WQEs; nests inside
 *		the lock of a CQ
 * @recvs:	kernel consumer: records of posted receives
 * @pi:		kernel consumer: WQEs posted, free running
 */
struct ornic_srq {
	struct ib_srq ibsrq;
	struct ornic_res res;
	u8 stride_shift;
	u32 max_sge;
	atomic_t due;
	struct mutex modify_lock; /* see above */
	struct ornic_recv_ring ring;
	spinlock_t lock; /* see above */
	struct ornic_recvs recvs;
	u32 pi;
};

/**
 * struct ornic_wq - work queue: a receive queue of a process
 * @ibwq:	of the RDMA core
 * @res:	receives its events
 * @stride_shift: log2 of the bytes of a WQE
 * @ring:	of the process
 * @due:	failures that may occur: each modification allows one. A WQ that
 *		was never modified is in RESET, where it cannot fail, and the
 *		core may not have initialised it.
 */
struct ornic_wq {
	struct ib_wq ibwq;
	struct ornic_res res;
	u8 stride_shift;
	struct ornic_recv_ring ring;
	atomic_t due;
};

struct ornic_rwq_table {
	struct ib_rwq_ind_table ibtable;
};

struct ornic_flow {
	struct ib_flow ibflow;
	u32 num;
};

struct ornic_counters {
	struct ib_counters ibcounters;
	u32 num;
};

/**
 * struct ornic_qp_queue - one queue of a kernel QP
 * @lock:	protects the producer side: the ring, @wrs, @pi and @head; nests
 *		inside the lock of a CQ
 * @ring:	address of the first WQE, NULL if the QP has no such queue
 * @wrs:	posted work requests, by number modulo the size of the ring
 * @mask:	slots (send) or WQEs (receive) of the ring, minus one
 * @pi:		slots or WQEs posted, free running
 * @ci:		slots or WQEs completed, free running
 * @head:	work requests posted, free running
 * @tail:	work requests completed, free running
 * @cq_list:	entry in @sqs or @rqs of the CQ; protected by its lock
 */
struct ornic_qp_queue {
	spinlock_t lock; /* see above */
	void *ring;
	struct ornic_wr *wrs;
	u32 mask;
	u32 pi;
	u32 ci;
	u32 head;
	u32 tail;
	struct list_head cq_list;
};

/**
 * struct ornic_qp_geometry - sizes and places of the queues of a QP
 * @flags:	ORNIC_QP_* except SIG_ALL and KERNEL
 * @log_sq_slots: log2 of the slots of the send ring
 * @log_rq_wqes: log2 of the WQEs of the receive ring
 * @rq_stride_shift: log2 of the bytes of a receive WQE
 * @sq_bytes:	of the send ring
 * @rq_bytes:	of the receive ring
 * @rq_offset:	bytes from the start of the memory; the send ring is at 0
 * @dbr_offset:	bytes from the start of the memory
 * @size:	total bytes; 0 for XRC targets and RSS QPs
 */
struct ornic_qp_geometry {
	u32 flags;
	u8 log_sq_slots;
	u8 log_rq_wqes;
	u8 rq_stride_shift;
	u32 sq_bytes;
	u32 rq_bytes;
	u32 rq_offset;
	u32 dbr_offset;
	u32 size;
};

/**
 * struct ornic_qp - queue pair
 * @ibqp:	of the RDMA core
 * @res:	receives its events; its number is the device's, while the GSI
 *		QP has 1 in @ibqp
 * @geo:	sizes and places of the queues
 * @mem:	queues and doorbell record, NULL without queues
 * @sq_pbl:	page list of the send ring
 * @rq_pbl:	page list of the receive ring
 * @mmap:	set for a process, and then it owns @mem
 * @kernel:	the kernel posts and polls. An XRC target is shared by processes
 *		and has neither this nor @mmap set.
 * @cap:	as granted
 * @tso_header:	largest TSO headers in bytes, 0: TSO is not used
 * @wqe_slots:	slots of the largest send WQE
 * @sig_all:	each send work request gives a completion
 * @modify_lock: serialises modify and query
 * @state:	last state set or queried; the device may be in SQE or ERR
 * @dest_qpn:	of the peer, RC
 * @dbr:	doorbell record of a kernel QP
 * @slot:	on the board
 * @sq:		of a kernel QP
 * @rq:		of a kernel QP
 * @due:	events that may occur: each modification allows one of each
 *		kind. A QP that was never modified is in RESET, where it has
 *		none, and the core may not have initialised it.
 * @events:	bit n: event ORNIC_EVENT_QP_FATAL + n is to be delivered
 * @event_work:	delivers @events, since handlers of consumers may sleep
 * @last_wqe:	kernel QP: the device has returned the receive of the SRQ
 * @quiet:	the driver waits for @last_wqe, and the consumer gets no event
 * @counter_list: entry in @qps of a counter, under counters_lock
 * @counted:	counters of the device when they were last added
 */
struct ornic_qp {
	struct ib_qp ibqp;
	struct ornic_res res;
	struct ornic_qp_geometry geo;
	struct ornic_ringmem *mem;
	struct ornic_pbl sq_pbl;
	struct ornic_pbl rq_pbl;
	struct ornic_mmap *mmap;
	bool kernel;
	struct ib_qp_cap cap;
	u32 tso_header;
	u32 wqe_slots;
	bool sig_all;
	struct mutex modify_lock; /* one modify or query at a time */
	enum ib_qp_state state;
	u32 dest_qpn;
	struct ornic_qp_dbr *dbr;
	u32 slot;
	struct ornic_qp_queue sq;
	struct ornic_qp_queue rq;
	atomic_t due;
	unsigned long events;
	struct work_struct event_work;
	struct completion last_wqe;
	bool quiet;
	struct list_head counter_list;
	u64 counted[ORNIC_QP_STAT_COUNT];
};

/**
 * struct ornic_counter - counter that QPs are bound to
 * @counter:	of the RDMA core
 * @list:	entry in @counters of the device
 * @qps:	QPs that are bound to it
 * @sum:	counts of these QPs, and of those that were bound before
 */
struct ornic_counter {
	struct rdma_counter counter;
	struct list_head list;
	struct list_head qps;
	u64 sum[ORNIC_QP_STAT_COUNT];
};

/* More events than this are not under way at a time */
#define ORNIC_DUE_MAX		64

/**
 * ornic_due_add - allow an object more events
 * @due:	number of events that may occur
 * @count:	number of events
 *
 * Their handlers see all members that the core has set before.
 */
static inline void ornic_due_add(atomic_t *due, int count)
{
	if (atomic_read(due) < ORNIC_DUE_MAX)
		atomic_add_return(count, due);
}

/**
 * ornic_due_take - check whether an event may occur
 * @due:	number of events that may occur
 *
 * The core keeps each event of a process until it is read, so a device that
 * sends events without a cause would use up the memory of the host.
 *
 * Return: true if the event may be delivered.
 */
static inline bool ornic_due_take(atomic_t *due)
{
	return atomic_dec_if_positive(due) >= 0;
}

static inline struct ornic_ib_dev *to_ornic_ib_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct ornic_ib_dev, ibdev);
}

static inline struct ornic_ucontext *to_ornic_ucontext(struct ib_ucontext *ibuctx)
{
	return container_of(ibuctx, struct ornic_ucontext, ibuctx);
}

static inline struct ornic_pd *to_ornic_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct ornic_pd, ibpd);
}

static inline struct ornic_xrcd *to_ornic_xrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct ornic_xrcd, ibxrcd);
}

static inline struct ornic_ah *to_ornic_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct ornic_ah, ibah);
}

static inline struct ornic_mr *to_ornic_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct ornic_mr, ibmr);
}

static inline struct ornic_cq *to_ornic_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct ornic_cq, ibcq);
}

static inline struct ornic_srq *to_ornic_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct ornic_srq, ibsrq);
}

static inline struct ornic_qp *to_ornic_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct ornic_qp, ibqp);
}

static inline struct ornic_counters *to_ornic_counters(struct ib_counters *ibcounters)
{
	return container_of(ibcounters, struct ornic_counters, ibcounters);
}

static inline struct ornic_counter *to_ornic_counter(struct rdma_counter *counter)
{
	return container_of(counter, struct ornic_counter, counter);
}

/* Destroys an object whose memory is freed next, even if the device refuses */
static inline void ornic_ib_release(struct ornic_ib_dev *dev, enum ornic_opcode opcode,
				    struct ornic_res *res)
{
	ornic_res_remove(dev->odev, res);
	ornic_cmd_release(dev->odev, opcode, res->num);
}

/* Datagram QPs, whose send WQEs carry the path */
static inline bool ornic_qp_is_ud(const struct ornic_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_UD || qp->ibqp.qp_type == IB_QPT_GSI;
}

/* device.c */
int ornic_ib_init_limits(struct ornic_ib_dev *dev);
int ornic_ib_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			  struct ib_udata *udata);
int ornic_ib_modify_device(struct ib_device *ibdev, int mask,
			   struct ib_device_modify *attr);
void ornic_ib_get_dev_fw_str(struct ib_device *ibdev, char *str);
int ornic_ib_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr);
int ornic_ib_query_port_speed(struct ib_device *ibdev, u32 port, u64 *speed);
int ornic_ib_get_port_immutable(struct ib_device *ibdev, u32 port,
				struct ib_port_immutable *immutable);
enum rdma_link_layer ornic_ib_get_link_layer(struct ib_device *ibdev, u32 port);
int ornic_ib_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);

/* gid.c */
int ornic_ib_add_gid(const struct ib_gid_attr *attr, void **context);
int ornic_ib_del_gid(const struct ib_gid_attr *attr, void **context);

/* ucontext.c */
int ornic_ib_alloc_ucontext(struct ib_ucontext *ibuctx, struct ib_udata *udata);
void ornic_ib_dealloc_ucontext(struct ib_ucontext *ibuctx);
int ornic_ib_query_ucontext(struct ib_ucontext *ibuctx, struct uverbs_attr_bundle *attrs);
int ornic_ib_mmap(struct ib_ucontext *ibuctx, struct vm_area_struct *vma);
void ornic_ib_mmap_free(struct rdma_user_mmap_entry *entry);
struct ornic_mmap *ornic_ib_mmap_add(struct ib_ucontext *ibuctx, const struct ornic_mmap *what,
				     size_t size);
void ornic_ib_mmap_remove(struct ornic_mmap *map);
void ornic_ib_free_mem(struct ornic_ib_dev *dev, struct ornic_ringmem *mem,
		       struct ornic_mmap *map);
void ornic_ib_disassociate_ucontext(struct ib_ucontext *ibuctx);
extern const struct uapi_definition ornic_ib_uapi_defs[];

/*
 * Methods that destroy take no udata and ignore what there is: when the core
 * aborts the creation of an object, it passes the udata of the creation.
 */

/* pd.c */
int ornic_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int ornic_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

/* xrcd.c */
int ornic_ib_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int ornic_ib_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

/* ah.c */
void ornic_ib_av_from_attr(const struct rdma_ah_attr *attr, struct ornic_av *av);
void ornic_ib_attr_from_av(const struct ornic_av *av, struct rdma_ah_attr *attr);
int ornic_ib_check_ah_attr(struct ib_device *ibdev, const struct rdma_ah_attr *attr);
int ornic_ib_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		       struct ib_udata *udata);
int ornic_ib_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int ornic_ib_destroy_ah(struct ib_ah *ibah, u32 flags);

/* mr.c */
int ornic_ib_init_mrs(struct ornic_ib_dev *dev);
void ornic_ib_uninit_mrs(struct ornic_ib_dev *dev);
int ornic_mr_create(struct ornic_ib_dev *dev, struct ornic_create_mr_in *in, u32 *key);
int ornic_mr_access(const struct ornic_ib_dev *dev, int access, u32 *hw);
struct ib_mr *ornic_ib_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *ornic_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
				   int access, struct ib_dmah *dmah, struct ib_udata *udata);
struct ib_mr *ornic_ib_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 iova,
					  int fd, int access, struct ib_dmah *dmah,
					  struct uverbs_attr_bundle *attrs);
struct ib_mr *ornic_ib_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				     u64 iova, int access, struct ib_pd *ibpd,
				     struct ib_udata *udata);
int ornic_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_mr *ornic_ib_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_pages);
int ornic_ib_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		       unsigned int *offset);

/* mw.c */
int ornic_ib_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int ornic_ib_dealloc_mw(struct ib_mw *ibmw);

/* cq.c */
int ornic_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		       struct uverbs_attr_bundle *attrs);
int ornic_ib_create_user_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			    struct uverbs_attr_bundle *attrs);
struct ornic_cq_dbr ornic_cq_get_dbr(struct ornic_cq *cq, u8 *log_size);
bool ornic_cq_is_asked(struct ornic_cq *cq);
int ornic_ib_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int ornic_ib_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);
int ornic_ib_pre_destroy_cq(struct ib_cq *ibcq);
void ornic_ib_post_destroy_cq(struct ib_cq *ibcq);
int ornic_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);

/* recv_ring.c */
int ornic_recv_ring_alloc(struct ornic_ib_dev *dev, u32 max_wr, u8 stride_shift,
			  struct ornic_ucontext *ctx, struct ornic_recv_ring *ring);
void ornic_recv_ring_free(struct ornic_ib_dev *dev, struct ornic_recv_ring *ring);
u64 ornic_recv_ring_dbr_addr(const struct ornic_recv_ring *ring);
struct ornic_qp_dbr ornic_recv_ring_get_dbr(const struct ornic_recv_ring *ring);

/* srq.c */
int ornic_ib_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
			struct ib_udata *udata);
int ornic_ib_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
			enum ib_srq_attr_mask mask, struct ib_udata *udata);
int ornic_ib_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int ornic_ib_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
extern const struct uapi_definition ornic_ib_srq_defs[];

/* poll.c */
int ornic_ib_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int ornic_ib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void ornic_cq_forget_qp(struct ornic_cq *cq, struct ornic_qp *qp);
void ornic_ib_flush_work(struct work_struct *work);

/* qp.c */
int ornic_ib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		       struct ib_udata *udata);
int ornic_ib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* qp_modify.c */
int ornic_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata);
int ornic_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		      struct ib_qp_init_attr *init);

/* wq.c */
struct ib_wq *ornic_ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init,
				 struct ib_udata *udata);
int ornic_ib_modify_wq(struct ib_wq *ibwq, struct ib_wq_attr *attr, u32 mask,
		       struct ib_udata *udata);
int ornic_ib_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata);

/* rwq_table.c */
int ornic_ib_create_rwq_ind_table(struct ib_rwq_ind_table *ibtable,
				  struct ib_rwq_ind_table_init_attr *init,
				  struct ib_udata *udata);
int ornic_ib_destroy_rwq_ind_table(struct ib_rwq_ind_table *ibtable);

/* flow.c */
struct ib_flow *ornic_ib_create_flow(struct ib_qp *ibqp, struct ib_flow_attr *attr,
				     struct ib_udata *udata);
int ornic_ib_destroy_flow(struct ib_flow *ibflow);

/* counters.c */
int ornic_ib_create_counters(struct ib_counters *ibcounters, struct uverbs_attr_bundle *attrs);
int ornic_ib_destroy_counters(struct ib_counters *ibcounters);
int ornic_ib_read_counters(struct ib_counters *ibcounters, struct ib_counters_read_attr *attr,
			   struct uverbs_attr_bundle *attrs);

/* mcast.c */
int ornic_ib_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int ornic_ib_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* wr.c */
int ornic_ib_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr);
void ornic_post_check_dead(struct ornic_ib_dev *dev);

/* wr_recv.c */
int ornic_ib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr);
int ornic_ib_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			   const struct ib_recv_wr **bad_wr);

/* event.c */
void ornic_cq_tell(struct ornic_cq *cq);
void ornic_ib_cq_event(struct ornic_res *res, enum ornic_event event);
void ornic_ib_qp_event(struct ornic_res *res, enum ornic_event event);
void ornic_ib_qp_event_work(struct work_struct *work);
void ornic_ib_srq_event(struct ornic_res *res, enum ornic_event event);
void ornic_ib_wq_event(struct ornic_res *res, enum ornic_event event);
int ornic_ib_death(struct notifier_block *nb, unsigned long action, void *data);

/* stats.c */
struct rdma_hw_stats *ornic_ib_alloc_hw_port_stats(struct ib_device *ibdev, u32 port);
int ornic_ib_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
			  u32 port, int index);

/* counter.c */
int ornic_counters_subtract(struct ornic_ib_dev *dev, u64 *values);
void ornic_ib_counter_init(struct rdma_counter *counter);
struct rdma_hw_stats *ornic_ib_counter_alloc_stats(struct rdma_counter *counter);
int ornic_ib_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp, u32 port);
int ornic_ib_counter_unbind_qp(struct ib_qp *ibqp, u32 port);
int ornic_ib_counter_update_stats(struct rdma_counter *counter);
int ornic_ib_counter_dealloc(struct rdma_counter *counter);

/* restrack.c */
int ornic_ib_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);
int ornic_ib_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int ornic_ib_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int ornic_ib_fill_res_srq(struct sk_buff *msg, struct ib_srq *ibsrq);

#endif /* ORNIC_RDMA_H */
