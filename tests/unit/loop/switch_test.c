// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The learning switch: forwarding, queue limits, faults */
#include "loop/switch.h"
#include "unit.h"

#define PORTS 4

struct fake_port {
	struct port port;
	unsigned int soon;
	unsigned int soon_at_rx;
	unsigned int rx;
	struct port *rx_src;
	const uint8_t *reply_to;
	uint8_t last[64];
	bool destroyed;
};

struct world {
	struct switch_dev sw;
	struct fake_port port[PORTS];
	unsigned int paid[2];
};

static const uint8_t mac[PORTS][MAC_LEN] = {
	{ 2, 0, 0, 0, 0, 1 },
	{ 2, 0, 0, 0, 0, 2 },
	{ 2, 0, 0, 0, 0, 3 },
	{ 2, 0, 0, 0, 0, 4 },
};
static const uint8_t other[MAC_LEN] = { 2, 0, 0, 0, 9, 9 };
static const uint8_t broadcast[MAC_LEN] = { 255, 255, 255, 255, 255, 255 };

static struct frame *make(struct port *port, const uint8_t *dst,
			  const uint8_t *src)
{
	struct frame *frame = switch_frame_alloc(port);

	assert_non_null(frame);
	memset(frame->hdr, 0, 64);
	memcpy(frame->hdr, dst, MAC_LEN);
	memcpy(frame->hdr + MAC_LEN, src, MAC_LEN);
	frame->hdr_len = 60;
	return frame;
}

static void fake_rx(struct port *port, const struct frame *frame)
{
	struct fake_port *fake = container_of(port, struct fake_port, port);

	fake->rx++;
	fake->soon_at_rx = fake->soon;
	fake->rx_src = frame->src;
	frame_read(frame, 0, fake->last,
		   frame_len(frame) < sizeof(fake->last) ? frame_len(frame) :
							   sizeof(fake->last));
	if (fake->reply_to)
		switch_tx(port, make(port, fake->reply_to, port->mac));
}

static void fake_soon(struct port *port, const struct frame *frame)
{
	assert_true(frame->flags & FRAME_LOCAL);
	container_of(port, struct fake_port, port)->soon++;
}

static void fake_destroy(struct port *port)
{
	container_of(port, struct fake_port, port)->destroyed = true;
}

static const struct port_ops fake_ops = {
	.rx = fake_rx,
	.soon = fake_soon,
	.destroy = fake_destroy,
};

/* Ports 0 and 1 are NICs of this process; 2 and 3 lead outside */
static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	unsigned int i;

	switch_init(&w->sw);
	for (i = 0; i < PORTS; i++) {
		w->port[i].port.ops = &fake_ops;
		w->port[i].port.name = "fake";
		w->port[i].port.is_card = i < 2;
		if (i < 2)
			memcpy(w->port[i].port.mac, mac[i], MAC_LEN);
		assert_int_equal(switch_add_port(&w->sw, &w->port[i].port), 0);
	}
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	unsigned int i;

	switch_uninit(&w->sw);
	for (i = 0; i < PORTS; i++)
		assert_true(w->port[i].destroyed);
	free(w);
	return 0;
}

static void send(struct world *w, unsigned int from, const uint8_t *dst,
		 const uint8_t *src)
{
	switch_tx(&w->port[from].port, make(&w->port[from].port, dst, src));
}

/* send(), and deliver all that was sent */
static void deliver(struct world *w, unsigned int from, const uint8_t *dst,
		    const uint8_t *src)
{
	send(w, from, dst, src);
	switch_run(&w->sw, 10);
}

/* send() of a frame with @flags, and with a hint if it is local */
static void send_flags(struct world *w, unsigned int from, const uint8_t *dst,
		       const uint8_t *src, uint32_t flags)
{
	struct frame *frame = make(&w->port[from].port, dst, src);

	frame->flags = flags;
	frame->hint = flags & FRAME_LOCAL;
	switch_tx(&w->port[from].port, frame);
}

/* The address is that of port @port */
static void expect_at(struct world *w, const uint8_t *addr, unsigned int port)
{
	assert_ptr_equal(switch_lookup(&w->sw, addr), &w->port[port].port);
}

