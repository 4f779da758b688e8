// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Flow rules and counters ([ORNIC-FLOW-1] ff.), without loopback */
#include "base/be.h"
#include "base/gid.h"
#include "eth/flow.h"
#include "eth/headers.h"
#include "objects/counters.h"
#include "queues/qp.h"
#include "raw.h"
#include "roce/roce.h"

#define LEN 60

static const uint8_t group[6] = { 1, 0x50, 0x56, 0x19, 0x20, 0xa7 };
static const uint8_t somebody[6] = { 2, 2, 2, 2, 2, 2 };

static void make_udp(uint8_t *p, const uint8_t *dmac, unsigned int dport)
{
	static const uint8_t ip[20] = { 0x45, 0, 0, 46, 1, 2, 0, 0, 64,
					17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };

	memset(p, 0, LEN);
	memcpy(p, dmac, 6);
	p[6] = 2;
	p[11] = 9;
	be_put16(p + 12, 0x0800);
	memcpy(p + 14, ip, sizeof(ip));
	be_put16(p + 34, 1000);
	be_put16(p + 36, dport);
	be_put16(p + 38, 26);
}

/* A rule for UDP to port @dport, or for any frame if @dport is 0 */
static struct ornic_create_flow_in flow_in(const struct raw *w, unsigned int n,
					   unsigned int dport)
{
	struct ornic_create_flow_in in = { .qpn = htole32(w->qp[n].num) };

	if (!dport)
		return in;
	in.value.outer.l3 = 4;
	in.value.outer.proto = 17;
	in.value.outer.dst_port = htobe16(dport);
	in.mask.outer.l3 = 0xff;
	in.mask.outer.proto = 0xff;
	in.mask.outer.dst_port = 0xffff;
	return in;
}

static uint32_t create(struct raw *w, const struct ornic_create_flow_in *in)
{
	return host_create_object(w->host, ORNIC_CMD_CREATE_FLOW, in,
				  sizeof(*in));
}

static uint32_t create_counters(struct raw *w)
{
	return host_create_object(w->host, ORNIC_CMD_CREATE_COUNTERS, NULL, 0);
}

static void destroy(struct raw *w, uint32_t num)
{
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_FLOW, num);
}

static void recvs(struct raw *w)
{
	unsigned int n, i;

	for (n = 0; n < RAW_QPS; n++)
		for (i = 0; i < 4; i++)
			raw_post_recv(w, n, w->data + n * RAW_BUF_LEN,
				      RAW_BUF_LEN);
}

/* Expect that QP @n has received the next frame */
static const struct ornic_cqe *got(struct raw *w, unsigned int n)
{
	return raw_did(w, n, ORNIC_WC_RECV);
}

static void got_nothing(struct raw *w)
{
	assert_null(host_queue_peek(&w->cq));
}

static void arrive(struct raw *w, const uint8_t *dmac, unsigned int dport)
{
	uint8_t packet[LEN];

	make_udp(packet, dmac, dport);
	raw_receive(w, packet, LEN, 0);
}

/* Expect that QP @n receives a frame first, or alone */
static void reaches(struct raw *w, const uint8_t *dmac, unsigned int dport,
		    unsigned int n)
{
	arrive(w, dmac, dport);
	got(w, n);
}

#define STAT(w, name) host_port_stat((w)->host, ORNIC_PORT_STAT_##name)

/* ---- commands ---- */

