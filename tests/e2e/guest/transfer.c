// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: transfer -d DEVICE -g GID-INDEX [options] OPERATION[,OPERATION...] [SERVER]
 *
 * Every operation of a transport between two hosts, with each byte checked. The client sends
 * batches of slots. A slot is one operation on its own place in the server's memory; the last one
 * of a batch is a SEND with immediate. After that SEND the server checks all places, fills each
 * with its contents for the next batch but one, and grants that batch. So a batch is always
 * underway, nothing is overwritten before it is checked, and operations that are executed twice,
 * not at all, or beyond their end are found.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <unistd.h>

#include "transfer.h"

#define TCP_PORT 18600
#define SLOTS_BEGIN 64
/* A grant takes two WRs per slot if windows are bound again */
#define QUEUE_DEPTH (WINDOW * 2 * (SLOTS_MAX + 1))

static const char *const op_names[OP_COUNT] = {
	[OP_SEND] = "send",
	[OP_SEND_IMM] = "send_imm",
	[OP_SEND_INV] = "send_inv",
	[OP_WRITE] = "write",
	[OP_WRITE_IMM] = "write_imm",
	[OP_READ] = "read",
	[OP_CMP_SWP] = "cmp_swp",
	[OP_FETCH_ADD] = "fetch_add",
	[OP_FLUSH] = "flush",
	[OP_ATOMIC_WRITE] = "atomic_write",
};

size_t slot_at(const struct side *side, unsigned int batch, unsigned int slot)
{
	size_t stride = (side->options.max_len + GRH + 63) & ~(size_t)63;

	return SLOTS_BEGIN + (batch % WINDOW * side->options.slots + slot) * stride;
}

size_t grant_at(unsigned int batch)
{
	return batch % WINDOW * ((sizeof(struct grant) + GRH + 63) & ~(size_t)63);
}

/* Marsaglia's xorshift, seeded for each batch */
static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/*
 * Half of the lengths are at the borders of packets: 0, the maximum, and a whole number of packets,
 * or a byte more or less.
 */
static size_t plan_len(const struct options *options, uint32_t *state)
{
	size_t packets = options->max_len / options->mtu, len;

	switch (next_random(state) % 8) {
	case 0:
		return 0;
	case 1:
		return options->max_len;
	case 2:
	case 3:
		if (!packets)
			return 1;
		len = (next_random(state) % packets + 1) * options->mtu;
		len += next_random(state) % 3 - 1;
		return len <= options->max_len ? len : options->max_len;
	default:
		return next_random(state) % options->max_len + 1;
	}
}

void plan_batch(const struct options *options, unsigned int batch, struct slot *slots)
{
	uint32_t state = (batch + options->seed) * 2654435761u | 1;
	unsigned int i;

	for (i = 0; i < options->slots; i++) {
		do
			slots[i].op = next_random(&state) % OP_COUNT;
		while (!has_op(options, slots[i].op));
		slots[i].len = op_is_8_bytes(slots[i].op) ? 8 : plan_len(options, &state);
	}
	slots[options->slots - 1] = (struct slot){ OP_SEND_IMM, 8 };
}

void post_or_fail(struct side *side, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	want_ok(ibv_post_send(side->qp, wr, &bad));
}

void recv_or_fail(struct side *side, uint64_t wr_id, struct ibv_sge *sge, int count)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = sge, .num_sge = count }, *bad;

	if (side->srq)
		want_ok(ibv_post_srq_recv(side->srq, &wr, &bad));
	else
		want_ok(ibv_post_recv(side->qp, &wr, &bad));
}

void sides_meet(const struct side *side)
{
	char out = 'x', in;

	tcp_exchange(side->tcp, !side->options.server, &out, &in, 1);
}

/* For the target, and for remote sides in the QP */
static unsigned int access_flags(const struct options *options)
{
	unsigned int access = IBV_ACCESS_LOCAL_WRITE;

	if (options->type == IBV_QPT_UD)
		return access;
	access |= IBV_ACCESS_REMOTE_WRITE;
	if (options->type == IBV_QPT_UC)
		return access;
	access |= IBV_ACCESS_REMOTE_READ;
	if (has_op(options, OP_CMP_SWP) || has_op(options, OP_FETCH_ADD))
		access |= IBV_ACCESS_REMOTE_ATOMIC;
	if (has_op(options, OP_FLUSH))
		access |= IBV_ACCESS_FLUSH_GLOBAL;
	return access;
}

