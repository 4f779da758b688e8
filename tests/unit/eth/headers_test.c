// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The headers of a frame are read once, whoever needs them */
#include "base/be.h"
#include "eth/headers.h"
#include "raw.h"

#define LEN 60
#define PORT 2000

/* The linker passes calls of the parser through here */
void __real_headers_find_bounded(const struct frame *frame, struct headers *headers);
void __wrap_headers_find_bounded(const struct frame *frame, struct headers *headers);
unsigned int __real_headers_key(const struct frame *frame, const struct headers *headers,
				struct ornic_flow_key *key);
unsigned int __wrap_headers_key(const struct frame *frame, const struct headers *headers,
				struct ornic_flow_key *key);

static unsigned int finds, keys;

void __wrap_headers_find_bounded(const struct frame *frame, struct headers *headers)
{
	finds++;
	__real_headers_find_bounded(frame, headers);
}

unsigned int __wrap_headers_key(const struct frame *frame, const struct headers *headers,
				struct ornic_flow_key *key)
{
	keys++;
	return __real_headers_key(frame, headers, key);
}

static void count_reads(void)
{
	finds = 0;
	keys = 0;
}

static void expect_reads(unsigned int find, unsigned int key)
{
	assert_int_equal(finds, find);
	assert_int_equal(keys, key);
}

/* A UDP datagram from the card to itself */
static void make_udp(const struct raw *w, uint8_t *p)
{
	static const uint8_t ip[20] = { 0x45, 0, 0, 46, 1, 2, 0, 0, 64,
					17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };

	memset(p, 0, LEN);
	memcpy(p, w->host->mac, MAC_LEN);
	memcpy(p + MAC_LEN, w->host->mac, MAC_LEN);
	be_put16(p + 12, 0x0800);
	memcpy(p + 14, ip, sizeof(ip));
	be_put16(p + 34, 1000);
	be_put16(p + 36, PORT);
	be_put16(p + 38, 26);
}

static void create_rule(struct raw *w, unsigned int n, unsigned int type,
			unsigned int flags)
{
	struct ornic_create_flow_in in = {
		.qpn = htole32(w->qp[n].num),
		.type = type,
		.flags = htole32(flags),
		.value.outer.dst_port = htobe16(PORT),
		.mask.outer.dst_port = 0xffff,
	};

	if (flags & ORNIC_FLOW_COUNT)
		in.counters = htole32(host_create_object(w->host,
							 ORNIC_CMD_CREATE_COUNTERS,
							 NULL, 0));
	host_create_object(w->host, ORNIC_CMD_CREATE_FLOW, &in, sizeof(in));
}

/* A sniffer, a rule that only looks, and the queues of the port */
TEST(test_received, struct raw *w, IN_RAW_PROCESS)
{
	uint8_t packet[LEN];
	unsigned int n;

	for (n = 0; n < 3; n++)
		raw_post_recv(w, n, w->data + n * RAW_BUF_LEN, RAW_BUF_LEN);
	create_rule(w, 1, ORNIC_FLOW_SNIFFER, 0);
	create_rule(w, 2, ORNIC_FLOW_NORMAL, ORNIC_FLOW_DONT_TRAP);
	make_udp(w, packet);
	count_reads();
	raw_receive(w, packet, LEN, 0);
	raw_did(w, 1, ORNIC_WC_RECV);
	raw_did(w, 2, ORNIC_WC_RECV);
	raw_did(w, 0, ORNIC_WC_RECV);
	expect_reads(1, 1);
}

/* The queues of the port alone need no fields */
TEST(test_received_without_rules, struct raw *w, IN_RAW_PROCESS)
{
	uint8_t packet[LEN];

	raw_post_recv(w, 0, w->data, RAW_BUF_LEN);
	make_udp(w, packet);
	count_reads();
	raw_receive(w, packet, LEN, 0);
	raw_did(w, 0, ORNIC_WC_RECV);
	expect_reads(1, 0);
}

/* Checksum, source check, egress rule, loopback to a rule, and sniffer */
TEST(test_sent, struct raw *w, IN_RAW_PROCESS)
{
	unsigned int n;

	w->host->card->spoofcheck.on = true;
	for (n = 2; n < RAW_QPS; n++)
		raw_post_recv(w, n, w->data + n * RAW_BUF_LEN, RAW_BUF_LEN);
	create_rule(w, 1, ORNIC_FLOW_NORMAL, ORNIC_FLOW_EGRESS | ORNIC_FLOW_COUNT);
	create_rule(w, 2, ORNIC_FLOW_NORMAL, 0);
	create_rule(w, 3, ORNIC_FLOW_SNIFFER, 0);
	make_udp(w, host_ptr(w->host, w->data));
	count_reads();
	raw_send(w, 1, w->data, LEN, NULL, ORNIC_SEND_IP_CSUM);
	raw_did(w, 2, ORNIC_WC_RECV);
	raw_did(w, 3, ORNIC_WC_RECV);
	raw_expect(w, ORNIC_WC_SUCCESS);
	expect_reads(1, 1);
}

/* A frame that only passes is not read */
TEST(test_sent_without_rules, struct raw *w, IN_RAW_PROCESS)
{
	uint8_t *packet = host_ptr(w->host, w->data);

	make_udp(w, packet);
	packet[1] = 0xee;
	count_reads();
	raw_send(w, 1, w->data, LEN, NULL, 0);
	raw_expect(w, ORNIC_WC_SUCCESS);
	raw_done(w, raw_sent(w));
	expect_reads(0, 0);
}

TEST_MAIN("headers")
