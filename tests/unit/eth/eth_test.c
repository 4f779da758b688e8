// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RAW_PACKET queues, frames out and in ([ORNIC-SQ-18], [ORNIC-SQ-21],
 * [ORNIC-RQ-5], [ORNIC-RQ-7], [ORNIC-DEV-16] to [ORNIC-DEV-18]).
 */
#include "base/be.h"
#include "card/card.h"
#include "eth/csum.h"
#include "eth/ethport.h"
#include "eth/headers.h"
#include "eth/rss.h"
#include "queues/qp.h"
#include "raw.h"

#define MACS_LEN 12

/* Send the frame at @addr from QP 0, and expect @status */
static void send(struct raw *w, uint64_t addr, uint32_t len,
		 const struct ornic_route_eth *route, unsigned int status)
{
	raw_send(w, 0, addr, len, route, 0);
	raw_expect(w, status);
}

/* ---- out ---- */

static void fill(struct raw *w, unsigned int len)
{
	uint8_t *p = host_ptr(w->host, w->data);
	unsigned int i;

	for (i = 0; i < len; i++)
		p[i] = i * 7 + 3;
	memset(p, 0xff, 6);
}

TEST(test_frame_goes_out_as_it_is, struct raw *w, IN_RAW)
{
	static const unsigned int lens[] = { 14, 60, 255, 256, 257, 1514,
					     1518 };
	uint8_t got[1518];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		struct frame *frame;

		fill(w, lens[i]);
		send(w, w->data, lens[i], NULL, ORNIC_WC_SUCCESS);
		frame = raw_sent(w);
		assert_int_equal(frame_len(frame), lens[i]);
		/* The guest may reuse its buffer now: the frame has a copy */
		memset(host_ptr(w->host, w->data), 0, lens[i]);
		assert_int_equal(frame_read(frame, 0, got, lens[i]), 0);
		fill(w, lens[i]);
		assert_memory_equal(got, host_ptr(w->host, w->data), lens[i]);
		raw_done(w, frame);
	}
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, ARRAY_SIZE(lens));
}

/* [ORNIC-SQ-18] [ORNIC-SQ-20] */
TEST(test_lengths_refused, struct raw *w, IN_RAW)
{
	struct ornic_route_eth route = {};

	send(w, w->data, 13, &route, ORNIC_WC_LOC_LEN_ERR);
	send(w, w->data, 1519, &route, ORNIC_WC_LOC_LEN_ERR);
	route.flags = htole16(ORNIC_ETH_TX_VLAN_INSERT);
	send(w, w->data, 1515, &route, ORNIC_WC_LOC_LEN_ERR);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_errors, 3);
	assert_true(list_empty(&w->host->wire));
	/* Each WQE fails alone */
	send(w, w->data, 1514, &route, ORNIC_WC_SUCCESS);
	raw_done(w, raw_sent(w));
}

TEST(test_foreign_memory_refused, struct raw *w, IN_RAW)
{
	send(w, w->data + 4 * RAW_BUF_LEN - 50, 60, NULL, ORNIC_WC_LOC_PROT_ERR);
	w->key ^= 1;
	send(w, w->data, 60, NULL, ORNIC_WC_LOC_PROT_ERR);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_bad_lkey, 2);
	w->key ^= 1;
	host_unmap(w->host, w->data, HOST_PAGE);
	send(w, w->data, 60, NULL, ORNIC_WC_LOC_PROT_ERR);
}

TEST(test_vlan_is_inserted, struct raw *w, IN_RAW)
{
	struct ornic_route_eth route = {
		.flags = htole16(ORNIC_ETH_TX_VLAN_INSERT),
		.vlan_tci = htole16(0x6123),
	};
	static const unsigned int lens[] = { 14, 60, 252, 253, 1514 };
	uint8_t got[1518];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		const uint8_t *data = host_ptr(w->host, w->data);
		struct frame *frame;

		fill(w, lens[i]);
		send(w, w->data, lens[i], &route, ORNIC_WC_SUCCESS);
		frame = raw_sent(w);
		assert_int_equal(frame_len(frame), lens[i] + 4);
		frame_read(frame, 0, got, lens[i] + 4);
		assert_memory_equal(got, data, MACS_LEN);
		assert_int_equal(be_get16(got + 12), 0x8100);
		assert_int_equal(be_get16(got + 14), 0x6123);
		assert_memory_equal(got + 16, data + MACS_LEN,
				    lens[i] - MACS_LEN);
		raw_done(w, frame);
	}
}

