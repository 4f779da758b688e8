// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Two clients of one process */
#include <stdio.h>
#include <unistd.h>

#include "card/card.h"
#include "defined.h"
#include "duo.h"
#include "haunt.h"
#include "queues/qp.h"
#include "secret.h"

#define DUO_SEED 0x9e3779b97f4a7c15ULL
/* Turns in which the cards need not become idle */
#define DUO_TURNS 64
#define DUO_SWITCH_BUDGET 1024
#define SECRET_SEND 4096

struct duo duo;

/* ---- environment of the cards ---- */

static struct seat *env_to_seat(struct env *env)
{
	return &duo.seat[env != &duo.seat[0].f.host->env];
}

static struct frame *duo_frame_alloc(struct env *env)
{
	return switch_frame_alloc(&env_to_seat(env)->port);
}

static void duo_frame_free(struct env *env, struct frame *frame)
{
	switch_frame_free(&env_to_seat(env)->port, frame);
}

static void duo_tx(struct env *env, struct frame *frame)
{
	switch_tx(&env_to_seat(env)->port, frame);
}

static void duo_tx_flush(struct env *env)
{
	switch_flush(&env_to_seat(env)->port);
}

static bool duo_peer_is_local(struct env *env, const uint8_t *mac)
{
	(void)env;
	return switch_is_local(&duo.sw, mac);
}

static bool duo_path_is_full(struct env *env, const uint8_t *mac)
{
	(void)env;
	return switch_is_full(&duo.sw, mac);
}

static void duo_want_bytes(struct env *env, bool want)
{
	env_to_seat(env)->port.bytes = want;
}

static void duo_fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

static void duo_rx(struct port *port, const struct frame *frame)
{
	if (port == &duo.seat[0].port && secret_is_in_frame(frame))
		duo_fail("a frame to the first client has secret memory");
	card_rx(duo.seat[port == &duo.seat[1].port].f.host->card, frame);
}

static void duo_room(struct port *port)
{
	card_room(duo.seat[port == &duo.seat[1].port].f.host->card);
}

static void duo_outside_rx(struct port *port, const struct frame *frame)
{
	(void)port;
	if (secret_is_in_frame(frame))
		duo_fail("a frame to the outside has secret memory");
}

static void duo_port_destroy(struct port *port)
{
	(void)port;
}

static const struct port_ops duo_port_ops = {
	.rx = duo_rx,
	.room = duo_room,
	.destroy = duo_port_destroy,
};

static const struct port_ops duo_outside_ops = {
	.rx = duo_outside_rx,
	.destroy = duo_port_destroy,
};

static void duo_tap(void *arg, const struct frame *frame)
{
	(void)arg;
	check_defined_frame(frame);
	if (frame->src == &duo.seat[0].port && secret_is_in_frame(frame))
		duo_fail("a frame of the first client has secret memory");
}

/* Let the wire and the second card work. Return: whether there was work. */
static bool duo_others_run(void)
{
	struct host *first = duo.seat[0].f.host, *second = duo.seat[1].f.host;
	bool any;

	if (second->now_ns < first->now_ns)
		second->now_ns = first->now_ns;
	duo.sw.now_ns = second->now_ns;
	any = switch_run(&duo.sw, DUO_SWITCH_BUDGET);
	any |= timers_run(&second->timers, second->now_ns);
	any |= card_run(second->card);
	any |= switch_run(&duo.sw, DUO_SWITCH_BUDGET);
	return any;
}

/* Called after each turn of the first card */
static void duo_wire(void *arg)
{
	(void)arg;
	duo_others_run();
}

static bool duo_run(void)
{
	bool any = card_run(duo.seat[0].f.host->card);

	return duo_others_run() || any;
}

/* As the program does before memory goes away: frames may refer to it */
static void duo_flush(struct mem *mem)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (duo.seat[i].f.host && mem == &duo.seat[i].f.host->mem)
			switch_flush(&duo.seat[i].port);
}

/* ---- the clients ---- */

static void duo_sit(struct seat *seat, const struct card_config *as,
		    const char *name, uint8_t mac_tail)
{
	static struct env_ops ops;
	struct host *host;

	fuzz_begin(&seat->f, as, DUO_SEED, mac_tail);
	fuzz_raise_all(&seat->f);
	host = seat->f.host;
	ops = *host->env.ops;
	ops.frame_alloc = duo_frame_alloc;
	ops.frame_free = duo_frame_free;
	ops.tx = duo_tx;
	ops.tx_flush = duo_tx_flush;
	ops.peer_is_local = duo_peer_is_local;
	ops.path_is_full = duo_path_is_full;
	ops.want_bytes = duo_want_bytes;
	assert_true(list_empty(&host->wire));
	host->env.ops = &ops;
	host->wire_run = duo_wire;
	seat->port.ops = &duo_port_ops;
	seat->port.name = name;
	seat->port.is_card = true;
	memcpy(seat->port.mac, host->mac, MAC_LEN);
	assert_int_equal(switch_add_port(&duo.sw, &seat->port), 0);
}

static void duo_connect(struct host *host, unsigned int n)
{
	struct ornic_modify_qp_in in = {
		.qpn = htole32(duo.self[n].num),
		.attr = { .path_mtu = 5,
			  .dest_qpn = htole32(duo.self[!n].num),
			  .max_rd_atomic = 4, .max_dest_rd_atomic = 4,
			  .timeout = 8, .retry_cnt = 3, .rnr_retry = 3,
			  .min_rnr_timer = 1 },
	};
	unsigned int state;

	fuzz_av(&duo.seat[1].f, &in.attr.av);
	for (state = ORNIC_QPS_INIT; state <= ORNIC_QPS_RTS; state++) {
		in.attr.state = state;
		in.mask = htole32(pair_mask(ORNIC_QPT_RC, state));
		assert_int_equal(host_cmd_in(host, ORNIC_CMD_MODIFY_QP, &in),
				 ORNIC_CMD_OK);
	}
}

