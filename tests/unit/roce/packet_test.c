// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The packet codec and the ICRC, tried with packets of other implementations */
#include "unit.h"

#include "eth/headers.h"
#include "roce/icrc.h"
#include "roce/packet.h"

#include "packets.h"

#define L3 HEADERS_ETH_LEN
#define BTH_V4 (HEADERS_ETH_LEN + HEADERS_IPV4_LEN + HEADERS_UDP_LEN)
#define BTH_V6_VLAN (HEADERS_ETH_LEN + HEADERS_VLAN_LEN + HEADERS_IPV6_LEN + HEADERS_UDP_LEN)

/* Make a frame as a port does: the first bytes in hdr, the rest in iov */
static struct frame *frame_of(const uint8_t *bytes, uint32_t len)
{
	struct frame *frame = calloc(1, sizeof(*frame));
	uint32_t hdr_len = len < FRAME_HDR_MAX ? len : FRAME_HDR_MAX;

	assert_non_null(frame);
	memcpy(frame->hdr, bytes, hdr_len);
	frame->hdr_len = hdr_len;
	frame_add(frame, bytes + hdr_len, len - hdr_len);
	return frame;
}

static enum packet_error parse(struct packet *pkt, const uint8_t *bytes,
			       uint32_t len, unsigned int l3, unsigned int bth)
{
	struct frame *frame = frame_of(bytes, len);
	enum packet_error err = packet_parse(pkt, frame, l3, bth);

	free(frame);
	return err;
}

TEST_VOID(test_icrc_of_hardware)
{
	uint32_t body = BTH_V4 + BTH_LEN;
	struct iovec iov = {
		.iov_base = (void *)(packet_captured_uc + body),
		.iov_len = sizeof(packet_captured_uc) - body - ICRC_LEN,
	};
	uint32_t val;

	memcpy(&val, packet_captured_uc + sizeof(packet_captured_uc) - ICRC_LEN,
	       sizeof(val));
	assert_int_equal(icrc(packet_captured_uc + L3, &iov, 1),
			 le32toh(val));
}

/* Fields that routers change are not covered; all other bytes are */
TEST_VOID(test_icrc_masks_what_changes)
{
	static const unsigned int masked[] = {
		L3 + 1, L3 + 8, L3 + 10, L3 + 11,
		L3 + HEADERS_IPV4_LEN + 6, L3 + HEADERS_IPV4_LEN + 7, BTH_V4 + 4,
	};
	uint8_t copy[sizeof(packet_write_only)];
	struct packet pkt;
	unsigned int i, j;
	bool is_masked;

	for (i = L3; i < sizeof(copy); i++) {
		is_masked = false;
		for (j = 0; j < ARRAY_SIZE(masked); j++)
			is_masked |= masked[j] == i;
		memcpy(copy, packet_write_only, sizeof(copy));
		copy[i] ^= 0x80;
		if (is_masked)
			assert_int_equal(parse(&pkt, copy, sizeof(copy), L3,
					       BTH_V4), PACKET_OK);
		else
			assert_int_not_equal(parse(&pkt, copy, sizeof(copy),
						   L3, BTH_V4), PACKET_OK);
	}
}

TEST_VOID(test_parse_write)
{
	struct packet pkt = {};

	assert_int_equal(parse(&pkt, packet_write_only,
			       sizeof(packet_write_only), L3, BTH_V4),
			 PACKET_OK);
	assert_int_equal(pkt.opcode, OPCODE_RC_WRITE_ONLY);
	assert_int_equal(pkt.op->kind, OPCODE_WRITE);
	assert_false(pkt.solicited);
	assert_true(pkt.ack_req);
	assert_int_equal(pkt.pkey, PKEY_DEFAULT);
	assert_int_equal(pkt.dqpn, 0x11);
	assert_int_equal(pkt.psn, 0x123456);
	assert_int_equal(pkt.npkts, 1);
	assert_int_equal(pkt.va, 0x1122334455667788);
	assert_int_equal(pkt.rkey, 0xa1b2c3d4);
	assert_int_equal(pkt.dma_len, 6);
	assert_int_equal(pkt.payload_len, 6);
	assert_memory_equal(packet_write_only + pkt.payload,
			    "\1\2\3\4\5\6", 6);
}

