// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The DMA map over real memfds, refusals first */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "env/mem.h"
#include "unit.h"

#define PAGE 4096ULL
#define RW (MEM_READ | MEM_WRITE)

struct watch {
	struct mem_notifier notifier;
	struct mem *mem;
	unsigned int calls;
	gaddr_t start;
	uint64_t len;
};

struct world {
	struct mem mem;
	struct watch watch;
	int fd;
};

static void watch_unmap(struct mem_notifier *n, gaddr_t start, uint64_t len)
{
	struct watch *watch = container_of(n, struct watch, notifier);

	watch->calls++;
	watch->start = start;
	watch->len = len;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	mem_init(&w->mem);
	mem_enable(&w->mem, true);
	w->watch.notifier.unmap = watch_unmap;
	mem_notifier_add(&w->mem, &w->watch.notifier);
	w->fd = memfd_create("guest", MFD_CLOEXEC);
	assert_int_equal(ftruncate(w->fd, 64 * PAGE), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	mem_uninit(&w->mem);
	assert_int_equal(w->mem.file_count, 0);
	close(w->fd);
	free(w);
	return 0;
}

/* Map the file of @w for reading and writing, from @offset on; expect @status */
#define MAPS(addr, len, offset, status) \
	assert_int_equal(mem_map(&w->mem, addr, len, RW, w->fd, offset), status)

TEST(test_map_refuses_odd_numbers, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;

	MAPS(0, 0, 0, -EINVAL);
	MAPS(1, PAGE, 0, -EINVAL);
	MAPS(0, PAGE + 1, 0, -EINVAL);
	MAPS(0, PAGE, 8, -EINVAL);
	assert_int_equal(mem_map(mem, 0, PAGE, 0, w->fd, 0), -EINVAL);
	assert_int_equal(mem_map(mem, 0, PAGE, 4 | RW, w->fd, 0), -EINVAL);
	assert_int_equal(mem->count, 0);
	assert_int_equal(mem->generation, 0);
}

TEST(test_map_refuses_what_wraps, struct world *w, IN_OWN)
{
	MAPS(-PAGE, PAGE, 0, -EINVAL);
	MAPS(PAGE, -PAGE, 0, -EINVAL);
	MAPS(0, 2 * PAGE, -PAGE, -EINVAL);
}

TEST(test_map_refuses_what_is_not_in_the_file, struct world *w, IN_OWN)
{
	MAPS(0, 65 * PAGE, 0, -EINVAL);
	MAPS(0, PAGE, 64 * PAGE, -EINVAL);
	assert_int_equal(w->mem.file_count, 0);
}

TEST(test_map_refuses_what_is_no_memory, struct world *w, IN_OWN)
{
	int pipes[2], null, proc;

	assert_int_equal(pipe(pipes), 0);
	null = open("/dev/zero", O_RDWR | O_CLOEXEC);
	proc = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	assert_int_equal(mem_map(&w->mem, 0, PAGE, RW, pipes[0], 0), -EINVAL);
	assert_int_equal(mem_map(&w->mem, 0, PAGE, RW, null, 0), -EINVAL);
	assert_int_equal(mem_map(&w->mem, 0, PAGE, RW, proc, 0), -EINVAL);
	assert_int_equal(mem_map(&w->mem, 0, PAGE, RW, 12345, 0), -EINVAL);
	close(pipes[0]);
	close(pipes[1]);
	close(null);
	close(proc);
}

TEST(test_map_refuses_a_file_larger_than_its_share, struct world *w, IN_OWN)
{
	assert_int_equal(ftruncate(w->fd, (4LL << 40) + PAGE), 0);
	MAPS(0, PAGE, 0, -ENOSPC);
	/* The machine may refuse it, valgrind for example */
	assert_int_equal(ftruncate(w->fd, 4LL << 40), 0);
	assert_int_not_equal(mem_map(&w->mem, 0, PAGE, RW, w->fd, 0), -ENOSPC);
}

TEST(test_map_refuses_what_does_not_fit_besides_leaving_files, struct world *w, IN_OWN)
{
	w->mem.leaving.units = (8ULL << 40) - 63 * PAGE;
	MAPS(0, PAGE, 0, -ENOSPC);
	w->mem.leaving.units -= PAGE;
	MAPS(0, PAGE, 0, 0);
}

/* Without 64 clients: the machine may have less address space, valgrind for example */
TEST(test_cards_share_the_address_space, struct world *w, IN_OWN)
{
	struct mem mem[63];
	unsigned int i;

	assert_int_equal(ftruncate(w->fd, 800LL << 30), 0);
	assert_int_not_equal(mem_map(&w->mem, 0, PAGE, RW, w->fd, 0), -ENOSPC);
	mem_clear(&w->mem);
	for (i = 0; i < ARRAY_SIZE(mem); i++)
		mem_init(&mem[i]);
	MAPS(0, PAGE, 0, -ENOSPC);
	assert_int_equal(ftruncate(w->fd, 700LL << 30), 0);
	assert_int_not_equal(mem_map(&w->mem, 0, PAGE, RW, w->fd, 0), -ENOSPC);
	mem_clear(&w->mem);
	assert_int_equal(ftruncate(w->fd, 64 * PAGE), 0);
	w->mem.leaving.units = 1600ULL << 30;
	MAPS(0, PAGE, 0, -ENOSPC);
	w->mem.leaving.units = 1400ULL << 30;
	MAPS(0, PAGE, 0, 0);
	for (i = 0; i < ARRAY_SIZE(mem); i++)
		mem_uninit(&mem[i]);
}

TEST(test_map_refuses_overlap_but_accepts_a_repeat, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;

	MAPS(4 * PAGE, 4 * PAGE, 0, 0);
	MAPS(4 * PAGE, 4 * PAGE, 0, 0);
	assert_int_equal(mem->count, 1);
	MAPS(4 * PAGE, 4 * PAGE, PAGE, -EEXIST);
	assert_int_equal(mem_map(mem, 4 * PAGE, 4 * PAGE, MEM_READ, w->fd, 0),
			 -EEXIST);
	MAPS(3 * PAGE, 2 * PAGE, 0, -EEXIST);
	MAPS(7 * PAGE, 2 * PAGE, 0, -EEXIST);
	MAPS(5 * PAGE, PAGE, 0, -EEXIST);
	MAPS(5 * PAGE, PAGE, PAGE, 0);
	assert_int_equal(mem_map(mem, 5 * PAGE, PAGE, RW, -1, 0), -EEXIST);
	MAPS(7 * PAGE, 2 * PAGE, 3 * PAGE, -EEXIST);
	assert_int_equal(mem->count, 1);
	MAPS(0, 64 * PAGE, 0, -EEXIST);
	MAPS(8 * PAGE, PAGE, 0, 0);
	MAPS(3 * PAGE, PAGE, 0, 0);
	assert_int_equal(mem->file_count, 1);
}

TEST(test_map_caps_regions, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;
	uint64_t i;

	for (i = 0; i < MEM_MAX_REGIONS; i++)
		MAPS(2 * i * PAGE, PAGE, 0, 0);
	MAPS(2 * i * PAGE, PAGE, 0, -ENOSPC);
	assert_int_equal(mem->file_count, 1);
	assert_int_equal(mem_unmap(mem, 0, UINT64_MAX), 0);
	assert_int_equal(mem->file_count, 0);
}

TEST(test_map_caps_files, struct world *w, IN_OWN)
{
	unsigned int i;
	int fd, err = 0;

	for (i = 0; i <= MEM_MAX_FILES; i++) {
		fd = memfd_create("one of many", MFD_CLOEXEC);
		assert_int_equal(ftruncate(fd, PAGE), 0);
		err = mem_map(&w->mem, i * PAGE, PAGE, RW, fd, 0);
		close(fd);
		assert_int_equal(err, i < MEM_MAX_FILES ? 0 : -ENOSPC);
	}
}

TEST(test_unmap_refuses_nothing_and_what_wraps, struct world *w, IN_OWN)
{
	assert_int_equal(mem_unmap(&w->mem, 0, 0), -EINVAL);
	assert_int_equal(mem_unmap(&w->mem, PAGE, UINT64_MAX), -EINVAL);
	assert_int_equal(w->watch.calls, 0);
}

TEST(test_unmap_of_a_range_holding_many_or_none, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;
	uint64_t i;

	for (i = 0; i < 10; i++)
		mem_map(mem, 2 * i * PAGE, PAGE, RW, w->fd, i * PAGE);
	assert_int_equal(mem_unmap(mem, 1ULL << 40, 1ULL << 40), 0);
	assert_int_equal(mem->count, 10);
	assert_int_equal(mem_unmap(mem, 2 * PAGE, 8 * PAGE), 0);
	assert_int_equal(mem->count, 6);
	assert_int_equal(w->watch.start, 2 * PAGE);
	assert_int_equal(w->watch.len, 8 * PAGE);
	assert_non_null(mem_ptr(mem, 0, PAGE, MEM_READ));
	assert_null(mem_ptr(mem, 2 * PAGE, 1, MEM_READ));
	assert_non_null(mem_ptr(mem, 10 * PAGE, PAGE, MEM_READ));
}

TEST(test_unmap_in_the_middle_cuts, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;
	char *low, *high;

	mem_map(mem, 0, 10 * PAGE, RW, w->fd, 0);
	low = mem_ptr(mem, 0, PAGE, MEM_READ);
	assert_int_equal(mem_unmap(mem, 4 * PAGE, 2 * PAGE), 0);
	assert_int_equal(mem->count, 2);
	assert_ptr_equal(mem_ptr(mem, 0, 4 * PAGE, MEM_READ), low);
	assert_null(mem_ptr(mem, 4 * PAGE, 1, MEM_READ));
	assert_null(mem_ptr(mem, 5 * PAGE, 1, MEM_READ));
	high = mem_ptr(mem, 6 * PAGE, 4 * PAGE, MEM_READ);
	assert_ptr_equal(high, low + 6 * PAGE);
}

TEST(test_ptr_refuses_holes_directions_and_wraps, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;

	mem_map(mem, PAGE, PAGE, MEM_READ, w->fd, 0);
	mem_map(mem, 3 * PAGE, PAGE, RW, w->fd, 0);
	mem_map(mem, 4 * PAGE, PAGE, RW, -1, 0);
	assert_null(mem_ptr(mem, 0, 1, MEM_READ));
	assert_null(mem_ptr(mem, 2 * PAGE - 1, 2, MEM_READ));
	assert_null(mem_ptr(mem, PAGE, 8, MEM_WRITE));
	assert_null(mem_ptr(mem, PAGE, 0, MEM_READ));
	assert_null(mem_ptr(mem, PAGE, UINT64_MAX, MEM_READ));
	assert_null(mem_ptr(mem, UINT64_MAX, 2, MEM_READ));
	assert_null(mem_ptr(mem, 4 * PAGE, 1, MEM_READ));
	assert_null(mem_ptr(mem, 3 * PAGE, 2 * PAGE, MEM_READ));
	assert_non_null(mem_ptr(mem, PAGE, PAGE, MEM_READ));
}

TEST(test_ptr_across_regions_that_are_one_here, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;
	struct iovec iov[4];

	mem_map(mem, 0, PAGE, RW, w->fd, 0);
	mem_map(mem, PAGE, PAGE, RW, w->fd, PAGE);
	mem_map(mem, 2 * PAGE, PAGE, RW, w->fd, 9 * PAGE);
	assert_non_null(mem_ptr(mem, 10, 2 * PAGE - 10, RW));
	assert_null(mem_ptr(mem, 10, 2 * PAGE, RW));
	assert_int_equal(mem_iov(mem, 10, 2 * PAGE, RW, iov, 4), 2);
	assert_int_equal(iov[0].iov_len, 2 * PAGE - 10);
	assert_int_equal(iov[1].iov_len, 10);
	assert_int_equal(mem_iov(mem, 10, 2 * PAGE, RW, iov, 1), -E2BIG);
	assert_int_equal(mem_iov(mem, 10, 3 * PAGE, RW, iov, 4), -EFAULT);
}

/* In any order, and again after a part was unmapped */
TEST(test_contiguous_regions_are_merged, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;
	unsigned int i;
	char *host;

	for (i = 0; i < 64; i++)
		assert_int_equal(mem_map(mem, (i * 5 % 64) * PAGE, PAGE, RW,
					 w->fd, (i * 5 % 64) * PAGE), 0);
	assert_int_equal(mem->count, 1);
	host = mem_ptr(mem, 0, 64 * PAGE, RW);
	assert_non_null(host);
	/* The same mapping again changes nothing */
	MAPS(9 * PAGE, PAGE, 9 * PAGE, 0);
	for (i = 1; i < 64; i += 2)
		assert_int_equal(mem_unmap(mem, i * PAGE, PAGE), 0);
	assert_int_equal(mem->count, 32);
	assert_null(mem_ptr(mem, 9 * PAGE, 1, MEM_READ));
	for (i = 63; i < 64; i -= 2)
		MAPS(i * PAGE, PAGE, i * PAGE, 0);
	assert_int_equal(mem->count, 1);
	assert_ptr_equal(mem_ptr(mem, 0, 64 * PAGE, RW), host);
	assert_int_equal(mem_unmap(mem, 0, 64 * PAGE), 0);
	assert_int_equal(mem->file_count, 0);
}

TEST(test_other_regions_are_not_merged, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;

	mem_map(mem, 0, PAGE, RW, w->fd, 0);
	/* Other protection, another place in the file, no file, a grown file */
	mem_map(mem, PAGE, PAGE, MEM_READ, w->fd, PAGE);
	mem_map(mem, 2 * PAGE, PAGE, MEM_READ, w->fd, 3 * PAGE);
	mem_map(mem, 3 * PAGE, PAGE, MEM_READ, -1, 0);
	mem_map(mem, 4 * PAGE, PAGE, MEM_READ, -1, 0);
	assert_int_equal(ftruncate(w->fd, 128 * PAGE), 0);
	mem_map(mem, 5 * PAGE, PAGE, MEM_READ, w->fd, 99 * PAGE);
	mem_map(mem, 6 * PAGE, PAGE, MEM_READ, w->fd, 100 * PAGE);
	assert_int_equal(mem->count, 6);
	assert_null(mem_ptr(mem, 0, 2 * PAGE, MEM_WRITE));
	assert_non_null(mem_ptr(mem, 0, 2 * PAGE, MEM_READ));
}

TEST(test_copy_spans_regions_and_writes_all_or_nothing, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;
	char out[64], in[64];

	memset(out, 'x', sizeof(out));
	mem_map(mem, 0, PAGE, RW, w->fd, 5 * PAGE);
	mem_map(mem, PAGE, PAGE, RW, w->fd, 0);
	assert_int_equal(mem_write(mem, PAGE - 32, out, 64), 0);
	assert_int_equal(mem_read(mem, PAGE - 32, in, 64), 0);
	assert_memory_equal(in, out, 64);
	memset(out, 'y', sizeof(out));
	assert_int_equal(mem_write(mem, 2 * PAGE - 32, out, 64), -EFAULT);
	assert_int_equal(mem_read(mem, 2 * PAGE - 32, in, 32), 0);
	assert_int_equal(in[0], 0);
	assert_int_equal(mem_read(mem, 2 * PAGE - 32, in, 64), -EFAULT);
	assert_int_equal(mem_read(mem, UINT64_MAX - 8, in, 64), -EFAULT);
	assert_int_equal(mem_read(mem, 1ULL << 50, in, 0), 0);
}

TEST(test_bus_master_off_hides_everything, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;
	uint64_t generation;
	char byte;

	mem_map(mem, 0, PAGE, RW, w->fd, 0);
	generation = mem->generation;
	mem_enable(mem, false);
	assert_int_equal(w->watch.calls, 1);
	assert_int_equal(w->watch.start, 0);
	assert_int_equal(w->watch.len, UINT64_MAX);
	assert_true(mem->generation > generation);
	assert_null(mem_ptr(mem, 0, 1, MEM_READ));
	assert_int_equal(mem_read(mem, 0, &byte, 1), -EFAULT);
	mem_enable(mem, true);
	assert_non_null(mem_ptr(mem, 0, 1, MEM_READ));
}

TEST(test_file_that_grew_leaves_old_pointers_good, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;
	char *old;

	mem_map(mem, 0, PAGE, RW, w->fd, 0);
	old = mem_ptr(mem, 0, PAGE, RW);
	assert_int_equal(ftruncate(w->fd, 128 * PAGE), 0);
	MAPS(PAGE, PAGE, 100 * PAGE, 0);
	assert_int_equal(mem->file_count, 2);
	assert_ptr_equal(mem_ptr(mem, 0, PAGE, RW), old);
	strcpy(old, "still here");
	mem_unmap(mem, 0, PAGE);
	assert_int_equal(mem->file_count, 1);
}

TEST(test_read_only_file_is_mapped_for_reading_only, struct world *w, IN_OWN)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", w->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(mem_map(&w->mem, 0, PAGE, RW, fd, 0), -EACCES);
	assert_int_equal(mem_map(&w->mem, 0, PAGE, MEM_READ, fd, 0), 0);
	assert_non_null(mem_ptr(&w->mem, 0, PAGE, MEM_READ));
	assert_null(mem_ptr(&w->mem, 0, PAGE, MEM_WRITE));
	close(fd);
}

