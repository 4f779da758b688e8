// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Documentation/hardware-traces.rst is what the card does ([ORNIC-VEC-1] to
 * [ORNIC-VEC-3]): each step is checked where it is written down.
 */
#include "appendix.h"
#include "base/be.h"
#include "card/card.h"
#include "pair.h"

#define READY_MS 10
#define MS_NS 1000000
/* Code 12 of [ORNIC-WIRE-17], in ns */
#define RNR_NS 640000
/* Room for the answer of QUERY_DEVICE, bytes */
#define ANSWER_LEN 64
#define NONCE 0x0123456789abcdefULL
#define CMD_ID 0x4711

/* Columns before the lines of a step */
#define INDENT 7

static unsigned int step;
/* The host that accesses registers */
static const char *who = "Host";

/* Begin a step: a line with who does what */
#define STEP(a, fmt, ...) \
	appendix_say(a, "   %2u. " fmt "\n", ++step, ##__VA_ARGS__)

static void section(struct appendix *a, const char *title, const char *text)
{
	step = 0;
	appendix_head(a, '=', title);
	appendix_say(a, "%s\n", text);
}

/* ---- registers ---- */

static const char *reg_name(unsigned int reg)
{
	switch (reg) {
#define NAME(_reg) case ORNIC_REG_##_reg: return #_reg
	NAME(MAGIC);
	NAME(VERSION);
	NAME(CAPS);
	NAME(VECTORS);
	NAME(DB_PAGES);
	NAME(DB_STRIDE);
	NAME(STATUS);
	NAME(CTRL);
	NAME(FATAL_CAUSE);
	NAME(ADMIN_DEPTH);
	NAME(ADMIN_SQ);
	NAME(ADMIN_CQ);
	NAME(ADMIN_DB);
	NAME(DMA_TEST);
	NAME(ADMIN_DBR);
#undef NAME
	}
	fail_msg("register 0x%x", reg);
	return NULL;
}

/* Bits that have names; those that are 0 are not told */
static const struct appendix_part caps[] = {
	{ "ADMIN_DEPTH_MAX", ORNIC_CAPS_ADMIN_DEPTH_MAX, 0, 0 },
	{ "RESET_TIMEOUT", ORNIC_CAPS_RESET_TIMEOUT, 0, 0 },
	{ "SHADOW", ORNIC_CAPS_SHADOW, 0, 0 },
	{ "CQ_DB", ORNIC_CAPS_CQ_DB, 0, 0 },
	{},
};

static const struct appendix_part status[] = {
	{ "READY", ORNIC_STATUS_READY, 0, 0 },
	{ "ENABLED", ORNIC_STATUS_ENABLED, 0, 0 },
	{ "FATAL", ORNIC_STATUS_FATAL, 0, 0 },
	{},
};

static const struct appendix_part ctrl[] = {
	{ "RESET", ORNIC_CTRL_RESET, 0, 0 },
	{ "ENABLE", ORNIC_CTRL_ENABLE, 0, 0 },
	{},
};

static const struct appendix_part *reg_parts(unsigned int reg)
{
	static const struct appendix_part none = {};

	switch (reg) {
	case ORNIC_REG_CAPS:
		return caps;
	case ORNIC_REG_STATUS:
		return status;
	case ORNIC_REG_CTRL:
		return ctrl;
	}
	return &none;
}

static unsigned int reg_size(unsigned int reg)
{
	return reg == ORNIC_REG_ADMIN_SQ || reg == ORNIC_REG_ADMIN_CQ ||
	       reg == ORNIC_REG_DMA_TEST || reg == ORNIC_REG_ADMIN_DBR ? 8 : 4;
}

static void say_access(struct appendix *a, const char *does, unsigned int reg, uint64_t value)
{
	const struct appendix_part *part;

	appendix_say(a, "   %2u. %s %s BAR0 0x%03x %s: 0x%0*llx", ++step, who, does, reg,
		     reg_name(reg), 2 * reg_size(reg), (unsigned long long)value);
	for (part = reg_parts(reg); part->name; part++)
		if (value & part->mask)
			appendix_say(a, ", %s %llu", part->name,
				     (unsigned long long)ORNIC_GET(part->mask, value));
	appendix_say(a, "\n");
}

static void reads(struct appendix *a, struct host *host, unsigned int reg)
{
	say_access(a, "reads", reg, host_read(host, reg, reg_size(reg)));
}

static void writes(struct appendix *a, struct host *host, unsigned int reg, uint64_t value)
{
	say_access(a, "writes", reg, value);
	host_write(host, reg, reg_size(reg), value);
}

static void bus_master(struct appendix *a, struct host *host, bool on)
{
	STEP(a, "%s %s bus mastering, in configuration space.", who,
	     on ? "enables" : "disables");
	mem_enable(&host->mem, on);
}

/* ---- 1. boot ---- */

static void say_dma_test(struct appendix *a, struct host *host)
{
	uint64_t addr = host_alloc(host, sizeof(struct ornic_dma_test), HOST_PAGE);
	struct ornic_dma_test *test = host_ptr(host, addr);

	test->nonce = htole64(NONCE);
	STEP(a, "Host writes struct ornic_dma_test at 0x%llx:", (unsigned long long)addr);
	appendix_struct(a, 0, &appendix_dma_test, test);
	writes(a, host, ORNIC_REG_DMA_TEST, addr);
	host_run(host);
	assert_true(le64toh(test->answer) == ~NONCE);
	STEP(a, "Device reads it and writes the answer, so that it is:");
	appendix_struct(a, 0, &appendix_dma_test, test);
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
	STEP(a, "Host writes the submission, QUERY_DEVICE, at 0x%llx:",
	     (unsigned long long)host->admin_sq);
	appendix_struct(a, 0, &appendix_cmd_sqe, sqe);
	writes(a, host, ORNIC_REG_ADMIN_DB, 1);
	host_run(host);
	assert_int_equal(le16toh(cqe->status), ORNIC_CMD_OK);
	assert_int_equal(le16toh(cqe->cmd_id), CMD_ID);
	STEP(a, "Device reads 32 bytes at 0x%llx and writes the output, cut to 64, at 0x%llx:",
	     (unsigned long long)host->admin_sq, (unsigned long long)out_addr);
	appendix_struct(a, 0, &appendix_query_device_out, host_ptr(host, out_addr));
	STEP(a, "Device writes the completion at 0x%llx:", (unsigned long long)host->admin_cq);
	appendix_struct(a, 0, &appendix_cmd_cqe, cqe);
	assert_int_equal(host->irqs[0], irqs + 1);
	STEP(a, "Device raises vector 0.");
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

	section(a, "1. From a reset to the first answer",
"Section 2.4 of the interface. The card has no SHADOW, so CQ_DB is 1, and it needs 10 ms for\n"
"a reset. ::\n");
	host->clock_step_ns = 0;
	host_sleep(host, (READY_MS + 1) * MS_NS);
	bus_master(a, host, false);
	for (i = 0; i < ARRAY_SIZE(identification); i++)
		reads(a, host, identification[i]);
	writes(a, host, ORNIC_REG_CTRL, ORNIC_CTRL_RESET);
	reads(a, host, ORNIC_REG_STATUS);
	host_sleep(host, (READY_MS + 1) * MS_NS);
	STEP(a, "10 ms later the reset is over.");
	reads(a, host, ORNIC_REG_STATUS);
	assert_int_equal(host_read(host, ORNIC_REG_STATUS, 4), ORNIC_STATUS_READY);
	bus_master(a, host, true);
	say_dma_test(a, host);
	host->admin_sq = host_alloc(host, HOST_PAGE, HOST_PAGE);
	host->admin_cq = host_alloc(host, HOST_PAGE, HOST_PAGE);
	STEP(a, "Host zeroes two pages, at 0x%llx and 0x%llx.",
	     (unsigned long long)host->admin_sq, (unsigned long long)host->admin_cq);
	writes(a, host, ORNIC_REG_ADMIN_DEPTH, HOST_ADMIN_LOG_DEPTH);
	writes(a, host, ORNIC_REG_ADMIN_SQ, host->admin_sq);
	writes(a, host, ORNIC_REG_ADMIN_CQ, host->admin_cq);
	writes(a, host, ORNIC_REG_ADMIN_DBR, 0);
	writes(a, host, ORNIC_REG_CTRL, ORNIC_CTRL_ENABLE);
	reads(a, host, ORNIC_REG_STATUS);
	STEP(a, "Host programs the MSI-X table and enables MSI-X.");
	say_query(a, host);
	appendix_say(a, "\n");
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

static void say_place(struct appendix *a, const char *what, uint64_t at, uint64_t b)
{
	appendix_say(a, "   %-18s 0x%-8llx 0x%llx\n", what, (unsigned long long)at,
		     (unsigned long long)b);
}

#define PLACE(a, pair, what, member) say_place(a, what, A(pair)->member, B(pair)->member)

/* Write where the objects of a pair are */
static void say_places(struct appendix *a, struct pair *pair)
{
	appendix_say(a, "   %-18s %-10s %s\n", "", "A", "B");
	PLACE(a, pair, "QP", qp.num);
	PLACE(a, pair, "send ring", qp.sq);
	PLACE(a, pair, "receive ring", qp.rq);
	PLACE(a, pair, "record of the QP", qp.dbr);
	PLACE(a, pair, "CQ", cq.num);
	PLACE(a, pair, "its ring", cq.ring);
	PLACE(a, pair, "EQ", eq.num);
	PLACE(a, pair, "its ring", eq.ring);
	PLACE(a, pair, "buffer", addr);
	PLACE(a, pair, "its key", key);
	appendix_say(a, "\nThe steps::\n\n");
}

static void rings(struct appendix *a, struct side *side, const char *what,
		  unsigned int type, uint32_t num, uint32_t value)
{
	uint64_t db = ORNIC_PREP(ORNIC_DB_TYPE, (uint64_t)type) |
		      ORNIC_PREP(ORNIC_DB_NUM, (uint64_t)num) | value;

	STEP(a, "Host %c writes BAR2 0x0: 0x%016llx, %s.", name_of(side),
	     (unsigned long long)db, what);
	host_doorbell(side->host, side->uctx, type, num, value);
}

static void say_post_recv(struct appendix *a, struct side *side, uint64_t wr_id, uint32_t len)
{
	struct host_qp *qp = &side->qp;
	uint64_t at = qp->rq + ((uint64_t)qp->rq_pi << qp->rq_stride_shift);
	const uint8_t *wqe = host_ptr(side->host, at);

	pair_post_recv(side, wr_id, side->addr, len);
	STEP(a, "Host %c writes a receive WQE at 0x%llx:", name_of(side),
	     (unsigned long long)at);
	appendix_struct(a, 0, &appendix_rq_hdr, wqe);
	appendix_struct(a, sizeof(struct ornic_rq_hdr), &appendix_sge,
			wqe + sizeof(struct ornic_rq_hdr));
	STEP(a, "Host %c stores rq_pi %u at 0x%llx. No doorbell: ``needs`` is 0.", name_of(side),
	     qp->rq_pi, (unsigned long long)qp->dbr + offsetof(struct ornic_qp_dbr, rq_pi));
}

static void say_post_send(struct appendix *a, struct side *side, const struct pair_wr *wr)
{
	struct host_qp *qp = &side->qp;
	uint64_t at = qp->sq + qp->sq_pi * ORNIC_SLOT_SIZE;
	const uint8_t *wqe = host_ptr(side->host, at);
	unsigned int sge = sizeof(struct ornic_sq_hdr) + sizeof(struct ornic_route_rc);

	STEP(a, "Host %c writes a send WQE at 0x%llx:", name_of(side), (unsigned long long)at);
	pair_post(side, wr);
	appendix_struct(a, 0, &appendix_sq_hdr, wqe);
	appendix_struct(a, sizeof(struct ornic_sq_hdr), &appendix_route_rc,
			wqe + sizeof(struct ornic_sq_hdr));
	appendix_struct(a, sge, &appendix_sge, wqe + sge);
	STEP(a, "Host %c stores sq_pi %u at 0x%llx.", name_of(side), qp->sq_pi,
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
	STEP(a, "Device %c sends %s:", name_of(from), what);
	appendix_packet(a, latest()->bytes, latest()->len);
}

/* Write the next completion of a side, and where it is */
static void say_completion(struct appendix *a, struct side *side,
			   const struct appendix_layout *layout)
{
	uint64_t at = side->cq.ring + ((uint64_t)side->cq.ci << side->cq.log_entry);
	struct ornic_cqe cqe = pair_poll(side);

	STEP(a, "Device %c writes a completion at 0x%llx:", name_of(side),
	     (unsigned long long)at);
	appendix_struct(a, 0, layout, &cqe);
}

static void say_ci(struct appendix *a, struct side *side, const char *word, unsigned int offset)
{
	const uint8_t *dbr = host_ptr(side->host, side->qp.dbr);

	STEP(a, "Device %c stores %s %u at 0x%llx.", name_of(side), word,
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
	STEP(a, "Device %c writes an event at 0x%llx:", name_of(side),
	     (unsigned long long)side->eq.ring + 32 * side->eq.ci);
	appendix_struct(a, 0, &appendix_eqe, eqe);
	host_queue_consume(&side->eq);
}

static void say_send(struct appendix *a)
{
	struct side *sa, *b;
	struct pair *pair;
	struct pair_wr wr;
	unsigned int irqs;

	section(a, "2. One SEND",
"Two QPs of RC in RTS, with IPv4 addresses 10.0.0.1 and 10.0.0.2, a path MTU of 1024, and\n"
"the PSN 0xfffffe first. B asks for an event. Numbers of objects, and addresses, here and in\n"
"the sections below::\n");
	pair = connect();
	sa = A(pair);
	b = B(pair);
	wr = hello(pair, 0xa1);
	say_places(a, pair);
	say_post_recv(a, b, 0xb1, 64);
	rings(a, b, "the CQ: NEXT, ci 0", ORNIC_DB_CQ, b->cq.num,
	      host_queue_db(&b->cq, ORNIC_ARM_NEXT));
	rings(a, b, "the EQ: NEXT, ci 0", ORNIC_DB_EQ, b->eq.num,
	      host_queue_db(&b->eq, ORNIC_ARM_NEXT));
	runs(b);
	irqs = b->host->irqs[0];
	say_post_send(a, sa, &wr);
	runs(sa);
	STEP(a, "Device A knows sq_pi by the doorbell, and reads the WQE and 5 bytes at 0x%llx.",
	     (unsigned long long)sa->addr);
	carry(pair, b);
	assert_null(host_queue_peek(&sa->cq));
	say_sent(a, sa, "the message");
	STEP(a, "Device B reads rq_pi and the receive WQE, and writes at 0x%llx:",
	     (unsigned long long)b->addr);
	appendix_bytes(a, 0, "payload", b->buf, 5);
	say_completion(a, b, &appendix_cqe);
	assert_memory_equal(b->buf, "hello", 5);
	CI(a, b, rq_ci);
	say_event(a, b, ORNIC_EVENT_COMP);
	assert_int_equal(b->host->irqs[0], irqs + 1);
	STEP(a, "Device B raises vector 0.");
	carry(pair, sa);
	say_sent(a, b, "an ACK");
	say_completion(a, sa, &appendix_cqe);
	CI(a, sa, sq_ci);
	rings(a, b, "the CQ: nothing, ci 1", ORNIC_DB_CQ, b->cq.num,
	      host_queue_db(&b->cq, ORNIC_ARM_NONE));
	rings(a, b, "the EQ: NEXT, ci 1", ORNIC_DB_EQ, b->eq.num,
	      host_queue_db(&b->eq, ORNIC_ARM_NEXT));
	appendix_say(a, "\n");
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

	section(a, "3. A receiver that is not ready",
"B has posted no receive WQE. ``min_rnr_timer`` of B is 12, which is 0.64 ms\n"
"([ORNIC-WIRE-17]); ``rnr_retry`` of A is 3. ::\n");
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
	assert_int_equal(pair_stat(b, ORNIC_RDMA_STAT_rnr_naks_sent), 1);
	assert_int_equal(pair_stat(sa, ORNIC_RDMA_STAT_rnr_naks_received), 1);
	say_sent(a, b, "an RNR NAK; bits 6:5 of the syndrome are 01, bits 4:0 the code");
	STEP(a, "Device A sends nothing for 0.64 ms. It takes one of ``rnr_retry``.");
	say_post_recv(a, b, 0xb1, 64);
	pair_sleep(pair, RNR_NS - 10000);
	assert_int_equal(appendix_frames(), 2);
	pair_sleep(pair, RNR_NS);
	assert_int_equal(appendix_frames(), 4);
	assert_int_equal(appendix_frame(2)->len, first.len);
	assert_memory_equal(appendix_frame(2)->bytes, first.bytes, first.len);
	STEP(a, "Device A sends the message once more, the same bytes as in step 4.");
	STEP(a, "Device B writes the payload at 0x%llx.", (unsigned long long)b->addr);
	say_completion(a, b, &appendix_cqe);
	CI(a, b, rq_ci);
	say_sent(a, b, "an ACK");
	say_completion(a, sa, &appendix_cqe);
	CI(a, sa, sq_ci);
	appendix_say(a, "\n");
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
	STEP(a, "Host B initialises device B as in section 1, with zeroed rings.");
	host_start_rings(host);
	STEP(a, "Host B submits DESTROY_QP for QP 0x%x; device B writes the completion:",
	     b->qp.num);
	assert_int_equal(host_cmd_in(host, ORNIC_CMD_DESTROY_QP, &in), ORNIC_CMD_BAD_OBJECT);
	appendix_struct(a, 0, &appendix_cmd_cqe, host_ptr(host, host->admin_cq));
}

static void say_reset(struct appendix *a)
{
	uint8_t before[64];
	struct side *sa, *b;
	struct pair *pair;
	struct pair_wr wr;

	section(a, "4. A reset, and what follows",
"Host B resets its card; then A sends to it. ``timeout`` of A is 8, ``retry_cnt`` is 3. ::\n");
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
	STEP(a, "Device B ends all that it does in the memory of host B, and forgets its objects.");
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
	STEP(a, "Device A sends the message 4 times. The port of device B is down, so no answer");
	appendix_say(a, "       comes, and device B writes nothing.\n");
	say_completion(a, sa, &appendix_cqe_error);
	say_again(a, b);
	appendix_say(a, "\n");
	pair_destroy(pair);
}

/* ---- 5. pause ---- */

static void say_pause(struct appendix *a)
{
	struct side *sa;
	struct pair *pair;
	struct pair_wr wr;

	section(a, "5. A pause",
"Bus mastering of A is off for a while ([ORNIC-PCI-7]). B has posted a receive WQE. ::\n");
	who = "Host A";
	pair = connect();
	sa = A(pair);
	wr = hello(pair, 0xa1);
	pair_post_recv(B(pair), 0xb1, B(pair)->addr, 64);
	bus_master(a, sa->host, false);
	say_post_send(a, sa, &wr);
	reads(a, sa->host, ORNIC_REG_STATUS);
	pair_run(pair);
	assert_int_equal(appendix_frames(), 0);
	assert_null(host_queue_peek(&sa->cq));
	STEP(a, "Device A remembers the doorbell, and neither reads nor sends anything.");
	bus_master(a, sa->host, true);
	pair_run(pair);
	assert_int_equal(appendix_frames(), 2);
	STEP(a, "Device A sends the message, and B an ACK, as in section 2.");
	say_completion(a, sa, &appendix_cqe);
	appendix_say(a, "\n");
	pair_expect(B(pair), 0xb1, ORNIC_WC_SUCCESS);
	pair_destroy(pair);
}

/* [ORNIC-VEC-1] [ORNIC-VEC-2] [ORNIC-VEC-3] */
static void test_document(void **state)
{
	struct appendix a;

	(void)state;
	appendix_open(&a, "hardware-traces.rst");
	a.indent = INDENT;
	appendix_say(&a, ".. SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB\n\n");
	appendix_say(&a,
"======================================\n"
"Traces of the ORNIC hardware interface\n"
"======================================\n\n"
"Steps of host and device with all bytes, for those who build a card or write a driver. This\n"
"is an appendix of ``hardware.rst``, whose section 0.4 says what of it binds a card. ``make\n"
"vectors`` makes this file by driving two software cards with a wire between them, and tests\n"
"compare it with the headers and the packets with computations of their own. Lines have the\n"
"form of ``hardware-vectors.rst``: of structures the offset, the bytes, the name and the\n"
"value; of packets the header and its bytes, and a line with = that says what is in it.\n"
"Values are decimal below 10, and hexadecimal from there on. A device is free to do some of\n"
"the steps in another order ([ORNIC-VEC-3]).\n\n"
".. contents::\n   :depth: 1\n\n");
	say_boot(&a);
	say_send(&a);
	say_rnr(&a);
	say_reset(&a);
	say_pause(&a);
	appendix_close(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_document),
	};

	return cmocka_run_group_tests_name("appendix_traces", tests, NULL, NULL);
}
