// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive offloads of WQs and RAW_PACKET QPs */
#include <zlib.h>

#include "base/be.h"
#include "eth/headers.h"
#include "queues/qp.h"
#include "rxq.h"

/* CRC-32 over data with its own CRC behind (802.3 3.2.9) */
#define FCS_RESIDUE 0x2144df1c

/* Create a WQ and a QP that have the same receive flags */
static void ready_both(struct raw *w, struct host_qp *both, uint32_t wq_flags,
		       uint32_t qp_flags)
{
	rxq_ready_wq(w, &both[0], wq_flags, 0);
	rxq_ready_qp(w, &both[1], qp_flags);
}

/* [ORNIC-ETH-1] */
TEST(test_cvlan_stripping, struct raw *w, IN_RAW_PROCESS)
{
	static const unsigned int lens[] = { 18, RXQ_FRAME_LEN, 256, 259, 1518 };
	const struct ornic_cqe_ext *ext;
	struct host_qp both[2];
	uint8_t data[1518];
	unsigned int i, j;

	ready_both(w, both, ORNIC_WQ_CVLAN_STRIPPING, ORNIC_QP_CVLAN_STRIPPING);
	for (i = 0; i < 2; i++) {
		for (j = 0; j < ARRAY_SIZE(lens); j++) {
			const uint8_t *got = host_ptr(w->host, w->data);

			rxq_fill(data, lens[j]);
			rxq_put_tag(data, 0x6123);
			raw_post(w, &both[i], w->data, RAW_BUF_LEN);
			rxq_deliver(w, rxq_find(w, &both[i]), data, lens[j]);
			ext = host_cqe_ext(rxq_expect_frame(w, &both[i], lens[j] - 4));
			assert_true(le16toh(ext->flags) & ORNIC_CQE_EXT_VLAN);
			assert_int_equal(le16toh(ext->vlan_tci), 0x6123);
			assert_memory_equal(got, data, 12);
			assert_memory_equal(got + 12, data + 16, lens[j] - 16);
		}
		/* Without a tag, and with one that is not 802.1Q */
		raw_post(w, &both[i], w->data, RAW_BUF_LEN);
		rxq_deliver_any(w, rxq_find(w, &both[i]));
		ext = host_cqe_ext(rxq_expect_frame(w, &both[i], RXQ_FRAME_LEN));
		assert_false(le16toh(ext->flags) & ORNIC_CQE_EXT_VLAN);
		rxq_fill(data, RXQ_FRAME_LEN);
		be_put16(data + 12, 0x88a8);
		raw_post(w, &both[i], w->data, RAW_BUF_LEN);
		rxq_deliver(w, rxq_find(w, &both[i]), data, RXQ_FRAME_LEN);
		ext = host_cqe_ext(rxq_expect_frame(w, &both[i], RXQ_FRAME_LEN));
		assert_false(le16toh(ext->flags) & ORNIC_CQE_EXT_VLAN);
	}
	/* The WQE needs room for the frame without the tag only */
	rxq_fill(data, RXQ_FRAME_LEN);
	rxq_put_tag(data, 1);
	raw_post(w, &both[0], w->data, RXQ_FRAME_LEN - 4);
	rxq_deliver(w, rxq_find(w, &both[0]), data, RXQ_FRAME_LEN);
	rxq_expect_frame(w, &both[0], RXQ_FRAME_LEN - 4);
}

/* [ORNIC-ETH-1] */
TEST(test_cvlan_stripping_is_switched, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_modify_wq_in in = {
		.mask = htole32(ORNIC_WQ_ATTR_FLAGS),
		.flags = htole32(ORNIC_WQ_CVLAN_STRIPPING),
	};
	uint8_t data[RXQ_FRAME_LEN];
	struct host_qp wq;

	rxq_ready_wq(w, &wq, ORNIC_WQ_SCATTER_FCS, 0);
	rxq_fill(data, sizeof(data));
	rxq_put_tag(data, 1);
	in.wqn = htole32(wq.num);
	host_cmd_in_ok(w->host, ORNIC_CMD_MODIFY_WQ, &in);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	rxq_deliver(w, rxq_find(w, &wq), data, sizeof(data));
	rxq_expect_frame(w, &wq, RXQ_FRAME_LEN);
	in.flags = 0;
	host_cmd_in_ok(w->host, ORNIC_CMD_MODIFY_WQ, &in);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	rxq_deliver(w, rxq_find(w, &wq), data, sizeof(data));
	rxq_expect_frame(w, &wq, RXQ_FRAME_LEN + 4);
}

