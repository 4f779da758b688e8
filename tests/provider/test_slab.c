// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Slabs: mappings that rings of several objects share */
#include <sys/mman.h>

#include "fixture.h"

/* Entries of a CQ whose ring is too large for a slab */
#define MANY_CQES	4096

static struct ornic_slabs *slabs(struct fixture *f)
{
	return &to_ornic_context(f->ctx)->slabs;
}

static unsigned int mapped_slabs(struct fixture *f)
{
	const struct ornic_slab *slab;
	unsigned int count = 0, i;

	for (i = 0; i < ORNIC_SLAB_HEADS; i++)
		for (slab = slabs(f)->heads[i]; slab; slab = slab->next)
			count++;
	return count;
}

static struct ibv_cq *create_cq(struct fixture *f, int cqe)
{
	return f->ops->create_cq(f->ctx, cqe, NULL, 0);
}

static void destroy_cq(struct fixture *f, struct ibv_cq *cq)
{
	assert_int_equal(f->ops->destroy_cq(cq), 0);
}

TEST(objects_share_one_mapping, struct fixture *f, IN_OWN)
{
	struct ornic_slab *slab = to_ornic_cq(f->cq)->mem.slab;
	struct ibv_cq *cq = create_cq(f, 4);

	assert_non_null(slab);
	assert_ptr_equal(to_ornic_qp(f->rc)->mem.slab, slab);
	assert_ptr_equal(to_ornic_qp(f->ud)->mem.slab, slab);
	assert_ptr_equal(to_ornic_cq(cq)->mem.slab, slab);
	assert_int_equal(slab->users, 4);
	assert_int_equal(mapped_slabs(f), 1);

	/* Each object has its own place, and the device finds the same */
	assert_ptr_not_equal(to_ornic_cq(cq)->ring, to_ornic_cq(f->cq)->ring);
	to_ornic_cq(cq)->ring[0] = 0x5a;
	assert_int_equal(fake_cq(cq)->ring[0], 0x5a);
	to_ornic_cq(cq)->ring[0] = 0;
	destroy_cq(f, cq);
	assert_int_equal(slab->users, 3);
}

TEST(one_slab_without_users_stays_mapped, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cqs[3];
	struct ornic_slab *last;
	unsigned int i;

	f->fake.new_slabs = true;
	for (i = 0; i < 3; i++)
		cqs[i] = create_cq(f, 4);
	assert_int_equal(mapped_slabs(f), 4);
	assert_null(slabs(f)->spare);

	last = to_ornic_cq(cqs[1])->mem.slab;
	destroy_cq(f, cqs[0]);
	assert_int_equal(mapped_slabs(f), 4);
	destroy_cq(f, cqs[2]);
	assert_int_equal(mapped_slabs(f), 3);
	destroy_cq(f, cqs[1]);
	assert_int_equal(mapped_slabs(f), 2);
	assert_ptr_equal(slabs(f)->spare, last);
}

TEST(the_spare_slab_is_used_again, struct fixture *f, IN_OWN)
{
	struct ornic_slab *slab;
	struct ibv_cq *cq;
	unsigned int i;

	f->fake.new_slabs = true;
	cq = create_cq(f, 4);
	f->fake.new_slabs = false;
	slab = to_ornic_cq(cq)->mem.slab;
	for (i = 0; i < 3; i++) {
		destroy_cq(f, cq);
		assert_ptr_equal(slabs(f)->spare, slab);
		cq = create_cq(f, 4);
		assert_ptr_equal(to_ornic_cq(cq)->mem.slab, slab);
		assert_null(slabs(f)->spare);
		assert_int_equal(slab->users, 1);
	}
}

