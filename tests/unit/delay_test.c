// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* WQs with ORNIC_WQ_DELAY_DROP: frames that wait for a WQE (ORNIC-WQ-7 to 9). */
#include "delay.h"
#include "qp.h"
#include "wqk.h"

#define DELAY_US 500
#define US 1000ULL

static uint64_t stat(struct wqk *wqk, enum ornic_port_stat which)
{
	return host_port_stat(wqk->host, which);
}

#define STAT(name) stat(wqk, ORNIC_PORT_STAT_##name)

static void ready(struct wqk *wqk, struct wqk_queue *wq)
{
	wqk_ready_wq(wqk, wq, ORNIC_WQ_DELAY_DROP, DELAY_US);
}

/* A frame of this length, which tells it from others */
static void deliver(struct wqk *wqk, struct wqk_queue *wq, unsigned int len)
{
	uint8_t data[1518];

	wqk_fill(data, len);
	wqk_deliver(wqk, wq->target, data, len);
}

/* ORNIC-WQ-7 */
static void test_refusals(void **state)
{
	struct wqk *wqk = *state;
	struct ornic_create_wq_in in = {};
	struct wqk_queue wq;

	wqk_make_wq(wqk, &wq, &in);
#define TRY(with, us, status) do { \
	in.flags = htole32(with); \
	in.delay_drop = htole32(us); \
	assert_int_equal(host_cmd_in(wqk->host, ORNIC_CMD_CREATE_WQ, &in), \
			 ORNIC_CMD_##status); \
} while (0)
	TRY(ORNIC_WQ_DELAY_DROP, 0, BAD_PARAM);
	TRY(ORNIC_WQ_DELAY_DROP, CORE_MAX_DELAY_DROP_US + 1, BAD_PARAM);
	TRY(ORNIC_WQ_DELAY_DROP, ~0u, BAD_PARAM);
	TRY(ORNIC_WQ_SCATTER_FCS, 1, BAD_PARAM);
	in.pdn = htole32(77);
	TRY(ORNIC_WQ_DELAY_DROP, 1, BAD_OBJECT);
	in.pdn = htole32(wqk->pdn);
	TRY(ORNIC_WQ_DELAY_DROP, CORE_MAX_DELAY_DROP_US, OK);
#undef TRY
}

/* ORNIC-WQ-7 */
static void test_frames_wait_in_order(void **state)
{
	static const unsigned int lens[] = { 60, 256, 257, 1518, 18 };
	struct wqk *wqk = *state;
	const struct ornic_cqe *cqe;
	struct wqk_queue wq;
	uint8_t data[1518];
	unsigned int i;

	ready(wqk, &wq);
	for (i = 0; i < 4; i++)
		deliver(wqk, &wq, lens[i]);
	wqk_expect_quiet(wqk);
	assert_int_equal(STAT(rx_delayed), 4);
	for (i = 0; i < 3; i++)
		wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	host_sleep(wqk->host, 100 * US);
	for (i = 0; i < 3; i++) {
		cqe = wqk_expect_frame(wqk, &wq, lens[i]);
		assert_int_equal(le32toh(wqk_ext_of(cqe)->flow_tag), WQK_TAG);
	}
	wqk_fill(data, lens[2]);
	assert_memory_equal(host_ptr(wqk->host, wqk->data), data, lens[2]);
	/* The next one does not overtake the fourth. */
	for (i = 0; i < 2; i++)
		wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	deliver(wqk, &wq, lens[4]);
	wqk_expect_frame(wqk, &wq, lens[3]);
	wqk_expect_frame(wqk, &wq, lens[4]);
	wqk_expect_quiet(wqk);
	assert_int_equal(STAT(rx_delayed), 4);
	assert_int_equal(STAT(rx_delay_dropped), 0);
	assert_int_equal(wqk_no_wqe(wqk), 0);
	assert_int_equal(wqk->host->nic->delayed, 0);
	host_sleep(wqk->host, 10000 * US);
	wqk_expect_quiet(wqk);
}

/* ORNIC-WQ-7 */
static void test_delayed_frames_are_treated_as_others(void **state)
{
	struct wqk *wqk = *state;
	const struct ornic_cqe_ext *ext;
	uint8_t data[WQK_FRAME_LEN];
	struct wqk_queue wq;

	wqk_ready_wq(wqk, &wq, ORNIC_WQ_DELAY_DROP | ORNIC_WQ_CVLAN_STRIPPING,
		     DELAY_US);
	wqk_fill(data, sizeof(data));
	wqk_put_tag(data, 0x123);
	wqk_deliver(wqk, wq.target, data, sizeof(data));
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	host_sleep(wqk->host, 100 * US);
	ext = wqk_ext_of(wqk_expect_frame(wqk, &wq, WQK_FRAME_LEN - 4));
	assert_int_equal(le16toh(ext->vlan_tci), 0x123);
	/* RSS' hash is known, too. */
	wqk->wq[0] = wq;
	wqk->wq[1] = wq;
	wqk->wq[2] = wq;
	wqk->wq[3] = wq;
	wqk_make_udp(data, 1, 1000);
	wqk_deliver(wqk, wqk_create_rss(wqk, wqk_create_table(wqk, 0),
					ORNIC_RX_HASH_SRC_PORT_UDP), data,
		    sizeof(data));
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	host_sleep(wqk->host, 100 * US);
	ext = wqk_ext_of(wqk_expect_frame(wqk, &wq, WQK_FRAME_LEN));
	assert_true(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS);
	assert_int_not_equal(le32toh(ext->rss_hash), 0);
}