static void expect(struct world *w, unsigned int a, unsigned int b,
		   unsigned int c, unsigned int d)
{
	assert_int_equal(w->port[0].rx, a);
	assert_int_equal(w->port[1].rx, b);
	assert_int_equal(w->port[2].rx, c);
	assert_int_equal(w->port[3].rx, d);
}

TEST(test_nothing_is_delivered_before_the_run, struct world *w, IN_OWN)
{
	send(w, 0, mac[1], mac[0]);
	expect(w, 0, 0, 0, 0);
	assert_int_equal(switch_run(&w->sw, 10), 1);
	expect(w, 0, 1, 0, 0);
	assert_ptr_equal(w->port[1].rx_src, &w->port[0].port);
}

TEST(test_broadcast_and_unknown_go_to_all_others, struct world *w, IN_OWN)
{
	send(w, 2, broadcast, mac[2]);
	deliver(w, 2, other, mac[2]);
	expect(w, 2, 2, 0, 2);
	assert_int_equal(w->sw.stats.flooded, 2);
}

TEST(test_learned_address_goes_to_one, struct world *w, IN_OWN)
{
	deliver(w, 3, broadcast, mac[3]);
	deliver(w, 0, mac[3], mac[0]);
	expect(w, 1, 1, 1, 1);
}

TEST(test_learned_address_moves, struct world *w, IN_OWN)
{
	send(w, 3, broadcast, other);
	deliver(w, 2, broadcast, other);
	expect_at(w, other, 2);
}

TEST(test_learned_address_is_forgotten_with_age, struct world *w, IN_OWN)
{
	w->sw.now_ns = 1;
	deliver(w, 3, broadcast, other);
	w->sw.now_ns += SWITCH_AGE_NS;
	expect_at(w, other, 3);
	w->sw.now_ns++;
	assert_null(switch_lookup(&w->sw, other));
	expect_at(w, mac[0], 0);
}

/* [ORNIC-DEV-19] */
TEST(test_a_checked_cards_address_cannot_be_taken, struct world *w, IN_OWN)
{
	w->port[0].port.checked = true;
	send(w, 2, broadcast, mac[0]);
	deliver(w, 1, broadcast, mac[0]);
	expect_at(w, mac[0], 0);
	assert_true(switch_is_local(&w->sw, mac[0]));
	/* Its own check permits this card to use the address */
	w->port[1].port.checked = true;
	deliver(w, 1, broadcast, mac[0]);
	expect_at(w, mac[0], 1);
}

/* A bond gives all its cards the address of the first */
TEST(test_a_cards_address_moves_with_its_sender, struct world *w, IN_OWN)
{
	w->sw.now_ns = 1;
	deliver(w, 1, broadcast, mac[0]);
	expect(w, 1, 0, 1, 1);
	deliver(w, 2, mac[0], mac[2]);
	expect(w, 1, 1, 1, 1);
	/* [ORNIC-WIRE-5] The card that took it may be a bridge */
	assert_false(switch_is_local(&w->sw, mac[0]));
	/* Its card takes it back by sending, and by the age of the other's frames */
	deliver(w, 0, mac[2], mac[0]);
	expect_at(w, mac[0], 0);
	assert_true(switch_is_local(&w->sw, mac[0]));
	deliver(w, 1, broadcast, mac[0]);
	w->sw.now_ns += SWITCH_AGE_NS;
	expect_at(w, mac[0], 1);
	w->sw.now_ns++;
	expect_at(w, mac[0], 0);
}

TEST(test_an_address_survives_the_port_that_took_it, struct world *w, IN_OWN)
{
	deliver(w, 1, broadcast, mac[0]);
	switch_remove_port(&w->port[1].port);
	w->port[1].destroyed = true;
	expect_at(w, mac[0], 0);
	assert_null(switch_lookup(&w->sw, mac[1]));
}