static uint64_t send_ops_flags(const struct options *options)
{
	static const uint64_t flags[OP_COUNT] = {
		[OP_SEND] = IBV_QP_EX_WITH_SEND,
		[OP_SEND_IMM] = IBV_QP_EX_WITH_SEND_WITH_IMM,
		[OP_SEND_INV] = IBV_QP_EX_WITH_SEND_WITH_INV,
		[OP_WRITE] = IBV_QP_EX_WITH_RDMA_WRITE,
		[OP_WRITE_IMM] = IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
		[OP_READ] = IBV_QP_EX_WITH_RDMA_READ,
		[OP_CMP_SWP] = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
		[OP_FETCH_ADD] = IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
		[OP_FLUSH] = IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_RDMA_WRITE,
		[OP_ATOMIC_WRITE] = IBV_QP_EX_WITH_ATOMIC_WRITE,
	};
	uint64_t all = flags[OP_SEND] | flags[OP_SEND_IMM];
	unsigned int i;

	for (i = 0; i < OP_COUNT; i++)
		if (has_op(options, i))
			all |= flags[i];
	return all;
}

/* The server uses ibv_post_send(); the client too, unless it must use ibv_wr_*() */
static bool wants_new_posts(const struct options *options)
{
	return options->server && (options->extended || has_op(options, OP_FLUSH) ||
				   has_op(options, OP_ATOMIC_WRITE));
}

static void make_qp(struct side *side)
{
	const struct options *options = &side->options;
	struct ibv_qp_init_attr_ex init = {
		.cap = {
			.max_send_wr = QUEUE_DEPTH, .max_recv_wr = QUEUE_DEPTH,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
		.qp_type = options->type,
		.pd = side->port.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
	};
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = QUEUE_DEPTH, .max_sge = 1 } };

	side->cq = cq_make(&side->port, 2 * QUEUE_DEPTH, NULL);
	init.send_cq = side->cq;
	init.recv_cq = side->cq;
	if (options->srq) {
		side->srq = made(ibv_create_srq(side->port.pd, &srq_init));
		init.srq = side->srq;
	}
	side->new_posts = wants_new_posts(options);
	if (side->new_posts) {
		init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		init.send_ops_flags = send_ops_flags(options);
	}
	side->qp = made(ibv_create_qp_ex(side->port.ctx, &init));
	qp_to_init(side->qp, access_flags(options));
}

static void make_memory(struct side *side)
{
	const struct options *options = &side->options;
	size_t len = slot_at(side, WINDOW - 1, options->slots);

	side->data = mem_make(&side->port, len, IBV_ACCESS_LOCAL_WRITE);
	/* With windows the region itself allows no remote access */
	side->target = mem_make(&side->port, len, options->window ?
				IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND :
				access_flags(options));
	side->grants = mem_make(&side->port, 2 * grant_at(1), IBV_ACCESS_LOCAL_WRITE);
}

static struct ibv_ah *make_ah(struct side *side, const union ibv_gid *gid)
{
	struct ibv_ah_attr attr = port_ah_attr(&side->port);

	attr.grh.dgid = *gid;
	return made(ibv_create_ah(side->port.pd, &attr));
}

static void address_datagrams(struct side *side)
{
	union ibv_gid group = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (!side->options.group) {
		side->ah = make_ah(side, &side->peer.gid);
		return;
	}
	want(inet_pton(AF_INET, side->options.group, group.raw + 12) == 1, "%s",
	     side->options.group);
	side->ah = make_ah(side, side->options.server ? &group : &side->peer.gid);
	if (!side->options.server)
		want_ok(ibv_attach_mcast(side->qp, &group, 0));
}

static void connect_qp(struct side *side)
{
	const struct options *options = &side->options;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_256,
		.dest_qp_num = side->peer.qpn,
		.rq_psn = PSN,
		.max_dest_rd_atomic = options->depth,
		.min_rnr_timer = 12,
		.ah_attr = port_ah_attr(&side->port),
	};
	int mask = IBV_QP_STATE;
	unsigned int mtu;

	for (mtu = 256; mtu < options->mtu; mtu *= 2)
		attr.path_mtu++;
	attr.ah_attr.grh.dgid = side->peer.gid;
	if (options->type == IBV_QPT_UD)
		address_datagrams(side);
	else
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (options->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	want_ok(ibv_modify_qp(side->qp, &attr, mask));

	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .sq_psn = PSN, .timeout = options->timeout,
		.retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = options->depth,
	};
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (options->type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	want_ok(ibv_modify_qp(side->qp, &attr, mask));
}

