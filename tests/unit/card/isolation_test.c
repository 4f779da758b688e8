// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two clients of one process. The memory of the second client takes the virtual
 * addresses that the memory of the first one has left; no pointer that the
 * first card keeps may lead there.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"
#include "objects/mr.h"

#define RW (MEM_READ | MEM_WRITE)
#define FIRST 0xa5
#define SECOND 0x5a
/* The largest pages ([ORNIC-BUF-1]) */
#define LARGE_SHIFT 31
#define LARGE (1ULL << LARGE_SHIFT)
/* The last page of the address space cannot be mapped, so use the one before */
#define TOP_PAGE (-2 * HOST_PAGE)

/* Map a page of a client's memory at a bus address */
static void map_at(struct host *host, uint64_t addr, uint64_t ram)
{
	assert_int_equal(mem_map(&host->mem, addr, HOST_PAGE, RW, host->fd,
				 ram - HOST_RAM_BASE), 0);
}

static struct mr *make_mr(struct host *host, const struct ornic_buf *buf,
			  uint64_t first_offset, uint64_t length)
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(host_pd(host)),
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE |
				  ORNIC_ACCESS_REMOTE_WRITE |
				  ORNIC_ACCESS_REMOTE_READ),
		.type = ORNIC_MR_MEMORY,
		.length = htole64(length),
		.first_offset = htole64(first_offset),
		.buf = *buf,
	};
	struct ornic_create_mr_out out;
	struct mr *mr;

	host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &in, &out);
	mr = mr_find(host->card, le32toh(out.key));
	assert_non_null(mr);
	return mr;
}

/* Write a whole region as the card does; return the number of bytes written */
static uint64_t write_all(struct mr *mr)
{
	uint64_t done = 0, len;
	struct iovec iov[4];
	int i, n;

	for (; done < mr->length; done += len) {
		len = mr->length - done;
		n = mr_iov(mr, done, &len, MEM_WRITE, iov, ARRAY_SIZE(iov));
		if (n < 0)
			break;
		for (i = 0; i < n; i++)
			memset(iov[i].iov_base, FIRST, iov[i].iov_len);
	}
	return done;
}

/* Memory of the second client, at the virtual addresses of the first one's */
struct second {
	uint8_t *host;
	int fd;
};

/*
 * Unmap the first client's memory, in ranges that are not the whole address
 * space. The kernel may reuse its virtual addresses at any time; here the
 * second client gets them.
 */
static void replace(struct host *first, struct second *second)
{
	void *old = host_device_ptr(first, HOST_RAM_BASE);

	while (first->mem.count) {
		const struct mem_region *region = &first->mem.region[0];

		host_unmap(first, region->start, region->len);
	}
	second->fd = memfd_create("second", MFD_CLOEXEC);
	assert_int_equal(ftruncate(second->fd, HOST_RAM_SIZE), 0);
	second->host = mmap(old, HOST_RAM_SIZE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED_NOREPLACE, second->fd, 0);
	assert_ptr_equal(second->host, old);
	memset(second->host, SECOND, HOST_RAM_SIZE);
}

static void check_untouched(struct second *second)
{
	uint64_t i;

	for (i = 0; i < HOST_RAM_SIZE; i++)
		assert_int_equal(second->host[i], SECOND);
	munmap(second->host, HOST_RAM_SIZE);
	close(second->fd);
}

TEST(test_region_that_spans_the_whole_bus, struct host *first, IN_HOST)
{
	uint64_t ram = host_alloc(first, 2 * HOST_PAGE, HOST_PAGE);
	uint64_t list = host_alloc(first, HOST_PAGE, HOST_PAGE);
	struct ornic_buf buf = {
		.page_shift = LARGE_SHIFT,
		.levels = 1,
		.npages = htole32(2),
		.addr = htole64(list),
	};
	__le64 *page = host_ptr(first, list);
	struct second second;
	struct mr *mr;

	/* The last bytes of the lowest page, the first bytes of the highest */
	page[0] = htole64(0);
	page[1] = htole64(-LARGE);
	map_at(first, LARGE - HOST_PAGE, ram);
	map_at(first, -LARGE, ram + HOST_PAGE);
	mr = make_mr(first, &buf, LARGE - HOST_PAGE, 2 * HOST_PAGE);
	assert_int_equal(write_all(mr), 2 * HOST_PAGE);
	replace(first, &second);
	assert_int_equal(write_all(mr), 0);
	check_untouched(&second);
}

TEST(test_region_at_the_top_of_the_bus, struct host *first, IN_HOST)
{
	uint64_t ram = host_alloc(first, HOST_PAGE, HOST_PAGE);
	struct ornic_buf buf = {
		.page_shift = LARGE_SHIFT,
		.npages = htole32(1),
		.addr = htole64(-LARGE),
	};
	uint64_t offset = TOP_PAGE - -LARGE;
	struct second second;
	struct mr *mr;

	map_at(first, TOP_PAGE, ram);
	mr = make_mr(first, &buf, offset, HOST_PAGE);
	assert_int_equal(write_all(mr), HOST_PAGE);
	replace(first, &second);
	assert_int_equal(write_all(mr), 0);
	check_untouched(&second);
}

TEST(test_region_of_scattered_pages, struct host *first, IN_HOST)
{
	uint64_t ram = host_alloc(first, 8 * HOST_PAGE, HOST_PAGE);
	struct ornic_buf buf;
	struct second second;
	struct mr *mr;

	host_buf(&buf, ram, 8 * HOST_PAGE);
	mr = make_mr(first, &buf, 8, 8 * HOST_PAGE - 16);
	assert_int_equal(write_all(mr), 8 * HOST_PAGE - 16);
	replace(first, &second);
	assert_int_equal(write_all(mr), 0);
	check_untouched(&second);
}

TEST_MAIN("isolation")