/* Write a UDP packet of 512 bytes; return its length */
static unsigned int make_udp(uint8_t *p, const uint8_t *dmac, uint16_t sport)
{
	static const uint8_t ip[20] = { 0x45, 0, 0x01, 0xf2, 1, 2, 0, 0, 64,
					17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };
	unsigned int i;

	for (i = 0; i < 512; i++)
		p[i] = i * 5;
	memcpy(p, dmac, 6);
	be_put16(p + 12, 0x0800);
	memcpy(p + 14, ip, sizeof(ip));
	be_put16(p + 34, sport);
	be_put16(p + 36, 2000);
	be_put16(p + 38, 0x01f2 - 20);
	be_put16(p + 40, 0);
	return 14 + 0x01f2;
}

static void check_sums(struct frame *frame)
{
	struct headers headers;

	headers_find(frame, &headers);
	assert_int_equal(headers.l4, HEADERS_PROTO_UDP);
	assert_true(csum_ip_ok(frame, &headers));
	assert_true(csum_l4_ok(frame, &headers));
}

TEST(test_l4_checksum_where_asked, struct raw *w, IN_RAW)
{
	struct ornic_route_eth route = {
		.flags = htole16(ORNIC_ETH_TX_L4_CSUM),
		.csum_start = htole16(34),
		.csum_offset = htole16(6),
	};
	uint8_t *p = host_ptr(w->host, w->data);
	unsigned int len = make_udp(p, w->host->mac, 1000);
	uint8_t pseudo[12] = { [9] = 17 };
	struct csum ip = {}, sum = {};

	csum_add(&ip, p + 14, 20);
	be_put16(p + 24, ~csum_fold(&ip));
	memcpy(pseudo, p + 26, 8);
	be_put16(pseudo + 10, len - 34);
	csum_add(&sum, pseudo, sizeof(pseudo));
	be_put16(p + 40, csum_fold(&sum));
	send(w, w->data, len, &route, ORNIC_WC_SUCCESS);
	check_sums(list_first_entry(&w->host->wire, struct frame, node));
	raw_done(w, raw_sent(w));
	/* The offsets count from the first byte of the data, without the tag */
	route.flags |= htole16(ORNIC_ETH_TX_VLAN_INSERT);
	send(w, w->data, len, &route, ORNIC_WC_SUCCESS);
	check_sums(list_first_entry(&w->host->wire, struct frame, node));
	raw_done(w, raw_sent(w));
}

TEST(test_checksum_offsets_refused, struct raw *w, IN_RAW)
{
	struct ornic_route_eth route = {
		.flags = htole16(ORNIC_ETH_TX_L4_CSUM),
	};

	route.csum_start = htole16(59);
	send(w, w->data, 60, &route, ORNIC_WC_LOC_QP_OP_ERR);
	route.csum_start = htole16(0xffff);
	route.csum_offset = htole16(0xffff);
	send(w, w->data, 60, &route, ORNIC_WC_LOC_QP_OP_ERR);
	route.csum_start = htole16(58);
	route.csum_offset = 0;
	send(w, w->data, 60, &route, ORNIC_WC_SUCCESS);
	raw_done(w, raw_sent(w));
	/* [ORNIC-SQ-20] Any failure is counted */
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_errors, 2);
}

/* [ORNIC-SQ-19] Reserved bits of the route are ignored, as [ORNIC-GEN-3] says */
TEST(test_reserved_bits_are_ignored, struct raw *w, IN_RAW)
{
	struct ornic_route_eth route;
	struct frame *frame;
	uint8_t got[60];

	memset(&route, 0xff, sizeof(route));
	route.flags = htole16(0xffff & ~(ORNIC_ETH_TX_VLAN_INSERT |
					 ORNIC_ETH_TX_L4_CSUM));
	fill(w, 60);
	send(w, w->data, 60, &route, ORNIC_WC_SUCCESS);
	frame = raw_sent(w);
	assert_int_equal(frame_len(frame), 60);
	frame_read(frame, 0, got, 60);
	assert_memory_equal(got, host_ptr(w->host, w->data), 60);
	raw_done(w, frame);
}