TEST(test_file_that_shrank_is_counted_and_survived, struct world *w, IN_OWN)
{
	struct mem *mem = &w->mem;
	uint64_t word = 7;
	char *host;

	/* Not in setup(): cmocka sets its own SIGBUS handler before the test */
	assert_int_equal(mem_guard_install(), 0);
	mem_map(mem, 0, 64 * PAGE, RW, w->fd, 0);
	host = mem_ptr(mem, 0, 64 * PAGE, RW);
	assert_int_equal(ftruncate(w->fd, 8 * PAGE), 0);
	host[30 * PAGE] = 'x';
	assert_int_equal(mem->faults, 1);
	/* One fault for the whole file */
	assert_int_equal(mem_write(mem, 20 * PAGE, &word, sizeof(word)), 0);
	assert_int_equal(mem_read(mem, 9 * PAGE, &word, sizeof(word)), 0);
	assert_int_equal(mem_read(mem, 0, &word, sizeof(word)), 0);
	assert_int_equal(mem->faults, 1);
}

TEST(test_access_to_a_file_that_shrank_fails, struct world *w, IN_OWN)
{
	uint64_t word = 7;

	assert_int_equal(mem_guard_install(), 0);
	mem_map(&w->mem, 0, 64 * PAGE, RW, w->fd, 0);
	assert_int_equal(ftruncate(w->fd, 8 * PAGE), 0);
	assert_int_equal(mem_write(&w->mem, 20 * PAGE, &word, sizeof(word)),
			 -EFAULT);
	assert_int_equal(w->mem.faults, 1);
}