/* [ORNIC-FLOW-3], [ORNIC-FLOW-4] */
TEST(test_create_refusals, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in good = flow_in(w, 1, 2000);
	struct ornic_object out;
	uint32_t counters;

	counters = create_counters(w);
#define REFUSED(field, val, status) \
	host_refused(w->host, ORNIC_CMD_CREATE_FLOW, good, field, val, &out, \
		     status)
	REFUSED(rsvd[2], 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(type, 4, ORNIC_CMD_BAD_PARAM);
	REFUSED(flags, htole32(0x10), ORNIC_CMD_BAD_PARAM);
	REFUSED(counters, htole32(1), ORNIC_CMD_BAD_PARAM);
	/* Values that no frame can match */
	REFUSED(value.outer.ttl, 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(value.esp_seq, 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(value.outer.dmac[0], 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(value.rsvd, 1, ORNIC_CMD_BAD_PARAM);
	/* Reserved bits */
	REFUSED(mask.rsvd, 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(mask.outer.rsvd, 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(mask.inner.rsvd, 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(mask.layers, htobe32(0x10), ORNIC_CMD_BAD_PARAM);
	/* Contradictory flags */
	REFUSED(flags, htole32(ORNIC_FLOW_DROP | ORNIC_FLOW_DONT_TRAP),
		ORNIC_CMD_BAD_PARAM);
	REFUSED(flags, htole32(ORNIC_FLOW_EGRESS), ORNIC_CMD_BAD_PARAM);
	good.type = ORNIC_FLOW_SNIFFER;
	REFUSED(flags, htole32(ORNIC_FLOW_DROP), ORNIC_CMD_BAD_PARAM);
	REFUSED(flags, htole32(ORNIC_FLOW_EGRESS | ORNIC_FLOW_COUNT),
		ORNIC_CMD_BAD_PARAM);
	good.type = ORNIC_FLOW_NORMAL;
	/* Numbers of missing objects */
	REFUSED(qpn, htole32(0xffffff), ORNIC_CMD_BAD_OBJECT);
	good.flags = htole32(ORNIC_FLOW_COUNT);
	REFUSED(counters, htole32(counters + 1), ORNIC_CMD_BAD_OBJECT);
	good.flags = 0;
	host_cmd_raw_is(w->host, ORNIC_CMD_CREATE_FLOW, &good, sizeof(good) - 1, &out, sizeof(out),
			ORNIC_CMD_BAD_SIZE);
	assert_int_equal(w->host->card->flows.count, 0);
	assert_int_equal(w->host->card->flow_table.ingress, 0);
	REFUSED(tag, 1, ORNIC_CMD_OK);
#undef REFUSED
}

/* [ORNIC-FLOW-4] */
TEST(test_only_queues_of_frames, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_qp_in send_only = { .type = ORNIC_QPT_RAW_PACKET };
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);
	struct ornic_create_qp_out qp;
	struct ornic_object out;
	struct host_qp ud;

	host_qp(w->host, &ud, ORNIC_QPT_UD, w->uctx, w->pdn, &w->cq, 0);
	in.qpn = htole32(ud.num);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_FLOW, &in, &out, ORNIC_CMD_BAD_OBJECT);
	/* A QP that cannot receive can have a rule that drops */
	send_only.pdn = htole32(w->pdn);
	send_only.dbr_addr = htole64(host_alloc(w->host, 128, 128));
	host_cmd_ok(w->host, ORNIC_CMD_CREATE_QP, &send_only, &qp);
	in.qpn = qp.qpn;
	host_cmd_is(w->host, ORNIC_CMD_CREATE_FLOW, &in, &out, ORNIC_CMD_BAD_OBJECT);
	in.flags = htole32(ORNIC_FLOW_DROP | ORNIC_FLOW_EGRESS);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_FLOW, &in, &out, ORNIC_CMD_BAD_OBJECT);
	in.flags = htole32(ORNIC_FLOW_DROP);
	host_cmd_ok(w->host, ORNIC_CMD_CREATE_FLOW, &in, &out);
}

/* [ORNIC-FLOW-4] A rule uses its QP and its counters */
TEST(test_used_objects_stay, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);
	uint32_t counters, num;

	counters = create_counters(w);
	in.flags = htole32(ORNIC_FLOW_COUNT);
	in.counters = htole32(counters);
	num = create(w, &in);
#define DESTROY(what, num) \
	host_cmd_object(w->host, ORNIC_CMD_DESTROY_##what, num)
	assert_int_equal(DESTROY(QP, w->qp[1].num), ORNIC_CMD_BUSY);
	assert_int_equal(DESTROY(COUNTERS, counters), ORNIC_CMD_BUSY);
	assert_int_equal(DESTROY(FLOW, num + 1), ORNIC_CMD_BAD_OBJECT);
	destroy(w, num);
	assert_int_equal(DESTROY(FLOW, num), ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(DESTROY(COUNTERS, counters), ORNIC_CMD_OK);
	assert_int_equal(DESTROY(COUNTERS, counters), ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(DESTROY(QP, w->qp[1].num), ORNIC_CMD_OK);
#undef DESTROY
}

/* [ORNIC-FLOW-14] */
TEST(test_limits, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);
	struct ornic_object out;
	unsigned int i;

	for (i = 0; i < 1024; i++) {
		in.value.outer.dst_port = htobe16(i);
		create(w, &in);
		host_create_object(w->host, ORNIC_CMD_CREATE_COUNTERS, NULL, 0);
	}
	in.value.outer.dst_port = htobe16(i);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_FLOW, &in, &out, ORNIC_CMD_NO_RESOURCES);
	host_cmd_out_is(w->host, ORNIC_CMD_CREATE_COUNTERS, &out,
			ORNIC_CMD_NO_RESOURCES);
	assert_int_equal(w->host->card->flow_table.ingress, 1024);
	/* The last rule is found as the first one is */
	recvs(w);
	reaches(w, somebody, 1023, 1);
	arrive(w, somebody, 1024);
	got_nothing(w);
}

/* [ORNIC-FLOW-14] The cost of one frame is bounded, whatever makes copies */
TEST(test_copies_are_limited, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);
	struct ornic_create_flow_in other = flow_in(w, 1, 2001);
	struct ornic_object out;
	uint32_t num = 0;
	unsigned int i;

	for (i = 0; i < FLOW_COPIES_MAX; i++) {
		in.type = i % 3 ? ORNIC_FLOW_NORMAL : ORNIC_FLOW_SNIFFER;
		in.flags = htole32(i % 3 == 1 ? ORNIC_FLOW_DONT_TRAP : 0);
		in.priority = htole32(i % 3 == 2 ? 0 : i);
		if (i % 3 == 2)
			in.value.outer.dst_port = htobe16(2002);
		else
			in.value.outer.dst_port = htobe16(2000);
		num = create(w, &in);
	}
	/* The first of the equal rules is no copy */
	create(w, &other);
	in.type = ORNIC_FLOW_SNIFFER;
	create(w, &in);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_FLOW, &in, &out, ORNIC_CMD_NO_RESOURCES);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_FLOW, &other, &out, ORNIC_CMD_NO_RESOURCES);
	other.value.outer.dst_port = htobe16(2003);
	create(w, &other);
	destroy(w, num);
	create(w, &in);
}

/* ---- received frames ---- */

/* [ORNIC-FLOW-5], [ORNIC-FLOW-8], [ORNIC-FLOW-9], [ORNIC-FLOW-15] */
TEST(test_rule_takes_its_frames, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 2, 2000);
	const struct ornic_cqe_ext *ext;
	uint32_t num;

	recvs(w);
	in.tag = htole32(0x12345);
	num = create(w, &in);
	arrive(w, w->host->mac, 2000);
	ext = host_cqe_ext(got(w, 2));
	assert_int_equal(le32toh(ext->flow_tag), 0x12345);
	arrive(w, w->host->mac, 2001);
	ext = host_cqe_ext(got(w, 0));
	assert_int_equal(ext->flow_tag, 0);
	/* Rules precede the address filter; their frames count as received */
	arrive(w, somebody, 2001);
	got_nothing(w);
	assert_int_equal(STAT(w, rx_dropped_filter), 1);
	reaches(w, somebody, 2000, 2);
	assert_int_equal(STAT(w, rx_steered), 2);
	assert_int_equal(STAT(w, rx_frames), 3);
	destroy(w, num);
	reaches(w, w->host->mac, 2000, 0);
}

