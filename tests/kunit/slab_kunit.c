// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Slabs of ring memory: objects share them without overlapping, nothing of an old ring is left, one
 * empty slab is kept, large rings stay alone, numbers are not used again. The doorbell records of
 * QPs share the first pages.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

/* The memory and the entries for mmap() are those of the test */
#define ornic_ringmem_alloc	ornic_test_ringmem_alloc
#define ornic_ringmem_free	ornic_test_ringmem_free
#define ornic_mmap_add		ornic_test_mmap_add
#define ornic_mmap_remove	ornic_test_mmap_remove
/* The source itself, because the driver exports nothing */
#include "../../kernel/rdma/slab.c"

/* Pages of the parts of a slab */
#define TEST_PAGES	3
/* Pages of records in the smallest slab */
#define TEST_RECORDS	DIV_ROUND_UP(ORNIC_SLAB_PAGES_MIN * sizeof(struct ornic_qp_dbr), PAGE_SIZE)

/**
 * struct test_slabs - slabs under test
 * @slabs:	the slabs
 * @ibuctx:	context without anything
 * @live:	allocated ring memory
 * @fail_mmap:	the next entry for mmap() cannot be made
 */
static struct test_slabs {
	struct ornic_slabs slabs;
	struct ib_ucontext ibuctx;
	int live;
	bool fail_mmap;
} *test_now;

struct ornic_ringmem *ornic_test_ringmem_alloc(struct ib_device *ibdev, size_t size)
{
	struct ornic_ringmem *mem = kzalloc_obj(*mem);
	u32 i;

	if (!mem)
		return ERR_PTR(-ENOMEM);
	mem->npages = size >> PAGE_SHIFT;
	mem->pages = kzalloc_objs(*mem->pages, mem->npages);
	mem->dma = kzalloc_objs(*mem->dma, mem->npages);
	WARN_ON(!mem->pages || !mem->dma);
	for (i = 0; i < mem->npages; i++) {
		mem->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		mem->dma[i] = (dma_addr_t)i << PAGE_SHIFT;
		WARN_ON(!mem->pages[i]);
	}
	test_now->live++;
	return mem;
}

void ornic_test_ringmem_free(struct ib_device *ibdev, struct ornic_ringmem *mem)
{
	u32 i;

	for (i = 0; i < mem->npages; i++)
		__free_page(mem->pages[i]);
	kfree(mem->dma);
	kfree(mem->pages);
	kfree(mem);
	test_now->live--;
}

struct ornic_mmap *ornic_test_mmap_add(struct ib_ucontext *ibuctx, struct ornic_ringmem *mem)
{
	struct ornic_mmap *map;

	if (test_now->fail_mmap) {
		test_now->fail_mmap = false;
		return ERR_PTR(-ENOMEM);
	}
	map = kzalloc_obj(*map);
	if (!map)
		return ERR_PTR(-ENOMEM);
	map->mem = mem;
	map->entry.npages = mem->npages;
	return map;
}

void ornic_test_mmap_remove(struct ornic_mmap *map)
{
	ornic_test_ringmem_free(NULL, map->mem);
	kfree(map);
}

static int ornic_test_slab_init(struct kunit *test)
{
	test_now = kunit_kzalloc(test, sizeof(*test_now), GFP_KERNEL);
	if (!test_now)
		return -ENOMEM;

	ornic_slabs_init(&test_now->slabs, &test_now->ibuctx);
	return 0;
}

/* The tests free all objects */
static void ornic_test_slab_exit(struct kunit *test)
{
	ornic_slabs_uninit(&test_now->slabs);
	KUNIT_EXPECT_EQ(test, test_now->live, 0);
}

static struct ornic_ringmem *ornic_test_part(struct kunit *test, u32 npages)
{
	struct ornic_ringmem *mem;

	mem = ornic_slab_alloc(NULL, &test_now->slabs, (size_t)npages << PAGE_SHIFT);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mem);
	KUNIT_EXPECT_EQ(test, mem->npages, npages);
	return mem;
}

static void ornic_test_slab_is_shared(struct kunit *test)
{
	struct ornic_ringmem *a = ornic_test_part(test, TEST_PAGES);
	struct ornic_ringmem *b = ornic_test_part(test, TEST_PAGES);

	KUNIT_EXPECT_PTR_EQ(test, a->slab, b->slab);
	KUNIT_EXPECT_EQ(test, test_now->live, 1);
	KUNIT_EXPECT_EQ(test, ornic_slab_locate(a).map.id, 1);
	KUNIT_EXPECT_EQ(test, ornic_slab_locate(b).map.id, 1);
	KUNIT_EXPECT_EQ(test, ornic_slab_locate(a).offset, TEST_RECORDS * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, ornic_slab_locate(b).offset,
			(TEST_RECORDS + TEST_PAGES) * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, ornic_slab_locate(b).map.length, ORNIC_SLAB_PAGES_MIN * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, b->dma[0], (TEST_RECORDS + TEST_PAGES) * PAGE_SIZE);
	ornic_slab_free(NULL, a);
	ornic_slab_free(NULL, b);
}

