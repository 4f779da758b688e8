/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two hosts with a card each and a wire between them, for tests of the RoCE
 * engines. The test sees each frame and may drop, repeat, delay or reorder it.
 * The same tests run with payload by reference in large segments, and with
 * packets of real bytes (@bytes in struct pair).
 */
#ifndef ORNIC_UNIT_PAIR_H
#define ORNIC_UNIT_PAIR_H

#include "host.h"
#include "queues/qp.h"
#include "roce/packet.h"
#include "roce/psn.h"

#define PAIR_CQ_LOG 8
#define PAIR_BUF_SIZE (4u << 20)
#define PAIR_VLAN 77
#define PAIR_QKEY 0x1234567

/* The sides of a pair */
#define A(pair) (&(pair)->side[0])
#define B(pair) (&(pair)->side[1])

struct pair;

/**
 * struct side - one side of a pair
 * @pair: the pair
 * @host: its host; both sides share one if @pair->loopback
 * @uctx: doorbell page 0
 * @pdn: protection domain
 * @eq: EQ
 * @cq: CQ of @qp, 64-byte entries
 * @qp: the QP
 * @xrcdn: XRC domain of XRC_RECV QPs that are created later
 * @srq: SRQ of QPs that are created later, if its number is not 0
 * @buf: PAIR_BUF_SIZE bytes
 * @key: local and remote key of @buf, with all access rights
 * @sgid_index: index of @gid in the GID table
 * @gid: GID of this side
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
 * enum pair_fate - how the wire treats a frame
 * @PAIR_DELIVER: deliver it
 * @PAIR_DROP: drop it
 * @PAIR_TWICE: deliver it twice
 * @PAIR_LATE: deliver it after the next one of the same direction
 */
enum pair_fate {
	PAIR_DELIVER,
	PAIR_DROP,
	PAIR_TWICE,
	PAIR_LATE,
};

/**
 * struct pair - both sides and the wire
 * @side: A, the sender in most tests, and B
 * @bytes: frames carry real bytes, as between processes
 * @loopback: both sides are the same card, whose wire leads nowhere
 * @fate: called for each RoCE packet, or NULL
 * @arg: argument of @fate
 * @from: port that the packets of pair_rx() come from, only to be compared, or NULL
 * @held: delayed frame, by receiver
 * @packets: number of packets on the wire so far
 */
struct pair {
	struct side side[2];
	bool bytes;
	bool loopback;
	enum pair_fate (*fate)(struct pair *pair, const struct packet *pkt);
	uintptr_t arg;
	struct port *from;
	struct frame *held[2];
	unsigned int packets;
};

/* Drop all packets */
enum pair_fate pair_fate_lose_all(struct pair *pair, const struct packet *pkt);
/* Drop the nth packet from now if bit n of @arg of the pair is set */
enum pair_fate pair_fate_lose_some(struct pair *pair, const struct packet *pkt);

/* Drop the next @arg ACKs, also of atomics */
enum pair_fate pair_fate_lose_acks(struct pair *pair, const struct packet *pkt);
/* Drop, repeat and delay some packets; @arg counts them */
enum pair_fate pair_fate_disorder(struct pair *pair, const struct packet *pkt);

/* Variants of the pair that a test runs in */
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

/* Fixtures: one variant, the two that differ most, and all */
#define IN_PAIR(_setup, _config) { \
		.name = "[" #_config "]", .setup = _setup, .teardown = pair_teardown, \
		.state = &pair_config_##_config, \
	}
#define IN_PAIR_BOTH(_setup) IN_PAIR(_setup, local), IN_PAIR(_setup, bytes)
#define IN_PAIR_ALL(_setup) \
	IN_PAIR_BOTH(_setup), IN_PAIR(_setup, loopback), IN_PAIR(_setup, v6_vlan)

/* Fixtures: connected RC QPs, of a process or the kernel; UC, UD, GSI QPs */
int pair_setup_rc(void **state);
/* RC and UD; the receives of B are in an SRQ */
int pair_setup_rc_srq(void **state);
int pair_setup_ud_srq(void **state);
int pair_setup_rc_kernel(void **state);
int pair_setup_uc(void **state);
/* Fixture: A has an XRC_SEND QP; B has an XRC_RECV QP and an XRC SRQ */
int pair_setup_xrc(void **state);
int pair_setup_ud(void **state);
int pair_setup_gsi(void **state);
int pair_teardown(void **state);

struct pair *pair_create(const struct pair_config *config);
/* Create a pair of hosts whose cards are enabled; both are @a in a loopback */
struct pair *pair_create_on(struct host *a, struct host *b,
			    const struct pair_config *config);
void pair_destroy(struct pair *pair);

/*
 * Create a QP on each side, in RESET. With XRC_SEND, A gets it and B gets
 * XRC_RECV.
 */
void pair_qps(struct pair *pair, unsigned int type, uint32_t flags);

