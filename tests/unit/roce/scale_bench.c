// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: scale_bench QPS MESSAGES
 *
 * Cost of a card per RDMA WRITE of 8 bytes, inline, on a QP that is chosen at random from so many,
 * with a constant number under way, as tests/e2e/guest/scale.c sends them. Two cards and the switch
 * run in this thread; only the turns of their loop are measured. Prints nanoseconds per WRITE, for
 * both cards together. Rings and records lie in memory as the driver places them.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "pair.h"

#define QPS_MAX 16000
#define WINDOW 32
#define LOG_SLOTS 6
#define LOG_CQE 7
#define SPIN_NS 1000000000
#define SEED 0x9e3779b97f4a7c15ULL

/*
 * Memory of the rings of a card, behind that of its host: by QP a send ring, and a page for the
 * receive ring of one WQE; then the records
 */
#define RINGS_BASE 0x40000000ULL
#define RINGS_PER_QP (2 * HOST_PAGE)
#define RECORDS_AT ((uint64_t)QPS_MAX * RINGS_PER_QP)
#define RINGS_SIZE (RECORDS_AT + QPS_MAX * sizeof(struct ornic_qp_dbr))
#define RECORD_AT(n) (RECORDS_AT + (n) * sizeof(struct ornic_qp_dbr))

/**
 * struct scale - two cards with connected QPs
 * @world: the loop, the cards and their clients
 * @host: memory and objects of each client
 * @pair: what the QPs of each card share
 * @rings: memory at RINGS_BASE of each card
 * @board: board of the sender
 * @uctx: context of that board
 * @cq: CQ of the sender
 * @qps: number of QPs
 * @qp: QPs of each card
 * @random: state of the random numbers
 * @turns_ns: time of all turns
 */
struct scale {
	struct world *world;
	struct host *host[2];
	struct pair *pair;
	char *rings[2];
	struct ornic_board *board;
	uint32_t uctx;
	struct host_queue cq;
	unsigned int qps;
	struct host_qp qp[2][QPS_MAX];
	uint64_t random;
	uint64_t turns_ns;
};

static void map(struct scale *scale, unsigned int i, uint64_t addr, uint64_t size, int fd)
{
	struct vfio_user_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_USER_MAP_READ | VFIO_USER_MAP_WRITE,
		.iova = addr,
		.size = size,
	};

	assert_int_equal(client_request(scale->world, scale->world->client[i], VFIO_USER_DMA_MAP,
					&map, sizeof(map), fd), 0);
}

static void make_host(struct scale *scale, unsigned int i)
{
	int fd = memfd_create("rings", MFD_CLOEXEC);

	scale->host[i] = host_of(scale->world->slot[i]->card);
	map(scale, i, HOST_RAM_BASE, HOST_RAM_SIZE, scale->host[i]->fd);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, RINGS_SIZE), 0);
	map(scale, i, RINGS_BASE, RINGS_SIZE, fd);
	close(fd);
	scale->rings[i] = mem_ptr(&scale->world->slot[i]->mem, RINGS_BASE, RINGS_SIZE, MEM_WRITE);
	assert_non_null(scale->rings[i]);
	host_enable(scale->host[i]);
}

static void make_qp(struct scale *scale, unsigned int i, unsigned int n)
{
	struct side *side = &scale->pair->side[i];
	uint64_t at = (uint64_t)n * RINGS_PER_QP;
	uint64_t addr = RINGS_BASE + at, used = side->host->used;
	struct ornic_create_qp_in in = {
		.uctx = htole32(i ? side->uctx : scale->uctx),
		.pdn = htole32(side->pdn),
		.send_cqn = htole32(i ? side->cq.num : scale->cq.num),
		.recv_cqn = htole32(side->cq.num),
		.flags = htole32(ORNIC_QP_SQ | ORNIC_QP_RQ),
		.type = ORNIC_QPT_RC,
		.log_sq_slots = LOG_SLOTS,
		.rq_stride_shift = ORNIC_RQ_STRIDE_SHIFT_MIN,
		.dbr_addr = htole64(RINGS_BASE + RECORD_AT(n)),
	};
	struct host_qp *qp = &scale->qp[i][n];
	struct ornic_create_qp_out out;

	memset(scale->rings[i] + at, 0, RINGS_PER_QP);
	host_buf(&in.sq, addr, ORNIC_SLOT_SIZE << LOG_SLOTS);
	host_buf(&in.rq, addr + HOST_PAGE, 1 << ORNIC_RQ_STRIDE_SHIFT_MIN);
	host_cmd_ok(side->host, ORNIC_CMD_CREATE_QP, &in, &out);
	qp->host = side->host;
	qp->num = le32toh(out.qpn);
	qp->slot = le32toh(out.slot);
	qp->uctx = le32toh(in.uctx);
	side->host->used = used;
}

static void connect_qp(struct scale *scale, unsigned int i, unsigned int n)
{
	struct side *side = &scale->pair->side[i], *peer = &scale->pair->side[!i];
	uint64_t used = side->host->used;
	struct ornic_qp_attr attr;

	side->qp = scale->qp[i][n];
	peer->qp = scale->qp[!i][n];
	attr = pair_attr(side, peer);
	attr.timeout = 14;
	pair_connect_side(side, &attr);
	side->host->used = used;
}

