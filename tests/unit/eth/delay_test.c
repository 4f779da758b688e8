// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ORNIC_WQ_DELAY_DROP: frames that wait for a WQE ([ORNIC-WQ-8] ff.) */
#include "card/card.h"
#include "eth/delay.h"
#include "eth/rss.h"
#include "objects/pd.h"
#include "queues/qp.h"
#include "rxq.h"

#define DELAY_US 500
#define US 1000ULL

#define STAT(name) host_port_stat(w->host, ORNIC_PORT_STAT_##name)

static void ready(struct raw *w, struct host_qp *wq)
{
	rxq_ready_wq(w, wq, ORNIC_WQ_DELAY_DROP, DELAY_US);
}

/* Deliver a frame that its length identifies */
static void deliver(struct raw *w, struct host_qp *wq, unsigned int len)
{
	uint8_t data[1518];

	rxq_fill(data, len);
	rxq_deliver(w, rxq_find(w, wq), data, len);
}

/* [ORNIC-WQ-8] */
TEST(test_refusals, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_wq_in in = {};
	struct host_qp wq;

	rxq_make_wq(w, &wq, &in);
#define TRY(with, us, status) do { \
	in.flags = htole32(with); \
	in.delay_drop = htole32(us); \
	assert_int_equal(host_cmd_in(w->host, ORNIC_CMD_CREATE_WQ, &in), \
			 ORNIC_CMD_##status); \
} while (0)
	TRY(ORNIC_WQ_DELAY_DROP, 0, BAD_PARAM);
	TRY(ORNIC_WQ_DELAY_DROP, CARD_MAX_DELAY_DROP_US + 1, BAD_PARAM);
	TRY(ORNIC_WQ_DELAY_DROP, ~0u, BAD_PARAM);
	TRY(ORNIC_WQ_SCATTER_FCS, 1, BAD_PARAM);
	in.pdn = htole32(PD_MAX);
	TRY(ORNIC_WQ_DELAY_DROP, 1, BAD_OBJECT);
	in.pdn = htole32(w->pdn);
	TRY(ORNIC_WQ_DELAY_DROP, CARD_MAX_DELAY_DROP_US, OK);
#undef TRY
}

/* [ORNIC-WQ-8] */
TEST(test_frames_wait_in_order, struct raw *w, IN_RAW_PROCESS)
{
	static const unsigned int lens[] = { 60, 256, 257, 1518, 18 };
	const struct ornic_cqe *cqe;
	struct host_qp wq;
	uint8_t data[1518];
	unsigned int i;

	ready(w, &wq);
	for (i = 0; i < 4; i++)
		deliver(w, &wq, lens[i]);
	rxq_expect_quiet(w);
	assert_int_equal(STAT(rx_delayed), 4);
	for (i = 0; i < 3; i++)
		raw_post(w, &wq, w->data, RAW_BUF_LEN);
	host_sleep(w->host, 100 * US);
	for (i = 0; i < 3; i++) {
		cqe = rxq_expect_frame(w, &wq, lens[i]);
		assert_int_equal(le32toh(host_cqe_ext(cqe)->flow_tag), RXQ_TAG);
	}
	rxq_fill(data, lens[2]);
	assert_memory_equal(host_ptr(w->host, w->data), data, lens[2]);
	/* The next frame does not overtake the fourth */
	for (i = 0; i < 2; i++)
		raw_post(w, &wq, w->data, RAW_BUF_LEN);
	deliver(w, &wq, lens[4]);
	rxq_expect_frame(w, &wq, lens[3]);
	rxq_expect_frame(w, &wq, lens[4]);
	rxq_expect_quiet(w);
	assert_int_equal(STAT(rx_delayed), 4);
	assert_int_equal(STAT(rx_delay_dropped), 0);
	assert_int_equal(rxq_no_wqe(w), 0);
	assert_int_equal(w->host->card->delayed, 0);
	host_sleep(w->host, 10000 * US);
	rxq_expect_quiet(w);
}

/* [ORNIC-WQ-8] */
TEST(test_delayed_frames_are_treated_as_others, struct raw *w, IN_RAW_PROCESS)
{
	const struct ornic_cqe_ext *ext;
	uint8_t data[RXQ_FRAME_LEN];
	struct host_qp wq;

	rxq_ready_wq(w, &wq, ORNIC_WQ_DELAY_DROP | ORNIC_WQ_CVLAN_STRIPPING,
		     DELAY_US);
	rxq_fill(data, sizeof(data));
	rxq_put_tag(data, 0x123);
	rxq_deliver(w, rxq_find(w, &wq), data, sizeof(data));
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	host_sleep(w->host, 100 * US);
	ext = host_cqe_ext(rxq_expect_frame(w, &wq, RXQ_FRAME_LEN - 4));
	assert_int_equal(le16toh(ext->vlan_tci), 0x123);
	/* The completion has the RSS hash too */
	w->wq[0] = wq;
	w->wq[1] = wq;
	w->wq[2] = wq;
	w->wq[3] = wq;
	rxq_make_udp(data, 1, 1000);
	rxq_deliver(w, &rxq_create_rss(w, rxq_create_table(w, 0),
				       ORNIC_RX_HASH_SRC_PORT_UDP)->base,
		    data, sizeof(data));
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	host_sleep(w->host, 100 * US);
	ext = host_cqe_ext(rxq_expect_frame(w, &wq, RXQ_FRAME_LEN));
	assert_true(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS);
	assert_int_not_equal(le32toh(ext->rss_hash), 0);
}