/* Give the second client secret memory, and QPs that send it to itself */
static void duo_give_secret(struct host *host)
{
	uint32_t pdn = host_pd(host), eqn = duo.seat[1].f.eq.num;
	unsigned int n;

	assert_int_equal(mem_map(&host->mem, DUO_SECRET_ADDR, SECRET_SIZE,
				 MEM_READ | MEM_WRITE, secret_fd(), 0), 0);
	duo.secret_key = host_mr(host, pdn, DUO_SECRET_ADDR, SECRET_SIZE,
				 ORNIC_ACCESS_LOCAL_WRITE);
	duo.landing = host_alloc(host, SECRET_SEND, HOST_PAGE);
	duo.landing_key = host_mr(host, pdn, duo.landing, SECRET_SEND,
				  ORNIC_ACCESS_LOCAL_WRITE);
	duo.self_uctx = host_uctx(host, 0, 0);
	host_cq(host, &duo.self_cq, duo.self_uctx, eqn, 6, 6);
	for (n = 0; n < 2; n++)
		host_qp(host, &duo.self[n], ORNIC_QPT_RC, duo.self_uctx, pdn,
			&duo.self_cq, 0);
	for (n = 0; n < 2; n++)
		duo_connect(host, n);
}

static void duo_send_secret(struct host *host)
{
	struct host_qp *from = &duo.self[0], *to = &duo.self[1];
	struct {
		struct ornic_rq_hdr hdr;
		struct ornic_sge sge;
	} recv = {
		.hdr.ctrl = htole32(1),
		.sge = { htole64(duo.landing), htole32(SECRET_SEND),
			 htole32(duo.landing_key) },
	};
	struct {
		struct ornic_sq_hdr hdr;
		struct ornic_route_rc route;
		struct ornic_sge sge;
	} send = {
		.hdr.ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_SEND, 0, 48)),
		.sge = { htole64(DUO_SECRET_ADDR), htole32(SECRET_SEND),
			 htole32(duo.secret_key) },
	};

	memcpy(host_ptr(host, to->rq + ((to->rq_pi++ & 63) << 5)), &recv,
	       sizeof(recv));
	guest_store32(&host_qp_dbr(to)->rq_pi, to->rq_pi);
	memcpy(host_ptr(host, from->sq + (from->sq_pi++ & 63) * 64), &send,
	       sizeof(send));
	guest_store32(&host_qp_dbr(from)->sq_pi, from->sq_pi);
	host_doorbell(host, duo.self_uctx, ORNIC_DB_SQ, from->num,
		      from->sq_pi);
	while (host_queue_peek(&duo.self_cq))
		host_queue_consume(&duo.self_cq);
}

void duo_begin(const struct card_config *as, const uint8_t *data, size_t len)
{
	memset(&duo, 0, sizeof(duo));
	switch_init(&duo.sw);
	duo.sw.tap = duo_tap;
	haunt_flush = duo_flush;
	duo_sit(&duo.seat[0], as, "first", 1);
	duo_sit(&duo.seat[1], NULL, "second", 2);
	duo.outside.ops = &duo_outside_ops;
	duo.outside.name = "outside";
	assert_int_equal(switch_add_port(&duo.sw, &duo.outside), 0);
	duo_give_secret(duo.seat[1].f.host);
	duo.seat[0].f.host->hostile = true;
	duo.seat[0].f.input = data;
	duo.seat[0].f.left = len;
}

void duo_step(void)
{
	struct fuzz *second = &duo.seat[1].f;
	unsigned int turns = DUO_TURNS;

	/* Requests of the second client may be meant for the first one */
	second->dmac = duo.seat[one_in(second, 2)].f.host->mac;
	switch (below(second, 4)) {
	case 0:
		duo_send_secret(second->host);
		break;
	case 1:
		fuzz_consume(second);
		fuzz_post_recv(second);
		break;
	case 2:
		fuzz_raise(second);
		break;
	default:
		fuzz_post_send(second);
	}
	while (turns-- && duo_run())
		continue;
}

/* Check the pages of a file that exist, through the mapping of the card */
static void duo_check_region(const struct mem_region *region, int fd,
			     uint64_t offset)
{
	off_t at = offset, end = offset + region->len, hole;

	for (;; at = hole) {
		at = lseek(fd, at, SEEK_DATA);
		if (at < 0 || at >= end)
			return;
		hole = lseek(fd, at, SEEK_HOLE);
		if (hole > end)
			hole = end;
		check_defined(region->host + (at - offset), hole - at);
		if (secret_is_in(region->host + (at - offset), hole - at))
			duo_fail("memory of the first client has secret memory");
	}
}

void duo_check_memory(struct host *host)
{
	unsigned int i;

	for (i = 0; i < host->mem.count; i++) {
		const struct mem_region *region = &host->mem.region[i];

		if (region->start >= HOST_RAM_BASE &&
		    region->start < HOST_RAM_BASE + HOST_RAM_SIZE)
			duo_check_region(region, host->fd,
					 region->start - HOST_RAM_BASE);
		else if (region->host && region->start != DUO_SECRET_ADDR &&
			 secret_is_in(region->host, region->len))
			duo_fail("a file of the first client has secret memory");
	}
}

void duo_end(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		switch_flush(&duo.seat[i].port);
	duo_check_memory(duo.seat[0].f.host);
	for (i = 0; i < 2; i++) {
		host_destroy(duo.seat[i].f.host);
		switch_remove_port(&duo.seat[i].port);
	}
	switch_remove_port(&duo.outside);
	secret_check();
}