TEST_VOID(test_parse_ack)
{
	struct packet pkt = {};

	assert_int_equal(parse(&pkt, packet_ack, sizeof(packet_ack), L3,
			       BTH_V4), PACKET_OK);
	assert_int_equal(pkt.opcode, OPCODE_RC_ACK);
	assert_int_equal(pkt.dqpn, 0xabcdef);
	assert_int_equal(pkt.psn, 0xffffff);
	assert_int_equal(pkt.syndrome, AETH_ACK | AETH_NO_CREDITS);
	assert_int_equal(pkt.msn, 9);
	assert_int_equal(pkt.payload_len, 0);
}

TEST_VOID(test_parse_datagram)
{
	struct packet pkt = {};

	assert_int_equal(parse(&pkt, packet_ud_imm_v6_vlan,
			       sizeof(packet_ud_imm_v6_vlan),
			       HEADERS_ETH_LEN + HEADERS_VLAN_LEN, BTH_V6_VLAN), PACKET_OK);
	assert_int_equal(pkt.opcode, OPCODE_UD_SEND_ONLY_IMM);
	assert_true(pkt.solicited);
	assert_int_equal(pkt.qkey, 0x80010000);
	assert_int_equal(pkt.sqpn, 1);
	assert_int_equal(be32toh(pkt.imm), 0xdeadbeef);
	assert_int_equal(pkt.payload_len, 8);
	assert_memory_equal(packet_ud_imm_v6_vlan + pkt.payload, "datagram", 8);
}

/* Ethernet padding is not part of the packet */
TEST_VOID(test_parse_ignores_ethernet_padding)
{
	uint8_t padded[sizeof(packet_ack) + 7] = {};
	struct packet pkt;

	memcpy(padded, packet_ack, sizeof(packet_ack));
	assert_int_equal(parse(&pkt, padded, sizeof(padded), L3, BTH_V4),
			 PACKET_OK);
	assert_int_equal(pkt.payload_len, 0);
}

static const struct gid_entry gid_v4 = {
	.valid = true,
	.ipv4 = true,
	.gid = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
	.smac = { 0x02, 0x0e, 0x1c, 0x00, 0x00, 0x01 },
	.vlan_id = GID_NO_VLAN,
};

static const struct gid_entry gid_v6_vlan = {
	.valid = true,
	.gid = { 0xfe, 0x80, [15] = 1 },
	.smac = { 0x02, 0x0e, 0x1c, 0x00, 0x00, 0x01 },
	.vlan_id = 100,
};

static const uint8_t dgid_v4[GID_LEN] = { [10] = 0xff, 0xff, 10, 0, 0, 2 };
static const uint8_t dgid_v6[GID_LEN] = { 0xfe, 0x80, [15] = 2 };
static const uint8_t dmac[6] = { 0x02, 0x0e, 0x1c, 0x00, 0x00, 0x02 };

static void assert_frame(const struct frame *frame, const uint8_t *bytes,
			 uint32_t len)
{
	uint8_t wire[256];

	assert_int_equal(frame_len(frame), len);
	assert_int_equal(frame_read(frame, 0, wire, len), 0);
	assert_memory_equal(wire, bytes, len);
}

TEST_VOID(test_build_write)
{
	struct packet pkt = {
		.opcode = OPCODE_RC_WRITE_ONLY, .ack_req = true,
		.pkey = PKEY_DEFAULT, .dqpn = 0x11, .psn = 0x123456,
		.npkts = 1, .va = 0x1122334455667788, .rkey = 0xa1b2c3d4,
		.dma_len = 6,
	};
	struct packet_path path = {
		.src = &gid_v4, .dgid = dgid_v4, .dmac = dmac, .tclass = 0x12,
		.sport = 0xc123,
	};
	struct frame frame = {};

	/* The payload in two pieces */
	frame_add(&frame, "\1\2", 2);
	frame_add(&frame, "\3\4\5\6", 4);
	packet_finish(&frame, &path, &pkt);
	assert_frame(&frame, packet_write_only, sizeof(packet_write_only));
}