static void setup(struct scale *scale)
{
	unsigned int i, n;
	uint64_t board;

	world_setup((void **)&scale->world);
	for (i = 0; i < 2; i++) {
		make_host(scale, i);
		/* Longer than the time between two turns */
		spin_init(&scale->world->slot[i]->task.spin, SPIN_NS, loop_clock_ns());
		scale->world->slot[i]->task.spin.ns = SPIN_NS;
	}
	scale->pair = pair_create_on(scale->host[0], scale->host[1], &pair_config_local);
	board = host_alloc(scale->host[0], sizeof(struct ornic_board), HOST_PAGE);
	scale->board = host_ptr(scale->host[0], board);
	scale->uctx = host_uctx(scale->host[0], 0, board);
	host_cq(scale->host[0], &scale->cq, scale->uctx, A(scale->pair)->eq.num, LOG_CQE, 5);
	for (n = 0; n < scale->qps; n++)
		for (i = 0; i < 2; i++)
			make_qp(scale, i, n);
	for (n = 0; n < scale->qps; n++)
		for (i = 0; i < 2; i++)
			connect_qp(scale, i, n);
}

static void teardown(struct scale *scale)
{
	void *world = scale->world;
	unsigned int i;

	world_teardown(&world);
	for (i = 0; i < 2; i++)
		host_release(scale->host[i]);
	free(scale->pair);
}

static void post(struct scale *scale, unsigned int n)
{
	struct host_qp *qp = &scale->qp[0][n];
	char *rings = scale->rings[0] + (uint64_t)n * RINGS_PER_QP;
	struct ornic_qp_dbr *dbr = (void *)(scale->rings[0] + RECORD_AT(n));
	struct {
		struct ornic_sq_hdr hdr;
		struct ornic_route_rc route;
		uint64_t data;
	} wqe = {
		.hdr.ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_RDMA_WRITE, ORNIC_SEND_SIGNALED |
						  ORNIC_SEND_INLINE, sizeof(wqe))),
		.route.raddr = htole64(B(scale->pair)->addr),
		.route.rkey = htole32(B(scale->pair)->key),
	};

	memcpy(rings + (qp->sq_pi++ & ((1 << LOG_SLOTS) - 1)) * ORNIC_SLOT_SIZE, &wqe, sizeof(wqe));
	guest_store32(&dbr->sq_pi, qp->sq_pi);
	guest_fence();
	if (guest_load32(&dbr->sq_watched))
		return;
	guest_set64(&scale->board->bits[qp->slot / 64], 1ULL << qp->slot % 64);
	guest_set64(&scale->board->summary[qp->slot / 4096], 1ULL << qp->slot / 64 % 64);
	if (!guest_load32(&scale->board->awake))
		host_doorbell(qp->host, qp->uctx, ORNIC_DB_SQ, qp->num, qp->sq_pi);
}

static uint64_t work_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

static void turn(struct scale *scale)
{
	uint64_t begin = work_ns();

	assert_int_equal(loop_turn(&scale->world->loop), 0);
	scale->turns_ns += work_ns() - begin;
}

/* Marsaglia's xorshift64* */
static unsigned int random_below(struct scale *scale, unsigned int limit)
{
	scale->random ^= scale->random >> 12;
	scale->random ^= scale->random << 25;
	scale->random ^= scale->random >> 27;
	return (scale->random * 0x2545f4914f6cdd1dULL >> 32) % limit;
}

/* Send on QPs that are chosen at random, or on each in turn */
static void transfer(struct scale *scale, unsigned long messages, bool in_turn)
{
	unsigned long posted = 0, done = 0;
	const struct ornic_cqe *cqe;

	scale->turns_ns = 0;
	while (done < messages) {
		for (; posted < messages && posted - done < WINDOW; posted++)
			post(scale, in_turn ? posted % scale->qps :
				    random_below(scale, scale->qps));
		turn(scale);
		while ((cqe = host_queue_peek(&scale->cq))) {
			assert_int_equal(le32toh(cqe->status), ORNIC_WC_SUCCESS);
			host_queue_consume(&scale->cq);
			done++;
		}
	}
}

int main(int argc, char **argv)
{
	struct scale *scale = calloc(1, sizeof(*scale));
	unsigned long messages;

	if (argc != 3) {
		fprintf(stderr, "usage: scale_bench QPS MESSAGES\n");
		return 2;
	}
	scale->qps = strtoul(argv[1], NULL, 0);
	messages = strtoul(argv[2], NULL, 0);
	assert_true(scale->qps && scale->qps <= QPS_MAX);
	scale->random = SEED;
	setup(scale);
	transfer(scale, scale->qps, true);
	transfer(scale, messages / 4, false);
	transfer(scale, messages, false);
	printf("%u QPs: %.1f ns per WRITE\n", scale->qps, (double)scale->turns_ns / messages);
	teardown(scale);
	free(scale);
	return 0;
}
