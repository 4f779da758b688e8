// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Documentation/hardware-traces.txt is what the card does ([ORNIC-VEC-2],
 * [ORNIC-VEC-1]): each step is checked where it is written down.
 */
#include "appendix.h"
#include "base/be.h"
#include "card/card.h"
#include "pair.h"

#define READY_MS 10
#define MS_NS 1000000
/* Code 12 of [ORNIC-WIRE-22], in ns */
#define RNR_NS 640000
/* Room for the answer of QUERY_DEVICE, bytes */
#define ANSWER_LEN 64
#define NONCE 0x0123456789abcdefULL
#define CMD_ID 0x4711

static unsigned int step;
/* The host that accesses registers */
static const char *who = "Host";

/* Begin a step: a line with who does what */
#define STEP(a, fmt, ...) \
	appendix_say(a, "step %u " fmt "\n", ++step, ##__VA_ARGS__)

static void trace(struct appendix *a, const char *name, const char *text)
{
	step = 0;
	appendix_block(a, text, "trace", name);
}

/* ---- registers ---- */

static const struct reg {
	unsigned int offset;
	const char *name;
	unsigned int size;
	/* As for appendix_register(), or 0 */
	char kind;
} regs[] = {
#define REG(_reg, _size, _kind) { ORNIC_REG_##_reg, #_reg, _size, _kind }
	REG(MAGIC, 4, 0),
	REG(VERSION, 4, 0),
	REG(CAPS, 4, 'C'),
	REG(VECTORS, 4, 0),
	REG(DB_PAGES, 4, 0),
	REG(DB_STRIDE, 4, 0),
	REG(STATUS, 4, 'S'),
	REG(CTRL, 4, 'R'),
	REG(FATAL_CAUSE, 4, 0),
	REG(ADMIN_DEPTH, 4, 0),
	REG(ADMIN_SQ, 8, 0),
	REG(ADMIN_CQ, 8, 0),
	REG(ADMIN_DB, 4, 0),
	REG(DMA_TEST, 8, 0),
	REG(ADMIN_DBR, 8, 0),
#undef REG
};

static const struct reg *find_reg(unsigned int offset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		if (regs[i].offset == offset)
			return &regs[i];
	fail_msg("register 0x%x", offset);
	return NULL;
}

static void say_access(struct appendix *a, const char *does, const struct reg *reg,
		       uint64_t value)
{
	STEP(a, "%s %s BAR0 0x%03x %s 0x%0*llx", who, does, reg->offset, reg->name,
	     2 * reg->size, (unsigned long long)value);
	if (reg->kind)
		appendix_register(a, reg->kind, value);
}

static void reads(struct appendix *a, struct host *host, unsigned int offset)
{
	const struct reg *reg = find_reg(offset);

	say_access(a, "reads", reg, host_read(host, offset, reg->size));
}

static void writes(struct appendix *a, struct host *host, unsigned int offset, uint64_t value)
{
	const struct reg *reg = find_reg(offset);

	say_access(a, "writes", reg, value);
	host_write(host, offset, reg->size, value);
}

static void bus_master(struct appendix *a, struct host *host, bool on)
{
	STEP(a, "%s %s bus mastering in configuration space", who,
	     on ? "enables" : "disables");
	card_bus_master(host->card, on);
}

/* ---- 1. boot ---- */

static void say_dma_test(struct appendix *a, struct host *host)
{
	uint64_t addr = host_alloc(host, sizeof(struct ornic_dma_test), HOST_PAGE);
	struct ornic_dma_test *test = host_ptr(host, addr);

	test->nonce = htole64(NONCE);
	STEP(a, "Host writes at 0x%llx", (unsigned long long)addr);
	appendix_struct(a, "ornic_dma_test", test);
	writes(a, host, ORNIC_REG_DMA_TEST, addr);
	host_run(host);
	assert_true(le64toh(test->answer) == ~NONCE);
	STEP(a, "Device reads it and writes the answer, so that it is");
	appendix_struct(a, "ornic_dma_test", test);
}

static void say_query(struct appendix *a, struct host *host)
{
	uint64_t out_addr = host_alloc(host, ANSWER_LEN, HOST_PAGE);
	struct ornic_cmd_sqe *sqe = host_ptr(host, host->admin_sq);
	struct ornic_cmd_cqe *cqe = host_ptr(host, host->admin_cq);
	unsigned int irqs = host->irqs[0];

	*sqe = (struct ornic_cmd_sqe){
		.opcode = htole16(ORNIC_CMD_QUERY_DEVICE),
		.cmd_id = htole16(CMD_ID),
		.out_len = htole32(ANSWER_LEN),
		.out_addr = htole64(out_addr),
	};
	STEP(a, "Host writes the submission, QUERY_DEVICE, at 0x%llx",
	     (unsigned long long)host->admin_sq);
	appendix_struct(a, "ornic_cmd_sqe", sqe);
	writes(a, host, ORNIC_REG_ADMIN_DB, 1);
	host_run(host);
	assert_int_equal(le16toh(cqe->status), ORNIC_CMD_OK);
	assert_int_equal(le16toh(cqe->cmd_id), CMD_ID);
	STEP(a, "Device reads 32 bytes at 0x%llx and writes the output, cut to 64, at 0x%llx",
	     (unsigned long long)host->admin_sq, (unsigned long long)out_addr);
	appendix_struct(a, "ornic_query_device_out", host_ptr(host, out_addr));
	STEP(a, "Device writes the completion at 0x%llx", (unsigned long long)host->admin_cq);
	appendix_struct(a, "ornic_cmd_cqe", cqe);
	assert_int_equal(host->irqs[0], irqs + 1);
	STEP(a, "Device raises vector 0");
}

static void say_boot(struct appendix *a)
{
	static const unsigned int identification[] = {
		ORNIC_REG_MAGIC, ORNIC_REG_VERSION, ORNIC_REG_CAPS, ORNIC_REG_VECTORS,
		ORNIC_REG_DB_PAGES, ORNIC_REG_DB_STRIDE,
	};
	const struct card_config as = { .ordered = true, .no_shadow = true,
					.ready_ms = READY_MS };
	struct host *host = host_create_as(&as, 1);
	unsigned int i;

	trace(a, "boot",
"From a reset to the first answer, section 2.4. The card has no SHADOW, and it needs\n"
"# 10 ms for a reset.");
	host->clock_step_ns = 0;
	host_sleep(host, (READY_MS + 1) * MS_NS);
	bus_master(a, host, false);
	for (i = 0; i < ARRAY_SIZE(identification); i++)
		reads(a, host, identification[i]);
	writes(a, host, ORNIC_REG_CTRL, ORNIC_CTRL_RESET);
	reads(a, host, ORNIC_REG_STATUS);
	host_sleep(host, (READY_MS + 1) * MS_NS);
	STEP(a, "10 ms later the reset is over");
	reads(a, host, ORNIC_REG_STATUS);
	host_read_is(host, ORNIC_REG_STATUS, 4, ORNIC_STATUS_READY);
	bus_master(a, host, true);
	say_dma_test(a, host);
	host->admin_sq = host_alloc(host, HOST_PAGE, HOST_PAGE);
	host->admin_cq = host_alloc(host, HOST_PAGE, HOST_PAGE);
	STEP(a, "Host zeroes two pages, at 0x%llx and 0x%llx",
	     (unsigned long long)host->admin_sq, (unsigned long long)host->admin_cq);
	writes(a, host, ORNIC_REG_ADMIN_DEPTH, HOST_ADMIN_LOG_DEPTH);
	writes(a, host, ORNIC_REG_ADMIN_SQ, host->admin_sq);
	writes(a, host, ORNIC_REG_ADMIN_CQ, host->admin_cq);
	writes(a, host, ORNIC_REG_ADMIN_DBR, 0);
	writes(a, host, ORNIC_REG_CTRL, ORNIC_CTRL_ENABLE);
	reads(a, host, ORNIC_REG_STATUS);
	STEP(a, "Host programs the MSI-X table and enables MSI-X");
	say_query(a, host);
	host_destroy(host);
}

/* ---- what both sides do ---- */

static char name_of(struct side *side)
{
	return side == A(side->pair) ? 'A' : 'B';
}

static void runs(struct side *side)
{
	while (card_run(side->host->card))
		continue;
}

static void rings(struct appendix *a, struct side *side, const char *what,
		  unsigned int type, uint32_t num, uint32_t value)
{
	uint64_t db = ORNIC_PREP(ORNIC_DB_TYPE, (uint64_t)type) |
		      ORNIC_PREP(ORNIC_DB_NUM, (uint64_t)num) | value;

	STEP(a, "Host %c writes BAR2 0x0 0x%016llx, %s", name_of(side),
	     (unsigned long long)db, what);
	host_doorbell(side->host, side->uctx, type, num, value);
}

static void say_post_recv(struct appendix *a, struct side *side, uint64_t wr_id, uint32_t len)
{
	struct host_qp *qp = &side->qp;
	uint64_t at = qp->rq + ((uint64_t)qp->rq_pi << qp->rq_stride_shift);
	const uint8_t *wqe = host_ptr(side->host, at);

	pair_post_recv(side, wr_id, side->addr, len);
	STEP(a, "Host %c writes a receive WQE at 0x%llx", name_of(side),
	     (unsigned long long)at);
	wqe += appendix_struct(a, "ornic_rq_hdr", wqe);
	appendix_struct(a, "ornic_sge", wqe);
	STEP(a, "Host %c stores rq_pi %u at 0x%llx; no doorbell, needs is 0", name_of(side),
	     qp->rq_pi, (unsigned long long)qp->dbr + offsetof(struct ornic_qp_dbr, rq_pi));
}

static void say_post_send(struct appendix *a, struct side *side, const struct pair_wr *wr)
{
	struct host_qp *qp = &side->qp;
	uint64_t at = qp->sq + qp->sq_pi * ORNIC_SLOT_SIZE;
	const uint8_t *wqe = host_ptr(side->host, at);

	STEP(a, "Host %c writes a send WQE at 0x%llx", name_of(side), (unsigned long long)at);
	pair_post(side, wr);
	wqe += appendix_struct(a, "ornic_sq_hdr", wqe);
	wqe += appendix_struct(a, "ornic_route_rc", wqe);
	appendix_struct(a, "ornic_sge", wqe);
	STEP(a, "Host %c stores sq_pi %u at 0x%llx", name_of(side), qp->sq_pi,
	     (unsigned long long)qp->dbr + offsetof(struct ornic_qp_dbr, sq_pi));
	rings(a, side, "the doorbell of the send queue", ORNIC_DB_SQ, qp->num, qp->sq_pi);
}

/* Bring the frames of one card to the other, which runs; there is one */
static void carry(struct pair *pair, struct side *to)
{
	unsigned int before = appendix_frames();

	assert_true(pair_wire(pair));
	assert_int_equal(appendix_frames(), before + 1);
	runs(to);
}

static const struct appendix_frame *latest(void)
{
	return appendix_frame(appendix_frames() - 1);
}

static void say_sent(struct appendix *a, struct side *from, const char *what)
{
	STEP(a, "Device %c sends %s", name_of(from), what);
	appendix_packet(a, latest()->bytes, latest()->len);
}

/* Write the next completion of a side, and where it is */
static void say_completion(struct appendix *a, struct side *side,
			   const char *layout)
{
	uint64_t at = side->cq.ring + ((uint64_t)side->cq.ci << side->cq.log_entry);
	struct ornic_cqe cqe = pair_poll(side);

	STEP(a, "Device %c writes a completion at 0x%llx", name_of(side),
	     (unsigned long long)at);
	appendix_struct(a, layout, &cqe);
}

static void say_ci(struct appendix *a, struct side *side, const char *word, unsigned int offset)
{
	const uint8_t *dbr = host_ptr(side->host, side->qp.dbr);

	STEP(a, "Device %c stores %s %u at 0x%llx", name_of(side), word,
	     guest_load32((const __le32 *)(const void *)(dbr + offset)),
	     (unsigned long long)side->qp.dbr + offset);
}

#define CI(a, side, word) say_ci(a, side, #word, offsetof(struct ornic_qp_dbr, word))

/* Two QPs whose numbers and addresses are the same in each trace */
static struct pair *connect(void)
{
	struct pair *pair = appendix_pair(&pair_config_bytes, ORNIC_QPT_RC, 0, 5);

	pair_connect(pair);
	pair_run(pair);
	assert_int_equal(appendix_frames(), 0);
	return pair;
}

static struct pair_wr hello(struct pair *pair, unsigned int wr_id)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 5);

	memcpy(A(pair)->buf, "hello", 5);
	wr.imm = 0;
	wr.raddr = 0;
	wr.rkey = 0;
	wr.wr_id = wr_id;
	return wr;
}

