// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Creates objects of one kind until the device refuses, while a connection of this process and
 * those of others go on, destroys them all, and does it once more.
 *
 * usage: exhaust DEVICE GID-INDEX KIND
 * Prints the limit that the device announces, and for each round the number of objects and the
 * errno of the refusal.
 */
#include <stddef.h>
#include <stdio.h>
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

/* create: returns NULL and sets errno if the device refuses; max: offset in port->dev, or 0 */
struct kind {
	struct kind *next;
	const char *name;
	void *(*create)(struct base *base);
	int (*destroy)(void *object);
	size_t max;
	uint32_t (*limit)(const struct base *base);
};

static struct kind *kinds;

/*
 * Add a kind whose objects one expression creates and one function destroys. Verbs report no limit
 * of the kinds without MAX() and limit().
 */
#define KIND(_name, created, destroyed, ...)                                       \
static void *create_##_name(struct base *base)                                     \
{                                                                                  \
	return created;                                                            \
}                                                                                  \
static int destroy_##_name(void *object)                                           \
{                                                                                  \
	return destroyed(object);                                                  \
}                                                                                  \
static __attribute__((constructor)) void add_##_name(void)                         \
{                                                                                  \
	static struct kind kind = {                                                \
		.name = #_name, .create = create_##_name, .destroy = destroy_##_name, \
		##__VA_ARGS__                                                      \
	};                                                                         \
										   \
	kind.next = kinds;                                                         \
	kinds = &kind;                                                             \
}
#define MAX(member) .max = offsetof(struct ibv_device_attr, member)

KIND(context, ibv_open_device(base->device), ibv_close_device)
KIND(pd, ibv_alloc_pd(base->port->ctx), ibv_dealloc_pd, MAX(max_pd))
KIND(cq, ibv_create_cq(base->port->ctx, 1, NULL, NULL, 0), ibv_destroy_cq, MAX(max_cq))
KIND(srq, srq_try(base->port, 1, 1), ibv_destroy_srq, MAX(max_srq))
KIND(wq, wq_try(base->port, base->cq, 1), ibv_destroy_wq, MAX(max_qp))
KIND(mr, ibv_reg_mr(base->port->pd, base->page, PAGE, ACCESS_ALL), ibv_dereg_mr, MAX(max_mr))
KIND(dma_buf, ibv_reg_dmabuf_mr(base->port->pd, 0, PAGE, 0, base->dma_buf, ACCESS_ALL),
     ibv_dereg_mr, MAX(max_mr))
KIND(mw, ibv_alloc_mw(base->port->pd, IBV_MW_TYPE_2), ibv_dealloc_mw, MAX(max_mw))
KIND(xrcd, xrcd_try(base->port), ibv_close_xrcd)
/* Another rule each time ([ORNIC-FLOW-14]) */
KIND(flow, flow_from(base->raw, 0x01000000 + base->rules++, NULL), ibv_destroy_flow)
KIND(counters, ibv_create_counters(base->port->ctx, &(struct ibv_counters_init_attr){}),
     ibv_destroy_counters)
KIND(channel, ibv_create_comp_channel(base->port->ctx), ibv_destroy_comp_channel)

static void *new_qp(struct base *base)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = base->cq, .recv_cq = base->cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return ibv_create_qp(base->port->pd, &attr);
}
KIND(qp, new_qp(base), ibv_destroy_qp, MAX(max_qp))

static void *new_table(struct base *base)
{
	struct ibv_rwq_ind_table_init_attr attr = { .log_ind_tbl_size = 0, .ind_tbl = &base->wq };

	return ibv_create_rwq_ind_table(base->port->ctx, &attr);
}

static uint32_t limit_table(const struct base *base)
{
	struct ibv_device_attr_ex attr;

	want_ok(ibv_query_device_ex(base->port->ctx, NULL, &attr));
	return attr.rss_caps.max_rwq_indirection_tables;
}
KIND(table, new_table(base), ibv_destroy_rwq_ind_table, .limit = limit_table)

static void *new_ah(struct base *base)
{
	struct ibv_ah_attr attr = port_ah_attr(base->port);

	return ibv_create_ah(base->port->pd, &attr);
}
KIND(ah, new_ah(base), ibv_destroy_ah)

/* A group of its own for each: ::ffff:239.N.N.N */
static void *new_member(struct base *base)
{
	struct member *member = made(calloc(1, sizeof(*member)));

	member->qp = base->ud;
	member->group = group_gid(0x10000 + base->groups++);
	errno = ibv_attach_mcast(member->qp, &member->group, 0);
	if (!errno)
		return member;
	free(member);
	return NULL;
}

static int leave_group(void *object)
{
	struct member *member = object;
	int err = ibv_detach_mcast(member->qp, &member->group, 0);

	free(member);
	return err;
}
KIND(mcast, new_member(base), leave_group, MAX(max_mcast_grp))

static void base_make(struct base *base, struct port *port)
{
	uint8_t *map;

	base->port = port;
	base->device = port->ctx->device;
	base->cq = cq_make(port, 16, NULL);
	base->wq = made(create_wq(base));
	base->raw = qp_make(port, IBV_QPT_RAW_PACKET, base->cq);
	base->ud = datagram_qp(port, base->cq);
	base->dma_buf = dma_buf_make(PAGE, &map);
	base->groups = 0;
	base->rules = 0;
	base->page = map_make(PAGE, 0);
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
	pair_send(pair, 2, &from);
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
	else if (kind->max)
		printf("limit %d\n", *(int *)((char *)&port->dev + kind->max));
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
	const struct kind *kind;
	struct port port;

	want(argc == 4, "usage: exhaust DEVICE GID-INDEX KIND");
	want(!setrlimit(RLIMIT_NOFILE, &files), "%s", strerror(errno));
	port_open(&port, argv[1], atoi(argv[2]));
	for (kind = kinds; kind && strcmp(kind->name, argv[3]); kind = kind->next)
		;
	want(kind, "unknown kind %s", argv[3]);
	exhaust(kind, &port);
	return 0;
}
