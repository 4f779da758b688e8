// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion counters ([ORNIC-CNTR-1] to [ORNIC-CNTR-6]) */
#include "card/card.h"
#include "objects/comp_cntr.h"
#include "pair.h"

#define READ_TO 8192
#define IN_RC IN(setup, pair_teardown)

/* A counter as its host sees it */
struct cntr {
	struct host *host;
	uint32_t num;
	uint64_t addr;
};

static struct cntr create(struct host *host)
{
	struct cntr cntr = { .host = host, .addr = host_alloc(host, HOST_PAGE, HOST_PAGE) };
	struct ornic_create_comp_cntr_in in = { .addr = htole64(cntr.addr) };

	memset(host_ptr(host, cntr.addr), 0xa5, HOST_PAGE);
	cntr.num = host_create_object(host, ORNIC_CMD_CREATE_COMP_CNTR, &in, sizeof(in));
	return cntr;
}

static void is(const struct cntr *cntr, uint64_t completed, uint64_t failed)
{
	const struct ornic_comp_counts *counts = host_ptr(cntr->host, cntr->addr);

	assert_int_equal(guest_load64(&counts->completed), completed);
	assert_int_equal(guest_load64(&counts->errors), failed);
}

static unsigned int attach(struct side *side, const struct cntr *cntr, uint32_t requests)
{
	struct ornic_attach_comp_cntr_in in = {
		.qpn = htole32(side->qp.num), .num = htole32(cntr->num),
		.requests = htole32(requests),
	};

	return host_cmd_in(side->host, ORNIC_CMD_ATTACH_COMP_CNTR, &in);
}

static unsigned int modify(const struct cntr *cntr, unsigned int entry, unsigned int op,
			   uint64_t value)
{
	struct ornic_modify_comp_cntr_in in = {
		.num = htole32(cntr->num), .entry = entry, .op = op, .value = htole64(value),
	};

	return host_cmd_in(cntr->host, ORNIC_CMD_MODIFY_COMP_CNTR, &in);
}

/* RC QPs in RESET, without counters */
static int setup(void **state)
{
	struct pair *pair = pair_create(&pair_config_bytes);

	pair_qps(pair, ORNIC_QPT_RC, 0);
	*state = pair;
	return 0;
}

/* Attach a counter for each kind of request */
static void count_all(struct side *side, struct cntr *cntrs)
{
	unsigned int i;

	for (i = 0; i < COMP_CNTR_REQUESTS; i++) {
		cntrs[i] = create(side->host);
		assert_int_equal(attach(side, &cntrs[i], 1u << i), ORNIC_CMD_OK);
	}
}

/* Expect these sums, by kind of request; nothing else has failed */
static void are(const struct cntr *cntrs, const uint64_t *completed)
{
	unsigned int i;

	for (i = 0; i < COMP_CNTR_REQUESTS; i++)
		is(&cntrs[i], completed[i], 0);
}

/* [ORNIC-CNTR-1] */
TEST(test_create, struct host *host, IN_HOST)
{
	struct ornic_create_comp_cntr_in in = {
		.addr = htole64(host_alloc(host, HOST_PAGE, HOST_PAGE)),
	};
	struct ornic_query_device_out limits;
	struct cntr cntr = create(host);
	struct ornic_object out;
	uint32_t i;

	is(&cntr, 0, 0);
	host_refused(host, ORNIC_CMD_CREATE_COMP_CNTR, in, addr, in.addr + htole64(8), &out,
		     ORNIC_CMD_BAD_PARAM);
	host_refused(host, ORNIC_CMD_CREATE_COMP_CNTR, in, addr, htole64(HOST_NOWHERE), &out,
		     ORNIC_CMD_DMA_FAULT);
	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &limits);
	for (i = 1; i < le32toh(limits.max_comp_cntrs); i++)
		host_cmd_ok(host, ORNIC_CMD_CREATE_COMP_CNTR, &in, &out);
	host_cmd_is(host, ORNIC_CMD_CREATE_COMP_CNTR, &in, &out, ORNIC_CMD_NO_RESOURCES);
	host_cmd_object_ok(host, ORNIC_CMD_DESTROY_COMP_CNTR, cntr.num);
	host_cmd_object_is(host, ORNIC_CMD_DESTROY_COMP_CNTR, cntr.num, ORNIC_CMD_BAD_OBJECT);
	host_cmd_ok(host, ORNIC_CMD_CREATE_COMP_CNTR, &in, &out);
}

