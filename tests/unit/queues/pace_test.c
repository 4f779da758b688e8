// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rate limits: the bucket, and a RAW_PACKET QP that has one */
#include "queues/pace.h"
#include "queues/qp.h"
#include "raw.h"

#define MS 1000000ULL
#define FRAME 1000
/* 1 byte per microsecond */
#define RATE 8000

/* ---- the bucket ---- */

/* [ORNIC-RATE-2] */
TEST_VOID(test_full_bucket_goes_at_once)
{
	struct pace pace;
	unsigned int i;

	pace_set(&pace, RATE, 3 * FRAME, 5 * MS);
	for (i = 0; i < 3; i++) {
		assert_true(pace_wait(&pace, FRAME, 5 * MS) == 0);
		pace_take(&pace, FRAME, 5 * MS);
	}
	/* The bucket is empty: a frame waits until all its bytes are there */
	assert_true(pace_wait(&pace, FRAME, 5 * MS) == MS);
	assert_true(pace_wait(&pace, FRAME / 2, 5 * MS) == MS / 2);
	assert_true(pace_wait(&pace, FRAME, 6 * MS - 1) == 1);
	assert_true(pace_wait(&pace, FRAME, 6 * MS) == 0);
	/* The bucket holds no more than the burst after any idle time */
	for (i = 0; i < 3; i++) {
		assert_true(pace_wait(&pace, FRAME, 5000 * MS) == 0);
		pace_take(&pace, FRAME, 5000 * MS);
	}
	assert_true(pace_wait(&pace, 1, 5000 * MS) == 1000);
}

/* [ORNIC-RATE-2] */
TEST_VOID(test_frame_that_the_bucket_does_not_hold)
{
	struct pace pace;

	pace_set(&pace, RATE, FRAME / 2, 5 * MS);
	assert_true(pace_wait(&pace, FRAME, 5 * MS) == 0);
	pace_take(&pace, FRAME, 5 * MS);
	/* Half of the frame is a debt */
	assert_true(pace_wait(&pace, FRAME, 5 * MS) == MS);
	assert_true(pace_wait(&pace, 1, 5 * MS) == MS / 2 + 1000);
}

TEST_VOID(test_extreme_limits)
{
	struct pace pace;

	pace_set(&pace, 1, ~0u, MS);
	assert_true(pace.burst_ns == 8000000ULL * ~0u);
	assert_true(pace_wait(&pace, ~0u, MS) == 0);
	pace_take(&pace, ~0u, MS);
	assert_true(pace_wait(&pace, ~0u, MS) == 8000000ULL * ~0u);
	assert_true(pace_wait(&pace, 1, MS) == 8 * MS);
	pace_set(&pace, ~0u, 1, MS);
	pace_take(&pace, 1, MS);
	assert_true(pace_wait(&pace, 1, MS) == 1);
}

/* ---- a QP ---- */

static unsigned int limit(struct raw *w, unsigned int n, uint32_t rate,
			  uint32_t burst)
{
	struct ornic_modify_qp_in in = {
		.qpn = htole32(w->qp[n].num),
		.mask = htole32(ORNIC_QP_ATTR_RATE_LIMIT),
		.attr.rate_limit = htole32(rate),
		.max_burst = htole32(burst),
		.typical_frame = htole16(burst ? 100 : 0),
	};

	return host_cmd_in(w->host, ORNIC_CMD_MODIFY_QP, &in);
}

static uint32_t query(struct raw *w, unsigned int n)
{
	struct ornic_object in = { .num = htole32(w->qp[n].num) };
	struct ornic_qp_attr attr;

	host_cmd_ok(w->host, ORNIC_CMD_QUERY_QP, &in, &attr);
	return le32toh(attr.rate_limit);
}

static void send(struct raw *w, unsigned int n, unsigned int count)
{
	memset(host_ptr(w->host, w->data), 0xff, FRAME);
	while (count--)
		raw_publish(w, n, w->data, FRAME, NULL, 0);
	host_run(w->host);
}

/* Take all frames off the wire; return their number */
static unsigned int sent(struct raw *w)
{
	unsigned int count = 0;

	while (!list_empty(&w->host->wire)) {
		raw_done(w, raw_sent(w));
		count++;
	}
	return count;
}

/* [ORNIC-RATE-2] */
TEST(test_frames_are_paced, struct raw *w, IN_RAW)
{
	unsigned int total, us;

	assert_int_equal(limit(w, 0, RATE, 3 * FRAME), ORNIC_CMD_OK);
	assert_int_equal(query(w, 0), RATE);
	send(w, 0, 20);
	total = sent(w);
	assert_int_equal(total, 3);
	/* The timer tick is 4.096 us */
	for (us = 10; us <= 10000; us += 10) {
		host_sleep(w->host, 10000);
		total += sent(w);
		assert_in_range(total * FRAME, us + 2 * FRAME - 100,
				us + 3 * FRAME);
	}
	/* Other QPs do not wait */
	send(w, 1, 10);
	assert_int_equal(sent(w), 10);
	for (us = 10; us <= 10000; us += 10)
		host_sleep(w->host, 10000);
	assert_int_equal(total + sent(w), 20);
	/* The queue is empty, so the bucket fills */
	host_sleep(w->host, 10 * MS);
	send(w, 0, 20);
	assert_int_equal(sent(w), 3);
}