/* [ORNIC-FLOW-5]: a rule takes no frame that differs in one field */
TEST(test_each_field_counts, struct raw *w, IN_RAW_PROCESS)
{
	/* Source MAC, source address, type of service, destination port */
	static const unsigned int fields[] = { 11, 29, 15, 37 };
	struct ornic_create_flow_in in = flow_in(w, 2, 2000);
	uint8_t packet[LEN];
	unsigned int i;

	recvs(w);
	make_udp(packet, w->host->mac, 2000);
	memcpy(in.value.outer.smac, packet + 6, 6);
	memset(in.mask.outer.smac, 0xff, 6);
	memcpy(in.value.outer.src_ip + 12, packet + 26, 4);
	memset(in.mask.outer.src_ip + 12, 0xff, 4);
	in.mask.outer.tos = 0xff;
	create(w, &in);
	raw_receive(w, packet, LEN, 0);
	got(w, 2);
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		packet[fields[i]] ^= 4;
		raw_receive(w, packet, LEN, 0);
		got(w, 0);
		packet[fields[i]] ^= 4;
	}
}

/* [ORNIC-FLOW-5] */
TEST(test_priority_then_age, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in any = flow_in(w, 1, 0);
	struct ornic_create_flow_in old = flow_in(w, 2, 2000);
	struct ornic_create_flow_in first = flow_in(w, 3, 2000);
	uint32_t num;

	recvs(w);
	old.priority = htole32(7);
	any.priority = htole32(7);
	num = create(w, &old);
	create(w, &any);
	reaches(w, somebody, 2000, 2);
	reaches(w, somebody, 2001, 1);
	create(w, &first);
	reaches(w, somebody, 2000, 3);
	/* A rule that is created again is the youngest */
	destroy(w, num);
	create(w, &old);
	first.priority = htole32(0xffffffff);
	create(w, &first);
	reaches(w, somebody, 2000, 3);
	got_nothing(w);
}

