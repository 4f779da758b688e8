/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two hosts with a card each and a wire between them, for tests of the RoCE
 * engines. All frames pass through the test's hands: it may lose, repeat, delay
 * and reorder them. The same tests run with packets by reference in big
 * segments and with real bytes (struct pair's @bytes).
 */
#ifndef ORNIC_UNIT_PAIR_H
#define ORNIC_UNIT_PAIR_H

#include "host.h"
#include "packet.h"
#include "psn.h"
#include "qp.h"

#define PAIR_CQ_LOG 8
#define PAIR_BUF_SIZE (4u << 20)
#define PAIR_VLAN 77
#define PAIR_QKEY 0x1234567

/* The sides of a pair */
#define A(pair) (&(pair)->side[0])
#define B(pair) (&(pair)->side[1])

struct pair;

/**
 * struct side - one of the two
 * @pair: both
 * @host: its host; the same for both when @pair->loopback
 * @uctx: doorbell page 0
 * @pdn: protection domain
 * @eq: events
 * @cq: completions of @qp, of 64 bytes
 * @qp: the QP
 * @xrcdn: XRC domain of an XRC_RECV QP made from now on
 * @srq: if its number is not 0: where receives of a QP made from now on come from
 * @buf: PAIR_BUF_SIZE bytes
 * @key: local and remote key of @buf, everything allowed
 * @sgid_index: of its address
 * @gid: its address
 * @addr: bus address of @buf
 */
struct side {
	struct pair *pair;
	struct host *host;
	uint32_t uctx;
	uint32_t pdn;
	struct host_queue eq;
	struct host_queue cq;
	struct host_qp qp;
	uint32_t xrcdn;
	struct host_qp srq;
	uint8_t *buf;
	uint32_t key;
	unsigned int sgid_index;
	uint8_t gid[GID_LEN];
	uint64_t addr;
};

/**
 * enum pair_fate - what becomes of a frame
 * @PAIR_DELIVER: it arrives
 * @PAIR_DROP: it does not
 * @PAIR_TWICE: it arrives twice
 * @PAIR_LATE: it arrives after the next one of that direction
 */
enum pair_fate {
	PAIR_DELIVER,
	PAIR_DROP,
	PAIR_TWICE,
	PAIR_LATE,
};

/**
 * struct pair - both sides and the wire
 * @side: A, who mostly sends, and B
 * @bytes: frames are real bytes, as between processes
 * @loopback: both sides are the same card
 * @fate: asked for each RoCE packet, or NULL
 * @arg: for @fate
 * @held: frame that is late, by receiver
 * @packets: that were on the wire
 */
struct pair {
	struct side side[2];
	bool bytes;
	bool loopback;
	enum pair_fate (*fate)(struct pair *pair, const struct packet *pkt);
	uintptr_t arg;
	struct frame *held[2];
	unsigned int packets;
};

/* A fate: nothing arrives. */
enum pair_fate pair_fate_lose_all(struct pair *pair, const struct packet *pkt);
/* Bit n of @arg of the pair says whether the nth packet from now is lost. */
enum pair_fate pair_fate_lose_some(struct pair *pair, const struct packet *pkt);

/* What the tests vary */
struct pair_config {
	bool bytes;
	bool loopback;
	bool ipv6;
	bool vlan;
};

extern const struct pair_config pair_config_local;
extern const struct pair_config pair_config_bytes;
extern const struct pair_config pair_config_loopback;
extern const struct pair_config pair_config_v6_vlan;

/* A test in one of these, and in the two that differ most */
#define PAIR_TEST(_test, _setup, _config) { \
		.name = #_test "[" #_config "]", \
		.test_func = _test, \
		.setup_func = _setup, \
		.teardown_func = pair_teardown, \
		.initial_state = (void *)&pair_config_##_config, \
	}
#define PAIR_BOTH(_test, _setup) \
	PAIR_TEST(_test, _setup, local), PAIR_TEST(_test, _setup, bytes)
#define PAIR_ALL(_test, _setup) \
	PAIR_BOTH(_test, _setup), PAIR_TEST(_test, _setup, loopback), \
	PAIR_TEST(_test, _setup, v6_vlan)

/*
 * Fixtures: a pair with connected RC QPs, the same of the kernel, with UC QPs, or
 * with UD or GSI QPs in RTS
 */
int pair_setup_rc(void **state);
int pair_setup_rc_kernel(void **state);
int pair_setup_uc(void **state);
/* A has XRC_SEND, B XRC_RECV and an XRC SRQ */
int pair_setup_xrc(void **state);
int pair_setup_ud(void **state);
int pair_setup_gsi(void **state);
int pair_teardown(void **state);

