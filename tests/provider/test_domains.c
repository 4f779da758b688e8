// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Protection, parent and thread domains, and imported contexts */
#include "compat.h"
#include "fixture.h"

TEST(domains_count_their_users, struct fixture *f, IN_OWN)
{
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_td_init_attr td_attr = {};
	struct ibv_pd *pd, *parent;
	struct ibv_td *td;

	pd = f->ops->alloc_pd(f->ctx);
	td = f->ops->alloc_td(f->ctx, &td_attr);
	attr.pd = pd;
	attr.td = td;
	parent = f->ops->alloc_parent_domain(f->ctx, &attr);
	assert_non_null(parent);
	assert_int_equal(f->ops->dealloc_pd(pd), EBUSY);
	assert_int_equal(f->ops->dealloc_td(td), EBUSY);

	/* A parent domain of a parent domain is refused */
	attr.pd = parent;
	assert_fails(f->ops->alloc_parent_domain(f->ctx, &attr), EINVAL);

	assert_int_equal(f->ops->dealloc_pd(parent), 0);
	assert_int_equal(f->ops->dealloc_td(td), 0);
	assert_int_equal(f->ops->dealloc_pd(pd), 0);
}

TEST(unknown_domain_options_are_refused, struct fixture *f, IN_OWN)
{
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_td_init_attr td_attr = { .comp_mask = 1 };
	struct ibv_pd *pd;

	assert_fails(f->ops->alloc_td(f->ctx, &td_attr), EOPNOTSUPP);
	assert_fails(f->ops->alloc_parent_domain(f->ctx, &attr), EINVAL);

	pd = f->ops->alloc_pd(f->ctx);
	attr.pd = pd;
	attr.comp_mask = 1u << 31;
	assert_fails(f->ops->alloc_parent_domain(f->ctx, &attr), EOPNOTSUPP);

	/* An allocator without its callbacks */
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
	assert_fails(f->ops->alloc_parent_domain(f->ctx, &attr), EINVAL);
	assert_int_equal(f->ops->dealloc_pd(pd), 0);
}

/**
 * struct heap - an allocator that counts
 * @answer: what alloc returns; NULL: real memory
 * @refuse: alloc returns NULL
 * @asked: number of calls of alloc
 * @live: allocations not freed
 * @last: resource of the last call
 */
struct heap {
	void *answer;
	bool refuse;
	int asked;
	int live;
	uint64_t last;
};

static void *heap_alloc(struct ibv_pd *pd, void *context, size_t size,
			size_t alignment, uint64_t resource)
{
	struct heap *heap = context;
	void *p = NULL;

	heap->asked++;
	heap->last = resource;
	if (heap->answer || heap->refuse)
		return heap->answer;

	assert_int_equal(posix_memalign(&p, alignment, size), 0);
	memset(p, 0xa5, size);
	heap->live++;
	return p;
}

static void heap_free(struct ibv_pd *pd, void *context, void *ptr,
		      uint64_t resource)
{
	struct heap *heap = context;

	assert_non_null(ptr);
	heap->live--;
	heap->last = resource;
	free(ptr);
}

static struct ibv_pd *parent_with(struct fixture *f, struct heap *heap)
{
	struct ibv_parent_domain_init_attr attr = {
		.pd = f->ops->alloc_pd(f->ctx),
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
			     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT,
		.alloc = heap_alloc,
		.free = heap_free,
		.pd_context = heap,
	};

	return f->ops->alloc_parent_domain(f->ctx, &attr);
}

static void free_parent(struct fixture *f, struct ibv_pd *parent)
{
	struct ibv_pd *pd = &to_ornic_pd(parent)->pd->ibv_pd;

	assert_int_equal(f->ops->dealloc_pd(parent), 0);
	assert_int_equal(f->ops->dealloc_pd(pd), 0);
}

static struct ibv_cq_ex *create_cq_in(struct fixture *f, struct ibv_pd *pd)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 1, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
		.parent_domain = pd,
	};

	return f->ops->create_cq_ex(f->ctx, &attr);
}