TEST(test_a_taken_address_survives_its_card, struct world *w, IN_OWN)
{
	deliver(w, 2, broadcast, mac[0]);
	switch_remove_port(&w->port[0].port);
	w->port[0].destroyed = true;
	expect_at(w, mac[0], 2);
	w->sw.now_ns += SWITCH_AGE_NS + 1;
	assert_null(switch_lookup(&w->sw, mac[0]));
}

/* Frames to a port whose cable is unplugged go to all others, as to an unknown address */
TEST(test_an_unplugged_port_has_no_address, struct world *w, IN_OWN)
{
	deliver(w, 0, broadcast, other);
	expect(w, 0, 1, 1, 1);
	/* A frame that is on its way does not bring the address back */
	send(w, 0, broadcast, other);
	switch_plug(&w->port[0].port, false);
	assert_null(switch_lookup(&w->sw, mac[0]));
	assert_null(switch_lookup(&w->sw, other));
	assert_false(switch_is_local(&w->sw, mac[0]));
	switch_run(&w->sw, 10);
	expect(w, 0, 2, 2, 2);
	assert_null(switch_lookup(&w->sw, other));
	send(w, 2, mac[0], mac[2]);
	deliver(w, 2, broadcast, mac[2]);
	expect(w, 0, 4, 2, 4);
	assert_int_equal(w->port[0].port.stats.drops, 2);
	/* It sends nothing */
	send(w, 0, broadcast, mac[0]);
	assert_int_equal(switch_run(&w->sw, 10), 0);
	switch_plug(&w->port[0].port, true);
	expect_at(w, mac[0], 0);
	deliver(w, 2, mac[0], mac[2]);
	expect(w, 1, 4, 2, 4);
}

/* An address that the unplugged card had taken goes back to its own card */
TEST(test_an_unplugged_port_gives_an_address_back, struct world *w, IN_OWN)
{
	deliver(w, 1, broadcast, mac[0]);
	switch_plug(&w->port[1].port, false);
	expect_at(w, mac[0], 0);
}

/* Others than its receiver cannot read a local frame */
TEST(test_a_local_frame_is_not_flooded, struct world *w, IN_OWN)
{
	send_flags(w, 1, mac[0], mac[1], FRAME_LOCAL);
	switch_plug(&w->port[0].port, false);
	switch_run(&w->sw, 10);
	expect(w, 0, 0, 0, 0);
	assert_int_equal(w->sw.stats.local_leaks, 1);
}

TEST(test_many_addresses_push_out_no_fixed_one, struct world *w, IN_OWN)
{
	uint8_t src[MAC_LEN] = { 2 };
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		memcpy(src + 2, &i, sizeof(i));
		send(w, 2, mac[1], src);
		switch_run(&w->sw, 1);
	}
	assert_true(switch_is_local(&w->sw, mac[0]));
	assert_true(switch_is_local(&w->sw, mac[1]));
	expect_at(w, src, 2);
}

/* [ORNIC-WIRE-5] A packet to the guest of a guest must be bytes */
TEST(test_learned_address_is_not_local, struct world *w, IN_OWN)
{
	uint8_t src[MAC_LEN] = { 2, 9 };

	assert_true(switch_is_local(&w->sw, mac[0]));
	deliver(w, 0, mac[1], src);
	expect_at(w, src, 0);
	assert_false(switch_is_local(&w->sw, src));
}

TEST(test_multicast_source_is_not_learned, struct world *w, IN_OWN)
{
	deliver(w, 2, mac[0], broadcast);
	assert_null(switch_lookup(&w->sw, broadcast));
}

TEST(test_same_address_twice_is_refused, struct world *w, IN_OWN)
{
	struct fake_port twin = { .port.ops = &fake_ops };

	memcpy(twin.port.mac, mac[0], MAC_LEN);
	assert_int_equal(switch_add_port(&w->sw, &twin.port), -EEXIST);
	assert_null(twin.port.sw);
}

/* [ORNIC-LOOP-5] Nothing goes back to its port, as with other switches */
TEST(test_nothing_goes_back, struct world *w, IN_OWN)
{
	send(w, 0, mac[0], mac[0]);
	send(w, 2, broadcast, mac[2]);
	switch_run(&w->sw, 2);
	deliver(w, 2, mac[2], mac[2]);
	expect(w, 1, 1, 0, 1);
	assert_int_equal(w->sw.stats.filtered, 2);
}

