// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* User contexts and doorbell pages ([ORNIC-OBJ-8], [ORNIC-DB-2] ff.) */
#include "card/card.h"
#include "kit.h"
#include "objects/uctx.h"

TEST(test_uctx_refusals, struct kit *w, IN_KIT)
{
	struct host *host = w->host;
	uint64_t board = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_alloc_uctx_in in = { .flags = htole32(2) };
	struct ornic_object out;
	uint32_t num;

	host_cmd_is(host, ORNIC_CMD_ALLOC_UCTX, &in, &out, ORNIC_CMD_BAD_PARAM);
	in.flags = htole32(ORNIC_UCTX_KERNEL);
	host_cmd_is(host, ORNIC_CMD_ALLOC_UCTX, &in, &out, ORNIC_CMD_NO_RESOURCES);
	in.flags = 0;
	in.rsvd = htole32(1);
	host_cmd_is(host, ORNIC_CMD_ALLOC_UCTX, &in, &out, ORNIC_CMD_BAD_PARAM);
	in.rsvd = 0;
	in.board_addr = htole64(board + 64);
	host_cmd_is(host, ORNIC_CMD_ALLOC_UCTX, &in, &out, ORNIC_CMD_BAD_PARAM);
	in.board_addr = htole64(HOST_NOWHERE);
	host_cmd_is(host, ORNIC_CMD_ALLOC_UCTX, &in, &out, ORNIC_CMD_DMA_FAULT);
	num = host_uctx(host, 0, board);
	assert_int_not_equal(num, 0);
	host_cmd_object_ok(host, ORNIC_CMD_FREE_UCTX, num);
	host_cmd_object_is(host, ORNIC_CMD_FREE_UCTX, num, ORNIC_CMD_BAD_OBJECT);
	host_cmd_object_is(host, ORNIC_CMD_FREE_UCTX, w->uctx, ORNIC_CMD_BUSY);
}

/* [ORNIC-OBJ-8] Without SHADOW a board is not looked at, but for its alignment */
TEST(test_board_without_shadow, struct kit *kit, IN_KIT_NO_SHADOW)
{
	struct host *host = kit->host;
	struct ornic_alloc_uctx_in in = { .board_addr = htole64(HOST_NOWHERE + 64) };
	struct ornic_object out;

	host_cmd_is(host, ORNIC_CMD_ALLOC_UCTX, &in, &out, ORNIC_CMD_BAD_PARAM);
	in.board_addr = htole64(HOST_NOWHERE);
	host_cmd_ok(host, ORNIC_CMD_ALLOC_UCTX, &in, &out);
}

TEST(test_as_many_uctx_as_pages, struct kit *w, IN_KIT)
{
	struct ornic_alloc_uctx_in in = {};
	struct ornic_object out;
	unsigned int i;

	for (i = 1; i < CARD_DB_PAGES; i++)
		assert_true(host_uctx(w->host, 0, 0) < CARD_DB_PAGES);
	host_cmd_is(w->host, ORNIC_CMD_ALLOC_UCTX, &in, &out, ORNIC_CMD_NO_RESOURCES);
}

TEST(test_doorbells_of_others_are_ignored, struct kit *w, IN_KIT)
{
	struct host *host = w->host;
	uint32_t other = host_uctx(host, 0, 0);
	uint64_t bad = 0;

#define BAD(stat, page, type, num) do {                                  \
		host_doorbell(host, page, type, num, 5);                  \
		assert_int_equal(host_device_stat(host,                   \
					ORNIC_DEVICE_STAT_##stat), ++bad);\
	} while (0)
	BAD(bad_doorbell_queue, other, ORNIC_DB_CQ, w->cq.num);
	BAD(bad_doorbell_queue, other, ORNIC_DB_EQ, w->eq.num);
	BAD(bad_doorbell_queue, w->uctx, ORNIC_DB_CQ, w->cq.num + 1);
	BAD(bad_doorbell_queue, w->uctx, ORNIC_DB_CQ, 0xffffff);
	BAD(bad_doorbell_queue, w->uctx, ORNIC_DB_EQ, 63);
	BAD(bad_doorbell_queue, w->uctx, ORNIC_DB_SQ, 2);
	bad = 0;
	BAD(bad_doorbell_type, w->uctx, 3, w->cq.num);
	BAD(bad_doorbell_type, w->uctx, 255, w->cq.num);
	bad = 0;
	BAD(bad_doorbell_page, CARD_DB_PAGES - 1, ORNIC_DB_CQ, w->cq.num);
#undef BAD
	kit_expect_no_event(w);
}

TEST(test_doorbell_sizes_and_offsets, struct kit *w, IN_KIT)
{
	struct host *host = w->host;
	uint64_t bad, val = 1;

	card_bar_write(host->card, ORNIC_BAR_DB, 8, 8, val);
	card_bar_write(host->card, ORNIC_BAR_DB, 8, 4, val);
	card_bar_write(host->card, ORNIC_BAR_DB, 0, 2, val);
	card_bar_write(host->card, ORNIC_BAR_DB, 0, 1, val);
	card_bar_write(host->card, ORNIC_BAR_DB, CARD_DB_PAGE_SIZE - 8, 8, val);
	bad = host_device_stat(host, ORNIC_DEVICE_STAT_bad_doorbell_page);
	assert_int_equal(bad, 5);
	/* Two halves make one doorbell, which the high one rings ([ORNIC-BUS-7]) */
	card_bar_write(host->card, ORNIC_BAR_DB, 0, 4, ORNIC_ARM_NEXT);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_doorbells, 0);
	card_bar_write(host->card, ORNIC_BAR_DB, 4, 4,
		      ORNIC_DB_CQ << 24 | w->cq.num);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_doorbells, 1);
	card_bar_read(host->card, ORNIC_BAR_DB, 0, 8, &val);
	assert_int_equal(val, 0);
}

TEST_MAIN("uctx")
