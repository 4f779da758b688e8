// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues: polling, arming, resizing, dropping */
#include "fixture.h"

#include "cqe.h"

#define CQES	8

static struct ornic_cqe make(struct ibv_qp *ibqp, uint64_t n, uint32_t flags)
{
	return (struct ornic_cqe){
		.wr_id = htole64(n),
		.status = htole32(n % 3 ? ORNIC_WC_SUCCESS :
				  ORNIC_WC_WR_FLUSH_ERR),
		.opcode = htole32(ORNIC_WC_RECV),
		.src_qp = htole32(n + 1000),
		.byte_len = htole32(n + 2000),
		.imm = htobe32(n + 3000),
		.qpn = htole32(ibqp->qp_num |
			       ORNIC_PREP(ORNIC_CQE_FLAGS, flags)),
	};
}

/* IPv4, IPv6 and no datagrams, with and without immediate data */
static uint32_t flags_of(uint64_t n)
{
	return (n & 3) | ((n & 5) == 5 ? ORNIC_WC_IPV4 : 0);
}

static uint8_t sl_of(uint64_t n)
{
	return !(n & 1) ? 0 : n & 4 ? 10 : 9;
}

static void complete(struct fixture *f, struct ibv_qp *ibqp, uint64_t n)
{
	struct ornic_cqe cqe = make(ibqp, n, flags_of(n));

	fake_complete(fake_cq(f->cq), &cqe);
}

static void assert_wc(const struct ibv_wc *wc, struct ibv_qp *ibqp, uint64_t n)
{
	assert_int_equal(wc->wr_id, n);
	assert_int_equal(wc->status, n % 3 ? IBV_WC_SUCCESS :
			 IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc->opcode, IBV_WC_RECV);
	assert_int_equal(wc->vendor_err, n + 1000);
	assert_int_equal(wc->src_qp, n + 1000);
	assert_int_equal(wc->byte_len, n + 2000);
	assert_int_equal(be32toh(wc->imm_data), n + 3000);
	assert_int_equal(wc->qp_num, ibqp->qp_num);
	assert_int_equal(wc->wc_flags, n & 3);
	assert_int_equal(wc->pkey_index, 0);
	assert_int_equal(wc->slid, 0);
	assert_int_equal(wc->sl, sl_of(n));
	assert_int_equal(wc->dlid_path_bits, 0);
}

/* Batches of 0 to 8 begin and end at each place in the ring */
TEST(completions_arrive_across_wraps, struct fixture *f, IN_OWN)
{
	uint64_t in = 0, out = 0;
	struct ibv_wc wc[CQES];
	int i, n, num;

	for (i = 0; i < 300; i++) {
		for (n = i % (CQES + 1); n; n--)
			complete(f, f->rc, in++);
		while (out != in) {
			memset(wc, 0xff, sizeof(wc));
			num = ibv_poll_cq(f->cq, i % 4 + 1, wc);
			assert_in_range(num, 1, i % 4 + 1);
			for (n = 0; n < num; n++)
				assert_wc(&wc[n], f->rc, out++);
		}
		assert_int_equal(ibv_poll_cq(f->cq, CQES, wc), 0);
		assert_int_equal(le32toh(fake_cq(f->cq)->dbr->ci),
				 (uint32_t)in);
	}
}

TEST(polling_for_none_takes_none, struct fixture *f, IN_OWN)
{
	struct ibv_wc wc;

	complete(f, f->rc, 1);
	assert_int_equal(ibv_poll_cq(f->cq, 0, &wc), 0);
	assert_int_equal(ibv_poll_cq(f->cq, -1, &wc), 0);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	assert_wc(&wc, f->rc, 1);
}

TEST(indexes_run_over_32_bits, struct fixture *f, IN_OWN)
{
	struct ornic_cqe *ring = (void *)fake_cq(f->cq)->ring;
	struct ibv_wc wc;
	uint32_t i;

	ornic_cq_consume(to_ornic_cq(f->cq), -CQES / 2);
	fake_cq(f->cq)->pi = -CQES / 2;
	/* Phase bits as the previous pass left them */
	for (i = 0; i < CQES; i++)
		ring[i].qpn = htole32(i < CQES / 2 ? 0 : ORNIC_CQE_PHASE);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 0);
	for (i = 0; i < 3 * CQES; i++) {
		complete(f, f->rc, i);
		assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
		assert_wc(&wc, f->rc, i);
		assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 0);
	}
}