/* [ORNIC-CNTR-2], [ORNIC-OBJ-6] */
TEST(test_attach, struct pair *pair, IN_RC)
{
	struct cntr cntr = create(A(pair)->host), other = create(A(pair)->host);
	struct cntr none = { .num = cntr.num + other.num + 1 };
	struct ornic_attach_comp_cntr_in in = {
		.qpn = htole32(A(pair)->qp.num), .num = htole32(cntr.num),
		.requests = htole32(ORNIC_COUNT_SEND), .rsvd = htole32(1),
	};
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));

	assert_int_equal(attach(A(pair), &cntr, 0), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_ALL + 1), ORNIC_CMD_BAD_PARAM);
	host_cmd_in_is(A(pair)->host, ORNIC_CMD_ATTACH_COMP_CNTR, &in, ORNIC_CMD_BAD_PARAM);
	assert_int_equal(attach(A(pair), &none, ORNIC_COUNT_SEND), ORNIC_CMD_BAD_OBJECT);
	in.rsvd = 0;
	in.qpn = htole32(A(pair)->qp.num + 1);
	host_cmd_in_is(A(pair)->host, ORNIC_CMD_ATTACH_COMP_CNTR, &in, ORNIC_CMD_BAD_OBJECT);

	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_SEND), ORNIC_CMD_OK);
	assert_int_equal(attach(A(pair), &other, ORNIC_COUNT_RECV | ORNIC_COUNT_SEND),
			 ORNIC_CMD_BUSY);
	host_cmd_object_ok(A(pair)->host, ORNIC_CMD_DESTROY_COMP_CNTR, other.num);
	host_cmd_object_is(A(pair)->host, ORNIC_CMD_DESTROY_COMP_CNTR, cntr.num, ORNIC_CMD_BUSY);

	attr.state = ORNIC_QPS_INIT;
	pair_modify_ok(A(pair), pair_mask(ORNIC_QPT_RC, ORNIC_QPS_INIT), &attr);
	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_RECV | ORNIC_COUNT_READ),
			 ORNIC_CMD_OK);
	attr.state = ORNIC_QPS_RTR;
	pair_modify_ok(A(pair), pair_mask(ORNIC_QPT_RC, ORNIC_QPS_RTR), &attr);
	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_WRITE), ORNIC_CMD_BAD_STATE);
	pair_state(A(pair), ORNIC_QPS_ERR);
	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_WRITE), ORNIC_CMD_BAD_STATE);
	pair_state(A(pair), ORNIC_QPS_RESET);
	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_READ), ORNIC_CMD_BUSY);
	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_WRITE), ORNIC_CMD_OK);

	host_cmd_object_ok(A(pair)->host, ORNIC_CMD_DESTROY_QP, A(pair)->qp.num);
	host_cmd_object_ok(A(pair)->host, ORNIC_CMD_DESTROY_COMP_CNTR, cntr.num);
}

/* Work requests of an RC QP, and the kinds that they count as, on both sides; -1: none */
static const struct {
	uint8_t opcode;
	int sender;
	int receiver;
	bool receives;
} operations[] = {
	{ ORNIC_WR_SEND, COMP_CNTR_SEND, -1, true },
	{ ORNIC_WR_SEND_WITH_IMM, COMP_CNTR_SEND, -1, true },
	{ ORNIC_WR_RDMA_WRITE, COMP_CNTR_WRITE, COMP_CNTR_REMOTE_WRITE, false },
	{ ORNIC_WR_RDMA_WRITE_WITH_IMM, COMP_CNTR_WRITE, COMP_CNTR_REMOTE_WRITE, true },
	{ ORNIC_WR_RDMA_READ, COMP_CNTR_READ, COMP_CNTR_REMOTE_READ, false },
	{ ORNIC_WR_ATOMIC_FETCH_ADD, -1, -1, false },
};

