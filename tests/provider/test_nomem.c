// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Each allocation and each mapping of an entry point fails once. The entry
 * point returns ENOMEM, leaks nothing, and succeeds when it is called again. The
 * linker replaces the functions of the C library by those below (--wrap).
 */
#include <stdio.h>
#include <sys/mman.h>

#include "fixture.h"

/* More allocations and mappings than any entry point makes */
#define CALLS_MAX 20

#define HASH_KEY 40

/* Calls until one fails, including that one; 0: none fails */
static unsigned int fail_in;
static long live_blocks;
static long live_maps;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void *__real_mmap(void *addr, size_t length, int prot, int flags, int fd,
		  off_t offset);
int __real_munmap(void *addr, size_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __wrap_free(void *block);
void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd,
		  off_t offset);
int __wrap_munmap(void *addr, size_t length);

static bool fails(void)
{
	if (!fail_in || --fail_in)
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *block)
{
	live_blocks += !!block;
	return block;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	void *block;

	if (fails())
		return NULL;
	block = __real_realloc(old, size);
	live_blocks += !old && block;
	return block;
}

int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
	int ret = fails() ? ENOMEM : __real_posix_memalign(out, align, size);

	live_blocks += !ret;
	return ret;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : counted(__real_aligned_alloc(align, size));
}

void __wrap_free(void *block)
{
	live_blocks -= !!block;
	__real_free(block);
}

void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd,
		  off_t offset)
{
	void *map;

	if (fails())
		return MAP_FAILED;
	map = __real_mmap(addr, length, prot, flags, fd, offset);
	live_maps += map != MAP_FAILED;
	return map;
}

int __wrap_munmap(void *addr, size_t length)
{
	int ret = __real_munmap(addr, length);

	live_maps -= !ret;
	return ret;
}

/**
 * struct bench - objects that entry points need, and the one under test made
 * @f: fixture
 * @ctx: context
 * @ops: its operations
 * @pd: protection domain
 * @parent: parent domain, which counts the objects in it
 * @srq: shared receive queue
 * @xrcd: XRC domain
 * @wq: work queue
 * @wqs: WQs of @table: @wq twice
 * @table: indirection table
 * @counters: counters of a flow rule
 * @turn: number of resizes, whose sizes alternate
 * @made: object that the entry point made
 */
struct bench {
	struct fixture *f;
	struct ibv_context *ctx;
	const struct verbs_context_ops *ops;
	struct ibv_pd *pd;
	struct ibv_pd *parent;
	struct ibv_srq *srq;
	struct ibv_xrcd *xrcd;
	struct ibv_wq *wq;
	struct ibv_wq *wqs[2];
	struct ibv_rwq_ind_table *table;
	struct ibv_counters *counters;
	uint32_t turn;
	void *made;
};

/**
 * struct entry - an entry point
 * @name: name
 * @run: calls it; returns 0 or errno
 * @undo: destroys the object that it made, or NULL for a resize; returns 0 or
 *	errno
 */
struct entry {
	const char *name;
	int (*run)(struct bench *b);
	int (*undo)(struct bench *b);
};

static int keep(struct bench *b, void *made)
{
	b->made = made;
	return made ? 0 : errno;
}

/* Defines a function of an entry that consists of one expression */
#define CALL(name, expression) \
	static int name(struct bench *b) \
	{ \
		return expression; \
	}

/* Destroys the object by the operation of this name */
#define DESTROY(name) CALL(name, b->ops->name(b->made))

DESTROY(dealloc_pd)
DESTROY(dealloc_td)
DESTROY(dealloc_mw)
DESTROY(destroy_ah)
DESTROY(destroy_cq)
DESTROY(destroy_srq)
DESTROY(close_xrcd)
DESTROY(destroy_qp)
DESTROY(destroy_wq)
DESTROY(destroy_rwq_ind_table)
DESTROY(destroy_flow)
DESTROY(destroy_counters)
#ifndef ORNIC_LACKS_COMP_CNTR
DESTROY(destroy_comp_cntr)
CALL(create_comp_cntr,
     keep(b, b->ops->create_comp_cntr(b->ctx, &(struct ibv_comp_cntr_init_attr){})))
#endif