TEST_VOID(test_build_ack)
{
	struct packet pkt = {
		.opcode = OPCODE_RC_ACK, .pkey = PKEY_DEFAULT,
		.dqpn = 0xabcdef, .psn = 0xffffff, .npkts = 1,
		.syndrome = AETH_ACK | AETH_NO_CREDITS, .msn = 9,
	};
	struct packet_path path = {
		.src = &gid_v4, .dgid = dgid_v4, .dmac = dmac, .hop_limit = 17,
		.sport = 0xffff,
	};
	struct frame frame = {};

	packet_finish(&frame, &path, &pkt);
	assert_frame(&frame, packet_ack, sizeof(packet_ack));
}

TEST_VOID(test_build_datagram)
{
	struct packet pkt = {
		.opcode = OPCODE_UD_SEND_ONLY_IMM, .solicited = true,
		.pkey = PKEY_DEFAULT, .dqpn = 1, .psn = 1, .npkts = 1,
		.qkey = 0x80010000, .sqpn = 1, .imm = htobe32(0xdeadbeef),
	};
	struct packet_path path = {
		.src = &gid_v6_vlan, .dgid = dgid_v6, .dmac = dmac,
		.tclass = 0xb9, .flow_label = 0x54321, .hop_limit = 3,
		.priority = 5, .sport = 0xd000,
	};
	struct frame frame = {};

	frame_add(&frame, "datagram", 8);
	packet_finish(&frame, &path, &pkt);
	assert_frame(&frame, packet_ud_imm_v6_vlan,
		     sizeof(packet_ud_imm_v6_vlan));
}

/* [ORNIC-WIRE-28] The FETH precedes the RETH */
TEST_VOID(test_build_flush)
{
	struct packet pkt = {
		.opcode = OPCODE_RC_FLUSH, .ack_req = true,
		.pkey = PKEY_DEFAULT, .dqpn = 0x11, .psn = 0x123456,
		.va = 0x1122334455667788, .rkey = 0xa1b2c3d4,
		.dma_len = 0x10203, .flush_type = ORNIC_FLUSH_GLOBAL,
		.flush_level = ORNIC_FLUSH_REGION,
	};
	static const uint8_t bytes[] = {
		0x1c, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11,
		0x80, 0x12, 0x34, 0x56, 0x00, 0x00, 0x00, 0x11,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0xa1, 0xb2, 0xc3, 0xd4, 0x00, 0x01, 0x02, 0x03,
	};
	uint8_t buf[256];

	assert_int_equal(packet_build(&pkt, 0, buf), sizeof(bytes));
	assert_memory_equal(buf, bytes, sizeof(bytes));
}

/* [ORNIC-WIRE-27] The masks follow the AtomicETH */
TEST_VOID(test_build_masked_atomic)
{
	struct packet pkt = {
		.opcode = OPCODE_RC_MASKED_CMP_SWP, .ack_req = true,
		.pkey = PKEY_DEFAULT, .dqpn = 0x11, .psn = 0x123456,
		.va = 0x1122334455667788, .rkey = 0xa1b2c3d4,
		.swap_add = 1, .compare = 2, .swap_add_mask = 3,
		.compare_mask = 0xff00000000000004,
	};
	static const uint8_t bytes[] = {
		0xd3, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11,
		0x80, 0x12, 0x34, 0x56,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0xa1, 0xb2, 0xc3, 0xd4, 0, 0, 0, 0, 0, 0, 0, 1,
		0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3,
		0xff, 0, 0, 0, 0, 0, 0, 4,
	};
	uint8_t buf[256];

	assert_int_equal(packet_build(&pkt, 0, buf), sizeof(bytes));
	assert_memory_equal(buf, bytes, sizeof(bytes));
	pkt.opcode = OPCODE_RC_MASKED_FETCH_ADD;
	packet_build(&pkt, 0, buf);
	assert_int_equal(buf[0], 0xd4);
}