/* [ORNIC-FLOW-5] Frames to groups pass the rules for unicast addresses */
TEST(test_groups_and_unicast_rules, struct raw *w, IN_RAW)
{
	struct ornic_create_flow_in unicast = flow_in(w, 3, 2000);
	struct ornic_create_flow_in any = flow_in(w, 1, 2000);
	struct ornic_create_flow_in one = flow_in(w, 2, 2000);
	uint32_t num;

	recvs(w);
	memcpy(unicast.value.outer.dmac, somebody, 6);
	memset(unicast.mask.outer.dmac, 0xff, 6);
	memcpy(one.value.outer.dmac, group, 6);
	memset(one.mask.outer.dmac, 0xff, 6);
	any.priority = htole32(7);
	create(w, &unicast);
	create(w, &any);
	unicast.priority = htole32(6);
	create(w, &unicast);
	one.priority = htole32(5);
	num = create(w, &one);
	reaches(w, somebody, 2000, 3);
	reaches(w, group, 2000, 2);
	destroy(w, num);
	one.priority = htole32(7);
	create(w, &one);
	reaches(w, group, 2000, 1);
	got_nothing(w);
}

/* [ORNIC-FLOW-6] */
TEST(test_listeners_to_the_same, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);
	struct ornic_create_flow_in any = flow_in(w, 3, 0);
	uint32_t num;

	recvs(w);
	num = create(w, &in);
	create(w, &any);
	in.qpn = htole32(w->qp[2].num);
	create(w, &in);
	reaches(w, group, 2000, 1);
	got(w, 2);
	got_nothing(w);
	assert_int_equal(STAT(w, rx_steered), 1);
	/* The older rule is destroyed; the younger one takes its place */
	destroy(w, num);
	reaches(w, group, 2000, 2);
	got_nothing(w);
	reaches(w, group, 1, 3);
	/* Another priority makes another rule */
	in.qpn = htole32(w->qp[1].num);
	in.priority = htole32(1);
	create(w, &in);
	reaches(w, group, 2000, 2);
	got_nothing(w);
}

/* [ORNIC-FLOW-7] */
TEST(test_dont_trap, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);

	recvs(w);
	in.flags = htole32(ORNIC_FLOW_DONT_TRAP);
	create(w, &in);
	/* The port's own queue gets it too, if the filter accepts it */
	reaches(w, w->host->mac, 2000, 1);
	got(w, 0);
	reaches(w, somebody, 2000, 1);
	got_nothing(w);
	assert_int_equal(STAT(w, rx_dropped_filter), 0);
	in = flow_in(w, 2, 2000);
	in.priority = htole32(1);
	create(w, &in);
	reaches(w, w->host->mac, 2000, 1);
	got(w, 2);
	got_nothing(w);
	assert_int_equal(STAT(w, rx_frames), 3);
}

/* [ORNIC-FLOW-5] */
TEST(test_defaults, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in all = flow_in(w, 1, 0);
	struct ornic_create_flow_in multicast = flow_in(w, 2, 0);
	struct ornic_create_flow_in normal = flow_in(w, 3, 2000);

	recvs(w);
	all.type = ORNIC_FLOW_ALL_DEFAULT;
	create(w, &all);
	multicast.type = ORNIC_FLOW_MC_DEFAULT;
	multicast.priority = htole32(9);
	create(w, &multicast);
	normal.priority = htole32(0xffff);
	create(w, &normal);
	reaches(w, group, 2000, 3);
	reaches(w, group, 2001, 2);
	reaches(w, w->host->mac, 2001, 1);
	reaches(w, somebody, 2001, 1);
	got_nothing(w);
}