/* [ORNIC-ETH-2] */
TEST(test_scatter_fcs, struct raw *w, IN_RAW_PROCESS)
{
	static const unsigned int lens[] = { 14, 60, 256, 257, 1518 };
	struct host_qp both[2];
	uint8_t data[1518];
	unsigned int i, j;
	const uint8_t *got;

	ready_both(w, both, ORNIC_WQ_SCATTER_FCS, ORNIC_QP_SCATTER_FCS);
	for (i = 0; i < 2; i++) {
		for (j = 0; j < ARRAY_SIZE(lens); j++) {
			rxq_fill(data, lens[j]);
			raw_post(w, &both[i], w->data, RAW_BUF_LEN);
			rxq_deliver(w, rxq_find(w, &both[i]), data, lens[j]);
			rxq_expect_frame(w, &both[i], lens[j] + 4);
			got = host_ptr(w->host, w->data);
			assert_memory_equal(got, data, lens[j]);
			assert_int_equal(crc32(0, got, lens[j] + 4),
					 FCS_RESIDUE);
		}
		/* The FCS needs room too */
		raw_post(w, &both[i], w->data, RXQ_FRAME_LEN + 3);
		rxq_deliver_any(w, rxq_find(w, &both[i]));
		rxq_expect_quiet(w);
	}
	/* The FCS is that of the frame on the wire, with the tag */
	rxq_ready_wq(w, &both[0],
		     ORNIC_WQ_SCATTER_FCS | ORNIC_WQ_CVLAN_STRIPPING, 0);
	rxq_fill(data, RXQ_FRAME_LEN);
	rxq_put_tag(data, 1);
	raw_post(w, &both[0], w->data, RXQ_FRAME_LEN);
	rxq_deliver(w, rxq_find(w, &both[0]), data, RXQ_FRAME_LEN);
	rxq_expect_frame(w, &both[0], RXQ_FRAME_LEN);
	memcpy(data + RXQ_FRAME_LEN, host_ptr(w->host, w->data + RXQ_FRAME_LEN - 4), 4);
	assert_int_equal(crc32(0, data, RXQ_FRAME_LEN + 4), FCS_RESIDUE);
}

/* [ORNIC-ETH-3] */
TEST(test_pad_end, struct raw *w, IN_RAW_PROCESS)
{
	static const struct {
		unsigned int offset;
		unsigned int room;
		unsigned int len;
		unsigned int written;
	} cases[] = {
		{ 0, RAW_BUF_LEN, 100, 128 },
		{ 0, RAW_BUF_LEN, 128, 128 },
		{ 0, RAW_BUF_LEN, 129, 192 },
		{ 60, RAW_BUF_LEN, 100, 132 },	/* up to byte 192 of memory */
		{ 0, 110, 100, 110 },		/* not beyond the SGE */
		{ 0, 100, 100, 100 },
	};
	struct host_qp both[2];
	uint8_t data[256];
	unsigned int i, j;
	uint8_t *got;

	ready_both(w, both, ORNIC_WQ_PAD_END, ORNIC_QP_PAD_END);
	rxq_fill(data, sizeof(data));
	for (i = 0; i < 2; i++) {
		for (j = 0; j < ARRAY_SIZE(cases); j++) {
			uint64_t addr = w->data + cases[j].offset;
			unsigned int k;

			got = host_ptr(w->host, addr);
			memset(got, 0xa5, 256);
			raw_post(w, &both[i], addr, cases[j].room);
			rxq_deliver(w, rxq_find(w, &both[i]), data, cases[j].len);
			rxq_expect_frame(w, &both[i], cases[j].len);
			assert_memory_equal(got, data, cases[j].len);
			for (k = cases[j].len; k < cases[j].written; k++)
				assert_int_equal(got[k], 0);
			for (; k < 256; k++)
				assert_int_equal(got[k], 0xa5);
		}
	}
	/* Without the flag nothing is padded */
	rxq_ready_wq(w, &both[0], 0, 0);
	memset(got, 0xa5, 256);
	raw_post(w, &both[0], w->data, RAW_BUF_LEN);
	rxq_deliver(w, rxq_find(w, &both[0]), data, 100);
	rxq_expect_frame(w, &both[0], 100);
	assert_int_equal(got[100], 0xa5);
}

/* [ORNIC-ETH-4] The flags are for RAW_PACKET QPs only */
TEST(test_flags_of_other_types, struct raw *w, IN_RAW_PROCESS)
{
	static const uint32_t flags[] = {
		ORNIC_QP_SCATTER_FCS, ORNIC_QP_CVLAN_STRIPPING,
		ORNIC_QP_PAD_END,
	};
	struct ornic_create_qp_in in = {
		.uctx = htole32(w->page),
		.pdn = htole32(w->pdn),
		.type = ORNIC_QPT_UD,
	};
	unsigned int i;

	in.dbr_addr = htole64(host_alloc(w->host, 128, 128));
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		in.flags = htole32(flags[i]);
		host_cmd_in_is(w->host, ORNIC_CMD_CREATE_QP, &in, ORNIC_CMD_BAD_PARAM);
	}
}

TEST_MAIN("eth_rx")
