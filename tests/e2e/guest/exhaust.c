// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Creates objects of one kind until the device refuses, while a connection of this process and
 * those of others go on, destroys them all, and does it once more.
 *
 * usage: exhaust DEVICE GID-INDEX KIND
 * Prints the limit that the device announces, and for each round the number of objects and the
 * errno of the refusal.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "verbs.h"

#define ROUNDS 2
/* More than any table of the card has entries */
#define MAX_OBJECTS (1 << 20)
/* Descriptors of open devices, two for each */
#define MAX_FILES 8192
#define PAGE 4096

/* Objects that others are made from; created once */
struct base {
	struct port *port;
	struct ibv_device *device;
	struct ibv_cq *cq;
	struct ibv_wq *wq;
	struct ibv_qp *raw;
	struct ibv_qp *ud;
	void *page;
	uint32_t groups;	/* multicast groups joined so far */
	uint32_t rules;		/* flow rules made so far */
	int dma_buf;
};

/* A UD QP's membership in a multicast group */
struct member {
	struct ibv_qp *qp;
	union ibv_gid group;
};

/* create: returns NULL and sets errno if the device refuses */
struct kind {
	const char *name;
	void *(*create)(struct base *base);
	int (*destroy)(void *object);
	uint32_t (*limit)(const struct base *base);
};

static void *create_context(struct base *base)
{
	return ibv_open_device(base->device);
}

static int destroy_context(void *object)
{
	return ibv_close_device(object);
}

static void *create_pd(struct base *base)
{
	return ibv_alloc_pd(base->port->ctx);
}

static int destroy_pd(void *object)
{
	return ibv_dealloc_pd(object);
}

static uint32_t limit_pd(const struct base *base)
{
	return base->port->dev.max_pd;
}

static void *create_cq(struct base *base)
{
	return ibv_create_cq(base->port->ctx, 1, NULL, NULL, 0);
}

static int destroy_cq(void *object)
{
	return ibv_destroy_cq(object);
}

static uint32_t limit_cq(const struct base *base)
{
	return base->port->dev.max_cq;
}

static void *create_qp(struct base *base)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = base->cq, .recv_cq = base->cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return ibv_create_qp(base->port->pd, &attr);
}

static int destroy_qp(void *object)
{
	return ibv_destroy_qp(object);
}

static uint32_t limit_qp(const struct base *base)
{
	return base->port->dev.max_qp;
}

static void *create_srq(struct base *base)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 1, .max_sge = 1 } };

	return ibv_create_srq(base->port->pd, &attr);
}

static int destroy_srq(void *object)
{
	return ibv_destroy_srq(object);
}

static uint32_t limit_srq(const struct base *base)
{
	return base->port->dev.max_srq;
}

static void *create_wq(struct base *base)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1, .pd = base->port->pd,
		.cq = base->cq,
	};

	return ibv_create_wq(base->port->ctx, &attr);
}

static int destroy_wq(void *object)
{
	return ibv_destroy_wq(object);
}

static void *create_table(struct base *base)
{
	struct ibv_rwq_ind_table_init_attr attr = { .log_ind_tbl_size = 0, .ind_tbl = &base->wq };

	return ibv_create_rwq_ind_table(base->port->ctx, &attr);
}

static int destroy_table(void *object)
{
	return ibv_destroy_rwq_ind_table(object);
}

static uint32_t limit_table(const struct base *base)
{
	struct ibv_device_attr_ex attr;

	want_ok(ibv_query_device_ex(base->port->ctx, NULL, &attr));
	return attr.rss_caps.max_rwq_indirection_tables;
}

static void *create_mr(struct base *base)
{
	return ibv_reg_mr(base->port->pd, base->page, PAGE, ACCESS_ALL);
}

static int destroy_mr(void *object)
{
	return ibv_dereg_mr(object);
}

static uint32_t limit_mr(const struct base *base)
{
	return base->port->dev.max_mr;
}

static void *create_dma_buf_mr(struct base *base)
{
	return ibv_reg_dmabuf_mr(base->port->pd, 0, PAGE, 0, base->dma_buf, ACCESS_ALL);
}

static void *create_mw(struct base *base)
{
	return ibv_alloc_mw(base->port->pd, IBV_MW_TYPE_2);
}

static int destroy_mw(void *object)
{
	return ibv_dealloc_mw(object);
}

static uint32_t limit_mw(const struct base *base)
{
	return base->port->dev.max_mw;
}

static void *create_xrcd(struct base *base)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};

	return ibv_open_xrcd(base->port->ctx, &attr);
}

static int destroy_xrcd(void *object)
{
	return ibv_close_xrcd(object);
}

/* Another rule each time ([ORNIC-FLOW-14]) */
static void *create_flow(struct base *base)
{
	return flow_from(base->raw, 0x01000000 + base->rules++, NULL);
}

static int destroy_flow(void *object)
{
	return ibv_destroy_flow(object);
}

static void *create_counters(struct base *base)
{
	struct ibv_counters_init_attr attr = {};

	return ibv_create_counters(base->port->ctx, &attr);
}

static int destroy_counters(void *object)
{
	return ibv_destroy_counters(object);
}

static void *create_ah(struct base *base)
{
	struct ibv_ah_attr attr = port_ah_attr(base->port);

	return ibv_create_ah(base->port->pd, &attr);
}

static int destroy_ah(void *object)
{
	return ibv_destroy_ah(object);
}