/* [ORNIC-RATE-3] */
TEST(test_burst_that_the_device_chooses, struct raw *w, IN_RAW)
{
	/* Two frames of the MTU or the bytes of 1 ms, whichever is more */
	assert_int_equal(limit(w, 0, RATE, 0), ORNIC_CMD_OK);
	send(w, 0, 20);
	assert_int_equal(sent(w), 3);
	assert_int_equal(limit(w, 1, 10 * RATE, 0), ORNIC_CMD_OK);
	send(w, 1, 20);
	assert_int_equal(sent(w), 10);
}

/* [ORNIC-RATE-1] */
TEST(test_limit_is_changed_and_taken_off, struct raw *w, IN_RAW)
{
	limit(w, 0, 1, FRAME);
	send(w, 0, 20);
	assert_int_equal(sent(w), 1);
	host_sleep(w->host, 100 * MS);
	assert_int_equal(sent(w), 0);
	limit(w, 0, RATE, FRAME);
	assert_int_equal(sent(w), 1);
	host_sleep(w->host, MS + 100000);
	assert_int_equal(sent(w), 1);
	assert_int_equal(limit(w, 0, 0, 0), ORNIC_CMD_OK);
	assert_int_equal(sent(w), 17);
	assert_int_equal(query(w, 0), 0);
	/* In SQD and ERR waiting WQEs are not sent; RESET clears the limit */
	limit(w, 0, 1, FRAME);
	send(w, 0, 5);
	assert_int_equal(sent(w), 1);
	assert_int_equal(host_qp_modify(&w->qp[0], ORNIC_QPS_SQD),
			 ORNIC_CMD_OK);
	host_sleep(w->host, 20000 * MS);
	assert_int_equal(sent(w), 0);
	assert_int_equal(host_qp_modify(&w->qp[0], ORNIC_QPS_RTS),
			 ORNIC_CMD_OK);
	assert_int_equal(sent(w), 1);
	host_qp_modify(&w->qp[0], ORNIC_QPS_ERR);
	assert_int_equal(sent(w), 0);
	host_qp_modify(&w->qp[0], ORNIC_QPS_RESET);
	assert_int_equal(query(w, 0), 0);
}

/* [ORNIC-RATE-1] */
TEST(test_refusals, struct raw *w, IN_RAW)
{
	struct ornic_modify_qp_in good = {
		.mask = htole32(ORNIC_QP_ATTR_RATE_LIMIT),
		.attr.rate_limit = htole32(RATE),
	};
	struct ornic_object out;
	struct host_qp ud;

	good.qpn = htole32(w->qp[0].num);
#define REFUSED(field, val, status) \
	host_refused(w->host, ORNIC_CMD_MODIFY_QP, good, field, val, &out, \
		     ORNIC_CMD_##status)
	REFUSED(attr.rate_limit, htole32(100000001), BAD_PARAM);
	REFUSED(attr.rate_limit, htole32(~0u), BAD_PARAM);
	REFUSED(rsvd, htole16(1), BAD_PARAM);
	/* A burst needs a rate limit */
	good.attr.rate_limit = 0;
	REFUSED(max_burst, htole32(1), BAD_PARAM);
	REFUSED(typical_frame, htole16(1), BAD_PARAM);
	good.mask = 0;
	REFUSED(rsvd, htole16(1), BAD_PARAM);
	good.mask = htole32(ORNIC_QP_ATTR_RATE_LIMIT);
	good.attr.rate_limit = htole32(RATE);
	assert_int_equal(query(w, 0), 0);
	REFUSED(attr.rate_limit, htole32(100000000), OK);
	/* A shorter input of an old driver has no burst */
	host_cmd_raw_is(w->host, ORNIC_CMD_MODIFY_QP, &good,
			offsetof(struct ornic_modify_qp_in, max_burst), NULL, 0, ORNIC_CMD_OK);
	assert_int_equal(query(w, 0), RATE);
	/* Not in a state that cannot send, and not for another QP type */
	host_qp_modify(&w->qp[0], ORNIC_QPS_SQD);
	REFUSED(max_burst, 0, BAD_PARAM);
	host_qp_modify(&w->qp[0], ORNIC_QPS_RESET);
	REFUSED(max_burst, 0, BAD_PARAM);
	host_qp(w->host, &ud, ORNIC_QPT_UD, w->uctx, w->pdn, &w->cq, 0);
	REFUSED(qpn, htole32(ud.num), BAD_PARAM);
#undef REFUSED
}

TEST_MAIN("pace")