/* [ORNIC-LOOP-5] Frames that a card loops back are not on the wire */
TEST(test_looped_frames_are_for_their_card_alone, struct world *w, IN_OWN)
{
	unsigned int i;

	for (i = 0; i < FAULT_KINDS; i++)
		w->sw.fault.ppm[i] = FAULT_ALWAYS;
	for (i = 0; i < 2; i++)
		send_flags(w, 0, i ? mac[1] : other, mac[3], FRAME_LOOPED);
	switch_run(&w->sw, 10);
	expect(w, 2, 0, 0, 0);
	assert_null(switch_lookup(&w->sw, mac[3]));
	for (i = 0; i < FAULT_KINDS; i++)
		assert_int_equal(w->sw.fault.count[i], 0);
}

TEST(test_runts_are_dropped, struct world *w, IN_OWN)
{
	struct frame *frame = make(&w->port[0].port, broadcast, mac[0]);

	frame->hdr_len = 13;
	switch_tx(&w->port[0].port, frame);
	switch_run(&w->sw, 10);
	expect(w, 0, 0, 0, 0);
	assert_int_equal(w->sw.stats.runts, 1);
}

TEST(test_local_frames_never_leave, struct world *w, IN_OWN)
{
	send_flags(w, 0, broadcast, mac[0], FRAME_LOCAL);
	switch_run(&w->sw, 10);
	expect(w, 0, 1, 0, 0);
	assert_int_equal(w->sw.stats.local_leaks, 2);
}

/* Frames of a batch with a hint are announced before the first is delivered */
TEST(test_frames_with_a_hint_are_announced, struct world *w, IN_OWN)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		send_flags(w, 0, mac[1], mac[0], i ? FRAME_LOCAL : 0);
	switch_run(&w->sw, 1);
	assert_int_equal(w->port[1].soon, 0);
	switch_run(&w->sw, 1);
	assert_int_equal(w->port[1].rx, 2);
	for (i = 0; i < 2; i++)
		send_flags(w, 0, mac[1], mac[0], i ? FRAME_LOCAL : 0);
	w->port[1].soon_at_rx = 0;
	switch_run(&w->sw, 3);
	assert_int_equal(w->port[1].rx, 5);
	assert_int_equal(w->port[1].soon, 2);
	assert_int_equal(w->port[1].soon_at_rx, 2);
}

TEST(test_is_local_says_no_when_bytes_are_forced, struct world *w, IN_OWN)
{
	assert_true(switch_is_local(&w->sw, mac[1]));
	assert_false(switch_is_local(&w->sw, other));
	assert_false(switch_is_local(&w->sw, broadcast));
	w->sw.bytes = true;
	assert_false(switch_is_local(&w->sw, mac[1]));
}

TEST(test_one_port_cannot_take_all_frames, struct world *w, IN_OWN)
{
	unsigned int i;

	for (i = 0; i < SWITCH_PORT_FRAMES; i++)
		send(w, 0, mac[1], mac[0]);
	assert_null(switch_frame_alloc(&w->port[0].port));
	assert_int_equal(w->port[0].port.stats.no_frame, 1);
	send(w, 2, mac[1], mac[2]);
	switch_run(&w->sw, 1000);
	assert_int_equal(w->port[1].rx, SWITCH_PORT_FRAMES + 1);
	send(w, 0, mac[1], mac[0]);
}

/* Send all that a port may have queued; return the bytes of payload */
static uint64_t send_large(struct world *w)
{
	static const uint8_t payload[1u << 20];
	struct frame *frame;
	uint64_t bytes = 0;

	while ((frame = switch_frame_alloc(&w->port[0].port))) {
		memcpy(frame->hdr, mac[1], MAC_LEN);
		memcpy(frame->hdr + MAC_LEN, mac[0], MAC_LEN);
		frame->hdr_len = 60;
		assert_int_equal(frame_add(frame, payload, sizeof(payload)), 0);
		bytes += sizeof(payload);
		switch_tx(&w->port[0].port, frame);
	}
	return bytes;
}