static void assert_same(const struct packet *a, const struct packet *b)
{
	unsigned int flags = b->op->flags;

	assert_int_equal(a->opcode, b->opcode);
	assert_int_equal(a->solicited, b->solicited);
	assert_int_equal(a->ack_req, b->ack_req);
	assert_int_equal(a->pkey, b->pkey);
	assert_int_equal(a->dqpn, b->dqpn);
	assert_int_equal(a->psn, b->psn);
	assert_int_equal(a->npkts, b->npkts);
	if (flags & (OPCODE_RETH | OPCODE_ATOMICETH)) {
		assert_int_equal(a->va, b->va);
		assert_int_equal(a->rkey, b->rkey);
	}
	if (flags & OPCODE_XRCETH)
		assert_int_equal(a->xrc_srqn, b->xrc_srqn);
	if (flags & OPCODE_FETH) {
		assert_int_equal(a->flush_type, b->flush_type);
		assert_int_equal(a->flush_level, b->flush_level);
	}
	if (flags & OPCODE_RETH)
		assert_int_equal(a->dma_len, b->dma_len);
	if (flags & OPCODE_ATOMICETH) {
		assert_int_equal(a->swap_add, b->swap_add);
		assert_int_equal(a->compare, b->compare);
	}
	if (flags & OPCODE_MASKETH) {
		assert_int_equal(a->swap_add_mask, b->swap_add_mask);
		assert_int_equal(a->compare_mask, b->compare_mask);
	}
	if (flags & OPCODE_AETH) {
		assert_int_equal(a->syndrome, b->syndrome);
		assert_int_equal(a->msn, b->msn);
	}
	if (flags & OPCODE_ATOMICACKETH)
		assert_int_equal(a->original, b->original);
	if (flags & OPCODE_DETH) {
		assert_int_equal(a->qkey, b->qkey);
		assert_int_equal(a->sqpn, b->sqpn);
	}
	if (flags & OPCODE_IMMDT)
		assert_int_equal(a->imm, b->imm);
	if (flags & OPCODE_IETH)
		assert_int_equal(a->inv_key, b->inv_key);
}

static const struct packet any_packet = {
	.solicited = true, .ack_req = true, .pkey = PKEY_DEFAULT,
	.dqpn = 0xfedcba, .psn = 0x800001, .npkts = 1,
	.va = 0x8877665544332211, .rkey = 0x12345678, .dma_len = 0x80000000,
	.swap_add = 0x0102030405060708, .compare = 0xf1f2f3f4f5f6f7f8,
	.syndrome = 0x61, .msn = 0xabcdef, .original = 0xcafebabe12345678,
	.qkey = 0x87654321, .sqpn = 0x765432, .imm = 0x44332211,
	.inv_key = 0x99887766, .xrc_srqn = 0x13579b,
	.flush_type = 2, .flush_level = 1,
	.swap_add_mask = 0x1020304050607080, .compare_mask = 0xff,
};

static const struct packet_path any_path = {
	.src = &gid_v4, .dgid = dgid_v4, .dmac = dmac, .sport = 0xc000,
};

/* Each known opcode, and those reserved for RC, with payload where it may have some */
TEST_VOID(test_every_opcode_both_ways)
{
	static uint8_t payload[1000];
	unsigned int opcode, local, known = 0;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct opcode *op = opcode_get(opcode);

		if (!op)
			continue;
		known++;
		for (local = 0; local < 2; local++) {
			struct frame frame = {
				.flags = local ? FRAME_LOCAL : 0,
			};
			struct packet pkt = any_packet;
			struct packet back = {};

			pkt.opcode = opcode;
			if (op->flags & OPCODE_DATA)
				frame_add(&frame, payload, 997);
			if (local)
				pkt.npkts = 4;
			packet_finish(&frame, &any_path, &pkt);
			assert_int_equal(packet_parse(&back, &frame, L3,
						      BTH_V4), PACKET_OK);
			assert_same(&pkt, &back);
			assert_int_equal(back.payload_len,
					 op->flags & OPCODE_DATA ? 997 : 0);
		}
	}
	assert_int_equal(known, 76);
}