static struct ibv_cq_ex *create_ex(struct fixture *f, uint32_t flags,
				   struct ibv_pd *parent)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = CQES,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS |
			     (parent ? IBV_CQ_INIT_ATTR_MASK_PD : 0),
		.flags = flags,
		.parent_domain = parent,
	};

	return f->ops->create_cq_ex(f->ctx, &attr);
}

static void assert_read(struct ibv_cq_ex *cq, struct ibv_qp *ibqp, uint64_t n)
{
	struct ibv_wc wc = {
		.wr_id = cq->wr_id,
		.status = cq->status,
		.opcode = ibv_wc_read_opcode(cq),
		.vendor_err = ibv_wc_read_vendor_err(cq),
		.byte_len = ibv_wc_read_byte_len(cq),
		.imm_data = ibv_wc_read_imm_data(cq),
		.qp_num = ibv_wc_read_qp_num(cq),
		.src_qp = ibv_wc_read_src_qp(cq),
		.wc_flags = ibv_wc_read_wc_flags(cq),
		.slid = ibv_wc_read_slid(cq),
		.sl = ibv_wc_read_sl(cq),
		.dlid_path_bits = ibv_wc_read_dlid_path_bits(cq),
	};

	assert_wc(&wc, ibqp, n);
}

TEST(extended_polls_read_each_field, struct fixture *f, IN_OWN)
{
	struct ibv_poll_cq_attr attr = {};
	uint64_t in = 0, out = 0;
	struct ibv_cq_ex *cq;
	int i, n;

	cq = create_ex(f, 0, NULL);
	f->cq = ibv_cq_ex_to_cq(cq);
	for (i = 0; i < 200; i++) {
		assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
		for (n = i % CQES + 1; n; n--)
			complete(f, f->rc, in++);
		assert_int_equal(ibv_start_poll(cq, &attr), 0);
		do
			assert_read(cq, f->rc, out++);
		while (!ibv_next_poll(cq));
		ibv_end_poll(cq);
		assert_int_equal(out, in);
		assert_int_equal(le32toh(fake_cq(f->cq)->dbr->ci),
				 (uint32_t)in);
	}
	attr.comp_mask = 1;
	assert_int_equal(ibv_start_poll(cq, &attr), EINVAL);
}

/* The host keeps the entries until end_poll, because readers access the ring */
TEST(an_extended_poll_gives_back_at_its_end, struct fixture *f, IN_OWN)
{
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *cq;

	cq = create_ex(f, IBV_CREATE_CQ_ATTR_SINGLE_THREADED, NULL);
	f->cq = ibv_cq_ex_to_cq(cq);
	complete(f, f->rc, 1);
	complete(f, f->rc, 2);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(ibv_next_poll(cq), 0);
	assert_int_equal(fake_cq(f->cq)->dbr->ci, 0);
	assert_read(cq, f->rc, 2);
	ibv_end_poll(cq);
	assert_int_equal(le32toh(fake_cq(f->cq)->dbr->ci), 2);
}

/* [ORNIC-CQ-11] Every mix of completions of two QPs, at each place in the ring */
TEST(a_destroyed_qp_leaves_no_completion, struct fixture *f, IN_OWN)
{
	struct ibv_wc wc[CQES];
	unsigned int mix;
	struct ibv_qp *qp;
	int i, n, kept;

	for (mix = 0; mix < 1 << CQES; mix++) {
		qp = fake_create_qp(&f->fake, IBV_QPT_RC, f->cq, 1, 1, 0);
		n = mix % (CQES + 1);
		for (i = 0, kept = 0; i < n; i++) {
			if (mix >> i & 1)
				complete(f, qp, 100 + i);
			else
				complete(f, f->rc, kept++);
		}
		if (mix & 1) {
			fake_to_state(qp, IBV_QPS_RESET);
			assert_int_equal(f->ops->destroy_qp(qp), 0);
		} else {
			assert_int_equal(f->ops->destroy_qp(qp), 0);
		}

		/* The device continues at its producer index */
		for (; n < CQES; n++)
			complete(f, f->rc, kept++);
		memset(wc, 0xff, sizeof(wc));
		assert_int_equal(ibv_poll_cq(f->cq, CQES, wc), kept);
		for (i = 0; i < kept; i++)
			assert_wc(&wc[i], f->rc, i);
		/* Shift the next round by one entry */
		complete(f, f->rc, 0);
		assert_int_equal(ibv_poll_cq(f->cq, CQES, wc), 1);
	}
}