CALL(alloc_device, keep(b, fake_alloc_device()))

static int free_device(struct bench *b)
{
	fake_dev_ops->uninit_device(b->made);
	return 0;
}

CALL(alloc_context, keep(b, fake_alloc_context(&b->f->fake)))
CALL(import_context, keep(b, fake_import(&b->f->fake)))

static int free_context(struct bench *b)
{
	struct verbs_context *vctx = b->made;

	b->ops->free_context(&vctx->context);
	return 0;
}

CALL(alloc_pd, keep(b, b->ops->alloc_pd(b->ctx)))

static int alloc_parent_domain(struct bench *b)
{
	struct ibv_parent_domain_init_attr attr = { .pd = b->pd };

	return keep(b, b->ops->alloc_parent_domain(b->ctx, &attr));
}

CALL(import_pd, keep(b, b->ops->import_pd(b->ctx, 1)))

static int unimport_pd(struct bench *b)
{
	b->ops->unimport_pd(b->made);
	return 0;
}

CALL(alloc_td, keep(b, b->ops->alloc_td(b->ctx, &(struct ibv_td_init_attr){})))
CALL(reg_mr, keep(b, b->ops->reg_mr(b->pd, NULL, 1, 0, 0)))
CALL(reg_dmabuf_mr, keep(b, b->ops->reg_dmabuf_mr(b->pd, 0, 1, 0, 0, 0)))
CALL(alloc_null_mr, keep(b, b->ops->alloc_null_mr(b->pd)))
CALL(dereg_mr, b->ops->dereg_mr(verbs_get_mr(b->made)))
CALL(import_mr, keep(b, b->ops->import_mr(b->pd, 1)))

static int unimport_mr(struct bench *b)
{
	b->ops->unimport_mr(b->made);
	return 0;
}

CALL(alloc_mw, keep(b, b->ops->alloc_mw(b->pd, IBV_MW_TYPE_2)))
CALL(create_ah, keep(b, b->ops->create_ah(b->pd, &(struct ibv_ah_attr){})))
CALL(create_cq, keep(b, b->ops->create_cq(b->ctx, 8, NULL, 0)))

static int create_cq_ex(struct bench *b)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 8, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_cq_ex *cq = b->ops->create_cq_ex(b->ctx, &attr);

	return keep(b, cq ? ibv_cq_ex_to_cq(cq) : NULL);
}

CALL(resize_cq, b->ops->resize_cq(b->f->cq, b->turn++ & 1 ? 8 : 16))
CALL(create_srq, keep(b, create_srq_in(b->f, b->pd, 4, 1)))

static int create_srq_ex(struct bench *b)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 4, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC, .pd = b->pd, .xrcd = b->xrcd,
		.cq = b->f->cq,
	};

	return keep(b, b->ops->create_srq_ex(b->ctx, &attr));
}

static int resize_srq(struct bench *b)
{
	struct ibv_srq_attr attr = { .max_wr = b->turn++ & 1 ? 16 : 32 };

	return b->ops->modify_srq(b->srq, &attr, IBV_SRQ_MAX_WR);
}

CALL(open_xrcd,
     keep(b, b->ops->open_xrcd(b->ctx, &(struct ibv_xrcd_init_attr){})))
CALL(create_qp, keep(b, create_qp_in(b->f, b->pd, b->f->cq)))
CALL(create_qp_in_parent, keep(b, create_qp_in(b->f, b->parent, b->f->cq)))
CALL(create_qp_ex,
     keep(b, fake_create_qp(&b->f->fake, IBV_QPT_UD, b->f->cq, 4, 4,
			    ALL_UD_OPS)))
CALL(create_raw_qp,
     keep(b, fake_create_qp(&b->f->fake, IBV_QPT_RAW_PACKET, b->f->cq, 4, 4,
			    ALL_RAW_OPS)))

static int create_xrc_recv(struct bench *b)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV, .xrcd = b->xrcd,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};

	return keep(b, b->ops->create_qp_ex(b->ctx, &attr));
}

static int create_rss_qp(struct bench *b)
{
	static uint8_t key[HASH_KEY];
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = b->pd, .rwq_ind_tbl = b->table,
		.rx_hash_conf = {
			.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
			.rx_hash_key_len = HASH_KEY, .rx_hash_key = key,
			.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4,
		},
	};

	return keep(b, b->ops->create_qp_ex(b->ctx, &attr));
}