/* Truncated packets are refused; ASan checks that no byte beyond is read */
TEST_VOID(test_truncated_packets_are_malformed)
{
	unsigned int opcode, len, cut;

	for (opcode = 0; opcode < 256; opcode++) {
		uint8_t wire[160];
		struct frame frame = {};
		struct packet pkt = any_packet;

		if (!opcode_get(opcode))
			continue;
		pkt.opcode = opcode;
		packet_finish(&frame, &any_path, &pkt);
		len = frame_len(&frame);
		frame_read(&frame, 0, wire, len);
		for (cut = BTH_V4; cut < len; cut++) {
			/* Exactly sized, so that ASan sees a read beyond it */
			uint8_t *bytes = malloc(cut);
			uint16_t udp_len = cut - BTH_V4 + HEADERS_UDP_LEN;

			assert_non_null(bytes);
			memcpy(bytes, wire, cut);
			/* The sender's length, then one that fits */
			assert_int_equal(parse(&pkt, bytes, cut, L3, BTH_V4),
					 PACKET_MALFORMED);
			bytes[BTH_V4 - 4] = udp_len >> 8;
			bytes[BTH_V4 - 3] = udp_len;
			assert_int_not_equal(parse(&pkt, bytes, cut, L3,
						   BTH_V4), PACKET_OK);
			free(bytes);
		}
	}
}

/* [ORNIC-WIRE-3], [ORNIC-WIRE-12] */
TEST_VOID(test_bad_fields_are_malformed)
{
	uint8_t copy[sizeof(packet_write_only)];
	struct packet pkt;
	unsigned int i;

	/* Unknown opcodes, also those of unsupported transports */
	for (i = 0; i < 256; i++) {
		if (opcode_get(i))
			continue;
		memcpy(copy, packet_write_only, sizeof(copy));
		copy[BTH_V4] = i;
		assert_int_equal(parse(&pkt, copy, sizeof(copy), L3, BTH_V4),
				 PACKET_MALFORMED);
	}
	/* Transport version */
	for (i = 1; i < 16; i++) {
		memcpy(copy, packet_write_only, sizeof(copy));
		copy[BTH_V4 + 1] |= i;
		assert_int_equal(parse(&pkt, copy, sizeof(copy), L3, BTH_V4),
				 PACKET_MALFORMED);
	}
	/* UDP length: beyond the frame, inside the headers, no multiple of 4 */
	for (i = 0; i < 0x10000; i++) {
		uint16_t right = sizeof(copy) - BTH_V4 + HEADERS_UDP_LEN;

		memcpy(copy, packet_write_only, sizeof(copy));
		copy[BTH_V4 - 4] = i >> 8;
		copy[BTH_V4 - 3] = i;
		if (i == right)
			continue;
		assert_int_not_equal(parse(&pkt, copy, sizeof(copy), L3,
					   BTH_V4), PACKET_OK);
	}
}

TEST_VOID(test_sport_is_dynamic)
{
	unsigned int i;

	for (i = 0; i < 0x100000; i += 0x3fd)
		assert_true(packet_sport(i, i * 7, i * 13) >=
			    ROCE_UDP_SPORT_MIN);
	/* As rdma_flow_label_to_udp_sport() of Linux computes it */
	assert_int_equal(packet_sport(0x54321, 0, 0), 0xc321 ^ 0x15);
	/* The same for both directions of a connection */
	assert_int_equal(packet_sport(0, 17, 4711), packet_sport(0, 4711, 17));
}

TEST_VOID(test_sgid_of_both_kinds)
{
	struct frame *frame = frame_of(packet_ack, sizeof(packet_ack));
	struct headers headers;
	uint8_t gid[GID_LEN];

	headers_find(frame, &headers);
	headers_gid(frame, &headers, true, gid);
	assert_memory_equal(gid, gid_v4.gid, GID_LEN);
	free(frame);
	frame = frame_of(packet_ud_imm_v6_vlan, sizeof(packet_ud_imm_v6_vlan));
	headers_find(frame, &headers);
	headers_gid(frame, &headers, true, gid);
	assert_memory_equal(gid, gid_v6_vlan.gid, GID_LEN);
	free(frame);
}

TEST_MAIN("packet")