/* A group of its own for each: ::ffff:239.N.N.N */
static void *create_member(struct base *base)
{
	struct member *member = made(calloc(1, sizeof(*member)));
	uint32_t group = base->groups++;

	member->qp = base->ud;
	member->group = (union ibv_gid){
		.raw = { [10] = 0xff, [11] = 0xff, [12] = 239, [13] = 1 + (group >> 16),
			 [14] = group >> 8, [15] = group },
	};
	errno = ibv_attach_mcast(member->qp, &member->group, 0);
	if (!errno)
		return member;
	free(member);
	return NULL;
}

static int destroy_member(void *object)
{
	struct member *member = object;
	int err = ibv_detach_mcast(member->qp, &member->group, 0);

	free(member);
	return err;
}

static uint32_t limit_member(const struct base *base)
{
	return base->port->dev.max_mcast_grp;
}

static void *create_channel(struct base *base)
{
	return ibv_create_comp_channel(base->port->ctx);
}

static int destroy_channel(void *object)
{
	return ibv_destroy_comp_channel(object);
}

/* Verbs report no limit of the kinds without limit() */
static const struct kind kinds[] = {
	{ "context", create_context, destroy_context, NULL },
	{ "pd", create_pd, destroy_pd, limit_pd },
	{ "cq", create_cq, destroy_cq, limit_cq },
	{ "qp", create_qp, destroy_qp, limit_qp },
	{ "srq", create_srq, destroy_srq, limit_srq },
	{ "wq", create_wq, destroy_wq, limit_qp },
	{ "table", create_table, destroy_table, limit_table },
	{ "mr", create_mr, destroy_mr, limit_mr },
	{ "dma_buf", create_dma_buf_mr, destroy_mr, limit_mr },
	{ "mw", create_mw, destroy_mw, limit_mw },
	{ "xrcd", create_xrcd, destroy_xrcd, NULL },
	{ "flow", create_flow, destroy_flow, NULL },
	{ "counters", create_counters, destroy_counters, NULL },
	{ "ah", create_ah, destroy_ah, NULL },
	{ "mcast", create_member, destroy_member, limit_member },
	{ "channel", create_channel, destroy_channel, NULL },
};

static void base_make(struct base *base, struct port *port)
{
	struct ibv_qp_init_attr raw = { 0 };
	uint8_t *map;

	base->port = port;
	base->device = port->ctx->device;
	base->cq = cq_make(port, 16, NULL);
	base->wq = made(create_wq(base));
	raw = qp_init(IBV_QPT_RAW_PACKET, base->cq);
	base->raw = made(ibv_create_qp(port->pd, &raw));
	base->ud = datagram_qp(port, base->cq);
	base->dma_buf = dma_buf_make(PAGE, &map);
	base->groups = 0;
	base->rules = 0;
	base->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	want(base->page != MAP_FAILED, "%s", strerror(errno));
}

static void base_destroy(struct base *base)
{
	close(base->dma_buf);
	want_ok(ibv_destroy_qp(base->ud));
	want_ok(ibv_destroy_qp(base->raw));
	want_ok(ibv_destroy_wq(base->wq));
	want_ok(ibv_destroy_cq(base->cq));
}

/* The connection of this process carries a message */
static void exchange(struct pair *pair, struct mem *mem, unsigned int seed)
{
	struct ibv_sge from = mem_sge(mem, 0, PAGE), to = mem_sge(mem, PAGE, PAGE);

	mem_fill(mem, 0, PAGE, seed);
	want_ok(post_recv(pair->b, 1, &to));
	want_ok(post_send(pair->a, IBV_WR_SEND, 2, &from, 0, 0));
	want_wc(pair->a_cq, 2, IBV_WC_SUCCESS);
	want_wc(pair->b_cq, 1, IBV_WC_SUCCESS);
	want(mem_is(mem, PAGE, PAGE, seed), "wrong data");
}

static void exhaust(const struct kind *kind, struct port *port)
{
	void **objects = made(calloc(MAX_OBJECTS, sizeof(*objects)));
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct mem mem = mem_make(port, 2 * PAGE, ACCESS_ALL);
	struct base base;
	unsigned int round;
	uint32_t count, i;
	int err;

	base_make(&base, port);
	if (kind->limit)
		printf("limit %u\n", kind->limit(&base));
	for (round = 0; round < ROUNDS; round++) {
		for (count = 0; count < MAX_OBJECTS; count++) {
			errno = 0;
			objects[count] = kind->create(&base);
			if (!objects[count])
				break;
		}
		err = errno;
		exchange(&pair, &mem, round);
		for (i = 0; i < count; i++)
			want_ok(kind->destroy(objects[i]));
		printf("created %u errno %d\n", count, err);
	}
	base_destroy(&base);
	free(objects);
}

int main(int argc, char **argv)
{
	const struct rlimit files = { MAX_FILES, MAX_FILES };
	struct port port;
	size_t i;

	want(argc == 4, "usage: exhaust DEVICE GID-INDEX KIND");
	want(!setrlimit(RLIMIT_NOFILE, &files), "%s", strerror(errno));
	port_open(&port, argv[1], atoi(argv[2]));
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, argv[3]))
			continue;
		exhaust(&kinds[i], &port);
		return 0;
	}
	failed(__FILE__, __LINE__, "unknown kind %s", argv[3]);
}
