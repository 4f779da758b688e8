/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the files of the program `nomem` share; see nomem.c. */
#ifndef ORNIC_E2E_NOMEM_H
#define ORNIC_E2E_NOMEM_H

#include "verbs.h"

/* What the entry points need, and what the one under test has made */
struct nomem {
	struct port port;
	const char *device;
	struct ibv_device *handle;
	struct ibv_cq *cq;
	struct ibv_xrcd *xrcd;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_wq *wq[2];
	struct ibv_rwq_ind_table *table;
	struct ibv_counters *counters;
	struct ibv_mr *mr;
	struct ibv_pd *other_pd;
	uint8_t *buf;
	int dmabuf;
	char netdev[32];	/* or the device that a driver is to take */
	int fd;			/* of what the requests go to */
	int prog;		/* of an XDP program, or what unbinds */
	unsigned int turn;	/* of calls that must ask for something else each time */
	union {
		struct ibv_context *ctx;
		struct ibv_pd *pd;
		struct ibv_cq *cq;
		struct ibv_xrcd *xrcd;
		struct ibv_srq *srq;
		struct ibv_qp *qp;
		struct ibv_wq *wq;
		struct ibv_rwq_ind_table *table;
		struct ibv_counters *counters;
		struct ibv_flow *flow;
		struct ibv_ah *ah;
		struct ibv_mr *mr;
		struct ibv_mw *mw;
		int fd;
	} made;
};

/*
 * An entry point. prepare makes what it needs, and finish gives that back; run
 * is the call that is to fail, and undo what makes it possible once more, both
 * with 0 or errno. sweep_undo: undo is one call too, and is to fail as well.
 * own_only: the kernel itself has a fault where it allocates for this call.
 * check: what holds after a refusal.
 */
struct entry {
	const char *name;
	void (*prepare)(struct nomem *nomem);
	int (*run)(struct nomem *nomem);
	int (*undo)(struct nomem *nomem);
	void (*finish)(struct nomem *nomem);
	bool sweep_undo;
	bool own_only;
	void (*check)(struct nomem *nomem);
};

/* What a call that makes something returns: 0 or errno, once that is kept */
#define keep(member, call) ((nomem->made.member = (call)) ? 0 : errno)

/* What several entry points need */
void make_cq(struct nomem *nomem);
void drop_cq(struct nomem *nomem);
void make_xrcd(struct nomem *nomem);	/* and a CQ */
void drop_xrcd(struct nomem *nomem);

/* Tables of entry points, by the file that has them; the last has no name. */
extern const struct entry object_entries[];
extern const struct entry qp_entries[];
extern const struct entry memory_entries[];
extern const struct entry frame_entries[];
extern const struct entry netdev_entries[];
extern const struct entry probe_entries[];

#endif /* ORNIC_E2E_NOMEM_H */