TEST(test_ip_csum_flag, struct raw *w, IN_RAW)
{
	unsigned int len = make_udp(host_ptr(w->host, w->data), w->host->mac,
				    1000);

	raw_send(w, 0, w->data, len, NULL, ORNIC_SEND_IP_CSUM);
	raw_expect(w, ORNIC_WC_SUCCESS);
	check_sums(list_first_entry(&w->host->wire, struct frame, node));
	raw_done(w, raw_sent(w));
	/* A frame that is not IP is sent unchanged */
	fill(w, 60);
	raw_send(w, 0, w->data, 60, NULL, ORNIC_SEND_IP_CSUM);
	raw_expect(w, ORNIC_WC_SUCCESS);
	raw_done(w, raw_sent(w));
}

/* Sum of the pseudo header of IPv4 and a UDP packet of @len bytes */
static uint16_t udp_sum(const uint8_t *p, unsigned int len)
{
	uint8_t pseudo[4] = { 0, 17, (len - 34) >> 8, len - 34 };
	struct csum sum = {};

	csum_add(&sum, p + 26, len - 26);
	csum_add(&sum, pseudo, sizeof(pseudo));
	return csum_fold(&sum);
}

/* [ORNIC-SQ-22] Checksums that come out as 0; 0 would say of UDP that there is none */
TEST(test_checksums_of_zero, struct raw *w, IN_RAW)
{
	struct ornic_route_eth route = {
		.csum_start = htole16(34),
		.csum_offset = htole16(6),
	};
	uint8_t *p = host_ptr(w->host, w->data);
	unsigned int len = make_udp(p, w->host->mac, 1000);
	struct csum ip = {}, pseudo = {};
	struct frame *frame;
	unsigned int i;

	/* The last word, and the identification of IPv4, complement the rest */
	be_put16(p + len - 2, 0);
	be_put16(p + len - 2, ~udp_sum(p, len));
	be_put16(p + 18, 0);
	csum_add(&ip, p + 14, 20);
	be_put16(p + 18, ~csum_fold(&ip));
	for (i = 0; i < 2; i++) {
		if (i) {
			route.flags = htole16(ORNIC_ETH_TX_L4_CSUM);
			csum_add(&pseudo, p + 34, len - 34);
			be_put16(p + 40, udp_sum(p, len) - csum_fold(&pseudo));
		}
		raw_send(w, 0, w->data, len, &route, i ? 0 : ORNIC_SEND_IP_CSUM);
		raw_expect(w, ORNIC_WC_SUCCESS);
		frame = raw_sent(w);
		assert_int_equal(be_get16(frame->hdr + 40), 0xffff);
		assert_int_equal(be_get16(frame->hdr + 24), 0);
		check_sums(frame);
		raw_done(w, frame);
	}
}

/* [ORNIC-SQ-4] The queue goes on behind WQEs of unknown opcodes and lengths */
TEST(test_unknown_opcodes_are_skipped, struct raw *w, IN_RAW)
{
	static const uint32_t lengths[] = { 0, 1, 64, 65, 192, 193 };
	struct ornic_sq_hdr *hdr;
	unsigned int i;

	fill(w, 60);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		hdr = host_ptr(w->host, w->qp[0].sq + (w->qp[0].sq_pi & 63) * 64);
		hdr->ctrl = htole32(ORNIC_SQ_CTRL(200 + i, ORNIC_SEND_INLINE,
						  lengths[i]));
		w->qp[0].sq_pi += ORNIC_SQ_SLOTS(lengths[i]);
		send(w, w->data, 60, NULL, ORNIC_WC_LOC_QP_OP_ERR);
		raw_expect(w, ORNIC_WC_SUCCESS);
		raw_done(w, raw_sent(w));
		host_device_stat_is(w->host, ORNIC_DEVICE_STAT_bad_wqe_opcode,
				    i + 1);
	}
}

/* [ORNIC-SQ-8] One completion stands for all WQEs; later ones are sent */
TEST(test_ring_out_of_reach, struct raw *w, IN_RAW)
{
	const struct ornic_cqe *cqe;
	unsigned int i;

	for (i = 0; i < 3; i++)
		raw_publish(w, 0, w->data, 100, NULL, 0);
	host_unmap(w->host, w->qp[0].sq, HOST_PAGE);
	host_run(w->host);
	host_map(w->host, w->qp[0].sq, HOST_PAGE);
	cqe = raw_cqe(w);
	assert_int_equal(le32toh(cqe->status), ORNIC_WC_LOC_PROT_ERR);
	assert_int_equal(le64toh(cqe->wr_id), 0);
	assert_null(host_queue_peek(&w->cq));
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_dma_faults, 1);
	assert_int_equal(guest_load32(&host_qp_dbr(&w->qp[0])->sq_ci), 3);
	send(w, w->data, 100, NULL, ORNIC_WC_SUCCESS);
	raw_done(w, raw_sent(w));
}