static uint32_t armed(struct fixture *f)
{
	return le32toh(fake_cq(f->cq)->dbr->arm);
}

/* [ORNIC-DB-23] */
TEST(each_request_has_its_number, struct fixture *f, IN_OWN)
{
	uint32_t last = armed(f), now;
	int i;

	for (i = 0; i < 10; i++) {
		assert_int_equal(ibv_req_notify_cq(f->cq, i & 1), 0);
		now = armed(f);
		assert_int_not_equal(now & ORNIC_ARM_SEQ, last & ORNIC_ARM_SEQ);
		last = now;
	}
	/* The sequence number wraps without changing the type */
	to_ornic_cq(f->cq)->arm = ORNIC_ARM_SEQ | ORNIC_ARM_NEXT;
	assert_int_equal(ibv_req_notify_cq(f->cq, 0), 0);
	assert_int_equal(armed(f), ORNIC_ARM_NEXT);
}

/* Calls the provider as ibv_get_cq_event() does when it has read an event */
static void read_event(struct fixture *f)
{
	if (f->ops->cq_event)
		f->ops->cq_event(f->cq);
}

/* [ORNIC-DB-25] */
TEST(next_is_not_weakened, struct fixture *f, IN_OWN)
{
	struct fake_cq *cq = fake_cq(f->cq);

	ibv_req_notify_cq(f->cq, 1);
	assert_int_equal(fake_asked(cq), ORNIC_ARM_SOLICITED);
	ibv_req_notify_cq(f->cq, 0);
	assert_int_equal(fake_asked(cq), ORNIC_ARM_NEXT);
	ibv_req_notify_cq(f->cq, 1);
	assert_int_equal(fake_asked(cq), ORNIC_ARM_NEXT);

	/* After the answer, the next request is for solicited completions */
	fake_answer(cq);
	read_event(f);
	ibv_req_notify_cq(f->cq, 1);
	assert_int_equal(fake_asked(cq), ORNIC_ARM_SOLICITED);
}

/* An event may answer an earlier request than the last one */
TEST(an_older_event_does_not_weaken_next, struct fixture *f, IN_OWN)
{
	struct fake_cq *cq = fake_cq(f->cq);
	int older;

	for (older = 0; older < 2; older++) {
		ibv_req_notify_cq(f->cq, older);
		fake_answer(cq);
		ibv_req_notify_cq(f->cq, 0);
		read_event(f);
		ibv_req_notify_cq(f->cq, 1);
		assert_int_equal(fake_asked(cq), ORNIC_ARM_NEXT);
		ibv_req_notify_cq(f->cq, 1);
		assert_int_equal(fake_asked(cq), ORNIC_ARM_NEXT);

		/* Answered, but the host has not read the event */
		fake_answer(cq);
		ibv_req_notify_cq(f->cq, 1);
		assert_int_equal(fake_asked(cq), ORNIC_ARM_SOLICITED);
		fake_answer(cq);
		read_event(f);
		read_event(f);
	}
}

/* A generation has 1024 numbers, and the next one may cost an extra event */
TEST(solicited_requests_stay_so, struct fixture *f, IN_OWN)
{
	struct fake_cq *cq = fake_cq(f->cq);
	int i, next = 0;

	ibv_req_notify_cq(f->cq, 0);
	fake_answer(cq);
	for (i = 0; i < 10000; i++) {
		ibv_req_notify_cq(f->cq, 1);
		assert_int_not_equal(fake_asked(cq), ORNIC_ARM_NONE);
		next += fake_asked(cq) == ORNIC_ARM_NEXT;
		if (fake_asked(cq) == ORNIC_ARM_NEXT || i % 3)
			fake_answer(cq);
	}
	assert_in_range(next, 0, 10000 / 1024 + 1);
}

static struct ibv_cq *create_large(struct fixture *f)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = CQES,
		.wc_flags = IBV_WC_STANDARD_FLAGS |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK |
			    IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG,
	};
	struct ibv_cq_ex *cq;

	cq = f->ops->create_cq_ex(f->ctx, &attr);
	assert_non_null(cq);
	return ibv_cq_ex_to_cq(cq);
}