/* Delivery copies payload, and one turn delivers the whole queue */
TEST(test_one_port_cannot_queue_any_number_of_bytes, struct world *w, IN_OWN)
{
	assert_true(send_large(w) <= SWITCH_PORT_BYTES);
	assert_null(switch_frame_alloc(&w->port[0].port));
	send(w, 2, mac[1], mac[2]);
	switch_run(&w->sw, 1000);
	/* The limit is the same after delivery, flush and loss */
	assert_int_equal(send_large(w), SWITCH_PORT_BYTES);
	switch_flush(&w->port[0].port);
	assert_int_equal(send_large(w), SWITCH_PORT_BYTES);
	w->sw.fault.ppm[FAULT_LOSS] = FAULT_ALWAYS;
	switch_run(&w->sw, 1000);
	assert_int_equal(send_large(w), SWITCH_PORT_BYTES);
	assert_int_equal(w->port[0].port.queued, SWITCH_PORT_BYTES);
}

TEST(test_budget_bounds_two_that_answer_each_other, struct world *w, IN_OWN)
{
	w->port[0].reply_to = mac[1];
	w->port[1].reply_to = mac[0];
	send(w, 0, mac[1], mac[0]);
	assert_int_equal(switch_run(&w->sw, 100), 100);
	switch_flush(&w->port[0].port);
	assert_true(list_empty(&w->port[0].port.queue));
}

static bool allow_all_but_first(void *arg, struct port *port)
{
	struct world *w = arg;

	return port != &w->port[0].port;
}

/* Packets that must wait keep their order, and those of other ports pass */
TEST(test_port_that_is_not_allowed_waits, struct world *w, IN_OWN)
{
	w->sw.allow = allow_all_but_first;
	w->sw.allow_arg = w;
	send(w, 0, mac[1], mac[0]);
	send(w, 1, mac[0], mac[1]);
	assert_int_equal(switch_run(&w->sw, 10), 1);
	expect(w, 1, 0, 0, 0);
	assert_false(list_empty(&w->sw.sending));
	w->sw.allow = NULL;
	assert_int_equal(switch_run(&w->sw, 10), 1);
	expect(w, 1, 1, 0, 0);
	assert_true(list_empty(&w->sw.sending));
}

static void count_pay(void *arg, struct port *port)
{
	struct world *w = arg;

	w->paid[port == &w->port[1].port]++;
}

/* [ORNIC-ISO-4] The port that demanded a response pays, named once for all in a row */
TEST(test_payer_of_packets, struct world *w, IN_OWN)
{
	struct frame *frame;
	unsigned int i;

	w->sw.pay = count_pay;
	w->sw.allow_arg = w;
	for (i = 0; i < 4; i++) {
		send(w, 0, mac[1], mac[0]);
		frame = list_entry(w->port[0].port.queue.prev, struct frame, node);
		if (i >= 2)
			frame->payer = &w->port[1].port;
	}
	assert_int_equal(switch_run(&w->sw, 10), 4);
	assert_int_equal(w->paid[0], 1);
	assert_int_equal(w->paid[1], 1);
	/* A flush names no payer, as it is part of other work */
	send(w, 0, mac[1], mac[0]);
	switch_flush(&w->port[0].port);
	assert_int_equal(w->paid[0], 1);
}

/* Packets of other ports pass a long queue */
TEST(test_ports_take_turns, struct world *w, IN_OWN)
{
	unsigned int i;

	for (i = 0; i < SWITCH_PORT_FRAMES; i++)
		send(w, 0, mac[1], mac[0]);
	send(w, 1, mac[0], mac[1]);
	switch_run(&w->sw, 8);
	switch_run(&w->sw, 8);
	assert_int_equal(w->port[0].rx, 1);
}

