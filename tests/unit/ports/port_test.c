// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A port to the outside: whose reader is slow, so that NICs must wait, and whose
 * packets are not the peer's; and the event loop that runs it ([ORNIC-WIRE-6])
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/loop.h"
#include "ports/port_fd.h"
#include "unit.h"

#define FRAME_LEN 60

struct world {
	struct loop loop;
	struct log log;
	struct port_fd_config config;
	char dir[32];
	char here[64];
	char there[64];
	int peer;
	struct port card;
	unsigned int rooms;
	uint32_t sent;
	uint32_t got;
};

static const uint8_t card_mac[MAC_LEN] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t peer_mac[MAC_LEN] = { 2, 0, 0, 0, 0, 2 };
static const uint8_t other_mac[MAC_LEN] = { 2, 0, 0, 0, 0, 3 };
static const uint8_t third_mac[MAC_LEN] = { 2, 0, 0, 0, 0, 4 };

static void card_rx_frame(struct port *port, const struct frame *frame)
{
}

static void card_has_room(struct port *port)
{
	container_of(port, struct world, card)->rooms++;
}

static void card_gone(struct port *port)
{
}

static const struct port_ops card_ops = {
	.rx = card_rx_frame,
	.room = card_has_room,
	.destroy = card_gone,
};

static void turn(struct world *w)
{
	assert_int_equal(loop_turn(&w->loop), 0);
}

/* A packet from @fd to the port, from @source to the card; return its place in the switch */
static struct port *hear(struct world *w, int fd, const uint8_t *source)
{
	struct sockaddr_un slot = { .sun_family = AF_UNIX };
	uint8_t hello[FRAME_LEN] = {};

	memcpy(hello, card_mac, MAC_LEN);
	memcpy(hello + MAC_LEN, source, MAC_LEN);
	strcpy(slot.sun_path, w->here);
	assert_int_equal(sendto(fd, hello, sizeof(hello), 0, (void *)&slot,
				sizeof(slot)), sizeof(hello));
	turn(w);
	switch_run(&w->loop.sw, 16);
	return switch_lookup(&w->loop.sw, source);
}