/* [ORNIC-WQ-9] */
TEST(test_time_is_up, struct raw *w, IN_RAW_PROCESS)
{
	struct host_qp wq, other;
	unsigned int i;

	ready(w, &wq);
	rxq_ready_wq(w, &other, 0, 0);
	deliver(w, &wq, 60);
	host_sleep(w->host, 300 * US);
	deliver(w, &wq, 61);
	/* Only that WQ waits */
	raw_post(w, &other, w->data, RAW_BUF_LEN);
	deliver(w, &other, 62);
	rxq_expect_frame(w, &other, 62);
	host_sleep(w->host, (DELAY_US - 300 - 10) * US);
	rxq_expect_quiet(w);
	host_sleep(w->host, 20 * US);
	rxq_expect_event(w, ORNIC_EVENT_WQ_DELAY_DROP, wq.num);
	assert_int_equal(STAT(rx_delay_dropped), 1);
	/* The second frame is in time: each frame has a timeout of its own */
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	host_sleep(w->host, 200 * US);
	rxq_expect_frame(w, &wq, 61);
	/* The event is sent once, until the WQ has received a frame */
	for (i = 0; i < 3; i++) {
		deliver(w, &wq, 60);
		host_sleep(w->host, 2 * DELAY_US * US);
	}
	rxq_expect_event(w, ORNIC_EVENT_WQ_DELAY_DROP, wq.num);
	rxq_expect_quiet(w);
	assert_int_equal(STAT(rx_delay_dropped), 4);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	deliver(w, &wq, 60);
	rxq_expect_frame(w, &wq, 60);
	deliver(w, &wq, 60);
	host_sleep(w->host, 2 * DELAY_US * US);
	rxq_expect_event(w, ORNIC_EVENT_WQ_DELAY_DROP, wq.num);
	assert_int_equal(rxq_no_wqe(w), 0);
	assert_int_equal(w->host->card->delayed, 0);
}

/* [ORNIC-WQ-10] */
TEST(test_only_so_many_wait, struct raw *w, IN_RAW_PROCESS)
{
	struct host_qp wq, more;
	unsigned int i;

	ready(w, &wq);
	for (i = 0; i < DELAY_FRAMES + 3; i++)
		deliver(w, &wq, 60);
	assert_int_equal(STAT(rx_delayed), DELAY_FRAMES);
	assert_int_equal(rxq_no_wqe(w), 3);
	for (; w->host->card->delayed < DELAY_CARD_FRAMES; i++) {
		if (i >= DELAY_FRAMES) {
			ready(w, &more);
			i = 0;
		}
		deliver(w, &more, 60);
	}
	ready(w, &more);
	deliver(w, &more, 60);
	assert_int_equal(STAT(rx_delayed), DELAY_CARD_FRAMES);
	assert_int_equal(rxq_no_wqe(w), 4);
}

/* [ORNIC-WQ-10] */
TEST(test_end_of_the_wq_is_theirs, struct raw *w, IN_RAW_PROCESS)
{
	struct host_qp wq;

	ready(w, &wq);
	deliver(w, &wq, 60);
	rxq_modify(w, &wq, ORNIC_WQS_ERR);
	assert_int_equal(rxq_no_wqe(w), 1);
	rxq_modify(w, &wq, ORNIC_WQS_RESET);
	rxq_modify(w, &wq, ORNIC_WQS_RDY);
	deliver(w, &wq, 60);
	rxq_modify(w, &wq, ORNIC_WQS_RESET);
	assert_int_equal(rxq_no_wqe(w), 2);
	rxq_modify(w, &wq, ORNIC_WQS_RDY);
	/* The first WQE fails the WQ, which drops the frames that wait */
	deliver(w, &wq, 60);
	deliver(w, &wq, 61);
	deliver(w, &wq, 62);
	raw_post(w, &wq, w->data + 4 * RAW_BUF_LEN, RAW_BUF_LEN);
	host_sleep(w->host, 100 * US);
	raw_expect(w, ORNIC_WC_LOC_PROT_ERR);
	rxq_expect_event(w, ORNIC_EVENT_WQ_FATAL, wq.num);
	assert_int_equal(rxq_no_wqe(w), 4);
	rxq_expect_quiet(w);
	/* The record goes out of reach while a frame waits */
	ready(w, &wq);
	deliver(w, &wq, 60);
	host_unmap(w->host, wq.dbr & -HOST_PAGE, HOST_PAGE);
	host_sleep(w->host, 100 * US);
	rxq_expect_event(w, ORNIC_EVENT_WQ_FATAL, wq.num);
	assert_int_equal(rxq_no_wqe(w), 5);
	/* The WQ is destroyed */
	ready(w, &wq);
	deliver(w, &wq, 60);
	deliver(w, &wq, 60);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_WQ, wq.num);
	assert_int_equal(rxq_no_wqe(w), 7);
	assert_int_equal(w->host->card->delayed, 0);
	/* The card is reset */
	ready(w, &wq);
	deliver(w, &wq, 60);
	card_reset(w->host->card);
	assert_int_equal(w->host->card->delayed, 0);
}

TEST_MAIN("delay")