/* The kernel frees a slab, and gives its offset for mmap() to the next one */
TEST(an_offset_does_not_identify_a_slab, struct fixture *f, IN_OWN)
{
	struct ornic_slab *old;
	struct ibv_cq *cq;

	f->fake.new_slabs = true;
	cq = create_cq(f, 4);
	f->fake.new_slabs = false;
	old = to_ornic_cq(cq)->mem.slab;
	destroy_cq(f, cq);
	assert_ptr_equal(slabs(f)->spare, old);

	f->fake.slab.map.id += ORNIC_SLAB_HEADS;
	cq = create_cq(f, 4);
	assert_ptr_not_equal(to_ornic_cq(cq)->mem.slab, old);
	assert_ptr_not_equal(to_ornic_cq(cq)->mem.map, old->map);
	assert_int_equal(to_ornic_cq(cq)->mem.slab->id,
			 old->id + ORNIC_SLAB_HEADS);
	destroy_cq(f, cq);
	assert_int_equal(mapped_slabs(f), 2);
}

TEST(large_rings_have_their_own_mapping, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq = create_cq(f, MANY_CQES);

	assert_null(to_ornic_cq(cq)->mem.slab);
	assert_non_null(to_ornic_cq(cq)->mem.map);
	assert_int_equal(mapped_slabs(f), 1);

	/* From its own mapping into a slab, and back */
	assert_int_equal(f->ops->resize_cq(cq, 4), 0);
	assert_non_null(to_ornic_cq(cq)->mem.slab);
	assert_int_equal(f->ops->resize_cq(cq, MANY_CQES), 0);
	assert_null(to_ornic_cq(cq)->mem.slab);
	assert_int_equal(mapped_slabs(f), 1);
	destroy_cq(f, cq);
	assert_null(slabs(f)->spare);

	f->fake.bad_mmap = true;
	assert_fails(create_cq(f, MANY_CQES), EINVAL);
	assert_int_equal(f->fake.cqs[1].cqn, 0);
}

TEST(a_slab_that_cannot_be_mapped_is_not_kept, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq;

	f->fake.bad_mmap = true;
	assert_fails(create_cq(f, 4), EINVAL);
	assert_int_equal(f->fake.cqs[1].cqn, 0);
	assert_int_equal(mapped_slabs(f), 1);
	assert_null(slabs(f)->spare);

	cq = create_cq(f, 4);
	assert_non_null(cq);
	assert_int_equal(mapped_slabs(f), 2);
}

/* Another process has its own address space, and the same slabs */
TEST(an_imported_context_maps_for_itself, struct fixture *f, IN_OWN)
{
	const struct ornic_slab *ours = to_ornic_cq(f->cq)->mem.slab, *theirs;
	struct verbs_context *import = fake_import(&f->fake);
	struct ibv_cq *cq;

	cq = f->ops->create_cq(&import->context, 4, NULL, 0);
	theirs = to_ornic_cq(cq)->mem.slab;
	assert_int_equal(theirs->id, ours->id);
	assert_ptr_not_equal(theirs->map, ours->map);
	assert_int_equal(ours->users, 3);
	destroy_cq(f, cq);
	assert_int_equal(ours->users, 3);
	f->ops->free_context(&import->context);
}

/* As after a hot unplug, when the kernel no longer destroys objects */
TEST(a_closed_context_leaves_no_slab, struct fixture *f, IN_OWN)
{
	struct verbs_context *import = fake_import(&f->fake);
	struct ornic_slab slabs[2];
	struct ibv_cq *cqs[2];
	int i;

	f->fake.new_slabs = true;
	for (i = 0; i < 2; i++) {
		cqs[i] = f->ops->create_cq(&import->context, 4, NULL, 0);
		assert_non_null(cqs[i]);
		slabs[i] = *to_ornic_cq(cqs[i])->mem.slab;
		f->fake.fail = EIO;
		assert_int_equal(f->ops->destroy_cq(cqs[i]), EIO);
	}
	f->ops->free_context(&import->context);
	for (i = 0; i < 2; i++) {
		assert_int_equal(msync(slabs[i].map, slabs[i].length, MS_ASYNC),
				 -1);
		assert_int_equal(errno, ENOMEM);
		fake_cq(cqs[i])->cqn = 0;
		free(to_ornic_cq(cqs[i]));
	}
}

TEST_MAIN("slab")