/* config: of the port, or NULL */
static int setup_with(void **state, const struct port_fd_config *config)
{
	struct world *w = calloc(1, sizeof(*w));
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	assert_non_null(w);
	if (config)
		w->config = *config;
	strcpy(w->dir, "/tmp/ornic-port-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->here, sizeof(w->here), "%s/here", w->dir);
	snprintf(w->there, sizeof(w->there), "%s/there", w->dir);
	/* A loop that never spins, so that each turn polls the descriptors */
	assert_int_equal(loop_init(&w->loop, 0), 0);
	assert_int_equal(port_dgram_create(&w->loop, &w->log, w->here, w->there,
					   &w->config), 0);
	w->card.ops = &card_ops;
	w->card.name = "nic";
	w->card.is_card = true;
	memcpy(w->card.mac, card_mac, MAC_LEN);
	assert_int_equal(switch_add_port(&w->loop.sw, &w->card), 0);

	w->peer = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	assert_true(w->peer >= 0);
	strcpy(addr.sun_path, w->there);
	assert_int_equal(bind(w->peer, (void *)&addr, sizeof(addr)), 0);
	/* Let the switch learn the port of the peer */
	assert_non_null(hear(w, w->peer, peer_mac));
	*state = w;
	return 0;
}

static int setup(void **state)
{
	return setup_with(state, NULL);
}

static int setup_checked(void **state)
{
	struct port_fd_config config = {
		.spoofcheck = { .on = true, .permitted_count = 1 },
	};

	memcpy(config.mac, peer_mac, MAC_LEN);
	memcpy(config.spoofcheck.permitted[0], other_mac, MAC_LEN);
	return setup_with(state, &config);
}

static int teardown(void **state)
{
	struct world *w = *state;

	loop_uninit(&w->loop);
	close(w->peer);
	unlink(w->there);
	assert_int_equal(rmdir(w->dir), 0);
	free(w);
	return 0;
}

static struct port *outside(struct world *w)
{
	return switch_lookup(&w->loop.sw, peer_mac);
}

static void send_to(struct world *w, const uint8_t *mac)
{
	struct frame *frame = switch_frame_alloc(&w->card);

	assert_non_null(frame);
	memcpy(frame->hdr, mac, MAC_LEN);
	memcpy(frame->hdr + MAC_LEN, card_mac, MAC_LEN);
	memcpy(frame->hdr + FRAME_LEN - 4, &w->sent, 4);
	frame->hdr_len = FRAME_LEN;
	switch_tx(&w->card, frame);
	w->sent++;
}

static void send_one(struct world *w)
{
	send_to(w, peer_mac);
}

/* Send as a NIC does, until the port is full */
static void fill(struct world *w)
{
	unsigned int sent = w->sent;

	while (!switch_is_full(&w->loop.sw, peer_mac)) {
		send_one(w);
		switch_run(&w->loop.sw, 1);
		assert_true(w->sent - sent < 1000);
	}
}

/* Read all frames at the peer and check their order */
static void read_all(struct world *w)
{
	uint8_t bytes[FRAME_LEN];

	while (recv(w->peer, bytes, sizeof(bytes), 0) == FRAME_LEN) {
		assert_memory_equal(bytes + FRAME_LEN - 4, &w->got, 4);
		w->got++;
	}
}

static void later(struct world *w, uint64_t ns)
{
	w->loop.now_ns += ns;
	timers_run(&w->loop.timers, w->loop.now_ns);
}

TEST(test_full_port_loses_nothing, struct world *w, IN_OWN)
{
	unsigned int i, steps;

	fill(w);
	/* Frames that the NIC has already sent */
	for (i = 0; i < SWITCH_PORT_FRAMES; i++)
		send_one(w);
	switch_run(&w->loop.sw, SWITCH_PORT_FRAMES);
	later(w, PORT_FD_RETRY_MIN_NS * 2);
	assert_int_equal(w->rooms, 0);
	for (steps = 0; w->got < w->sent; steps++) {
		assert_true(steps < 1000);
		/* The NIC is not notified of room too early */
		if (w->rooms)
			assert_true(w->sent - w->got < 2 * PORT_FD_FULL);
		read_all(w);
		later(w, PORT_FD_RETRY_MAX_NS);
	}
	assert_int_equal(w->rooms, 1);
	assert_false(switch_is_full(&w->loop.sw, peer_mac));
	assert_int_equal(outside(w)->stats.drops, 0);
	/* The port fills again */
	fill(w);
	assert_true(switch_is_full(&w->loop.sw, peer_mac));
}

/* A reader that stopped does not block NICs for ever, and may come back */
TEST(test_reader_that_stopped, struct world *w, IN_OWN)
{
	uint32_t i, sent;
	uint64_t waited;

	fill(w);
	for (waited = 0; !w->rooms; waited += PORT_FD_RETRY_MAX_NS) {
		assert_true(waited < 2 * PORT_FD_STALL_NS);
		later(w, PORT_FD_RETRY_MAX_NS);
	}
	assert_true(waited >= PORT_FD_STALL_NS / 2);
	assert_int_equal(outside(w)->stats.drops, 0);
	/* A bounded number of frames waits, and NICs do not */
	for (i = 0; i < 2 * PORT_FD_WAITING; i++) {
		send_one(w);
		switch_run(&w->loop.sw, 1);
		assert_false(switch_is_full(&w->loop.sw, peer_mac));
	}
	assert_in_range(outside(w)->stats.drops, PORT_FD_WAITING / 2,
			2 * PORT_FD_WAITING);
	sent = w->sent - outside(w)->stats.drops;
	for (i = 0; w->got < sent; i++) {
		assert_true(i < 1000);
		read_all(w);
		later(w, PORT_FD_STALL_RETRY_NS);
	}
	assert_int_equal(w->got, sent);
	assert_true(timers_next(&w->loop.timers) == TIMER_NEVER);
	fill(w);
	assert_true(switch_is_full(&w->loop.sw, peer_mac));
}

/* A reader that takes all waiting packets at once does not hold up the loop */
TEST(test_retry_is_bounded, struct world *w, IN_OWN)
{
	struct port_fd *pfd;
	unsigned int i, before, most = 0;
	struct port *port;
	int fd[2];

	assert_int_equal(pipe2(fd, O_NONBLOCK), 0);
	assert_int_equal(port_fd_create(&w->loop, "pipe", fd[1],
					&(struct port_fd_config){}, &pfd), 0);
	port = &pfd->port;
	for (i = 0; pfd->waiting.count < PORT_FD_WAITING; i++) {
		struct frame *frame = switch_frame_alloc(&w->card);

		assert_true(i < 10000);
		frame->hdr_len = FRAME_LEN;
		frame->flags = 0;
		port->ops->rx(port, frame);
		switch_frame_free(&w->card, frame);
	}
	assert_true(fcntl(fd[1], F_SETPIPE_SZ, 1 << 20) > 0);
	while (pfd->waiting.count) {
		before = pfd->waiting.count;
		later(w, PORT_FD_STALL_RETRY_NS / 100);
		assert_true(pfd->waiting.count < before);
		if (before - pfd->waiting.count > most)
			most = before - pfd->waiting.count;
	}
	assert_in_range(most, 1, PORT_FD_FULL);
	close(fd[0]);
}

/* Frames that go to all ports wait for none of them, and nobody waits because of them */
TEST(test_groups_and_strangers_do_not_wait, struct world *w, IN_OWN)
{
	static const uint8_t group[MAC_LEN] = { 1, 0, 0x5e, 0, 0, 1 };
	static const uint8_t stranger[MAC_LEN] = { 2, 0, 0, 0, 0, 9 };
	struct port_fd *pfd = container_of(outside(w), struct port_fd, port);
	unsigned int i;

	for (i = 0; pfd->port.stats.drops == 0; i++) {
		assert_true(i <= 2 * PORT_FD_FLOODS);
		send_to(w, i % 2 ? group : stranger);
		switch_run(&w->loop.sw, 1);
		assert_false(switch_is_full(&w->loop.sw, peer_mac));
	}
	w->sent--;
	assert_int_equal(pfd->waiting.floods, PORT_FD_FLOODS);
	fill(w);
	assert_false(switch_is_full(&w->loop.sw, group));
	assert_false(switch_is_full(&w->loop.sw, stranger));
	/* All frames of the NIC, underway when the port becomes full */
	for (i = 0; i < SWITCH_PORT_FRAMES; i++)
		send_one(w);
	switch_run(&w->loop.sw, SWITCH_PORT_FRAMES);
	while (w->got < w->sent) {
		read_all(w);
		later(w, PORT_FD_RETRY_MIN_NS);
	}
	assert_int_equal(pfd->port.stats.drops, 1);
}

/* Time for which NICs were held back while the reader takes a packet each @every_ns */
static uint64_t held_back(struct world *w, uint64_t every_ns)
{
	uint8_t bytes[FRAME_LEN];
	uint64_t held = 0, left;

	for (left = 20ULL * PORT_FD_STALL_NS; left; left -= every_ns) {
		while (!switch_is_full(&w->loop.sw, peer_mac) &&
		       outside(w)->stats.drops < PORT_FD_WAITING) {
			send_one(w);
			switch_run(&w->loop.sw, 1);
		}
		held += switch_is_full(&w->loop.sw, peer_mac) ? every_ns : 0;
		(void)!recv(w->peer, bytes, sizeof(bytes), 0);
		later(w, every_ns);
	}
	return held;
}

/* A reader that takes a packet now and then has no more patience than one that stopped */
TEST(test_reader_that_drips, struct world *w, IN_OWN)
{
	assert_in_range(held_back(w, PORT_FD_STALL_NS / 10), 1, PORT_FD_STALL_NS);
	assert_in_range(outside(w)->stats.drops, 1, PORT_FD_WAITING);
}

/* Any process that may write to the socket could send; only the peer is heard */
TEST(test_packets_of_strangers_are_dropped, struct world *w, IN_OWN)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	assert_null(hear(w, fd, other_mac));
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/stranger", w->dir);
	assert_int_equal(bind(fd, (void *)&addr, sizeof(addr)), 0);
	assert_null(hear(w, fd, other_mac));
	assert_int_equal(outside(w)->stats.refused, 2);
	assert_ptr_equal(hear(w, w->peer, other_mac), outside(w));
	unlink(addr.sun_path);
	close(fd);
}