/* ---- 2. one SEND ---- */

static void say_event(struct appendix *a, struct side *side, unsigned int type)
{
	const struct ornic_eqe *eqe = host_queue_peek(&side->eq);

	assert_non_null(eqe);
	assert_int_equal(ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe->ctl)), type);
	STEP(a, "Device %c writes an event at 0x%llx", name_of(side),
	     (unsigned long long)side->eq.ring + 32 * side->eq.ci);
	appendix_struct(a, "ornic_eqe", eqe);
	host_queue_consume(&side->eq);
}

static void say_send(struct appendix *a)
{
	struct side *sa, *b;
	struct pair *pair;
	struct pair_wr wr;
	unsigned int irqs;

	pair = connect();
	sa = A(pair);
	b = B(pair);
	wr = hello(pair, 0xa1);
	appendix_say(a,
"\n# Two QPs of RC in RTS, with IPv4 addresses 10.0.0.1 and 10.0.0.2, a path MTU of 1024, and\n"
"# the PSN 0xfffffe first. Their objects, here and in the traces below:\n");
	appendix_sides(a, pair);
	trace(a, "send", "One SEND; B asks for an event.");
	say_post_recv(a, b, 0xb1, 64);
	rings(a, b, "the CQ: NEXT, ci 0", ORNIC_DB_CQ, b->cq.num,
	      host_queue_db(&b->cq, ORNIC_ARM_NEXT));
	rings(a, b, "the EQ: NEXT, ci 0", ORNIC_DB_EQ, b->eq.num,
	      host_queue_db(&b->eq, ORNIC_ARM_NEXT));
	runs(b);
	irqs = b->host->irqs[0];
	say_post_send(a, sa, &wr);
	runs(sa);
	STEP(a, "Device A knows sq_pi by the doorbell, and reads the WQE and 5 bytes at 0x%llx",
	     (unsigned long long)sa->addr);
	carry(pair, b);
	assert_null(host_queue_peek(&sa->cq));
	say_sent(a, sa, "the message");
	STEP(a, "Device B reads rq_pi and the receive WQE, and writes at 0x%llx",
	     (unsigned long long)b->addr);
	appendix_hex(a, "payload", b->buf, 5);
	say_completion(a, b, "ornic_cqe");
	assert_memory_equal(b->buf, "hello", 5);
	CI(a, b, rq_ci);
	say_event(a, b, ORNIC_EVENT_COMP);
	assert_int_equal(b->host->irqs[0], irqs + 1);
	STEP(a, "Device B raises vector 0");
	carry(pair, sa);
	say_sent(a, b, "an ACK");
	say_completion(a, sa, "ornic_cqe/sq_num");
	CI(a, sa, sq_ci);
	rings(a, b, "the CQ: nothing, ci 1", ORNIC_DB_CQ, b->cq.num,
	      host_queue_db(&b->cq, ORNIC_ARM_NONE));
	rings(a, b, "the EQ: NEXT, ci 1", ORNIC_DB_EQ, b->eq.num,
	      host_queue_db(&b->eq, ORNIC_ARM_NEXT));
	pair_run(pair);
	assert_int_equal(appendix_frames(), 2);
	pair_destroy(pair);
}