/* Creates and destroys a CQ, a QP and an SRQ, which are @live allocations */
static void objects_of(struct fixture *f, struct ibv_pd *pd,
		       const struct heap *heap, int live)
{
	const uint64_t id = (uint64_t)ORNIC_PCI_VENDOR_ID << 48 |
			    (uint64_t)ORNIC_PCI_DEVICE_ID << 32;
	struct ibv_cq_ex *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;

	cq = create_cq_in(f, pd);
	assert_non_null(cq);
	assert_true(heap->last == (id | ORNIC_RESOURCE_CQ));
	qp = create_qp_in(f, pd, ibv_cq_ex_to_cq(cq));
	assert_non_null(qp);
	assert_true(heap->last == (id | ORNIC_RESOURCE_QP));
	srq = create_srq_in(f, pd, 1, 0);
	assert_non_null(srq);
	assert_true(heap->last == (id | ORNIC_RESOURCE_SRQ));
	assert_int_equal(heap->asked, 3);
	assert_int_equal(heap->live, live);
	assert_int_equal(f->ops->dealloc_pd(pd), EBUSY);

	assert_int_equal(f->ops->destroy_srq(srq), 0);
	assert_true(heap->last == (id | ORNIC_RESOURCE_SRQ));
	assert_int_equal(f->ops->destroy_qp(qp), 0);
	assert_int_equal(f->ops->destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	assert_int_equal(heap->live, 0);
}

TEST(objects_are_in_memory_of_their_domain, struct fixture *f, IN_OWN)
{
	struct heap heap = {};
	struct ibv_pd *parent = parent_with(f, &heap);

	assert_non_null(parent);
	objects_of(f, parent, &heap, 3);
	free_parent(f, parent);
}

TEST(an_allocator_may_leave_it_to_us, struct fixture *f, IN_OWN)
{
	struct heap heap = { .answer = IBV_ALLOCATOR_USE_DEFAULT };
	struct ibv_pd *parent = parent_with(f, &heap);
	struct ibv_srq *srq;

	srq = create_srq_in(f, parent, 1, 0);
	assert_non_null(srq);
	assert_int_equal(heap.asked, 1);
	assert_int_equal(f->ops->destroy_srq(srq), 0);
	assert_int_equal(heap.live, 0);
	free_parent(f, parent);
}

TEST(an_allocator_that_has_nothing_is_enomem, struct fixture *f, IN_OWN)
{
	struct heap heap = { .refuse = true };
	struct ibv_pd *parent = parent_with(f, &heap);

	assert_fails(create_cq_in(f, parent), ENOMEM);
	assert_fails(create_qp_in(f, parent, f->cq), ENOMEM);
	assert_fails(create_srq_in(f, parent, 1, 0), ENOMEM);
	assert_int_equal(heap.asked, 3);

	/* The memory of an object that the kernel refuses is freed */
	heap.refuse = false;
	f->fake.fail = EIO;
	assert_null(create_cq_in(f, parent));
	f->fake.fail = EIO;
	assert_null(create_qp_in(f, parent, f->cq));
	f->fake.fail = EIO;
	assert_null(create_srq_in(f, parent, 1, 0));
	assert_int_equal(heap.live, 0);
	free_parent(f, parent);
}

TEST(one_thread_takes_no_lock, struct fixture *f, IN_OWN)
{
	struct ibv_parent_domain_init_attr attr = {
		.comp_mask =
			IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC,
	};
	struct ibv_td_init_attr td_attr = {};
	struct ibv_cq_ex *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_pd *pd;
	int with_td;

	for (with_td = 0; with_td < 2; with_td++) {
		attr.pd = f->ops->alloc_pd(f->ctx);
		attr.td = with_td ? f->ops->alloc_td(f->ctx, &td_attr) : NULL;
		pd = f->ops->alloc_parent_domain(f->ctx, &attr);
		assert_non_null(pd);
		cq = create_cq_in(f, pd);
		qp = create_qp_in(f, pd, ibv_cq_ex_to_cq(cq));
		srq = create_srq_in(f, pd, 1, 0);
		assert_int_equal(f->ops->dealloc_pd(pd), EBUSY);
		assert_int_equal(to_ornic_qp(qp)->sq.lock.needed, !with_td);
		assert_int_equal(to_ornic_qp(qp)->rq.lock.needed, !with_td);
		assert_int_equal(to_ornic_srq(srq)->rq.lock.needed, !with_td);
		assert_int_equal(to_ornic_cq_ex(cq)->lock.needed, !with_td);

		assert_int_equal(f->ops->destroy_srq(srq), 0);
		assert_int_equal(f->ops->destroy_qp(qp), 0);
		assert_int_equal(f->ops->destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
		assert_int_equal(f->ops->dealloc_pd(pd), 0);
		if (with_td)
			assert_int_equal(f->ops->dealloc_td(attr.td), 0);
		assert_int_equal(f->ops->dealloc_pd(attr.pd), 0);
	}
	assert_true(to_ornic_qp(f->rc)->sq.lock.needed);
	assert_true(to_ornic_cq(f->cq)->lock.needed);
}

TEST(an_imported_context_shares_its_pages, struct fixture *f, IN_OWN)
{
	struct verbs_context *vctx = fake_import(&f->fake);
	unsigned int commands;
	struct ornic_context *ctx;
	struct ibv_mr *mr;
	struct ibv_pd *pd;

	assert_non_null(vctx);
	ctx = to_ornic_context(&vctx->context);
	assert_int_equal(ctx->send_ops, to_ornic_context(f->ctx)->send_ops);
	assert_int_equal(ornic_context_map_queues(ctx), 0);
	*(volatile uint64_t *)ctx->db = htole64(5);
	assert_int_equal(fake_take_doorbell(&f->fake), 5);
	ctx->board->awake = htole32(7);
	assert_int_equal(le32toh(f->fake.board->awake), 7);
	assert_int_equal(ornic_context_map_clock(ctx), 0);
	assert_non_null(ctx->clock);

	/* Releasing imported objects needs no command */
	pd = f->ops->import_pd(&vctx->context, 7);
	assert_non_null(pd);
	assert_int_equal(pd->handle, 7);
	assert_ptr_equal(pd->context, &vctx->context);
	mr = f->ops->import_mr(pd, 9);
	assert_non_null(mr);
	assert_int_equal(mr->handle, 9);
	assert_int_equal(mr->lkey, FAKE_KEY);
	commands = f->fake.commands;
	f->ops->unimport_mr(mr);
	f->ops->unimport_pd(pd);
	assert_int_equal(f->fake.commands, commands);

	pd = f->ops->import_pd(&vctx->context, 7);
	f->fake.fail = ENOENT;
	assert_fails(f->ops->import_mr(pd, 9), ENOENT);
	f->ops->unimport_pd(pd);
	f->ops->free_context(&vctx->context);

	f->fake.fail = EOPNOTSUPP;
	assert_fails(fake_import(&f->fake), EOPNOTSUPP);
}

/* mmap() fails for each of the three pages in turn; later the same context has it */
TEST(a_page_is_mapped_when_a_queue_needs_it, struct fixture *f, IN_OWN)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	};
	const struct verbs_context_ops *ops = f->ops;
	struct verbs_context *vctx = fake_import(&f->fake);
	struct ornic_context *ctx;
	struct ornic_context_pages good;
	struct ibv_cq_ex *cq;
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 1 } };
	struct ornic_pd pd = { .ibv_pd.context = &vctx->context };
	unsigned int commands;
	int i;

	assert_non_null(vctx);
	ctx = to_ornic_context(&vctx->context);
	assert_null(ctx->db);
	assert_null(ctx->board);
	assert_null(ctx->clock);
	good = ctx->pages;
	commands = f->fake.commands;
	for (i = 0; i < 3; i++) {
		ctx->pages = good;
		if (i == 0)
			ctx->pages.board.offset = 1;
		else if (i == 1)
			ctx->pages.db.offset = 1;
		else
			ctx->pages.clock.offset = 1;
		assert_fails(ops->create_cq_ex(&vctx->context, &attr), EINVAL);
		errno = 0;
		if (i < 2)
			assert_null(ops->create_srq(&pd.ibv_pd, &srq_attr));
		assert_int_equal(errno, i < 2 ? EINVAL : 0);
		assert_int_equal(f->fake.commands, commands);
	}
	assert_non_null(ctx->db);
	ctx->pages = good;
	cq = ops->create_cq_ex(&vctx->context, &attr);
	assert_non_null(cq);
	assert_non_null(ctx->clock);
	assert_int_equal(ops->destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	ops->free_context(&vctx->context);
}

TEST_MAIN("domains")