static void complete_large(struct fixture *f, struct ibv_qp *ibqp, uint64_t n)
{
	struct ornic_cqe cqe = make(ibqp, n, flags_of(n));
	struct ornic_cqe_ext ext = {
		.timestamp = htole64(n + 4000),
		.flow_tag = htole32(n + 5000),
		.vlan_tci = htole16(n + 6000),
		.flags = htole16(n & 8 ? ORNIC_CQE_EXT_VLAN : 0),
		.sl = n & 7,
	};

	fake_complete_ext(fake_cq(f->cq), &cqe, &ext);
}

TEST(large_entries_tell_more, struct fixture *f, IN_OWN)
{
	struct ornic_clock_info *clock = f->fake.clock;
	struct ibv_poll_cq_attr attr = {};
	uint64_t in = 0, out = 0;
	struct ibv_cq_ex *cq;
	struct ibv_wc wc;
	int i, n;

	clock->mult = 1 << 10;
	clock->shift = 10;
	clock->nsec = 1000000;
	clock->cycles = 4100;
	f->cq = create_large(f);
	cq = &to_ornic_cq(f->cq)->vcq.cq_ex;
	for (i = 0; i < 200; i++) {
		assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
		for (n = i % CQES + 1; n; n--)
			complete_large(f, f->rc, in++);
		assert_int_equal(ibv_start_poll(cq, &attr), 0);
		do {
			assert_int_equal(cq->wr_id, out);
			assert_int_equal(ibv_wc_read_completion_ts(cq),
					 out + 4000);
			assert_int_equal(ibv_wc_read_completion_wallclock_ns(cq),
					 1000000 + out - 100);
			assert_int_equal(ibv_wc_read_flow_tag(cq),
					 out + 5000);
			assert_int_equal(ibv_wc_read_cvlan(cq),
					 out & 8 ? out + 6000 : 0);
			assert_int_equal(ibv_wc_read_sl(cq), sl_of(out));
			out++;
		} while (!ibv_next_poll(cq));
		ibv_end_poll(cq);
		assert_int_equal(out, in);

		/* ibv_poll_cq() works on the same CQ */
		complete_large(f, f->rc, in);
		assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
		assert_wc(&wc, f->rc, in++);
		out++;
	}
}

TEST(a_destroyed_qp_leaves_no_large_completion, struct fixture *f, IN_OWN)
{
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
	uint64_t n;

	f->cq = create_large(f);
	cq = &to_ornic_cq(f->cq)->vcq.cq_ex;
	qp = fake_create_qp(&f->fake, IBV_QPT_RC, f->cq, 1, 1, 0);
	for (n = 0; n < CQES; n++)
		complete_large(f, n & 1 ? qp : f->rc, n);
	assert_int_equal(f->ops->destroy_qp(qp), 0);
	for (n = 0; n < CQES; n += 2) {
		assert_int_equal(n ? ibv_next_poll(cq) :
				 ibv_start_poll(cq, &attr), 0);
		assert_int_equal(cq->wr_id, n);
		assert_int_equal(ibv_wc_read_completion_ts(cq), n + 4000);
	}
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
}

/* [ORNIC-CQ-17] From many places in the ring, with 0 to 8 entries, to larger or smaller rings */
TEST(resizing_keeps_completions_and_the_request, struct fixture *f, IN_OWN)
{
	uint32_t before, n, size, word;
	struct ibv_wc wc[4 * CQES];
	uint64_t in, out;

	for (before = 0; before < 2 * CQES; before += 3) {
		for (n = 0; n <= CQES; n += 2) {
			f->cq = f->ops->create_cq(f->ctx, CQES, NULL, 0);
			for (in = 0, out = 0; in < before; out++) {
				complete(f, f->rc, in++);
				assert_int_equal(ibv_poll_cq(f->cq, 1, wc), 1);
			}
			for (; in < before + n; in++)
				complete(f, f->rc, in);
			ibv_req_notify_cq(f->cq, 0);
			word = armed(f);
			size = n > CQES / 2 ? 4 * CQES : CQES / 2;
			assert_int_equal(f->ops->resize_cq(f->cq, size), 0);
			assert_int_equal(f->cq->cqe, size);
			assert_int_equal(armed(f), word);

			while (in - out < size)
				complete(f, f->rc, in++);
			assert_int_equal(ibv_poll_cq(f->cq, 4 * CQES, wc),
					 size);
			for (; out != in; out++)
				assert_wc(&wc[size - (in - out)], f->rc, out);
			complete(f, f->rc, in);
			assert_int_equal(ibv_poll_cq(f->cq, 1, wc), 1);
			/* Sequence numbers and generations continue */
			ibv_req_notify_cq(f->cq, 1);
			assert_int_not_equal(armed(f), word);
			assert_int_equal(fake_asked(fake_cq(f->cq)),
					 ORNIC_ARM_NEXT);
			assert_int_equal(f->ops->destroy_cq(f->cq), 0);
		}
	}
}