static void run(struct side *side)
{
	struct hello hello = { 0 };

	port_open(&side->port, side->options.device, side->options.gid_index);
	make_memory(side);
	make_qp(side);
	side->tcp = side->options.server ? tcp_call(side->options.server, TCP_PORT) :
					  tcp_serve(TCP_PORT);
	hello.gid = side->port.gid;
	hello.target = htobe64((uintptr_t)side->target.buf);
	hello.qpn = htobe32(side->qp->qp_num);
	tcp_exchange(side->tcp, !side->options.server, &hello, &side->peer, sizeof(hello));
	side->peer.target = be64toh(side->peer.target);
	side->peer.qpn = be32toh(side->peer.qpn);
	connect_qp(side);
	if (side->options.server)
		run_client(side);
	else
		run_server(side);
	/* The side that is done first must still acknowledge */
	sides_meet(side);
}

_Noreturn static void usage(void)
{
	fprintf(stderr, "usage: transfer -d DEVICE -g GID-INDEX [options] OPERATION,... [SERVER]\n"
		"  -t rc|uc|ud  transport\n"
		"  -b COUNT     batches\n"
		"  -s COUNT     slots of a batch\n"
		"  -l BYTES     longest message\n"
		"  -m BYTES     path MTU\n"
		"  -r COUNT     READs and atomics underway\n"
		"  -u EXPONENT  ACK timeout: 4.096 us times 2 to this power (19: 2 s)\n"
		"  -w 1|2       memory windows of that type\n"
		"  -G ADDRESS   multicast\n"
		"  -S           shared receive queue\n"
		"  -x           extended posts\n"
		"  -n NUMBER    another one makes other batches\n");
	exit(2);
}

static unsigned int parse_ops(char *list)
{
	unsigned int ops = 0, i;
	char *word;

	for (word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		for (i = 0; i < OP_COUNT && strcmp(word, op_names[i]); i++)
			;
		if (i == OP_COUNT)
			usage();
		ops |= 1u << i;
	}
	return ops;
}

static enum ibv_qp_type parse_type(const char *word)
{
	if (!strcmp(word, "uc"))
		return IBV_QPT_UC;
	if (!strcmp(word, "ud"))
		return IBV_QPT_UD;
	return IBV_QPT_RC;
}

/* Return: whether the letter is that of an option with a number, which is stored */
static bool parse_number(int letter, struct options *options)
{
	const struct {
		char letter;
		unsigned int *number;
	} numbers[] = {
		{ 'g', &options->gid_index }, { 'b', &options->batches }, { 's', &options->slots },
		{ 'm', &options->mtu }, { 'r', &options->depth }, { 'u', &options->timeout },
		{ 'w', &options->window }, { 'n', &options->seed },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers) && numbers[i].letter != letter; i++)
		;
	if (i == ARRAY_SIZE(numbers))
		return false;
	*numbers[i].number = strtoul(optarg, NULL, 0);
	return true;
}

static void parse(int argc, char **argv, struct options *options)
{
	int c;

	while ((c = getopt(argc, argv, "d:g:t:b:s:l:m:r:u:w:G:Sxn:")) != -1)
		if (c == 'd')
			options->device = optarg;
		else if (c == 't')
			options->type = parse_type(optarg);
		else if (c == 'l')
			options->max_len = atoi(optarg);
		else if (c == 'G')
			options->group = optarg;
		else if (c == 'S')
			options->srq = true;
		else if (c == 'x')
			options->extended = true;
		else if (!parse_number(c, options))
			usage();
	if (!options->device || optind == argc || argc - optind > 2 || !options->slots ||
	    options->slots > SLOTS_MAX || options->max_len < 8)
		usage();
	options->ops = parse_ops(argv[optind]);
	options->server = argv[optind + 1];
}

int main(int argc, char **argv)
{
	struct side side = {
		.options = {
			.type = IBV_QPT_RC, .slots = 16, .batches = 8, .max_len = 8192,
			.mtu = 1024, .depth = 4, .timeout = 19,
		},
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv, &side.options);
	run(&side);
	printf("%u batches of %u\n", side.options.batches, side.options.slots);
	return 0;
}