TEST(test_delayed_packet_of_a_port_that_is_not_allowed_waits, struct world *w, IN_OWN)
{
	w->sw.fault.ppm[FAULT_DELAY] = FAULT_ALWAYS;
	send(w, 0, mac[1], mac[0]);
	deliver(w, 1, mac[0], mac[1]);
	w->sw.allow = allow_all_but_first;
	w->sw.allow_arg = w;
	w->sw.now_ns += FAULT_DELAY_NS;
	switch_run(&w->sw, 10);
	expect(w, 1, 0, 0, 0);
	w->sw.allow = NULL;
	switch_run(&w->sw, 10);
	expect(w, 1, 1, 0, 0);
}

TEST(test_flush_delivers_what_can_be_delivered, struct world *w, IN_OWN)
{
	send(w, 0, mac[1], mac[0]);
	switch_flush(&w->port[0].port);
	expect(w, 0, 1, 0, 0);
	assert_int_equal(w->sw.stats.flush_drops, 0);
}

TEST(test_removed_port_leaves_nothing_behind, struct world *w, IN_OWN)
{
	send(w, 1, mac[0], mac[1]);
	switch_remove_port(&w->port[1].port);
	w->port[1].destroyed = true;
	assert_int_equal(switch_run(&w->sw, 10), 0);
	assert_null(switch_lookup(&w->sw, mac[1]));
	switch_remove_port(&w->port[1].port);
	switch_flush(&w->port[1].port);
}

/* The sender pays for what a removed port has demanded, also if that is late */
TEST(test_removed_port_pays_nothing, struct world *w, IN_OWN)
{
	unsigned int late;

	w->sw.pay = count_pay;
	w->sw.allow_arg = w;
	for (late = 0; late < 2; late++) {
		send(w, 0, mac[2], mac[0]);
		list_entry(w->port[0].port.queue.prev, struct frame, node)->payer =
			&w->port[1].port;
		w->sw.fault.ppm[FAULT_DELAY] = late ? 0 : FAULT_ALWAYS;
		if (!late)
			switch_run(&w->sw, 10);
	}
	w->paid[1] = 0;
	switch_remove_port(&w->port[1].port);
	w->port[1].destroyed = true;
	w->sw.now_ns += FAULT_DELAY_NS;
	assert_int_equal(switch_run(&w->sw, 10), 2);
	assert_int_equal(w->paid[1], 0);
	assert_int_equal(w->paid[0], 2);
}

TEST(test_loss_loses_all_or_about_half, struct world *w, IN_OWN)
{
	unsigned int i;

	w->sw.fault.ppm[FAULT_LOSS] = FAULT_ALWAYS;
	deliver(w, 0, mac[1], mac[0]);
	expect(w, 0, 0, 0, 0);
	w->sw.fault.ppm[FAULT_LOSS] = FAULT_ALWAYS / 2;
	for (i = 0; i < 1000; i++)
		deliver(w, 0, mac[1], mac[0]);
	assert_in_range(w->port[1].rx, 400, 600);
	assert_int_equal(w->sw.fault.count[FAULT_LOSS] + w->port[1].rx, 1001);
}

TEST(test_duplicate_delivers_twice, struct world *w, IN_OWN)
{
	w->sw.fault.ppm[FAULT_DUPLICATE] = FAULT_ALWAYS;
	deliver(w, 0, mac[1], mac[0]);
	expect(w, 0, 2, 0, 0);
}

TEST(test_reorder_ends_and_loses_nothing, struct world *w, IN_OWN)
{
	struct frame *frame;
	unsigned int i;

	w->sw.fault.ppm[FAULT_REORDER] = FAULT_ALWAYS;
	for (i = 0; i < 2; i++) {
		frame = make(&w->port[0].port, mac[1], mac[0]);
		frame->hdr[59] = i;
		switch_tx(&w->port[0].port, frame);
	}
	assert_int_equal(switch_run(&w->sw, 1), 1);
	expect(w, 0, 0, 0, 0);
	w->sw.fault.ppm[FAULT_REORDER] = 0;
	switch_run(&w->sw, 1);
	assert_int_equal(w->port[1].last[59], 1);
	switch_run(&w->sw, 1);
	expect(w, 0, 2, 0, 0);
	assert_int_equal(w->port[1].last[59], 0);
	/* With every frame reordered each run and each flush still ends */
	w->sw.fault.ppm[FAULT_REORDER] = FAULT_ALWAYS;
	send(w, 0, mac[1], mac[0]);
	send(w, 0, mac[1], mac[0]);
	switch_flush(&w->port[0].port);
	assert_true(list_empty(&w->sw.sending));
}