/* [ORNIC-FLOW-9], [ORNIC-FLOW-10], [ORNIC-FLOW-16] */
TEST(test_drop_and_count, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_query_stats_in query = {
		.scope = htole32(ORNIC_STATS_COUNTERS),
	};
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);
	uint64_t val[512];
	uint32_t counters;

	recvs(w);
	create_counters(w);
	counters = create_counters(w);
	in.flags = htole32(ORNIC_FLOW_DROP | ORNIC_FLOW_COUNT);
	in.counters = htole32(counters);
	create(w, &in);
	in = flow_in(w, 1, 2001);
	in.flags = htole32(ORNIC_FLOW_COUNT);
	in.counters = htole32(counters);
	create(w, &in);
	arrive(w, w->host->mac, 2000);
	arrive(w, w->host->mac, 2000);
	got_nothing(w);
	assert_int_equal(STAT(w, rx_dropped_rule), 2);
	assert_int_equal(STAT(w, rx_steered), 0);
	reaches(w, w->host->mac, 2001, 1);
	query.num = htole32(counters);
	host_cmd_ok(w->host, ORNIC_CMD_QUERY_STATS, &query, &val);
	assert_int_equal(w->host->out_len, ORNIC_COUNTERS_STAT_COUNT * 8);
	assert_int_equal(le64toh(val[ORNIC_COUNTERS_STAT_packets]), 3);
	assert_int_equal(le64toh(val[ORNIC_COUNTERS_STAT_bytes]), 3 * LEN);
	query.num = htole32(counters + 1);
	host_cmd_is(w->host, ORNIC_CMD_QUERY_STATS, &query, &val, ORNIC_CMD_BAD_OBJECT);
}

/* [ORNIC-FLOW-8] A frame that a QP cannot receive goes to no other QP */
TEST(test_queue_that_takes_nothing, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);

	raw_post_recv(w, 0, w->data, RAW_BUF_LEN);
	create(w, &in);
	arrive(w, w->host->mac, 2000);
	assert_int_equal(STAT(w, rx_dropped_no_wqe), 1);
	raw_post_recv(w, 1, w->data, RAW_BUF_LEN);
	host_qp_modify(&w->qp[1], ORNIC_QPS_ERR);
	host_run(w->host);
	raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
	arrive(w, w->host->mac, 2000);
	assert_int_equal(STAT(w, rx_dropped_no_wqe), 2);
	got_nothing(w);
}

/* [ORNIC-FLOW-5] */
TEST(test_malformed_is_not_shown, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 0);
	uint8_t packet[1600];

	recvs(w);
	create(w, &in);
	make_udp(packet, w->host->mac, 2000);
	raw_receive(w, packet, 1519, 0);
	raw_receive(w, packet, 13, 0);
	raw_receive(w, packet, LEN, FRAME_LOCAL);
	assert_int_equal(STAT(w, rx_dropped_malformed), 3);
	got_nothing(w);
	raw_receive(w, packet, 1518, 0);
	got(w, 1);
}

static void set_gid(struct raw *w)
{
	static const uint8_t gid[GID_LEN] = { [10] = 0xff, 0xff, 10, 0, 0, 2 };

	host_set_gid(w->host, 0, gid, w->host->mac, 0);
}

/* [ORNIC-FLOW-5] */
TEST(test_roce_is_for_roce, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 4791);

	recvs(w);
	set_gid(w);
	create(w, &in);
	arrive(w, w->host->mac, 4791);
	got_nothing(w);
	assert_int_equal(w->host->card->stats.rdma[ORNIC_RDMA_STAT_rx_malformed],
			 1);
	/* RoCE for another MAC address is an ordinary frame */
	reaches(w, somebody, 4791, 1);
}

/* ---- sniffers ---- */

