// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The thread that gives memory back, and what counts until it has done so */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "unit.h"

#define PAGE 4096ULL
#define MIB (1ULL << 20)
#define RW (MEM_READ | MEM_WRITE)

/* The linker passes calls of the reaper through here */
int __real_madvise(void *addr, size_t len, int advice);
int __wrap_madvise(void *addr, size_t len, int advice);
int __real_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len);

/* While it is set, the thread does nothing */
static atomic_bool held;
/* Time of each call, besides that of the kernel */
static unsigned int slow_us;
static pthread_t zapper;
static uint64_t zapped, longest;
static int advices;
static char *zaps[16];
static unsigned int zap_count;

int __wrap_madvise(void *addr, size_t len, int advice)
{
	while (held)
		usleep(100);
	if (slow_us)
		usleep(slow_us);
	zapper = pthread_self();
	zapped += len;
	if (len > longest)
		longest = len;
	advices |= advice;
	zaps[zap_count++ % ARRAY_SIZE(zaps)] = addr;
	return __real_madvise(addr, len, advice);
}

/* Calls of munmap() that fail */
static unsigned int refused;

int __wrap_munmap(void *addr, size_t len)
{
	if (!refused)
		return __real_munmap(addr, len);
	refused--;
	return -1;
}

static int setup(void **state)
{
	zapped = 0;
	longest = 0;
	advices = 0;
	zap_count = 0;
	slow_us = 0;
	held = true;
	return reaper_start();
}

static int teardown(void **state)
{
	held = false;
	reaper_stop();
	return 0;
}

static void finish(struct reap_count *count)
{
	held = false;
	while (count->mappings)
		usleep(100);
	assert_int_equal(count->units, 0);
}