/* ---- 3. receiver not ready ---- */

static void say_rnr(struct appendix *a)
{
	struct appendix_frame first;
	struct side *sa, *b;
	struct pair *pair;
	struct pair_wr wr;

	trace(a, "receiver-not-ready",
"B has posted no receive WQE. min_rnr_timer of B is 12, which is 0.64 ms [ORNIC-WIRE-22];\n"
"# rnr_retry of A is 3.");
	pair = connect();
	sa = A(pair);
	b = B(pair);
	wr = hello(pair, 0xa1);
	say_post_send(a, sa, &wr);
	runs(sa);
	carry(pair, b);
	first = *latest();
	say_sent(a, sa, "the message");
	carry(pair, sa);
	pair_stat_is(b, ORNIC_RDMA_STAT_rnr_naks_sent, 1);
	pair_stat_is(sa, ORNIC_RDMA_STAT_rnr_naks_received, 1);
	say_sent(a, b, "an RNR NAK; bits 6:5 of the syndrome are 01, bits 4:0 the code");
	STEP(a, "Device A sends nothing for 0.64 ms, and takes one of rnr_retry");
	say_post_recv(a, b, 0xb1, 64);
	pair_sleep(pair, RNR_NS - 10000);
	assert_int_equal(appendix_frames(), 2);
	pair_sleep(pair, RNR_NS);
	assert_int_equal(appendix_frames(), 4);
	assert_int_equal(appendix_frame(2)->len, first.len);
	assert_memory_equal(appendix_frame(2)->bytes, first.bytes, first.len);
	STEP(a, "Device A sends the message once more, the same bytes as in step 4");
	STEP(a, "Device B writes the payload at 0x%llx", (unsigned long long)b->addr);
	say_completion(a, b, "ornic_cqe");
	CI(a, b, rq_ci);
	say_sent(a, b, "an ACK");
	say_completion(a, sa, "ornic_cqe/sq_num");
	CI(a, sa, sq_ci);
	pair_destroy(pair);
}