/* [ORNIC-GEN-8] */
static void ornic_test_slab_parts_are_zeroed(struct kunit *test)
{
	struct ornic_ringmem *mem = ornic_test_part(test, TEST_PAGES);
	u32 i;

	for (i = 0; i < TEST_PAGES; i++)
		memset(page_address(mem->pages[i]), 0xff, PAGE_SIZE);
	ornic_slab_free(NULL, mem);

	mem = ornic_test_part(test, TEST_PAGES);
	KUNIT_EXPECT_EQ(test, ornic_slab_locate(mem).offset, TEST_RECORDS * PAGE_SIZE);
	for (i = 0; i < TEST_PAGES; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(page_address(mem->pages[i]), 0, PAGE_SIZE));
	ornic_slab_free(NULL, mem);
}

static void ornic_test_slab_parts_do_not_overlap(struct kunit *test)
{
	struct ornic_ringmem *mem[2 * ORNIC_SLAB_PAGES_MAX];
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(mem); i++) {
		mem[i] = ornic_test_part(test, 1 + i % TEST_PAGES);
		for (k = 0; k < mem[i]->npages; k++)
			memset(page_address(mem[i]->pages[k]), i, PAGE_SIZE);
	}
	/* Free every third object and allocate it again */
	for (i = 0; i < ARRAY_SIZE(mem); i += 3)
		ornic_slab_free(NULL, mem[i]);
	for (i = 0; i < ARRAY_SIZE(mem); i += 3) {
		mem[i] = ornic_test_part(test, 1 + i % TEST_PAGES);
		for (k = 0; k < mem[i]->npages; k++)
			memset(page_address(mem[i]->pages[k]), i, PAGE_SIZE);
	}
	for (i = 0; i < ARRAY_SIZE(mem); i++)
		for (k = 0; k < mem[i]->npages; k++)
			KUNIT_EXPECT_NULL(test, memchr_inv(page_address(mem[i]->pages[k]), i,
							   PAGE_SIZE));
	for (i = 0; i < ARRAY_SIZE(mem); i++)
		ornic_slab_free(NULL, mem[i]);
	KUNIT_EXPECT_EQ(test, test_now->live, 1);
}

static struct ornic_qp_dbr *ornic_test_record(const struct ornic_ringmem *mem)
{
	struct ornic_slab_record record = ornic_slab_record(mem, PAGE_SIZE / 2);

	return page_address(record.mem->pages[record.offset >> PAGE_SHIFT]) +
	       offset_in_page(record.offset);
}

/* [ORNIC-DB-15] */
static void ornic_test_slab_records_do_not_overlap(struct kunit *test)
{
	struct ornic_ringmem *mem[2 * ORNIC_SLAB_PAGES_MAX];
	struct ornic_slab_record record;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(mem); i++) {
		mem[i] = ornic_test_part(test, 1 + i % TEST_PAGES);
		record = ornic_slab_record(mem[i], 0);
		KUNIT_EXPECT_PTR_EQ(test, record.mem, mem[i]->slab->mem);
		KUNIT_EXPECT_LT(test, record.offset, mem[i]->slab->nrecords * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, record.offset % sizeof(struct ornic_qp_dbr), 0);
		KUNIT_EXPECT_NULL(test, memchr_inv(ornic_test_record(mem[i]), 0,
						   sizeof(struct ornic_qp_dbr)));
		memset(ornic_test_record(mem[i]), 0xff, sizeof(struct ornic_qp_dbr));
		for (k = 0; k < mem[i]->npages; k++)
			KUNIT_EXPECT_NULL(test, memchr_inv(page_address(mem[i]->pages[k]), 0,
							   PAGE_SIZE));
	}
	/* The next object finds its record cleared */
	for (i = 0; i < ARRAY_SIZE(mem); i += 2) {
		ornic_slab_free(NULL, mem[i]);
		mem[i] = ornic_test_part(test, 1 + i % TEST_PAGES);
		KUNIT_EXPECT_NULL(test, memchr_inv(ornic_test_record(mem[i]), 0,
						   sizeof(struct ornic_qp_dbr)));
	}
	for (i = 0; i < ARRAY_SIZE(mem); i++)
		ornic_slab_free(NULL, mem[i]);
	KUNIT_EXPECT_EQ(test, test_now->live, 1);
}

static void ornic_test_slab_one_spare(struct kunit *test)
{
	struct ornic_ringmem *mem[3];
	u64 last;
	u32 i;

	/* One in the first slab, two in the next, which is larger */
	for (i = 0; i < ARRAY_SIZE(mem); i++)
		mem[i] = ornic_test_part(test, ORNIC_SLAB_PART_MAX);
	KUNIT_EXPECT_EQ(test, test_now->live, 2);
	last = ornic_slab_locate(mem[2]).map.id;
	KUNIT_EXPECT_EQ(test, last, 2);

	ornic_slab_free(NULL, mem[1]);
	ornic_slab_free(NULL, mem[0]);
	KUNIT_EXPECT_EQ(test, test_now->live, 2);
	KUNIT_EXPECT_EQ(test, test_now->slabs.spare->id, 1);
	ornic_slab_free(NULL, mem[2]);
	KUNIT_EXPECT_EQ(test, test_now->live, 1);
	KUNIT_EXPECT_EQ(test, test_now->slabs.spare->id, last);

	/* The spare is used again, and then it is none */
	mem[0] = ornic_test_part(test, 1);
	KUNIT_EXPECT_EQ(test, ornic_slab_locate(mem[0]).map.id, last);
	KUNIT_EXPECT_NULL(test, test_now->slabs.spare);
	ornic_slab_free(NULL, mem[0]);
}