TEST(a_refused_size_changes_nothing, struct fixture *f, IN_OWN)
{
	struct ibv_wc wc;

	complete(f, f->rc, 1);
	f->fake.fail = EINVAL;
	assert_int_equal(f->ops->resize_cq(f->cq, 1), EINVAL);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	complete(f, f->rc, 2);

	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	assert_wc(&wc, f->rc, 2);
}

/*
 * The device writes to a ring that could not be mapped, and the memory of the
 * old one may be that of another object. Another resize loses nothing.
 */
TEST(a_lost_ring_is_no_empty_ring, struct fixture *f, IN_OWN)
{
	struct ibv_poll_cq_attr attr = {};
	struct ibv_wc wc[CQES];
	struct ibv_cq_ex *cq;
	unsigned int i;

	cq = create_ex(f, 0, NULL);
	f->cq = ibv_cq_ex_to_cq(cq);
	complete(f, f->rc, 1);
	assert_int_equal(ibv_poll_cq(f->cq, 1, wc), 1);
	complete(f, f->rc, 2);
	complete(f, f->rc, 3);
	complete(f, f->rc, 4);
	f->fake.bad_mmap = true;
	assert_int_equal(f->ops->resize_cq(f->cq, 2 * CQES), EINVAL);
	assert_int_equal(f->cq->cqe, CQES);
	assert_int_equal(ibv_poll_cq(f->cq, 0, wc), 0);
	assert_null(to_ornic_cq(f->cq)->mem.map);
	assert_int_equal(ibv_poll_cq(f->cq, 1, wc), -1);
	complete(f, f->rc, 5);
	assert_int_equal(ibv_start_poll(cq, &attr), EIO);
	assert_int_equal(ibv_req_notify_cq(f->cq, 0), EIO);
	f->fake.fail = ENOMEM;
	assert_int_equal(f->ops->resize_cq(f->cq, CQES), ENOMEM);
	assert_int_equal(ibv_poll_cq(f->cq, 1, wc), -1);
	f->fake.bad_mmap = true;
	assert_int_equal(f->ops->resize_cq(f->cq, CQES), EINVAL);
	assert_int_equal(ibv_poll_cq(f->cq, 1, wc), -1);

	/* Another resize recovers the CQ; each completion is polled once */
	assert_int_equal(f->ops->resize_cq(f->cq, CQES), 0);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_read(cq, f->rc, 2);
	ibv_end_poll(cq);
	complete(f, f->rc, 6);
	assert_int_equal(ibv_poll_cq(f->cq, CQES, wc), 4);
	for (i = 0; i < 4; i++)
		assert_wc(&wc[i], f->rc, 3 + i);
	assert_int_equal(ibv_poll_cq(f->cq, 1, wc), 0);
	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
	assert_int_equal(ibv_req_notify_cq(f->cq, 0), 0);
}

/* Completions of a destroyed QP are in the ring that is not mapped */
TEST(a_lost_ring_cannot_be_cleaned, struct fixture *f, IN_OWN)
{
	struct ibv_wc wc[CQES];
	struct ibv_qp *qp;

	qp = fake_create_qp(&f->fake, IBV_QPT_RC, f->cq, 1, 1, 0);
	complete(f, qp, 1);
	complete(f, f->rc, 2);
	f->fake.bad_mmap = true;
	assert_int_equal(f->ops->resize_cq(f->cq, 2 * CQES), EINVAL);
	assert_int_equal(f->ops->destroy_qp(qp), 0);
	assert_int_equal(ibv_poll_cq(f->cq, 1, wc), -1);
	assert_int_equal(f->ops->resize_cq(f->cq, CQES), EIO);
	assert_int_equal(ibv_poll_cq(f->cq, 1, wc), -1);
}

TEST(moderation_is_the_kernels, struct fixture *f, IN_OWN)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = 7, .cq_period = 9 },
	};

	assert_int_equal(f->ops->modify_cq(f->cq, &attr), 0);
	assert_int_equal(f->fake.last_moderation.cq_count, 7);
	assert_int_equal(f->fake.last_moderation.cq_period, 9);
	f->fake.fail = EINVAL;
	assert_int_equal(f->ops->modify_cq(f->cq, &attr), EINVAL);
}