static int make_file(uint64_t size)
{
	int fd = memfd_create("guest", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

static char *map_file(uint64_t size)
{
	int fd = make_file(size);
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	return at;
}

static bool is_mapped(char *at, uint64_t size)
{
	unsigned char in_core;

	return !mincore(at, PAGE, &in_core) ||
	       !mincore(at + size - PAGE, PAGE, &in_core);
}

TEST_VOID(test_memory_is_counted_until_it_is_gone, IN_OWN)
{
	uint64_t size = 40 * MIB + PAGE;
	struct reap_count count = {};
	char *at = map_file(size);

	memset(at, 1, size);
	reaper_give(at, size, &count, 7);
	assert_int_equal(count.mappings, 1);
	assert_int_equal(count.units, 7);
	assert_true(is_mapped(at, size));
	finish(&count);
	assert_false(is_mapped(at, size));
	assert_int_equal(zapped, size);
	assert_false(pthread_equal(zapper, pthread_self()));
}

/* Others use the file: only the mapping goes away */
TEST_VOID(test_content_of_a_file_stays, IN_OWN)
{
	struct reap_count count = {};
	int fd = make_file(PAGE);
	char byte = 'x';
	char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	*at = byte;
	reaper_give(at, PAGE, &count, 1);
	finish(&count);
	byte = 0;
	assert_int_equal(pread(fd, &byte, 1, 0), 1);
	assert_int_equal(byte, 'x');
	close(fd);
	/* MADV_REMOVE would take the memory from its other users */
	assert_int_equal(advices, MADV_DONTNEED);
}

TEST_VOID(test_pieces_grow_while_they_are_quick, IN_OWN)
{
	uint64_t size = (2ULL << 30) + MIB;
	struct reap_count count = {};
	char *at = map_file(size);

	reaper_give(at, size, &count, 1);
	finish(&count);
	assert_false(is_mapped(at, size));
	assert_false(is_mapped(at + (1ULL << 30), 1ULL << 30));
	assert_int_equal(zapped, size);
	assert_in_range(longest, 8 * MIB, 256 * MIB);
}

TEST_VOID(test_slow_pieces_are_small, IN_OWN)
{
	struct reap_count count = {};

	slow_us = 60;
	reaper_give(map_file(40 * MIB), 40 * MIB, &count, 1);
	finish(&count);
	assert_int_equal(zapped, 40 * MIB);
	assert_int_equal(longest, 4 * MIB);
}

TEST_VOID(test_owners_take_turns, IN_OWN)
{
	struct reap_count count[2] = {};
	char *much[2] = { map_file(8 * MIB), map_file(8 * MIB) };
	char *little = map_file(PAGE);

	slow_us = 60;
	reaper_give(much[0], 8 * MIB, &count[0], 1);
	reaper_give(much[1], 8 * MIB, &count[0], 1);
	reaper_give(little, PAGE, &count[1], 1);
	finish(&count[1]);
	finish(&count[0]);
	assert_int_equal(zap_count, 5);
	assert_ptr_equal(zaps[0], much[0] + 4 * MIB);
	assert_ptr_equal(zaps[1], little);
	assert_ptr_equal(zaps[2], much[0]);
	assert_ptr_equal(zaps[3], much[1] + 4 * MIB);
}

/* Parts of huge pages, and with vm.max_map_count mappings each call */
TEST_VOID(test_what_cannot_be_unmapped_is_tried_again, IN_OWN)
{
	struct reap_count count = {};
	char *at = map_file(12 * MIB), *next = map_file(PAGE);

	reaper_give(at, 12 * MIB, &count, 1);
	reaper_give(next, PAGE, &count, 1);
	refused = 7;
	finish(&count);
	assert_int_equal(refused, 0);
	assert_false(is_mapped(at, 12 * MIB));
	assert_false(is_mapped(next, PAGE));
	/* The other mapping in between, and larger pieces until it is all */
	assert_ptr_equal(zaps[0], at + 8 * MIB);
	assert_ptr_equal(zaps[1], next);
	assert_ptr_equal(zaps[2], at + 8 * MIB);
	assert_ptr_equal(zaps[4], at);
}

TEST_VOID(test_stop_drops_what_was_given, IN_OWN)
{
	struct reap_count count = {};
	unsigned int i;
	char *at;

	slow_us = 1000;
	for (i = 0; i < 1000; i++)
		reaper_give(map_file(PAGE), PAGE, &count, 1);
	held = false;
	reaper_stop();
	assert_in_range(zap_count, 0, 999);
	assert_int_equal(count.mappings, 0);
	assert_int_equal(count.units, 0);
	/* From now on at once */
	at = map_file(PAGE);
	reaper_give(at, PAGE, &count, 1);
	assert_false(is_mapped(at, PAGE));
}

/* Files of a client that leaves do not keep the next one from mapping as many */
TEST_VOID(test_next_client_may_map_as_much, IN_OWN)
{
	struct mem mem;
	unsigned int i, client;
	int fd, err;

	mem_init(&mem);
	for (client = 0; client < 3; client++) {
		for (i = 0; i < MEM_MAX_FILES; i++) {
			fd = make_file(PAGE);
			err = mem_map(&mem, i * PAGE, PAGE, RW, fd, 0);
			close(fd);
			assert_int_equal(err, client < 2 ? 0 : -ENOSPC);
		}
		mem_clear(&mem);
		assert_int_equal(mem.file_count, 0);
	}
	assert_int_equal(mem.leaving.mappings, 2 * MEM_MAX_FILES);
	assert_int_equal(mem.leaving.units, 2 * MEM_MAX_FILES * PAGE);
	finish(&mem.leaving);
	fd = make_file(PAGE);
	assert_int_equal(mem_map(&mem, 0, PAGE, RW, fd, 0), 0);
	close(fd);
	mem_uninit(&mem);
	finish(&mem.leaving);
}

TEST_VOID(test_pages_of_buffers_are_counted_until_they_are_gone, IN_OWN)
{
	struct buf_budget budget = {};
	struct guest guest = {};
	enum ornic_cmd_status status;
	unsigned int i;
	struct buf buf;

	for (i = 0; i < 3; i++) {
		status = buf_alloc(&buf, &guest, &budget, BUF_PAGES_MAX);
		assert_int_equal(status, i < 2 ? ORNIC_CMD_OK :
						 ORNIC_CMD_NO_RESOURCES);
		buf_uninit(&buf);
		assert_int_equal(budget.pages, 0);
	}
	assert_int_equal(budget.leaving.units, 2 * BUF_PAGES_MAX);
	finish(&budget.leaving);
	assert_int_equal(buf_alloc(&buf, &guest, &budget, BUF_PAGES_MAX), 0);
	buf_uninit(&buf);
	finish(&budget.leaving);
}

/* Many mappings would use up vm.max_map_count */
TEST_VOID(test_small_arrays_stay_in_the_heap, IN_OWN)
{
	struct buf_budget budget = {};
	struct guest guest = {};
	struct buf buf;

	assert_int_equal(buf_alloc(&buf, &guest, &budget, 65000), 0);
	buf_uninit(&buf);
	assert_int_equal(budget.leaving.mappings, 0);
	assert_int_equal(buf_alloc(&buf, &guest, &budget, 65536), 0);
	buf_uninit(&buf);
	assert_int_equal(budget.leaving.mappings, 1);
	finish(&budget.leaving);
}

TEST_MAIN("reaper")