TEST(test_more_than_there_are_frames, struct raw *w, IN_RAW)
{
	unsigned int i, total = 0;

	fill(w, 60);
	w->host->frames += HOST_FRAMES;
	for (i = 0; i < 5; i++)
		raw_publish(w, 0, w->data, 60, NULL, 0);
	for (i = 0; i < 5; i++)
		card_run(w->host->card);
	assert_null(host_queue_peek(&w->cq));
	w->host->frames -= HOST_FRAMES;
	host_run(w->host);
	while (!list_empty(&w->host->wire)) {
		raw_done(w, raw_sent(w));
		total++;
	}
	assert_int_equal(total, 5);
}

/* [ORNIC-DEV-9] WQEs do not wait for the port, and their frames are lost */
TEST(test_port_down_drops_and_completes, struct raw *w, IN_RAW)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		host_port_up(w->host, i);
		card_link_changed(w->host->card, !i);
		send(w, w->data, 60, NULL, ORNIC_WC_SUCCESS);
		assert_true(list_empty(&w->host->wire));
		assert_int_equal(w->host->frames, 0);
	}
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, 0);
}

/* ---- in ---- */

TEST(test_frame_comes_in, struct raw *w, IN_RAW)
{
	uint8_t packet[1518];
	unsigned int len = make_udp(packet, w->host->mac, 1000);
	const struct ornic_cqe *cqe;

	raw_post_recv(w, 0, w->data, RAW_BUF_LEN);
	raw_receive(w, packet, len, 0);
	cqe = raw_did(w, 0, ORNIC_WC_RECV);
	assert_int_equal(le32toh(cqe->byte_len), len);
	assert_memory_equal(host_ptr(w->host, w->data), packet, len);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_frames, 1);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_bytes, len);
}

TEST(test_checksum_is_told, struct raw *w, IN_RAW)
{
	uint8_t packet[1518];
	unsigned int len = make_udp(packet, w->host->mac, 1000);
	const struct ornic_cqe_ext *ext;
	const struct ornic_cqe *cqe;
	struct frame frame = {};
	struct headers headers;
	unsigned int i;

	frame.hdr_len = 256;
	memcpy(frame.hdr, packet, 256);
	frame_add(&frame, packet + 256, len - 256);
	headers_find(&frame, &headers);
	csum_fill(&frame, &headers);
	memcpy(packet, frame.hdr, 256);
	for (i = 0; i < 2; i++) {
		bool ok = !i;

		if (!ok)
			packet[len - 1] ^= 1;
		raw_post_recv(w, 0, w->data, RAW_BUF_LEN);
		raw_receive(w, packet, len, 0);
		cqe = raw_cqe(w);
		ext = host_cqe_ext(cqe);
		assert_int_equal(!!(le16toh(ext->flags) &
				    ORNIC_CQE_EXT_L4_CSUM_OK), ok);
		assert_int_equal(ORNIC_GET(ORNIC_CQE_FLAGS,
					   le32toh(cqe->qpn)),
				 ok ? ORNIC_WC_IP_CSUM_OK : 0);
	}
}

/* [ORNIC-DEV-15], [ORNIC-WIRE-26] */
TEST(test_what_does_not_come_in, struct raw *w, IN_RAW)
{
	static const uint8_t other[] = { 2, 2, 2, 2, 2, 2 };
	uint8_t packet[1600];
	unsigned int len = make_udp(packet, w->host->mac, 1000);

	/* No WQE */
	raw_receive(w, packet, len, 0);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_dropped_no_wqe, 1);
	raw_post_recv(w, 0, w->data, RAW_BUF_LEN);
	/* Another destination MAC */
	memcpy(packet, other, 6);
	raw_receive(w, packet, len, 0);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_dropped_filter, 1);
	memcpy(packet, w->host->mac, 6);
	/* Shorter than a header, longer than the MTU and 18 */
	raw_receive(w, packet, 13, 0);
	raw_receive(w, packet, 1519, 0);
	/* A FRAME_LOCAL frame that is not RoCE cannot be interpreted */
	raw_receive(w, packet, len, FRAME_LOCAL);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_dropped_malformed, 3);
	assert_null(host_queue_peek(&w->cq));
	raw_receive(w, packet, 1518, 0);
	raw_expect(w, ORNIC_WC_SUCCESS);
}

