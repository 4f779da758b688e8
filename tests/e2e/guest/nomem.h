/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Declarations of the program `nomem`; see nomem.c */
#ifndef ORNIC_E2E_NOMEM_H
#define ORNIC_E2E_NOMEM_H

#include <linux/bpf.h>
#include <net/if.h>

#include "verbs.h"

/* Objects that the entry points need, and the one that the call under test makes */
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
	char netdev[32];	/* or the device to be bound to a driver */
	int fd;			/* a socket for ioctls, or the file that binds */
	int prog;		/* an XDP program, or the file that unbinds */
	struct sockaddr mac;	/* of the netdev */
	unsigned int turn;	/* number of the call, where each call must change something */
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
 * An entry point. prepare() makes what it needs, and finish() frees that. run() is the call that
 * must fail, and undo() makes another run() possible; both return 0 or errno. sweep_undo: undo() is
 * one call too, and must fail as well. own_only: the kernel has a bug when its own allocations for
 * this call fail. check() tests what must hold after a refusal. also: each errno other than
 * ENOMEM that the kernel returns for a failed allocation of its own.
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
	int also[3];
};

/* Store what a call has made; 0 or errno */
#define keep(member, call) ((nomem->made.member = (call)) ? 0 : errno)

/* Define a function of an entry that consists of one expression */
#define CALL(name, expression)          \
static int name(struct nomem *nomem)    \
{                                       \
	return expression;              \
}

/* Define a function that prepares more than another one, and one that finishes more */
#define PREPARE(name, first, call)      \
static void name(struct nomem *nomem)   \
{                                       \
	first(nomem);                   \
	want_ok(call);                  \
}
#define FINISH(name, call, last)        \
static void name(struct nomem *nomem)   \
{                                       \
	want_ok(call);                  \
	last(nomem);                    \
}

/* Objects that several entry points need */
void make_cq(struct nomem *nomem);
void drop_cq(struct nomem *nomem);
void make_xrcd(struct nomem *nomem);	/* and a CQ */
void drop_xrcd(struct nomem *nomem);

/* Find the netdev of the device, and open a socket for ioctls; and close it */
void netdev_find(struct nomem *nomem);
void netdev_leave(struct nomem *nomem);

/* One ioctl() for the netdev, for an ethtool command, or two for a flag; 0 or errno */
int netdev_request(struct nomem *nomem, unsigned long code, struct ifreq *ifr);
int netdev_ethtool(struct nomem *nomem, void *command);
int netdev_set_flag(struct nomem *nomem, short flag, bool on);

/* A refused change leaves the interface as it was, with its link */
void netdev_has_carrier(struct nomem *nomem);

/* Return: the file of an XDP program */
int xdp_load(const struct bpf_insn *insns, size_t count);

/* Tables of entry points, by file; the last entry has no name */
extern const struct entry object_entries[];
extern const struct entry qp_entries[];
extern const struct entry memory_entries[];
extern const struct entry frame_entries[];
extern const struct entry netdev_entries[];
extern const struct entry settings_entries[];
extern const struct entry probe_entries[];

#endif /* ORNIC_E2E_NOMEM_H */
