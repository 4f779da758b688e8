// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fuzz target: libornic over a device that lies. The input chooses what the
 * program calls, what the device writes into rings and records, and which
 * commands the kernel refuses. libornic must not crash, and may write only to
 * its rings and to its half of the records.
 */
#include "fixture.h"
#include "target.h"

#define SGES 4
#define WCS 4
#define RING_MAX 64
#define EXTRA_QPS 2
#define SPECS 4
#define SPEC_MAX 24

static struct fixture *f;
static struct ibv_cq_ex *cq_ex;
static struct ibv_qp *extra[EXTRA_QPS];
static struct ibv_counters *counters;
static const uint8_t *input;
static size_t left;

/* ---- choices ---- */

static uint64_t take(unsigned int bytes)
{
	uint64_t val = 0;

	if (bytes > left)
		bytes = left;
	memcpy(&val, input, bytes);
	input += bytes;
	left -= bytes;
	return le64toh(val);
}

static unsigned int below(unsigned int n)
{
	return take(1) % n;
}

static struct ibv_qp *any_qp(void)
{
	struct ibv_qp *qps[] = { f->rc, f->ud, extra[0], extra[1] };
	struct ibv_qp *qp = qps[below(ARRAY_SIZE(qps))];

	return qp ? qp : f->rc;
}

static struct fake_cq *any_cq(void)
{
	return fake_cq(below(2) ? f->cq : ibv_cq_ex_to_cq(cq_ex));
}

/* ---- what the program calls ---- */

static void fill_sges(struct ibv_sge *sge)
{
	static uint8_t memory[256];
	unsigned int i;

	for (i = 0; i < SGES + 1; i++)
		sge[i] = (struct ibv_sge){
			.addr = (uintptr_t)memory,
			.length = below(sizeof(memory)),
			.lkey = take(4),
		};
}

static void post_send(void)
{
	static const uint8_t opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_LOCAL_INV, IBV_WR_SEND_WITH_INV, IBV_WR_TSO,
	};
	struct ibv_qp *qp = any_qp();
	struct ibv_sge sge[SGES + 1];
	struct ibv_send_wr *bad, wr = {
		.wr_id = take(2),
		.sg_list = sge,
		.num_sge = below(SGES + 2),
		.opcode = opcodes[below(ARRAY_SIZE(opcodes))],
		.send_flags = below(16),
	};

	fill_sges(sge);
	if (qp->qp_type == IBV_QPT_UD) {
		wr.wr.ud.ah = f->ah;
		wr.wr.ud.remote_qpn = take(3);
	}
	ibv_post_send(qp, &wr, &bad);
}

static void post_send_ex(void)
{
	struct ibv_qp *ibqp = below(2) ? f->rc : f->ud;
	struct ibv_qp_ex *qp = ex(ibqp);
	struct ibv_sge sge[SGES + 1];
	unsigned int n = 1 + below(3);

	fill_sges(sge);
	ibv_wr_start(qp);
	while (n--) {
		qp->wr_id = take(2);
		qp->wr_flags = below(16);
		if (ibqp == f->ud || below(2))
			ibv_wr_send_imm(qp, take(4));
		else
			ibv_wr_rdma_write(qp, take(4), take(8));
		if (ibqp == f->ud)
			ibv_wr_set_ud_addr(qp, f->ah, take(3), take(4));
		if (below(2))
			ibv_wr_set_sge_list(qp, below(SGES + 2), sge);
		else
			ibv_wr_set_inline_data(qp, (void *)(uintptr_t)
					       sge[0].addr, sge[0].length);
	}
	if (below(4))
		ibv_wr_complete(qp);
	else
		ibv_wr_abort(qp);
}

static void post_recv(void)
{
	struct ibv_sge sge[SGES + 1];
	struct ibv_recv_wr *bad, wr = {
		.wr_id = take(2),
		.sg_list = sge,
		.num_sge = below(SGES + 2),
	};

	fill_sges(sge);
	ibv_post_recv(any_qp(), &wr, &bad);
}

static void poll(void)
{
	struct ibv_wc wc[WCS];
	int num = below(WCS + 1);

	assert_true(ibv_poll_cq(f->cq, num, wc) <= num);
}

static void poll_ex(void)
{
	struct ibv_poll_cq_attr attr = {};
	unsigned int most = RING_MAX;

	if (ibv_start_poll(cq_ex, &attr))
		return;
	do {
		ibv_wc_read_opcode(cq_ex);
		ibv_wc_read_byte_len(cq_ex);
		ibv_wc_read_qp_num(cq_ex);
		ibv_wc_read_wc_flags(cq_ex);
		ibv_wc_read_completion_ts(cq_ex);
	} while (--most && !ibv_next_poll(cq_ex));
	ibv_end_poll(cq_ex);
}

static void modify(void)
{
	struct ibv_qp_attr attr = { .qp_state = below(7) };

	f->fake.ops->modify_qp(any_qp(), &attr, IBV_QP_STATE);
}

/* Number of completions that the program has not consumed */
static uint32_t pending(const struct fake_cq *cq)
{
	return cq->pi - le32toh(cq->dbr->ci);
}

static void resize(void)
{
	uint32_t size = 1 + below(RING_MAX);

	/* The fake kernel moves what is pending, and does not check the size */
	if (pending(fake_cq(f->cq)) <= size)
		f->fake.ops->resize_cq(f->cq, size);
}

/* Create or destroy a further QP */
static void change_qp(void)
{
	struct ibv_qp **qp = &extra[below(EXTRA_QPS)];

	if (!*qp) {
		*qp = fake_create_qp(&f->fake, below(2) ? IBV_QPT_UC :
				     IBV_QPT_RC, f->cq, 1 + below(8),
				     below(8), 0);
		return;
	}
	if (!f->fake.ops->destroy_qp(*qp))
		*qp = NULL;
}