static void ornic_test_slab_numbers_are_new(struct kunit *test)
{
	struct ornic_ringmem *a, *b;
	u64 id, last = 0;
	u32 i;

	for (i = 0; i < 4; i++) {
		/* Two slabs, of which one is freed */
		a = ornic_test_part(test, ORNIC_SLAB_PART_MAX);
		b = ornic_test_part(test, ORNIC_SLAB_PART_MAX);
		id = max(ornic_slab_locate(a).map.id, ornic_slab_locate(b).map.id);
		KUNIT_EXPECT_GE(test, id, last);
		KUNIT_EXPECT_EQ(test, id, test_now->slabs.last_id);
		last = id;
		ornic_slab_free(NULL, i & 1 ? a : b);
		ornic_slab_free(NULL, i & 1 ? b : a);
	}
}

static void ornic_test_slab_large_is_alone(struct kunit *test)
{
	struct ornic_ringmem *small = ornic_test_part(test, 1);
	struct ornic_ringmem *large = ornic_test_part(test, ORNIC_SLAB_PART_MAX + 1);
	struct ornic_slab_place place = ornic_slab_locate(large);

	KUNIT_EXPECT_EQ(test, test_now->live, 2);
	KUNIT_EXPECT_EQ(test, place.map.id, 0);
	KUNIT_EXPECT_EQ(test, place.offset, 0);
	KUNIT_EXPECT_PTR_EQ(test, ornic_slab_record(large, 128).mem, large);
	KUNIT_EXPECT_EQ(test, ornic_slab_record(large, 128).offset, 128);
	KUNIT_EXPECT_EQ(test, place.map.length, (ORNIC_SLAB_PART_MAX + 1) * PAGE_SIZE);
	ornic_slab_free(NULL, large);
	KUNIT_EXPECT_EQ(test, test_now->live, 1);
	KUNIT_EXPECT_NULL(test, test_now->slabs.spare);
	ornic_slab_free(NULL, small);
}

static void ornic_test_slab_search_is_bounded(struct kunit *test)
{
	const u32 least = 4 * ORNIC_SLAB_TRIES * ORNIC_SLAB_PAGES_MAX;
	struct ornic_ringmem **mem, *large;
	u32 i, count;

	/* Slabs with free pages, none of them next to another */
	mem = kunit_kcalloc(test, least + ORNIC_SLAB_PAGES_MAX, sizeof(*mem), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	for (count = 0; count < least || !list_empty(&test_now->slabs.roomy); count++)
		mem[count] = ornic_test_part(test, 1);
	for (i = 0; i < count; i += 2)
		ornic_slab_free(NULL, mem[i]);
	i = test_now->live;
	large = ornic_test_part(test, 2);
	KUNIT_EXPECT_EQ(test, test_now->live, i + 1);
	ornic_slab_free(NULL, large);
	for (i = 1; i < count; i += 2)
		ornic_slab_free(NULL, mem[i]);
	KUNIT_EXPECT_EQ(test, test_now->live, 1);
}

static void ornic_test_slab_failures(struct kunit *test)
{
	test_now->fail_mmap = true;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ornic_slab_alloc(NULL, &test_now->slabs, 1)), -ENOMEM);
	KUNIT_EXPECT_EQ(test, test_now->live, 0);
	test_now->fail_mmap = true;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ornic_slab_alloc(NULL, &test_now->slabs,
						       (ORNIC_SLAB_PART_MAX + 1) * PAGE_SIZE)),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, test_now->live, 0);
	ornic_slab_free(NULL, ornic_test_part(test, 1));
	KUNIT_EXPECT_EQ(test, test_now->live, 1);
}

static struct kunit_case ornic_slab_cases[] = {
	KUNIT_CASE(ornic_test_slab_is_shared),
	KUNIT_CASE(ornic_test_slab_parts_are_zeroed),
	KUNIT_CASE(ornic_test_slab_parts_do_not_overlap),
	KUNIT_CASE(ornic_test_slab_records_do_not_overlap),
	KUNIT_CASE(ornic_test_slab_one_spare),
	KUNIT_CASE(ornic_test_slab_numbers_are_new),
	KUNIT_CASE(ornic_test_slab_large_is_alone),
	KUNIT_CASE(ornic_test_slab_search_is_bounded),
	KUNIT_CASE(ornic_test_slab_failures),
	{}
};

static struct kunit_suite ornic_slab_suite = {
	.name = "ornic_slab",
	.init = ornic_test_slab_init,
	.exit = ornic_test_slab_exit,
	.test_cases = ornic_slab_cases,
};

kunit_test_suites(&ornic_slab_suite);