/* ORNIC-WQ-8 */
static void test_time_is_up(void **state)
{
	struct wqk *wqk = *state;
	struct wqk_queue wq, other;
	unsigned int i;

	ready(wqk, &wq);
	wqk_ready_wq(wqk, &other, 0, 0);
	deliver(wqk, &wq, 60);
	host_sleep(wqk->host, 300 * US);
	deliver(wqk, &wq, 61);
	/* Only that WQ waits. */
	wqk_post(wqk, &other, wqk->data, WQK_BUF_LEN);
	deliver(wqk, &other, 62);
	wqk_expect_frame(wqk, &other, 62);
	host_sleep(wqk->host, (DELAY_US - 300 - 10) * US);
	wqk_expect_quiet(wqk);
	host_sleep(wqk->host, 20 * US);
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_DELAY_DROP, wq.num);
	assert_int_equal(STAT(rx_delay_dropped), 1);
	/* The second is in time; each waits as long by itself. */
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	host_sleep(wqk->host, 200 * US);
	wqk_expect_frame(wqk, &wq, 61);
	/* Once, until it has received */
	for (i = 0; i < 3; i++) {
		deliver(wqk, &wq, 60);
		host_sleep(wqk->host, 2 * DELAY_US * US);
	}
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_DELAY_DROP, wq.num);
	wqk_expect_quiet(wqk);
	assert_int_equal(STAT(rx_delay_dropped), 4);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	deliver(wqk, &wq, 60);
	wqk_expect_frame(wqk, &wq, 60);
	deliver(wqk, &wq, 60);
	host_sleep(wqk->host, 2 * DELAY_US * US);
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_DELAY_DROP, wq.num);
	assert_int_equal(wqk_no_wqe(wqk), 0);
	assert_int_equal(wqk->host->nic->delayed, 0);
}

/* ORNIC-WQ-9 */
static void test_only_so_many_wait(void **state)
{
	struct wqk *wqk = *state;
	struct wqk_queue wq, more;
	unsigned int i;

	ready(wqk, &wq);
	for (i = 0; i < DELAY_FRAMES + 3; i++)
		deliver(wqk, &wq, 60);
	assert_int_equal(STAT(rx_delayed), DELAY_FRAMES);
	assert_int_equal(wqk_no_wqe(wqk), 3);
	for (; wqk->host->nic->delayed < DELAY_CARD_FRAMES; i++) {
		if (i >= DELAY_FRAMES) {
			ready(wqk, &more);
			i = 0;
		}
		deliver(wqk, &more, 60);
	}
	ready(wqk, &more);
	deliver(wqk, &more, 60);
	assert_int_equal(STAT(rx_delayed), DELAY_CARD_FRAMES);
	assert_int_equal(wqk_no_wqe(wqk), 4);
}

/* ORNIC-WQ-9 */
static void test_end_of_the_wq_is_theirs(void **state)
{
	struct wqk *wqk = *state;
	struct wqk_queue wq;

	ready(wqk, &wq);
	deliver(wqk, &wq, 60);
	wqk_modify(wqk, &wq, ORNIC_WQS_ERR);
	assert_int_equal(wqk_no_wqe(wqk), 1);
	wqk_modify(wqk, &wq, ORNIC_WQS_RESET);
	wqk_modify(wqk, &wq, ORNIC_WQS_RDY);
	deliver(wqk, &wq, 60);
	wqk_modify(wqk, &wq, ORNIC_WQS_RESET);
	assert_int_equal(wqk_no_wqe(wqk), 2);
	wqk_modify(wqk, &wq, ORNIC_WQS_RDY);
	/* The first fails the WQ, which is the end of the others. */
	deliver(wqk, &wq, 60);
	deliver(wqk, &wq, 61);
	deliver(wqk, &wq, 62);
	wqk_post(wqk, &wq, wqk->data + 4 * WQK_BUF_LEN, WQK_BUF_LEN);
	host_sleep(wqk->host, 100 * US);
	wqk_expect_failed(wqk, ORNIC_WC_LOC_PROT_ERR);
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_FATAL, wq.num);
	assert_int_equal(wqk_no_wqe(wqk), 4);
	wqk_expect_quiet(wqk);
	/* Or the record is gone while they wait. */
	ready(wqk, &wq);
	deliver(wqk, &wq, 60);
	host_unmap(wqk->host, wq.dbr & -HOST_PAGE, HOST_PAGE);
	host_sleep(wqk->host, 100 * US);
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_FATAL, wq.num);
	assert_int_equal(wqk_no_wqe(wqk), 5);
	/* Or it is destroyed. */
	ready(wqk, &wq);
	deliver(wqk, &wq, 60);
	deliver(wqk, &wq, 60);
	assert_int_equal(host_cmd_object(wqk->host, ORNIC_CMD_DESTROY_WQ,
					 wq.num), ORNIC_CMD_OK);
	assert_int_equal(wqk_no_wqe(wqk), 7);
	assert_int_equal(wqk->host->nic->delayed, 0);
	/* Or everything is. */
	ready(wqk, &wq);
	deliver(wqk, &wq, 60);
	nic_reset(wqk->host->nic);
	assert_int_equal(wqk->host->nic->delayed, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, wqk_setup, wqk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_refusals),
		T(test_frames_wait_in_order),
		T(test_delayed_frames_are_treated_as_others),
		T(test_time_is_up),
		T(test_only_so_many_wait),
		T(test_end_of_the_wq_is_theirs),
	};

	return cmocka_run_group_tests_name("delay", tests, NULL, NULL);
}