/* Many of each, signaled or not, with the counters of count_all() */
static void traffic(struct pair *pair, const struct cntr *a, const struct cntr *b)
{
	uint64_t sent[COMP_CNTR_REQUESTS] = {}, got[COMP_CNTR_REQUESTS] = {};
	struct pair_wr wr;
	unsigned int i, n;

	for (n = 0; n < 40; n++) {
		for (i = 0; i < ARRAY_SIZE(operations); i++) {
			wr = pair_wr_data(A(pair), operations[i].opcode, READ_TO,
					  operations[i].sender < 0 ? 8 : n * 100);
			wr.flags = n & 1 ? ORNIC_SEND_SIGNALED : 0;
			if (operations[i].receives)
				pair_post_recv(B(pair), n, B(pair)->addr, 4096);
			pair_send(A(pair), &wr);
			/* The longest wait is that of a lost packet */
			pair_sleep(pair, 8000000);
			if (n & 1)
				pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
			if (operations[i].receives)
				pair_expect(B(pair), n, ORNIC_WC_SUCCESS);
			if (operations[i].sender >= 0)
				sent[operations[i].sender]++;
			if (operations[i].receiver >= 0)
				got[operations[i].receiver]++;
			got[COMP_CNTR_RECV] += operations[i].receives;
			are(a, sent);
			are(b, got);
		}
	}
}

/* [ORNIC-CNTR-3] Whatever the wire loses, repeats and delays */
TEST(test_requests_count_once, struct pair *pair, IN_RC)
{
	struct cntr a[COMP_CNTR_REQUESTS], b[COMP_CNTR_REQUESTS];

	count_all(A(pair), a);
	count_all(B(pair), b);
	pair_connect(pair);
	pair->fate = pair_fate_disorder;
	traffic(pair, a, b);
}

/* [ORNIC-CNTR-2], [ORNIC-CNTR-3] One counter for all, of two QPs, that of SRQ receives too */
static void sums(struct pair *pair, unsigned int type, unsigned int opcode, unsigned int each)
{
	struct cntr a = create(A(pair)->host), b = create(B(pair)->host);
	struct pair_wr wr;
	unsigned int i;

	pair_qps(pair, type, 0);
	assert_int_equal(attach(A(pair), &a, ORNIC_COUNT_ALL), ORNIC_CMD_OK);
	assert_int_equal(attach(B(pair), &b, ORNIC_COUNT_ALL), ORNIC_CMD_OK);
	pair_connect(pair);
	for (i = 1; i < 10; i++) {
		pair_post_recv(B(pair), i, B(pair)->addr, 4096);
		wr = pair_wr_data(A(pair), opcode, 0, 100);
		pair_one(pair, &wr);
		pair_expect(B(pair), i, ORNIC_WC_SUCCESS);
		is(&a, i, 0);
		is(&b, each * i, 0);
	}
}

TEST(test_datagrams_of_an_srq, struct pair *pair, IN_PAIR(pair_setup_ud_srq, bytes))
{
	sums(pair, ORNIC_QPT_UD, ORNIC_WR_SEND, 1);
}

TEST(test_uc, struct pair *pair, IN_PAIR(pair_setup_uc, bytes))
{
	sums(pair, ORNIC_QPT_UC, ORNIC_WR_RDMA_WRITE_WITH_IMM, 2);
}

TEST(test_xrc, struct pair *pair, IN_PAIR(pair_setup_xrc, bytes))
{
	sums(pair, ORNIC_QPT_XRC_SEND, ORNIC_WR_SEND, 1);
}