/* [ORNIC-FLOW-11] */
TEST(test_sniffer_sees_everything, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 0);
	uint32_t num;

	recvs(w);
	set_gid(w);
	in.type = ORNIC_FLOW_SNIFFER;
	num = create(w, &in);
	assert_true(w->host->wants_bytes);
	reaches(w, w->host->mac, 2000, 1);
	got(w, 0);
	reaches(w, somebody, 2000, 1);
	reaches(w, w->host->mac, 4791, 1);
	got_nothing(w);
	assert_int_equal(STAT(w, rx_dropped_filter), 1);
	assert_int_equal(STAT(w, rx_steered), 0);
	make_udp(host_ptr(w->host, w->data), somebody, 2000);
	raw_send(w, 0, w->data, LEN, NULL, 0);
	got(w, 1);
	assert_memory_equal(host_ptr(w->host, w->data + RAW_BUF_LEN),
			    host_ptr(w->host, w->data), LEN);
	raw_expect(w, ORNIC_WC_SUCCESS);
	raw_done(w, raw_sent(w));
	destroy(w, num);
	assert_false(w->host->wants_bytes);
	reaches(w, w->host->mac, 2000, 0);
	got_nothing(w);
}

/* [ORNIC-FLOW-11] */
TEST(test_sniffers_choose_and_share, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);

	recvs(w);
	in.type = ORNIC_FLOW_SNIFFER;
	create(w, &in);
	in.qpn = htole32(w->qp[2].num);
	create(w, &in);
	reaches(w, w->host->mac, 2000, 1);
	got(w, 2);
	got(w, 0);
	reaches(w, w->host->mac, 2001, 0);
	got_nothing(w);
}

/* [ORNIC-FLOW-12] Sniffers need wire packets, so none is FRAME_LOCAL */
TEST(test_sniffed_roce_is_bytes, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 0);
	struct qp *qp = qp_find(w->host->card, w->qp[2].num);
	struct ornic_av av = { .dmac = { 2 } };

	w->host->peers_local = true;
	assert_true(roce_is_local(qp, &av));
	in.type = ORNIC_FLOW_SNIFFER;
	create(w, &in);
	assert_false(roce_is_local(qp, &av));
}

/* ---- frames that are sent ---- */

/* Send a datagram from QP @n; expect success, and a frame if @wire */
static void send_udp(struct raw *w, unsigned int n, unsigned int dport, bool wire)
{
	make_udp(host_ptr(w->host, w->data), somebody, dport);
	raw_send(w, n, w->data, LEN, NULL, 0);
	raw_did(w, n, ORNIC_WC_SEND);
	if (wire)
		raw_done(w, raw_sent(w));
	assert_true(list_empty(&w->host->wire));
	assert_int_equal(w->host->frames, 0);
}

/* [ORNIC-FLOW-13] */
TEST(test_egress, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 2000);
	struct counters *counters;

	in.counters = htole32(create_counters(w));
	counters = counters_find(w->host->card, le32toh(in.counters));
	in.flags = htole32(ORNIC_FLOW_EGRESS | ORNIC_FLOW_COUNT |
			   ORNIC_FLOW_DONT_TRAP);
	create(w, &in);
	in.flags = htole32(ORNIC_FLOW_EGRESS | ORNIC_FLOW_COUNT |
			   ORNIC_FLOW_DROP);
	in.value.outer.dst_port = 0;
	in.mask.outer.dst_port = 0;
	create(w, &in);
	send_udp(w, 1, 2000, false);
	assert_int_equal(counters->val[ORNIC_COUNTERS_STAT_packets], 2);
	assert_int_equal(STAT(w, tx_dropped_rule), 1);
	assert_int_equal(STAT(w, tx_frames), 0);
	send_udp(w, 1, 2001, false);
	assert_int_equal(counters->val[ORNIC_COUNTERS_STAT_packets], 3);
	/* The rule ignores frames of other QPs and received frames */
	send_udp(w, 2, 2000, true);
	recvs(w);
	reaches(w, w->host->mac, 2000, 0);
	assert_int_equal(counters->val[ORNIC_COUNTERS_STAT_packets], 3);
}

/* [ORNIC-FLOW-13] The first rule that matches decides */
TEST(test_egress_order, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = flow_in(w, 1, 0);

	in.flags = htole32(ORNIC_FLOW_EGRESS | ORNIC_FLOW_DROP);
	in.priority = htole32(1);
	create(w, &in);
	in = flow_in(w, 1, 2000);
	in.flags = htole32(ORNIC_FLOW_EGRESS | ORNIC_FLOW_COUNT);
	in.counters = htole32(create_counters(w));
	create(w, &in);
	send_udp(w, 1, 2000, true);
	send_udp(w, 1, 2001, false);
}

TEST_MAIN("flow")