/* Attributes from RESET to RTS that suit most tests */
struct ornic_qp_attr pair_attr(struct side *side, struct side *peer);
/* Modify the QP with a mask; return the status of the command */
unsigned int pair_modify(struct side *side, uint32_t mask,
			 const struct ornic_qp_attr *attr);
#define pair_modify_is(side, mask, attr, status) \
	assert_int_equal(pair_modify(side, mask, attr), status)
#define pair_modify_ok(side, mask, attr) \
	pair_modify_is(side, mask, attr, ORNIC_CMD_OK)
/* Mask of the MODIFY_QP that leads to @state: INIT, RTR or RTS */
uint32_t pair_mask(unsigned int type, unsigned int state);
/* Modify from RESET to RTS; a test may change the attributes first */
void pair_connect_side(struct side *side, const struct ornic_qp_attr *attr);
void pair_connect(struct pair *pair);
/* Create RC QPs and connect them with another path MTU than that of pair_attr() */
void pair_qps_of_mtu(struct pair *pair, unsigned int path_mtu);
/* Reset and reconnect both QPs, without packets on the wire, CQEs or events */
void pair_again(struct pair *pair);
void pair_state(struct side *side, unsigned int state);
void pair_query(struct side *side, struct ornic_qp_attr *attr);

/*
 * Deliver the frames that are on the wire; the cards do not run. Return true if
 * there were any.
 */
bool pair_wire(struct pair *pair);
/* Run both cards and the wire until no work is left */
void pair_run(struct pair *pair);
/* Advance time in steps, and run after each */
void pair_sleep(struct pair *pair, uint64_t ns);

/* A send work request in the form that tests use */
struct pair_wr {
	uint64_t wr_id;
	uint8_t opcode;
	uint16_t flags;
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
	const struct ornic_av *av;	/* of a datagram; NULL: of the peer */
	const void *data;
	uint32_t data_len;
	int longer;	/* bytes that the header claims beyond what is written */
	unsigned int sges;
	struct sge sge[CARD_MAX_SGE + 1];
};

/* A signaled request with one SGE, at the same @offset in both buffers, or a datagram */
struct pair_wr pair_wr_data(struct side *side, unsigned int opcode,
			    uint32_t offset, uint32_t len);
/* A signaled LOCAL_INV */
struct pair_wr pair_wr_inv(uint32_t key);
/* Post a request, ring the doorbell and run */
void pair_send(struct side *side, const struct pair_wr *wr);
/* pair_send() from A, and expect success */
void pair_one(struct pair *pair, const struct pair_wr *wr);
/*
 * WRITE or SEND of @len bytes, with or without an immediate: B gets these bytes and no
 * other, and a completion with all that belongs to the message
 */
void pair_message(struct pair *pair, unsigned int opcode, uint32_t len, unsigned int seed);
/* pair_send() from A, and expect @status */
void pair_fails(struct pair *pair, const struct pair_wr *wr,
		unsigned int status);
/* A word in the buffer of a side */
uint64_t *pair_word(struct side *side, uint32_t offset);

/* Write a WQE and publish its index; pair_ring() rings the doorbell */
void pair_post(struct side *side, const struct pair_wr *wr);
void pair_ring(struct side *side);
void pair_post_recv(struct side *side, uint64_t wr_id, uint64_t addr,
		    uint32_t len);
void pair_post_recv_sges(struct side *side, uint64_t wr_id,
			 const struct sge *sge, unsigned int sges);

/* The primary path of the QP of a side; valid as long as its attributes */
struct packet_path pair_path(struct side *side);
/* The packet that B's QP expects next from A's QP, on 8 bytes */
struct packet pair_packet(struct pair *pair, unsigned int opcode);
/* Complete a packet as A's QP does and deliver it to B; the cards do not run */
void pair_rx(struct pair *pair, struct packet *pkt, const void *payload,
	     uint32_t len);
/* pair_rx(), and run */
void pair_inject(struct pair *pair, struct packet *pkt, const void *payload,
		 uint32_t len);

/* Return the next completion and consume it; fail if there is none */
struct ornic_cqe pair_poll(struct side *side);
void pair_poll_none(struct side *side);
/* pair_poll(), and check the completion: no other status will do ([ORNIC-CQ-4]) */
void pair_expect(struct side *side, uint64_t wr_id, unsigned int status);
/*
 * Consume events up to the next one that is not ORNIC_EVENT_COMP; return its
 * type, or 0 if there is none for the QP.
 */
unsigned int pair_event(struct side *side);

uint64_t pair_stat(struct side *side, enum ornic_rdma_stat stat);
#define pair_stat_is(side, stat, count) \
	assert_int_equal(pair_stat(side, stat), count)
struct qp *pair_qp(struct side *side);
#define pair_state_is(side, expected) \
	assert_int_equal(pair_qp(side)->base.state, expected)

/* Write and check bytes that depend on their position */
void pair_fill(uint8_t *buf, uint32_t len, unsigned int seed);
void pair_check(const uint8_t *buf, uint32_t len, unsigned int seed);

#endif /* ORNIC_UNIT_PAIR_H */