TEST(overrun_may_be_ignored, struct fixture *f, IN_OWN)
{
	struct ibv_cq_ex *cq;

	cq = create_ex(f, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN, NULL);
	assert_non_null(cq);
	assert_int_equal(f->fake.last_cq_attr.flags,
			 IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN);
	assert_true(to_ornic_cq_ex(cq)->lock.needed);
}

TEST(one_thread_polls_without_lock, struct fixture *f, IN_OWN)
{
	struct ibv_wc wc;
	uint64_t n;

	f->cq = ibv_cq_ex_to_cq(create_ex(f,
					  IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
					  NULL));
	/* A poll that takes the lock would not return */
	pthread_spin_lock(&to_ornic_cq(f->cq)->lock.spin);
	for (n = 0; n < 3 * CQES; n++) {
		complete(f, f->rc, n);
		assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
		assert_wc(&wc, f->rc, n);
	}
	pthread_spin_unlock(&to_ornic_cq(f->cq)->lock.spin);
}

TEST(a_reader_of_a_key_gets_a_number, struct fixture *f, IN_OWN)
{
	struct ibv_poll_cq_attr attr = {};
	struct ornic_cqe cqe = make(f->rc, 1, ORNIC_WC_WITH_INV);
	struct ibv_cq_ex *cq;
	struct ibv_wc wc;

	cqe.inv_key = htole32(0x12345);
	fake_complete(fake_cq(f->cq), &cqe);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	assert_int_equal(wc.wc_flags, IBV_WC_WITH_INV);
	assert_int_equal(wc.invalidated_rkey, 0x12345);

	cq = create_ex(f, 0, NULL);
	f->cq = ibv_cq_ex_to_cq(cq);
	fake_complete(fake_cq(f->cq), &cqe);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(ibv_wc_read_wc_flags(cq), IBV_WC_WITH_INV);
	assert_int_equal(ibv_wc_read_invalidated_rkey(cq), 0x12345);
	ibv_end_poll(cq);
}

TEST(unknown_options_are_refused, struct fixture *f, IN_OWN)
{
	static const uint64_t large[] = {
		IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
		IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
		IBV_WC_EX_WITH_CVLAN, IBV_WC_EX_WITH_FLOW_TAG,
	};
	struct ibv_cq_init_attr_ex attr = { .cqe = 1 };
	size_t i;

	attr.wc_flags = IBV_WC_EX_WITH_TM_INFO;
	assert_fails(f->ops->create_cq_ex(f->ctx, &attr), EOPNOTSUPP);

	/* Wall-clock timestamps need the clock page */
	to_ornic_context(f->ctx)->caps &= ~ORNIC_UCONTEXT_CAP_CLOCK;
	attr.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
	assert_fails(f->ops->create_cq_ex(f->ctx, &attr), EOPNOTSUPP);
	to_ornic_context(f->ctx)->caps |= ORNIC_UCONTEXT_CAP_CLOCK;

	/* A device without 64-byte entries */
	to_ornic_context(f->ctx)->caps &= ~ORNIC_UCONTEXT_CAP_CQE_EXT;
	for (i = 0; i < ARRAY_SIZE(large); i++) {
		attr.wc_flags = large[i];
		assert_fails(f->ops->create_cq_ex(f->ctx, &attr), EOPNOTSUPP);
	}

	attr.wc_flags = 0;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD << 1;
	assert_fails(f->ops->create_cq_ex(f->ctx, &attr), EOPNOTSUPP);

	assert_fails(create_ex(f, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN << 1, NULL),
		     EOPNOTSUPP);

	/* The domain must be a parent domain */
	assert_fails(create_ex(f, 0, f->rc->pd), EINVAL);
}

/* [ORNIC-CQ-5] A status that the provider does not know is no success */
TEST(failures_stay_failures, struct fixture *f, IN_OWN)
{
	static const uint32_t status[] = {
		ORNIC_WC_GENERAL_ERR, ORNIC_WC_GENERAL_ERR + 1, 0x80, 0xff,
	};
	struct ornic_cqe cqe;
	struct ibv_wc wc;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(status); i++) {
		cqe = make(f->rc, 1, 0);
		cqe.status = htole32(status[i]);
		fake_complete(fake_cq(f->cq), &cqe);
		assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
		assert_int_equal(wc.status, status[i]);
	}
}

TEST_MAIN("cq")