TEST(test_delay_delivers_a_copy_later, struct world *w, IN_OWN)
{
	struct frame *frame;
	char payload[] = "old";

	w->sw.now_ns = 1000;
	w->sw.fault.ppm[FAULT_DELAY] = FAULT_ALWAYS;
	frame = make(&w->port[0].port, mac[1], mac[0]);
	assert_int_equal(frame_add(frame, payload, sizeof(payload)), 0);
	switch_tx(&w->port[0].port, frame);
	assert_true(switch_next(&w->sw) == UINT64_MAX);
	switch_run(&w->sw, 10);
	expect(w, 0, 0, 0, 0);
	/* The sender may reuse its memory */
	memcpy(payload, "new", sizeof(payload));
	assert_true(switch_next(&w->sw) == 1000 + FAULT_DELAY_NS);
	w->sw.now_ns = 999 + FAULT_DELAY_NS;
	switch_run(&w->sw, 10);
	expect(w, 0, 0, 0, 0);
	w->sw.now_ns++;
	switch_run(&w->sw, 10);
	expect(w, 0, 1, 0, 0);
	assert_true(switch_next(&w->sw) == UINT64_MAX);
	assert_memory_equal(w->port[1].last + 60, "old", 4);
}

TEST(test_delayed_packets_are_overtaken, struct world *w, IN_OWN)
{
	w->sw.fault.ppm[FAULT_DELAY] = FAULT_ALWAYS;
	deliver(w, 0, mac[1], mac[0]);
	w->sw.fault.ppm[FAULT_DELAY] = 0;
	deliver(w, 0, mac[1], mac[0]);
	expect(w, 0, 1, 0, 0);
	w->sw.now_ns += FAULT_DELAY_NS;
	switch_run(&w->sw, 10);
	expect(w, 0, 2, 0, 0);
}

TEST(test_delayed_packets_have_a_bound_and_go_with_their_port, struct world *w, IN_OWN)
{
	unsigned int i;

	w->sw.fault.ppm[FAULT_DELAY] = FAULT_ALWAYS;
	for (i = 0; i < SWITCH_DELAYED_MAX + 3; i++)
		deliver(w, 0, mac[1], mac[0]);
	expect(w, 0, 3, 0, 0);
	switch_remove_port(&w->port[0].port);
	w->port[0].destroyed = true;
	assert_int_equal(w->sw.stats.flush_drops, SWITCH_DELAYED_MAX);
	w->sw.now_ns += FAULT_DELAY_NS;
	switch_run(&w->sw, 10);
	expect(w, 0, 3, 0, 0);
}

TEST(test_corrupt_flips_one_bit_behind_the_ethernet_header, struct world *w, IN_OWN)
{
	static const uint8_t zero[64];
	unsigned int i, at, bits;

	w->sw.fault.ppm[FAULT_CORRUPT] = FAULT_ALWAYS;
	for (i = 0; i < 1000; i++) {
		deliver(w, 0, mac[1], mac[0]);
		assert_memory_equal(w->port[1].last, mac[1], MAC_LEN);
		bits = 0;
		for (at = 12; at < 60; at++)
			bits += __builtin_popcount(w->port[1].last[at]);
		assert_int_equal(bits, 1);
		assert_memory_equal(w->port[1].last + 12, zero, 2);
	}
}

TEST(test_corrupt_leaves_local_frames_alone, struct world *w, IN_OWN)
{
	w->sw.fault.ppm[FAULT_CORRUPT] = FAULT_ALWAYS;
	send_flags(w, 0, mac[1], mac[0], FRAME_LOCAL);
	switch_run(&w->sw, 10);
	expect(w, 0, 1, 0, 0);
	assert_int_equal(w->sw.fault.count[FAULT_CORRUPT], 0);
}

TEST_MAIN("switch")
