/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Helpers of test programs that use libibverbs. A program has cases, each a claim that
 * holds on the given port; most cases connect QPs of that port with each other. A case that fails
 * ends the process with a message, and the kernel frees its objects.
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

/* Time limit on a busy host for what must happen, and time to wait for what must not, ms */
#define SOON_MS 120000
#define NEVER_MS 300
/* A case that takes longer is killed; the machine may be busy */
#define CASE_SECONDS 360

/* Registered memory */
struct mem {
	uint8_t *buf;
	size_t len;
	struct ibv_mr *mr;
};

/* An open port; only a case has mem, of 4096 bytes with ACCESS_ALL */
struct port {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_device_attr dev;
	union ibv_gid gid;
	unsigned int gid_index;
	struct mem mem;
};

/* Two QPs with a CQ each; b may have an SRQ */
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
	struct test_case *next;
	const char *name;
	void (*run)(struct port *port);
};

/* CASE(name) begins a function that gets a port, and adds it to the cases of the program */
#define CASE(_name) \
	static void _name(struct port *port); \
	static __attribute__((constructor)) void _name##_add(void) \
	{ \
		static struct test_case itself = { .name = #_name, .run = _name }; \
	\
		case_add(&itself); \
	} \
	static void _name(struct port *port)

void case_add(struct test_case *test);

/*
 * Run the cases that the arguments name, PROGRAM DEVICE GID-INDEX CASE..., each in a process of its
 * own, and print "@@ CASE: RESULT" after the output of each. Return: for main().
 */
int run_cases(int argc, char **argv);

_Noreturn void failed(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* End the program with a message unless the claim holds */
#define want(claim, format, ...)                                      \
	do {                                                          \
		if (!(claim))                                         \
			failed(__FILE__, __LINE__, "%s: " format,     \
			       #claim, ##__VA_ARGS__);                \
	} while (0)

/* For a call that returns 0 or an errno */
#define want_ok(call)                                                 \
	do {                                                          \
		int want_err_ = (call);                               \
		if (want_err_)                                        \
			failed(__FILE__, __LINE__, "%s: %s", #call,   \
			       strerror(want_err_));                  \
	} while (0)

/* For a call that returns a number, or less than 0 and errno */
#define want_call(call) want((call) >= 0, "%s", strerror(errno))

#define want_errno(err, call)                                         \
	do {                                                          \
		int want_err_ = (call);                               \
		if (want_err_ != (err))                               \
			failed(__FILE__, __LINE__, "%s: %d (%s), not %s", \
			       #call, want_err_, strerror(want_err_), #err); \
	} while (0)

/* For a call that returns an object, or NULL and errno */
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

uint64_t now_ns(void);
uint64_t now_ms(void);
void sleep_ms(unsigned int ms);

void port_open(struct port *port, const char *device, unsigned int gid_index);

struct mem mem_make(struct port *port, size_t len, unsigned int access);
void mem_free(struct mem *mem);
void mem_fill(struct mem *mem, size_t at, size_t len, unsigned int seed);
/* Return: whether the bytes are those that mem_fill() writes */
bool mem_is(const struct mem *mem, size_t at, size_t len, unsigned int seed);
/* The same for the bytes from..to of these */
bool mem_is_part(const struct mem *mem, size_t at, size_t from, size_t to, unsigned int seed);
struct ibv_sge mem_sge(const struct mem *mem, size_t at, size_t len);
/* Return: new private memory; flags: more flags of mmap() */
uint8_t *map_make(size_t len, int flags);
/* Return: descriptor of a new dma-buf of whole pages, which is mapped at @map */
int dma_buf_make(size_t len, uint8_t **map);
/*
 * Create a rule for IPv4 from an address. counters: those of the rule, or NULL. Return: NULL with
 * errno if it is refused.
 */
struct ibv_flow *flow_from(struct ibv_qp *raw, uint32_t src, struct ibv_counters *counters);

/* comp: NULL, or the channel for events of the CQ */
struct ibv_cq *cq_make(struct port *port, int cqe, struct ibv_comp_channel *comp);
/* Attributes of a small QP: 64 WQEs of 2 SGEs each way, 64 bytes inline */
struct ibv_qp_init_attr qp_init(enum ibv_qp_type type, struct ibv_cq *cq);
struct ibv_qp *qp_make(struct port *port, enum ibv_qp_type type, struct ibv_cq *cq);
/* From RESET; access: rights of remote sides. The Q_Key of UD is QKEY. */
#define QKEY 0x11111111
void qp_to_init(struct ibv_qp *qp, unsigned int access);
/* The address vector of the port's own GID */
struct ibv_ah_attr port_ah_attr(const struct port *port);
/* From INIT to RTR and from RTR to RTS, with defaults; peer: QPN, 0 for UD */
#define PSN 0x123456
void qp_to_rtr(const struct port *port, struct ibv_qp *qp, uint32_t peer);
void qp_to_rts(struct ibv_qp *qp);
/* As qp_to_rts(), with these timers; SHORT_TIMEOUT is 67 ms */
#define SHORT_TIMEOUT 14
void qp_to_rts_with(struct ibv_qp *qp, unsigned int timeout, unsigned int retry_cnt,
		    unsigned int rnr_retry);
/* The three transitions, which may be refused. Return: 0 or errno. */
int qp_try_init(struct ibv_qp *qp, unsigned int access);
int qp_try_rtr(const struct port *port, struct ibv_qp *qp, uint32_t peer);
int qp_try_rts(struct ibv_qp *qp, unsigned int timeout, unsigned int retry_cnt,
	       unsigned int rnr_retry);
enum ibv_qp_state qp_state(struct ibv_qp *qp);
void qp_set_state(struct ibv_qp *qp, enum ibv_qp_state state);

/* An RC QP that is connected to itself, so that all its completions are in one CQ */
struct ibv_qp *lonely_qp(struct port *port, struct ibv_cq *cq);
/* From RESET to RTS, without a peer */
void raw_to_rts(struct ibv_qp *qp);

/* Objects that may be refused: NULL with errno */
struct ibv_srq *srq_try(struct port *port, unsigned int max_wr, unsigned int max_sge);
struct ibv_xrcd *xrcd_try(struct port *port);
struct ibv_srq *xrc_srq_try(struct port *port, struct ibv_xrcd *xrcd, struct ibv_cq *cq,
			    unsigned int max_wr);
struct ibv_wq *wq_try(struct port *port, struct ibv_cq *cq, unsigned int max_wr);
/* Hashes the addresses of IPv4 and these fields; key: 40 bytes */
struct ibv_qp *rss_try(struct port *port, struct ibv_rwq_ind_table *table, uint8_t *key,
		       uint64_t fields);

/* Two connected QPs (RC or UC) in RTS; srq: of b, or NULL */
struct pair pair_make(struct port *port, enum ibv_qp_type type, struct ibv_srq *srq);
/* The same in INIT, for a case that does the transitions itself */
struct pair pair_init(struct port *port, enum ibv_qp_type type, struct ibv_srq *srq);
void pair_to_rtr(const struct pair *pair);
void pair_destroy(struct pair *pair);

/* SEND from a, and expect success there */
void pair_send(const struct pair *pair, uint64_t wr_id, const struct ibv_sge *sge);

/* ::ffff:239.N.N.N, the GID of an IPv4 group */
union ibv_gid group_gid(uint32_t number);
/* A UD QP in RTS */
struct ibv_qp *datagram_qp(struct port *port, struct ibv_cq *cq);

/* One SGE or none; sends are signaled */
int post_send(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id,
	      const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey);
/* WRITE to a place of this memory */
void post_write(struct ibv_qp *qp, uint64_t wr_id, const struct ibv_sge *sge, const struct mem *to,
		size_t at);
/* Compares with 1, or adds 1; sge: 8 bytes */
int post_atomic(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id,
		struct ibv_sge sge, uint64_t raddr, uint32_t rkey);
int post_recv(struct ibv_qp *qp, uint64_t wr_id, const struct ibv_sge *sge);
int post_srq(struct ibv_srq *srq, uint64_t wr_id, const struct ibv_sge *sge);
/* Send one SGE with QKEY, signaled; dest: QPN */
void post_datagram(struct ibv_qp *qp, struct ibv_ah *ah, uint32_t dest, uint64_t wr_id,
		   struct ibv_sge sge);

/* Return: the next completion, which must come within SOON_MS */
struct ibv_wc next_wc(struct ibv_cq *cq);
/* The next completion must have this wr_id and this status */
struct ibv_wc want_wc(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status);
void want_no_wc(struct ibv_cq *cq);

/* Return: the next asynchronous event, which must come within that time; it is acknowledged */
struct ibv_async_event take_event(struct port *port, unsigned int ms);
/* The next asynchronous event must be of this type and element (QP, CQ, SRQ); acknowledges it */
void want_event(struct port *port, enum ibv_event_type type, const void *element);
void want_no_event(struct port *port);
/* Return: whether a descriptor becomes readable within this time */
bool readable(int fd, unsigned int ms);

/* Print "ready" and wait for a peer on a TCP port of any address. Return: the connection. */
int tcp_serve(uint16_t tcp_port);
/* Return: a connection with a peer, which may begin to listen later */
int tcp_call(const char *ip, uint16_t tcp_port);
/* Both sides call this at the same time; the one that answers reads first */
void tcp_exchange(int fd, bool answers, const void *own, void *peer, size_t len);

#endif /* ORNIC_E2E_VERBS_H */
