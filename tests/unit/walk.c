// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: walk send|frame|create_qp
 *
 * A walk of Documentation/architecture.rst through two cards with real clients.
 * It is compiled with --coverage, which counts what the walk enters, not what
 * prepares it: tests/documents/test_walks.py compares that with the text.
 */
#include <gcov.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/be.h"
#include "card/card.h"
#include "client.h"
#include "eth/headers.h"
#include "pair.h"
#include "ports/port_fd.h"

#define LEN 64

/* The linker passes writes of registers and doorbells through here */
void __real_card_bar_write(struct card *card, unsigned int bar, uint64_t offset,
			   unsigned int size, uint64_t val);
void __wrap_card_bar_write(struct card *card, unsigned int bar, uint64_t offset,
			   unsigned int size, uint64_t val);

static struct world *world;
static struct host *hosts[2];
static struct pair *pair;

/* Those of the host are messages of the client; those of the server are real */
void __wrap_card_bar_write(struct card *card, unsigned int bar, uint64_t offset,
			   unsigned int size, uint64_t val)
{
	static bool is_sent;
	unsigned int i = card == world->slot[1]->card;

	if (is_sent) {
		__real_card_bar_write(card, bar, offset, size, val);
		return;
	}
	is_sent = true;
	client_write(world, world->client[i], bar, offset, val, size);
	is_sent = false;
}

static void map_ram(unsigned int i)
{
	struct vfio_user_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_USER_MAP_READ | VFIO_USER_MAP_WRITE,
		.iova = HOST_RAM_BASE,
		.size = HOST_RAM_SIZE,
	};

	assert_int_equal(client_request(world, world->client[i],
					VFIO_USER_DMA_MAP, &map, sizeof(map),
					hosts[i]->fd), 0);
}

/* Two enabled cards; all interrupts have an eventfd */
static void begin(void)
{
	unsigned int i, vector;

	world_setup((void **)&world);
	for (i = 0; i < 2; i++) {
		hosts[i] = host_of(world->slot[i]->card);
		map_ram(i);
		for (vector = 0; vector < CARD_VECTORS_MAX; vector++)
			world->slot[i]->irq_fd[vector] = eventfd(0, EFD_NONBLOCK);
		host_enable(hosts[i]);
	}
	pair = pair_create_on(hosts[0], hosts[1], &pair_config_local);
}

/* Turn the loop until there is a completion, which must be a good one */
static void wait_for(struct host_queue *cq)
{
	const struct ornic_cqe *cqe;

	while (!host_queue_peek(cq))
		assert_int_equal(loop_turn(&world->loop), 0);
	cqe = host_queue_peek(cq);
	assert_int_equal(le32toh(cqe->status), ORNIC_WC_SUCCESS);
	host_queue_consume(cq);
}

static void arm(struct side *side)
{
	host_queue_arm(&side->eq, ORNIC_ARM_NEXT);
	host_queue_arm(&side->cq, ORNIC_ARM_NEXT);
}

static void walk_send(void)
{
	struct pair_wr wr;

	pair_qps(pair, ORNIC_QPT_RC, 0);
	pair_connect(pair);
	wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, LEN);
	pair_post_recv(B(pair), 1, B(pair)->addr, LEN);
	arm(B(pair));
	__gcov_reset();
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	wait_for(&B(pair)->cq);
	wait_for(&A(pair)->cq);
	__gcov_dump();
}

/* QP of the host's network stack on card 1 */
static void begin_netdev(struct side *side)
{
	struct ornic_rx_queues_in queues = {
		.count = htole32(1),
		.hash = htole32(ORNIC_HASH_IPV4 | ORNIC_HASH_UDP),
	};
	static const unsigned int states[] = {
		ORNIC_QPS_INIT, ORNIC_QPS_RTR, ORNIC_QPS_RTS,
	};
	unsigned int i;

	host_qp(side->host, &side->qp, ORNIC_QPT_RAW_PACKET, side->uctx, side->pdn,
		&side->cq, 0);
	for (i = 0; i < ARRAY_SIZE(states); i++)
		assert_int_equal(host_qp_modify(&side->qp, states[i]),
				 ORNIC_CMD_OK);
	queues.qpn[0] = htole32(side->qp.num);
	assert_int_equal(host_cmd_in(side->host, ORNIC_CMD_SET_RX_QUEUES, &queues),
			 ORNIC_CMD_OK);
}

/* A rule that the frame does not match */
static void begin_rule(struct side *side)
{
	struct ornic_create_flow_in in = {
		.qpn = htole32(side->qp.num),
		.flags = htole32(ORNIC_FLOW_DROP),
		.value.outer.dst_port = htobe16(9),
		.mask.outer.dst_port = 0xffff,
	};

	host_create_object(side->host, ORNIC_CMD_CREATE_FLOW, &in, sizeof(in));
}

static void make_udp(uint8_t *p)
{
	static const uint8_t macs[] = { 2, 0, 0, 0, 0, 1, 2, 9, 9, 9, 9, 9 };
	static const uint8_t ip[20] = { 0x45, 0, 0, 46, 1, 2, 0, 0, 64,
					17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };

	memset(p, 0, LEN);
	memcpy(p, macs, sizeof(macs));
	be_put16(p + 12, HEADERS_ETHERTYPE_IPV4);
	memcpy(p + 14, ip, sizeof(ip));
	be_put16(p + 38, 26);
}

static void walk_frame(void)
{
	struct side *side = B(pair);
	struct port_fd *port;
	uint8_t frame[LEN];
	int fds[2];

	begin_netdev(side);
	begin_rule(side);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0,
				    fds), 0);
	assert_int_equal(port_fd_create(&world->loop, "outside", fds[1], &port),
			 0);
	make_udp(frame);
	pair_post_recv(side, 1, side->addr, HOST_PAGE);
	arm(side);
	__gcov_reset();
	assert_int_equal(send(fds[0], frame, LEN, 0), LEN);
	wait_for(&side->cq);
	__gcov_dump();
	close(fds[0]);
}

static void walk_create_qp(void)
{
	struct side *side = A(pair);
	uint64_t board = host_alloc(side->host, HOST_PAGE, HOST_PAGE);
	uint32_t uctx = host_uctx(side->host, 0, board);
	struct host_qp qp;

	host_queue_arm(&side->eq, ORNIC_ARM_NEXT);
	__gcov_reset();
	host_qp(side->host, &qp, ORNIC_QPT_RC, uctx, side->pdn, &side->cq, 0);
	__gcov_dump();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*walk)(void);
	} walks[] = {
		{ "send", walk_send },
		{ "frame", walk_frame },
		{ "create_qp", walk_create_qp },
	};
	unsigned int i;

	for (i = 0; argc == 2 && i < ARRAY_SIZE(walks); i++) {
		if (strcmp(argv[1], walks[i].name))
			continue;
		begin();
		walks[i].walk();
		/* Not exit(), which would write the counts of what follows */
		_exit(0);
	}
	return 2;
}