/* A port with an address sends with that and the permitted ones, and keeps it */
TEST(test_sources_are_checked, struct world *w, IN(setup_checked, teardown))
{
	struct port_fd_config any = {};
	struct port_fd *pfd;
	uint8_t frame[FRAME_LEN] = {};
	int fds[2];

	assert_ptr_equal(hear(w, w->peer, other_mac), outside(w));
	assert_null(hear(w, w->peer, third_mac));
	assert_int_equal(outside(w)->stats.refused, 1);

	/* Another port does not get the address by sending with it */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0,
				    fds), 0);
	assert_int_equal(port_fd_create(&w->loop, "other", fds[1], &any, &pfd), 0);
	memcpy(frame, card_mac, MAC_LEN);
	memcpy(frame + MAC_LEN, peer_mac, MAC_LEN);
	assert_int_equal(write(fds[0], frame, sizeof(frame)), sizeof(frame));
	turn(w);
	switch_run(&w->loop.sw, 16);
	assert_int_equal(pfd->port.stats.tx_packets, 1);
	assert_ptr_not_equal(outside(w), &pfd->port);
	close(fds[0]);
}

struct order {
	struct loop *loop;
	struct loop_fd lfd;
	struct timer timer;
	unsigned int packets;
	bool fired;
};

static void order_ready(struct loop_fd *lfd, uint32_t events)
{
	struct order *order = container_of(lfd, struct order, lfd);

	assert_false(order->fired);
	order->packets++;
	loop_remove_fd(order->loop, lfd);
}

static void order_timer(struct timer *timer)
{
	struct order *order = container_of(timer, struct order, timer);

	assert_int_equal(order->packets, 1);
	order->fired = true;
}

/* A process that was not scheduled reads packets before it runs timers */
TEST(test_packets_before_timers, struct world *w, IN_OWN)
{
	struct order order = { .loop = &w->loop };
	const uint64_t one = 1;
	unsigned int turns;

	order.lfd.fd = eventfd(0, EFD_NONBLOCK);
	order.lfd.ready = order_ready;
	assert_true(order.lfd.fd >= 0);
	assert_int_equal(loop_add_fd(&w->loop, &order.lfd, EPOLLIN), 0);
	timer_init(&order.timer, order_timer);
	timer_arm(&w->loop.timers, &order.timer, loop_clock_ns() + 1000);
	assert_int_equal(write(order.lfd.fd, &one, sizeof(one)), sizeof(one));
	while (loop_clock_ns() < timers_next(&w->loop.timers))
		continue;
	for (turns = 0; !order.fired; turns++) {
		assert_true(turns < 10);
		turn(w);
	}
	assert_int_equal(order.packets, 1);
	close(order.lfd.fd);
}

TEST_MAIN("port")