TEST(test_too_small_wqe_stays, struct raw *w, IN_RAW)
{
	uint8_t packet[1518];
	unsigned int len = make_udp(packet, w->host->mac, 1000);

	raw_post_recv(w, 0, w->data, len - 1);
	raw_receive(w, packet, len, 0);
	assert_null(host_queue_peek(&w->cq));
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_dropped_malformed, 1);
	raw_receive(w, packet, len - 1, 0);
	raw_expect(w, ORNIC_WC_SUCCESS);
	raw_receive(w, packet, 60, 0);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_dropped_no_wqe, 1);
}

TEST(test_counts_of_groups, struct raw *w, IN_RAW)
{
	struct ornic_rx_filter_in all = { .flags = htole32(ORNIC_RX_ALLMULTI) };
	uint8_t packet[64] = { 255, 255, 255, 255, 255, 255 };

	host_cmd_in(w->host, ORNIC_CMD_SET_RX_FILTER, &all);
	raw_receive(w, packet, 60, 0);
	packet[0] = 0x33;
	raw_receive(w, packet, 60, 0);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_broadcast, 1);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_multicast, 1);
}

TEST(test_spread_over_queues, struct raw *w, IN_RAW)
{
	struct ornic_rx_queues_in in = {
		.count = htole32(RAW_QPS),
		.hash = htole32(ORNIC_HASH_IPV4 | ORNIC_HASH_UDP),
	};
	unsigned int i, hits[RAW_QPS] = {};
	uint8_t packet[1518];

	for (i = 0; i < sizeof(in.key); i++)
		in.key[i] = i * 29 + 1;
	for (i = 0; i < RAW_QPS; i++) {
		in.qpn[i] = htole32(w->qp[i].num);
		while (w->qp[i].rq_pi < 60)
			raw_post_recv(w, i, w->data, RAW_BUF_LEN);
	}
	host_cmd_in_ok(w->host, ORNIC_CMD_SET_RX_QUEUES, &in);
	for (i = 0; i < 100; i++) {
		unsigned int len = make_udp(packet, w->host->mac, 1000 + i);
		const struct ornic_cqe_ext *ext;
		const struct ornic_cqe *cqe;
		unsigned int n;

		raw_receive(w, packet, len, 0);
		cqe = raw_cqe(w);
		ext = host_cqe_ext(cqe);
		assert_true(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS);
		n = le32toh(ext->rss_hash) % RAW_QPS;
		assert_int_equal(le32toh(cqe->qpn) & ORNIC_CQE_QPN,
				 w->qp[n].num);
		hits[n]++;
	}
	for (i = 0; i < RAW_QPS; i++)
		assert_true(hits[i] > 5);
}

/* [ORNIC-DEV-16] */
TEST(test_set_rx_queues_refusals, struct raw *w, IN_RAW)
{
	struct ornic_rx_queues_in in = { .count = htole32(2) };

	in.qpn[0] = htole32(w->qp[0].num);
	in.qpn[1] = htole32(w->qp[1].num);
#define REFUSED(status) \
	assert_int_equal(host_cmd_in(w->host, ORNIC_CMD_SET_RX_QUEUES, &in), \
			 status)
	in.count = htole32(3);
	REFUSED(ORNIC_CMD_BAD_PARAM);
	in.count = htole32(256);
	REFUSED(ORNIC_CMD_BAD_PARAM);
	in.count = htole32(4);
	REFUSED(ORNIC_CMD_BAD_OBJECT);
	in.count = htole32(2);
	in.hash = htole32(16);
	REFUSED(ORNIC_CMD_BAD_PARAM);
	in.hash = 0;
	REFUSED(ORNIC_CMD_OK);
	/* [ORNIC-DEV-17] A card that cannot hash the ports of UDP */
	w->host->card->rx_hash_types = ETHPORT_HASH_LEAST;
	in.hash = htole32(ETHPORT_HASH_ALL);
	REFUSED(ORNIC_CMD_BAD_PARAM);
	in.hash = htole32(ETHPORT_HASH_LEAST);
	REFUSED(ORNIC_CMD_OK);
#undef REFUSED
	host_cmd_object_is(w->host, ORNIC_CMD_DESTROY_QP, w->qp[1].num, ORNIC_CMD_BUSY);
	in.count = 0;
	host_cmd_in_ok(w->host, ORNIC_CMD_SET_RX_QUEUES, &in);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_QP, w->qp[1].num);
}

TEST_MAIN("eth")