struct pair *pair_create(const struct pair_config *config);
void pair_destroy(struct pair *pair);

/* QPs of a type for both sides, not yet modified; of XRC_SEND for A */
void pair_qps(struct pair *pair, unsigned int type, uint32_t flags);

/* Attributes for the way from RESET to RTS that suit most tests */
struct ornic_qp_attr pair_attr(struct side *side, struct side *peer);
/* Modify with a mask; returns the status of the command. */
unsigned int pair_modify(struct side *side, uint32_t mask,
			 const struct ornic_qp_attr *attr);
/* The mask of MODIFY_QP from the state before @state, INIT, RTR or RTS */
uint32_t pair_mask(unsigned int type, unsigned int state);
/* RESET to RTS; the attributes may be changed between */
void pair_connect_side(struct side *side, const struct ornic_qp_attr *attr);
void pair_connect(struct pair *pair);
/* The same two QPs once more, from RESET, with nothing on its way or to poll */
void pair_again(struct pair *pair);
void pair_state(struct side *side, unsigned int state);
void pair_query(struct side *side, struct ornic_qp_attr *attr);

/* Carry what is on the wire now; no card runs. Return: whether there was any. */
bool pair_wire(struct pair *pair);
/* Run both cards and the wire until nothing moves. */
void pair_run(struct pair *pair);
/* Let time pass in steps, running at each. */
void pair_sleep(struct pair *pair, uint64_t ns);

/* A send work request as a test writes it */
struct pair_wr {
	uint64_t wr_id;
	uint8_t opcode;
	uint8_t flags;
	uint32_t imm;
	uint32_t inv_key;
	uint64_t raddr;
	uint32_t rkey;
	uint32_t xrc_srqn;
	uint64_t swap_add;
	uint64_t compare;
	struct ornic_atomic_mask mask;
	struct ornic_flush flush;
	struct ornic_bind bind;
	struct ornic_reg_mr reg;
	uint32_t dqpn;
	uint32_t qkey;
	const struct ornic_av *av;	/* of a datagram; NULL: to the peer */
	const void *data;
	uint32_t data_len;
	unsigned int sges;
	struct sge sge[CORE_MAX_SGE + 1];
};

/* A signaled request with one SGE, the same @offset into both sides' memory */
struct pair_wr pair_wr_data(struct side *side, unsigned int opcode,
			    uint32_t offset, uint32_t len);
/* Post one, ring, and run. */
void pair_send(struct side *side, const struct pair_wr *wr);
/* The same to A, and see it succeed. */
void pair_one(struct pair *pair, const struct pair_wr *wr);
/* Post one to A, run, and see it fail. */
void pair_fails(struct pair *pair, const struct pair_wr *wr,
		unsigned int status);
/* A word in a side's memory */
uint64_t *pair_word(struct side *side, uint32_t offset);

/* Write a WQE and publish it; the card learns of it by pair_ring(). */
void pair_post(struct side *side, const struct pair_wr *wr);
void pair_ring(struct side *side);
void pair_post_recv(struct side *side, uint64_t wr_id, uint64_t addr,
		    uint32_t len);
void pair_post_recv_sges(struct side *side, uint64_t wr_id,
			 const struct sge *sge, unsigned int sges);

/* A packet as B's QP expects it next from A's, on 8 bytes */
struct packet pair_packet(struct pair *pair, unsigned int opcode);
/* Make a packet as A's QP might, and deliver it to B; no card runs. */
void pair_rx(struct pair *pair, struct packet *pkt, const void *payload,
	     uint32_t len);
/* The same, and run. */
void pair_inject(struct pair *pair, struct packet *pkt, const void *payload,
		 uint32_t len);

/* The next completion, consumed; it has to be there */
struct ornic_cqe pair_poll(struct side *side);
void pair_poll_none(struct side *side);
/* The same with what is expected of it */
void pair_expect(struct side *side, uint64_t wr_id, unsigned int status);
/* The next event but completion events, consumed; 0 when there is none */
unsigned int pair_event(struct side *side);

uint64_t pair_stat(struct side *side, enum ornic_rdma_stat stat);
struct qp *pair_qp(struct side *side);

/* Bytes that tell where they belong */
void pair_fill(uint8_t *buf, uint32_t len, unsigned int seed);
void pair_check(const uint8_t *buf, uint32_t len, unsigned int seed);

#endif /* ORNIC_UNIT_PAIR_H */
