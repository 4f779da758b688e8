/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What test programs that use libibverbs share. A program is a table of cases,
 * each a claim that holds on the port it is given; most cases connect queue
 * pairs of that one port with each other. A case that does not hold ends the
 * process with the reason, and the kernel cleans up behind it.
 */
#ifndef ORNIC_E2E_VERBS_H
#define ORNIC_E2E_VERBS_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* How long something that must come may take, and how long to wait for what must not */
#define SOON_MS 10000
#define NEVER_MS 300

/* An open port. */
struct port {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_device_attr dev;
	union ibv_gid gid;
	unsigned int gid_index;
};

/* Registered memory */
struct mem {
	uint8_t *buf;
	size_t len;
	struct ibv_mr *mr;
};

/* Two queue pairs with a completion queue each; a RQ of b's may be an SRQ. */
struct pair {
	struct port *port;
	struct ibv_cq *a_cq;
	struct ibv_cq *b_cq;
	struct ibv_qp *a;
	struct ibv_qp *b;
};

#define ACCESS_ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct test_case {
	const char *name;
	void (*run)(struct port *port);
};

#define CASE(function) { #function, function }

/* usage of all such programs: PROGRAM DEVICE GID-INDEX CASE. Return: for main() */
int run_case(int argc, char **argv, const struct test_case *cases, size_t count);

_Noreturn void failed(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The claim, and what to say when it does not hold */
#define want(claim, format, ...)                                      \
	do {                                                          \
		if (!(claim))                                         \
			failed(__FILE__, __LINE__, "%s: " format,     \
			       #claim, ##__VA_ARGS__);                \
	} while (0)

/* A call that returns 0 or an errno */
#define want_ok(call)                                                 \
	do {                                                          \
		int want_err_ = (call);                               \
		if (want_err_)                                        \
			failed(__FILE__, __LINE__, "%s: %s", #call,   \
			       strerror(want_err_));                  \
	} while (0)

#define want_errno(err, call)                                         \
	do {                                                          \
		int want_err_ = (call);                               \
		if (want_err_ != (err))                               \
			failed(__FILE__, __LINE__, "%s: %d (%s), not %s", \
			       #call, want_err_, strerror(want_err_), #err); \
	} while (0)

/* A call that returns an object, or NULL and errno */
#define made(call)                                                    \
	({                                                            \
		typeof(call) made_object_ = (call);                   \
		if (!made_object_)                                    \
			failed(__FILE__, __LINE__, "%s: %s", #call,   \
			       strerror(errno));                      \
		made_object_;                                         \
	})

#define want_no_object(err, call)                                     \
	do {                                                          \
		void *want_object_;                                   \
		errno = 0;                                            \
		want_object_ = (call);                                \
		if (want_object_ || errno != (err))                   \
			failed(__FILE__, __LINE__, "%s: %p, %s, not %s", #call, \
			       want_object_, strerror(errno), #err);  \
	} while (0)

uint64_t now_ms(void);
void sleep_ms(unsigned int ms);

void port_open(struct port *port, const char *device, unsigned int gid_index);

struct mem mem_make(struct port *port, size_t len, unsigned int access);
void mem_fill(struct mem *mem, size_t at, size_t len, unsigned int seed);
/* Return: whether the bytes are as mem_fill() left them somewhere */
bool mem_is(const struct mem *mem, size_t at, size_t len, unsigned int seed);
/* The same for bytes from..to of them */
bool mem_is_part(const struct mem *mem, size_t at, size_t from, size_t to, unsigned int seed);
struct ibv_sge mem_sge(const struct mem *mem, size_t at, size_t len);

/* comp: NULL, or where the events of the CQ go */
struct ibv_cq *cq_make(struct port *port, int cqe, struct ibv_comp_channel *comp);
/* Attributes of a small QP: 64 WQEs of 2 SGEs each way, 64 bytes inline. */
struct ibv_qp_init_attr qp_init(enum ibv_qp_type type, struct ibv_cq *cq);
/* From RESET; access: of remote sides. For UD the Q_Key is QKEY. */
#define QKEY 0x11111111
void qp_to_init(struct ibv_qp *qp, unsigned int access);
/* The address vector of a port's own GID */
struct ibv_ah_attr port_ah_attr(const struct port *port);
/* From INIT, with these defaults; peer: 0 for UD. What a case has set in attr stays. */
#define PSN 0x123456
void qp_to_rtr(const struct port *port, struct ibv_qp *qp, uint32_t peer);
void qp_to_rts(struct ibv_qp *qp);
/* As above, with these timers; SHORT_TIMEOUT is 67 ms. */
#define SHORT_TIMEOUT 14
void qp_to_rts_with(struct ibv_qp *qp, unsigned int timeout, unsigned int retry_cnt,
		    unsigned int rnr_retry);
/* The same three, which may be refused. Return: 0 or errno */
int qp_try_init(struct ibv_qp *qp, unsigned int access);
int qp_try_rtr(const struct port *port, struct ibv_qp *qp, uint32_t peer);
int qp_try_rts(struct ibv_qp *qp, unsigned int timeout, unsigned int retry_cnt,
	       unsigned int rnr_retry);
enum ibv_qp_state qp_state(struct ibv_qp *qp);
void qp_set_state(struct ibv_qp *qp, enum ibv_qp_state state);

/* Two connected (RC, UC) QPs in RTS; srq: of b, or NULL */
struct pair pair_make(struct port *port, enum ibv_qp_type type, struct ibv_srq *srq);
/* The same in two steps, for a case that changes the second: created and in INIT. */
struct pair pair_init(struct port *port, enum ibv_qp_type type, struct ibv_srq *srq);
void pair_to_rtr(const struct pair *pair);
void pair_destroy(struct pair *pair);

/* A UD QP in RTS */
struct ibv_qp *datagram_qp(struct port *port, struct ibv_cq *cq);

/* One SGE or none; opcode with IBV_SEND_SIGNALED. */
int post_send(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id,
	      const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey);
int post_recv(struct ibv_qp *qp, uint64_t wr_id, const struct ibv_sge *sge);
int post_srq(struct ibv_srq *srq, uint64_t wr_id, const struct ibv_sge *sge);
/* One SGE with IBV_SEND_SIGNALED, to QKEY; dest: number of the QP there */
void post_datagram(struct ibv_qp *qp, struct ibv_ah *ah, uint32_t dest, uint64_t wr_id,
		   struct ibv_sge sge);

/* Return: the next completion, which must come soon */
struct ibv_wc next_wc(struct ibv_cq *cq);
/* The next completion has this id and this status. */
struct ibv_wc want_wc(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status);
void want_no_wc(struct ibv_cq *cq);

/* The next asynchronous event, which must come soon; acknowledged. element: its QP, CQ, SRQ. */
void want_event(struct port *port, enum ibv_event_type type, const void *element);
void want_no_event(struct port *port);
/* Return: whether a descriptor has something to read within so many ms */
bool readable(int fd, unsigned int ms);

#endif /* ORNIC_E2E_VERBS_H */