static int open_qp(struct bench *b)
{
	struct ibv_qp_open_attr attr = { .qp_num = b->f->rc->qp_num };

	return keep(b, b->ops->open_qp(b->ctx, &attr));
}

CALL(create_wq, keep(b, create_wq_in(b->f, b->pd, b->f->cq, 4)))

static int create_table(struct bench *b)
{
	struct ibv_rwq_ind_table_init_attr attr = {
		.log_ind_tbl_size = 1, .ind_tbl = b->wqs,
	};

	return keep(b, b->ops->create_rwq_ind_table(b->ctx, &attr));
}

/* Creates a rule with counters */
static int create_flow(struct bench *b)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_counter_action count;
	} __attribute__((packed, aligned(8))) rule = {
		.attr = {
			.type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(rule),
			.num_of_specs = 1, .port = 1,
		},
		.count = {
			.type = IBV_FLOW_SPEC_ACTION_COUNT,
			.size = sizeof(rule.count), .counters = b->counters,
		},
	};

	return keep(b, b->ops->create_flow(b->f->rc, &rule.attr));
}

CALL(create_counters,
     keep(b, b->ops->create_counters(b->ctx, &(struct ibv_counters_init_attr){})))

/* Creates counters and attaches two points, so that the list of points grows */
static int attach_counters(struct bench *b)
{
	struct ibv_counter_attach_attr attr = {
		.counter_desc = IBV_COUNTER_PACKETS,
	};
	int ret = create_counters(b);

	for (; !ret && attr.index < 2; attr.index++)
		ret = b->ops->attach_counters_point_flow(b->made, &attr, NULL);
	if (ret && b->made)
		assert_int_equal(destroy_counters(b), 0);
	return ret;
}

static const struct entry entries[] = {
	{ "alloc_device", alloc_device, free_device },
	{ "alloc_context", alloc_context, free_context },
	{ "import_context", import_context, free_context },
	{ "alloc_pd", alloc_pd, dealloc_pd },
	{ "alloc_parent_domain", alloc_parent_domain, dealloc_pd },
	{ "import_pd", import_pd, unimport_pd },
	{ "alloc_td", alloc_td, dealloc_td },
	{ "reg_mr", reg_mr, dereg_mr },
	{ "reg_dmabuf_mr", reg_dmabuf_mr, dereg_mr },
	{ "alloc_null_mr", alloc_null_mr, dereg_mr },
	{ "import_mr", import_mr, unimport_mr },
	{ "alloc_mw", alloc_mw, dealloc_mw },
	{ "create_ah", create_ah, destroy_ah },
	{ "create_cq", create_cq, destroy_cq },
	{ "create_cq_ex", create_cq_ex, destroy_cq },
	{ "resize_cq", resize_cq, NULL },
	{ "create_srq", create_srq, destroy_srq },
	{ "create_srq_ex", create_srq_ex, destroy_srq },
	{ "resize_srq", resize_srq, NULL },
	{ "open_xrcd", open_xrcd, close_xrcd },
	{ "create_qp", create_qp, destroy_qp },
	{ "create_qp_in_parent", create_qp_in_parent, destroy_qp },
	{ "create_qp_ex", create_qp_ex, destroy_qp },
	{ "create_raw_qp", create_raw_qp, destroy_qp },
	{ "create_xrc_recv", create_xrc_recv, destroy_qp },
	{ "create_rss_qp", create_rss_qp, destroy_qp },
	{ "open_qp", open_qp, destroy_qp },
	{ "create_wq", create_wq, destroy_wq },
	{ "create_table", create_table, destroy_rwq_ind_table },
	{ "create_flow", create_flow, destroy_flow },
#ifndef ORNIC_LACKS_COMP_CNTR
	{ "create_comp_cntr", create_comp_cntr, destroy_comp_cntr },
#endif
	{ "create_counters", create_counters, destroy_counters },
	{ "attach_counters", attach_counters, destroy_counters },
};