/* [ORNIC-CNTR-3] Errors, those of flushed WQEs too, and none of the peer's */
TEST(test_failures, struct pair *pair, IN_RC)
{
	static const uint8_t sends[] = {
		ORNIC_WR_SEND, ORNIC_WR_SEND_WITH_IMM, ORNIC_WR_SEND_WITH_INV, ORNIC_WR_TSO,
	};
	struct cntr a[COMP_CNTR_REQUESTS], b[COMP_CNTR_REQUESTS];
	struct pair_wr wr;
	unsigned int i;

	count_all(A(pair), a);
	count_all(B(pair), b);
	pair_connect(pair);
	for (i = 0; i < 3; i++)
		pair_post_recv(A(pair), i, A(pair)->addr, 64);
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);
	wr.rkey ^= 0xff;
	pair_post(A(pair), &wr);
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 100);
	pair_post(A(pair), &wr);
	for (i = 0; i < ARRAY_SIZE(sends); i++) {
		wr.opcode = sends[i];
		pair_post(A(pair), &wr);
	}
	wr.opcode = 99;
	pair_send(A(pair), &wr);
	pair_sleep(pair, 100000000);
	is(&a[COMP_CNTR_WRITE], 0, 1);
	is(&a[COMP_CNTR_READ], 0, 1);
	is(&a[COMP_CNTR_SEND], 0, ARRAY_SIZE(sends));
	is(&a[COMP_CNTR_RECV], 0, 3);
	is(&b[COMP_CNTR_REMOTE_WRITE], 0, 0);
	is(&b[COMP_CNTR_REMOTE_READ], 0, 0);

	/* RESET drops what has not completed, and the QP still counts after it */
	pair_again(pair);
	pair_post_recv(A(pair), 9, A(pair)->addr, 64);
	pair_again(pair);
	is(&a[COMP_CNTR_RECV], 0, 3);
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);
	pair_one(pair, &wr);
	is(&a[COMP_CNTR_WRITE], 1, 1);
}

/* [ORNIC-CNTR-3] The completion for a ring out of reach, of WQEs that cannot be known */
TEST(test_lost_ring, struct pair *pair, IN_RC)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);
	struct cntr a[COMP_CNTR_REQUESTS];

	count_all(A(pair), a);
	pair_connect(pair);
	pair_post(A(pair), &wr);
	host_unmap(A(pair)->host, A(pair)->qp.sq, HOST_PAGE);
	pair_ring(A(pair));
	pair_run(pair);
	pair_expect(A(pair), 0, ORNIC_WC_LOC_PROT_ERR);
	are(a, (uint64_t [COMP_CNTR_REQUESTS]){});
}

/* The counter of a side's QP, and what it had counted when the card began to hold a completion */
struct watch {
	struct side *side;
	struct cntr cntr;
	bool held;
	uint64_t counted;
};

static void look(void *arg)
{
	struct watch *watch = arg;
	struct side *side = watch->side;
	const struct ornic_comp_counts *counts = host_ptr(side->host, watch->cntr.addr);

	if (watch->held || list_empty(&side->host->card->pairs))
		return;
	watch->held = true;
	assert_null(host_queue_peek(&side->cq));
	pair_check(side->buf, 100, 5);
	watch->counted = guest_load64(&counts->completed);
}

static void watch_begin(struct watch *watch, struct side *side)
{
	*watch = (struct watch){ .side = side, .cntr = create(side->host) };
	/* Completions of 32 bytes are written two by two */
	host_cq(side->host, &side->cq, side->uctx, side->eq.num, 4, 5);
	side->host->runnable_look = look;
	side->host->runnable_arg = watch;
}

static const struct card_config card_config_pairs = {
	.whole_entries = true, .pair_entries = true,
};

static struct host *pairs_host(uint8_t mac_tail)
{
	struct host *host = host_create_as(&card_config_pairs, mac_tail);

	host_enable(host);
	return host;
}

/* [ORNIC-CNTR-4] A card that holds completions back has written data and count before */
TEST_VOID(test_count_comes_before_the_completion)
{
	struct pair *pair = pair_create_on(pairs_host(1), pairs_host(2), &pair_config_bytes);
	struct watch a, b;
	struct pair_wr wr;

	watch_begin(&a, A(pair));
	watch_begin(&b, B(pair));
	pair_qps(pair, ORNIC_QPT_RC, 0);
	assert_int_equal(attach(A(pair), &a.cntr, ORNIC_COUNT_SEND), ORNIC_CMD_OK);
	assert_int_equal(attach(B(pair), &b.cntr, ORNIC_COUNT_RECV), ORNIC_CMD_OK);
	pair_connect(pair);
	pair_post_recv(B(pair), 1, B(pair)->addr, 100);
	pair_fill(A(pair)->buf, 100, 5);
	wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 100);
	pair_one(pair, &wr);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	assert_int_equal(a.counted, 1);
	assert_int_equal(b.counted, 1);
	pair_destroy(pair);
}