/*
 * Create a flow rule and destroy it. Its specifications have any size, and its
 * memory ends with the last of them.
 */
static void create_flow(void)
{
	struct ibv_flow_spec_counter_action spec = { .counters = counters };
	struct ibv_flow_attr attr = { .num_of_specs = below(SPECS + 1) };
	const size_t header = offsetof(typeof(spec), size) + sizeof(spec.size);
	uint8_t rule[sizeof(attr) + SPECS * SPEC_MAX] = {};
	size_t len = sizeof(attr);
	struct ibv_flow *flow;
	unsigned int i;
	void *copy;

	memcpy(rule, &attr, sizeof(attr));
	for (i = 0; i < attr.num_of_specs; i++) {
		spec.type = below(2) ? IBV_FLOW_SPEC_ACTION_COUNT :
				       IBV_FLOW_SPEC_ETH;
		spec.size = below(SPEC_MAX + 1);
		memcpy(rule + len, &spec, sizeof(spec));
		/* The size itself has room, whatever it says */
		len += spec.size < header ? header : spec.size;
	}
	copy = malloc(len);
	assert_non_null(copy);
	memcpy(copy, rule, len);
	flow = f->fake.ops->create_flow(any_qp(), copy);
	free(copy);
	/* The kernel refuses a command once or twice */
	while (flow && f->fake.ops->destroy_flow(flow))
		continue;
}

/* ---- what the device and the kernel do ---- */

static void write_record(void)
{
	struct ornic_qp_dbr *dbr = fake_qp(any_qp())->dbr;
	__le32 *words[] = { &dbr->sq_ci, &dbr->sq_watched, &dbr->rq_ci };
	__le32 *word = words[below(ARRAY_SIZE(words))];

	*word = htole32(below(2) ? take(4) : le32toh(dbr->sq_pi) - below(8));
}

/* Write a completion where the next one belongs, or anywhere */
static void write_cqe(void)
{
	struct fake_cq *cq = any_cq();
	uint32_t mask = (1u << cq->log_size) - 1;
	uint32_t at = below(8) && pending(cq) <= mask ? cq->pi++ : take(1);
	struct ornic_cqe cqe = {
		.wr_id = htole64(take(2)),
		.status = htole32(below(4) ? 0 : take(4)),
		.opcode = htole32(below(4) ? below(0x90) : take(4)),
		.byte_len = htole32(take(4)),
		.imm = htobe32(take(4)),
		.qpn = htole32(below(2) ? any_qp()->qp_num : take(3)),
	};

	cqe.qpn |= htole32(ORNIC_PREP(ORNIC_CQE_FLAGS, below(128)));
	if (!(at >> cq->log_size & 1))
		cqe.qpn |= htole32(ORNIC_CQE_PHASE);
	*fake_cqe(cq, at & mask) = cqe;
}

static void refuse(void)
{
	static const int errors[] = { ENOMEM, EIO, EINVAL, EBUSY };

	f->fake.fail = errors[below(ARRAY_SIZE(errors))];
	f->fake.bad_mmap = below(2);
}

/* ---- the target ---- */

/* libornic writes to its half of a record, and to nothing behind the record */
static void check_record(const uint8_t *dbr, size_t len)
{
	size_t i;

	for (i = len; i < FAKE_PAGE; i++)
		assert_int_equal(dbr[i], 0);
}

static void check_memory(void)
{
	unsigned int i;

	for (i = 0; i < FAKE_QPS; i++)
		if (f->fake.qps[i].qpn)
			check_record((void *)f->fake.qps[i].dbr,
				     sizeof(struct ornic_qp_dbr));
	for (i = 0; i < FAKE_CQS; i++)
		if (f->fake.cqs[i].cqn)
			check_record((void *)f->fake.cqs[i].dbr,
				     sizeof(struct ornic_cq_dbr));
}

static void step(void)
{
	static void (*const deeds[])(void) = {
		post_send, post_send, post_send_ex, post_send_ex, post_recv,
		write_record, write_record, write_cqe, write_cqe, write_cqe,
		poll, poll, poll_ex, modify, resize, change_qp, refuse,
		create_flow,
	};

	deeds[below(ARRAY_SIZE(deeds))]();
	if (!below(8))
		ibv_req_notify_cq(f->cq, below(2));
}

static void begin(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 8,
		.wc_flags = IBV_WC_STANDARD_FLAGS |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_counters_init_attr counters_attr = {};
	void *state;

	setup(&state);
	f = state;
	counters = f->fake.ops->create_counters(&f->fake.ctx->context,
						&counters_attr);
	assert_non_null(counters);
	cq_ex = f->fake.ops->create_cq_ex(&f->fake.ctx->context, &attr);
	assert_non_null(cq_ex);
	memset(extra, 0, sizeof(extra));
}

static void end(void)
{
	void *state = f;
	unsigned int i;

	check_memory();
	f->fake.fail = 0;
	f->fake.fail_next = 0;
	for (i = 0; i < EXTRA_QPS; i++)
		if (extra[i])
			assert_int_equal(f->fake.ops->destroy_qp(extra[i]), 0);
	f->fake.ops->destroy_cq(ibv_cq_ex_to_cq(cq_ex));
	assert_int_equal(f->fake.ops->destroy_counters(counters), 0);
	teardown(&state);
}

void target_init(void)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	input = data;
	left = len;
	begin();
	while (left)
		step();
	end();
	return 0;
}