/* Returns the object that @run creates */
static void *made(struct bench *b, int (*run)(struct bench *b))
{
	assert_int_equal(run(b), 0);
	return b->made;
}

static void prepare(struct bench *b, struct fixture *f)
{
	*b = (struct bench){
		.f = f, .ctx = f->ctx, .ops = f->ops,
	};
	b->pd = made(b, alloc_pd);
	b->parent = made(b, alloc_parent_domain);
	b->srq = made(b, create_srq);
	b->xrcd = made(b, open_xrcd);
	b->wq = made(b, create_wq);
	b->wqs[0] = b->wq;
	b->wqs[1] = b->wq;
	b->table = made(b, create_table);
	b->counters = made(b, attach_counters);
}

/*
 * Each further object gets a slab of its own. So its mapping can fail, and the
 * number of mappings remains: the slab of a destroyed object replaces the spare.
 */
static void keep_a_spare_slab(struct bench *b)
{
	b->f->fake.new_slabs = true;
	made(b, create_srq);
	assert_int_equal(b->ops->destroy_srq(b->made), 0);
}

static void finish(struct bench *b)
{
	assert_int_equal(b->ops->destroy_counters(b->counters), 0);
	assert_int_equal(b->ops->destroy_rwq_ind_table(b->table), 0);
	assert_int_equal(b->ops->destroy_wq(b->wq), 0);
	assert_int_equal(b->ops->close_xrcd(b->xrcd), 0);
	assert_int_equal(b->ops->destroy_srq(b->srq), 0);
	assert_int_equal(b->ops->dealloc_pd(b->parent), 0);
	assert_int_equal(b->ops->dealloc_pd(b->pd), 0);
}

/* Destroying an object must not need memory */
static void undo(struct bench *b, const struct entry *entry)
{
	if (!entry->undo)
		return;
	fail_in = 1;
	assert_int_equal(entry->undo(b), 0);
	fail_in = 0;
}

/* Number of allocations, mappings, and queues in the kernel */
struct live {
	long blocks;
	long maps;
	unsigned int objects;
};

static struct live live_now(const struct bench *b)
{
	return (struct live){
		.blocks = live_blocks, .maps = live_maps,
		.objects = fake_objects(&b->f->fake),
	};
}

static void assert_live(const struct bench *b, const struct live *want)
{
	struct live live = live_now(b);

	assert_int_equal(live.blocks, want->blocks);
	assert_int_equal(live.maps, want->maps);
	assert_int_equal(live.objects, want->objects);
}

/* Returns the number of allocations and mappings that failed */
static unsigned int sweep(struct bench *b, const struct entry *entry)
{
	struct live before, failed;
	unsigned int n, left;
	int ret;

	/* A resize that cannot map the new ring gives up the old one */
	if (!entry->undo)
		assert_int_equal(entry->run(b), 0);
	before = live_now(b);
	failed = before;
	if (!entry->undo) {
		failed.blocks--;
		failed.maps--;
	}

	for (n = 1;; n++) {
		assert_true(n <= CALLS_MAX);
		b->made = NULL;
		fail_in = n;
		errno = 0;
		ret = entry->run(b);
		left = fail_in;
		fail_in = 0;
		if (left)
			break;
		assert_int_equal(ret, ENOMEM);
		assert_live(b, &failed);
		assert_int_equal(entry->run(b), 0);
		undo(b, entry);
		assert_live(b, &before);
	}
	assert_int_equal(ret, 0);
	undo(b, entry);
	assert_live(b, &before);
	return n - 1;
}

/* The initial state is the entry point */
static void without_memory_nothing_is_kept(void **state)
{
	const struct entry *entry = *state;
	unsigned int failed;
	struct bench b;
	void *f;

	setup(&f);
	prepare(&b, f);
	keep_a_spare_slab(&b);
	failed = sweep(&b, entry);
	print_message("%s: %u refused\n", entry->name, failed);
	assert_true(failed);
	finish(&b);
	teardown(&f);
	assert_int_equal(live_blocks, 0);
	assert_int_equal(live_maps, 0);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(entries)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(entries); i++)
		tests[i] = (struct CMUnitTest){
			.name = entries[i].name,
			.test_func = without_memory_nothing_is_kept,
			.initial_state = (void *)&entries[i],
		};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