static unsigned int count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned int lines = 0;
	int c;

	assert_non_null(maps);
	while ((c = getc(maps)) != EOF)
		lines += c == '\n';
	fclose(maps);
	return lines;
}

/* Faults must not use up the vm.max_map_count mappings of the process */
TEST(test_faults_do_not_add_up_to_many_mappings, struct world *w, IN_OWN)
{
	unsigned int before, i;
	char *host;

	assert_int_equal(mem_guard_install(), 0);
	mem_map(&w->mem, 0, 64 * PAGE, RW, w->fd, 0);
	host = mem_ptr(&w->mem, 0, 64 * PAGE, RW);
	assert_int_equal(ftruncate(w->fd, 0), 0);
	before = count_mappings();
	for (i = 32; i < 64; i += 2)
		host[i * PAGE] = 'x';
	for (i = 32; i < 64; i += 2)
		host[(64 - i) * PAGE] = 'x';
	assert_true(w->mem.faults > 0);
	/* The file, and the zeros in its place */
	assert_true(count_mappings() <= before + 1);
	assert_int_equal(host[63 * PAGE], 0);
	assert_int_equal(mem_unmap(&w->mem, 0, UINT64_MAX), 0);
	assert_true(count_mappings() < before);
}

TEST(test_clear_tells_the_notifiers, struct world *w, IN_OWN)
{
	mem_map(&w->mem, 0, PAGE, RW, w->fd, 0);
	mem_clear(&w->mem);
	assert_int_equal(w->watch.calls, 1);
	assert_int_equal(w->watch.len, UINT64_MAX);
	assert_int_equal(w->mem.count, 0);
	mem_notifier_remove(&w->watch.notifier);
	mem_clear(&w->mem);
	assert_int_equal(w->watch.calls, 1);
}

TEST_MAIN("mem")