/* [ORNIC-CNTR-3] A CQ that is full */
TEST(test_overrun, struct pair *pair, IN_RC)
{
	struct cntr cntr = create(A(pair)->host);
	struct pair_wr wr;
	unsigned int i;

	host_cq(A(pair)->host, &A(pair)->cq, A(pair)->uctx, A(pair)->eq.num, 1, 5);
	pair_qps(pair, ORNIC_QPT_RC, 0);
	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_WRITE), ORNIC_CMD_OK);
	pair_connect(pair);
	for (i = 1; i <= 3; i++) {
		wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
		pair_send(A(pair), &wr);
		is(&cntr, i, 0);
	}
	pair_state_is(A(pair), ORNIC_QPS_ERR);
}

/* [ORNIC-CNTR-5] */
TEST(test_modify, struct pair *pair, IN_RC)
{
	struct cntr cntr = create(A(pair)->host);
	struct cntr none = { .host = cntr.host, .num = cntr.num + 1 };
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
	struct ornic_modify_comp_cntr_in in = { .num = htole32(cntr.num), .rsvd = { 1 } };

	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_WRITE), ORNIC_CMD_OK);
	pair_connect(pair);
	assert_int_equal(modify(&cntr, ORNIC_COMP_CNTR_COMPLETED, ORNIC_COMP_CNTR_SET, -2ULL),
			 ORNIC_CMD_OK);
	is(&cntr, -2ULL, 0);
	pair_one(pair, &wr);
	is(&cntr, -1ULL, 0);
	pair_one(pair, &wr);
	is(&cntr, 0, 0);
	assert_int_equal(modify(&cntr, ORNIC_COMP_CNTR_FAILED, ORNIC_COMP_CNTR_ADD, 3),
			 ORNIC_CMD_OK);
	assert_int_equal(modify(&cntr, ORNIC_COMP_CNTR_FAILED, ORNIC_COMP_CNTR_ADD, -1ULL),
			 ORNIC_CMD_OK);
	is(&cntr, 0, 2);
	assert_int_equal(modify(&cntr, ORNIC_COMP_CNTR_FAILED, ORNIC_COMP_CNTR_SET, 0),
			 ORNIC_CMD_OK);
	pair_one(pair, &wr);
	is(&cntr, 1, 0);

	assert_int_equal(modify(&cntr, 2, ORNIC_COMP_CNTR_SET, 0), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(modify(&cntr, 0, 2, 0), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(modify(&none, 0, ORNIC_COMP_CNTR_SET, 0), ORNIC_CMD_BAD_OBJECT);
	host_cmd_in_is(cntr.host, ORNIC_CMD_MODIFY_COMP_CNTR, &in, ORNIC_CMD_BAD_PARAM);
	is(&cntr, 1, 0);
}

/* [ORNIC-CNTR-6] */
TEST(test_words_are_only_written, struct pair *pair, IN_RC)
{
	struct host *host = A(pair)->host;
	struct cntr cntr = create(host);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);

	assert_int_equal(attach(A(pair), &cntr, ORNIC_COUNT_WRITE), ORNIC_CMD_OK);
	pair_connect(pair);
	pair_one(pair, &wr);
	memset(host_ptr(host, cntr.addr), 0x77, sizeof(struct ornic_comp_counts));
	pair_one(pair, &wr);
	is(&cntr, 2, 0x7777777777777777);

	host_unmap(host, cntr.addr, HOST_PAGE);
	pair_one(pair, &wr);
	is(&cntr, 2, 0x7777777777777777);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_dma_faults, 1);
	host_map(host, cntr.addr, HOST_PAGE);
	pair_one(pair, &wr);
	is(&cntr, 4, 0x7777777777777777);
}

TEST_MAIN("comp_cntr")