/* ---- 4. reset ---- */

/* Host B starts the admin queue anew and names a QP of before the reset */
static void say_again(struct appendix *a, struct side *b)
{
	struct ornic_object in = { .num = htole32(b->qp.num) };
	struct host *host = b->host;

	memset(host_ptr(host, host->admin_sq), 0, HOST_PAGE);
	memset(host_ptr(host, host->admin_cq), 0, HOST_PAGE);
	STEP(a, "Host B initialises device B as in boot, with zeroed rings");
	host_start_rings(host);
	STEP(a, "Host B submits DESTROY_QP for QP 0x%x; device B writes the completion",
	     b->qp.num);
	host_cmd_in_is(host, ORNIC_CMD_DESTROY_QP, &in, ORNIC_CMD_BAD_OBJECT);
	appendix_struct(a, "ornic_cmd_cqe", host_ptr(host, host->admin_cq));
}

static void say_reset(struct appendix *a)
{
	uint8_t before[64];
	struct side *sa, *b;
	struct pair *pair;
	struct pair_wr wr;

	trace(a, "reset",
"Host B resets its card; then A sends to it. timeout of A is 8, retry_cnt is 3.");
	who = "Host B";
	pair = connect();
	sa = A(pair);
	b = B(pair);
	wr = hello(pair, 0xa1);
	say_post_recv(a, b, 0xb1, 64);
	memcpy(before, host_ptr(b->host, b->cq.ring), sizeof(before));
	reads(a, b->host, ORNIC_REG_STATUS);
	writes(a, b->host, ORNIC_REG_CTRL, ORNIC_CTRL_RESET);
	runs(b);
	STEP(a, "Device B ends all that it does in the memory of host B, and forgets its objects");
	reads(a, b->host, ORNIC_REG_STATUS);
	reads(a, b->host, ORNIC_REG_CTRL);
	reads(a, b->host, ORNIC_REG_ADMIN_DEPTH);
	reads(a, b->host, ORNIC_REG_ADMIN_SQ);
	reads(a, b->host, ORNIC_REG_FATAL_CAUSE);
	rings(a, b, "a doorbell of a QP that was: ignored", ORNIC_DB_SQ, b->qp.num, 1);
	runs(b);
	say_post_send(a, sa, &wr);
	pair_sleep(pair, 20 * MS_NS);
	assert_int_equal(appendix_frames(), 4);
	assert_memory_equal(before, host_ptr(b->host, b->cq.ring), sizeof(before));
	STEP(a, "Device A sends the message 4 times; B, its port down, sends and writes nothing");
	say_completion(a, sa, "ornic_cqe/vendor_err");
	say_again(a, b);
	pair_destroy(pair);
}

/* [ORNIC-VEC-2] [ORNIC-VEC-1] */
TEST_VOID(test_document)
{
	struct appendix a;

	appendix_open(&a, "hardware-traces.txt");
	appendix_say(&a,
"# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB\n"
"#\n"
"# Traces of the ORNIC hardware interface: steps of host and device with all bytes, for those\n"
"# who build a card or write a driver. This is an appendix of hardware.rst, whose section 0.4\n"
"# says what of it binds a card. \"make vectors\" makes this file by driving two software cards\n"
"# with a wire between them, and tests compare it with the headers, and the packets with\n"
"# computations of their own. A trace begins with its name, a step with its number and who\n"
"# does what; the other lines are as in hardware-vectors.txt. A device is free to do some of\n"
"# the steps in another order [ORNIC-VEC-2].\n");
	say_boot(&a);
	say_send(&a);
	say_rnr(&a);
	say_reset(&a);
	appendix_close(&a);
}

TEST_MAIN("appendix_traces")
