// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Protection domains and memory regions ([ORNIC-OBJ-14] ff., [ORNIC-KEY-1]) */
#include "host.h"
#include "objects/mr.h"
#include "objects/pd.h"

#define LEN (3 * HOST_PAGE)
#define RW_REMOTE (ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE | \
		   ORNIC_ACCESS_REMOTE_READ)

static enum mr_error get(struct host *host, uint32_t key, uint32_t pdn,
			 uint32_t access, uint64_t addr, uint64_t len)
{
	struct mr_user user = { .pdn = pdn };
	struct mr *mr;

	return mr_get(host->card, &user, key, access, addr, len, &mr);
}

static struct ornic_create_mr_in memory_in(struct host *host, uint32_t pdn)
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(pdn),
		.access = htole32(RW_REMOTE),
		.length = htole64(LEN),
		.iova = htole64(0x10000),
	};

	host_buf(&in.buf, host_alloc(host, LEN, HOST_PAGE), LEN);
	return in;
}

/* [ORNIC-OBJ-12] Any number below max_pd, also one that was never used */
TEST(test_pd_is_any_number_below_the_limit, struct host *host, IN_HOST)
{
	static const uint32_t good[] = { 0, 1, 77, PD_MAX - 1 };
	static const uint32_t bad[] = { PD_MAX, PD_MAX + 1, 0x80000000, ~0U };
	uint64_t at = host_alloc(host, LEN, HOST_PAGE);
	struct ornic_create_mr_in in = memory_in(host, 0);
	struct ornic_query_device_out limits;
	struct ornic_create_mr_out out;
	unsigned int i;
	uint32_t key;

	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &limits);
	assert_int_equal(le32toh(limits.max_pd), PD_MAX);
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		key = host_mr(host, good[i], at, LEN, RW_REMOTE);
		assert_int_equal(get(host, key, good[i], RW_REMOTE, at, LEN),
				 MR_OK);
		assert_int_equal(get(host, key, good[i] ^ 1, 0, at, 1),
				 MR_BAD_PD);
		assert_int_equal(get(host, key, PD_NONE, 0, at, 1), MR_BAD_PD);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		host_refused(host, ORNIC_CMD_CREATE_MR, in, pdn,
			     htole32(bad[i]), &out, ORNIC_CMD_BAD_OBJECT);
}

TEST(test_create_refusals, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	struct ornic_create_mr_in good = memory_in(host, pdn);
	struct ornic_create_mr_out out;

#define REFUSED(field, value, status) \
	host_refused(host, ORNIC_CMD_CREATE_MR, good, field, value, \
		     &out, status)
	REFUSED(pdn, htole32(PD_MAX), ORNIC_CMD_BAD_OBJECT);
	REFUSED(type, ORNIC_MR_NULL + 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(type, ORNIC_MR_REG, ORNIC_CMD_BAD_PARAM);
	REFUSED(type, ORNIC_MR_MW1, ORNIC_CMD_BAD_PARAM);
	REFUSED(type, ORNIC_MR_NULL, ORNIC_CMD_BAD_PARAM);
	REFUSED(rsvd[0], 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(rsvd[1], 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(max_pages, htole32(1), ORNIC_CMD_BAD_PARAM);
	REFUSED(access, htole32(1u << 31), ORNIC_CMD_BAD_PARAM);
	REFUSED(access, htole32(ORNIC_ACCESS_REMOTE_WRITE),
		ORNIC_CMD_BAD_PARAM);
	REFUSED(access, htole32(ORNIC_ACCESS_REMOTE_ATOMIC),
		ORNIC_CMD_BAD_PARAM);
	REFUSED(length, 0, ORNIC_CMD_BAD_PARAM);
	REFUSED(length, htole64(LEN + 1), ORNIC_CMD_BAD_PARAM);
	REFUSED(length, htole64(~0ULL), ORNIC_CMD_BAD_PARAM);
	REFUSED(first_offset, htole64(1), ORNIC_CMD_BAD_PARAM);
	REFUSED(first_offset, htole64(HOST_PAGE), ORNIC_CMD_BAD_PARAM);
	REFUSED(iova, htole64(-(uint64_t)LEN + 1), ORNIC_CMD_BAD_PARAM);
	REFUSED(buf.addr, htole64(HOST_NOWHERE), ORNIC_CMD_DMA_FAULT);
	REFUSED(buf.levels, 9, ORNIC_CMD_BAD_PARAM);
	REFUSED(type, ORNIC_MR_DMA, ORNIC_CMD_BAD_PARAM);
#undef REFUSED
	assert_int_equal(host->card->mrs.count, 0);
	assert_int_equal(host->card->budget.pages, 0);
}

/* [ORNIC-OBJ-15] Every card has the types that come with no feature */
TEST_VOID(test_types_without_a_feature)
{
	const struct card_config configs[] = {
		{ .profiles = ORNIC_PROFILE_RDMA },
		{ .profiles = ORNIC_PROFILE_ETHERNET },
		{ .without = ~0ULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		struct host *host = host_create_as(&configs[i], 1);
		struct ornic_create_mr_in in;
		struct ornic_create_mr_out out;

		host_enable(host);
		in = memory_in(host, host_pd(host));
		host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &in, &out);
		in = (struct ornic_create_mr_in){
			.pdn = in.pdn,
			.type = ORNIC_MR_DMA,
			.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		};
		host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &in, &out);
		host_destroy(host);
	}
}

/* Map memory anew, for reading only */
static void make_read_only(struct host *host, uint64_t at)
{
	host_unmap(host, at, LEN);
	assert_int_equal(mem_map(&host->mem, at, LEN, MEM_READ, host->fd,
				 at - HOST_RAM_BASE), 0);
}

TEST(test_read_only_memory_needs_no_write, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in = memory_in(host, host_pd(host));
	struct ornic_create_mr_out out;

	make_read_only(host, le64toh(in.buf.addr));
	host_cmd_is(host, ORNIC_CMD_CREATE_MR, &in, &out, ORNIC_CMD_DMA_FAULT);
	in.access = htole32(ORNIC_ACCESS_REMOTE_READ);
	host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &in, &out);
}

TEST(test_bounds, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE) + 100;
	uint32_t key = host_mr(host, pdn, at, 1000, RW_REMOTE);

	assert_int_equal(get(host, key, pdn, 0, at, 1000), MR_OK);
	assert_int_equal(get(host, key, pdn, 0, at + 999, 1), MR_OK);
	assert_int_equal(get(host, key, pdn, 0, at, 1001), MR_BAD_RANGE);
	assert_int_equal(get(host, key, pdn, 0, at + 999, 2), MR_BAD_RANGE);
	assert_int_equal(get(host, key, pdn, 0, at + 1000, 1), MR_BAD_RANGE);
	assert_int_equal(get(host, key, pdn, 0, at - 1, 1), MR_BAD_RANGE);
	assert_int_equal(get(host, key, pdn, 0, at - 1, 1001), MR_BAD_RANGE);
	/* Sums that wrap */
	assert_int_equal(get(host, key, pdn, 0, at + 1, ~0ULL), MR_BAD_RANGE);
	assert_int_equal(get(host, key, pdn, 0, ~0ULL, 2), MR_BAD_RANGE);
	assert_int_equal(get(host, key, pdn, 0, -500ULL, at + 1000),
			 MR_BAD_RANGE);
	assert_int_equal(get(host, key, pdn, 0, 0, ~0ULL), MR_BAD_RANGE);
}

/* [ORNIC-OBJ-17] */
TEST(test_region_at_the_end_of_the_address_space, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	struct ornic_create_mr_in in = memory_in(host, pdn);
	uint32_t key;

	in.iova = htole64(-(uint64_t)LEN);
	key = host_create_mr(host, &in);
	assert_int_equal(get(host, key, pdn, 0, ~0ULL, 1), MR_OK);
	assert_int_equal(get(host, key, pdn, 0, ~0ULL, 2), MR_BAD_RANGE);
	assert_int_equal(get(host, key, pdn, 0, 0, 1), MR_BAD_RANGE);
}

TEST(test_key_pd_access_in_this_order, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host), other = host_pd(host);
	uint64_t at = host_alloc(host, 64, 64);
	uint32_t key = host_mr(host, pdn, at, 64, ORNIC_ACCESS_REMOTE_READ);

	assert_int_equal(get(host, key, pdn, 0, at, 64), MR_OK);
	assert_int_equal(get(host, key, pdn, ORNIC_ACCESS_REMOTE_READ, at, 64),
			 MR_OK);
	assert_int_equal(get(host, key, pdn, ORNIC_ACCESS_LOCAL_WRITE, at, 64),
			 MR_BAD_ACCESS);
	assert_int_equal(get(host, key, pdn, ORNIC_ACCESS_REMOTE_WRITE, at,
			     64), MR_BAD_ACCESS);
	assert_int_equal(get(host, key, pdn, ORNIC_ACCESS_REMOTE_ATOMIC, at,
			     1000), MR_BAD_ACCESS);
	assert_int_equal(get(host, key, other, ORNIC_ACCESS_LOCAL_WRITE, at,
			     64), MR_BAD_PD);
	/* Another variant of the key, another index */
	assert_int_equal(get(host, key ^ 1, pdn, 0, at, 64), MR_BAD_KEY);
	assert_int_equal(get(host, key + 0x100, pdn, 0, at, 64), MR_BAD_KEY);
	assert_int_equal(get(host, 0, pdn, 0, at, 64), MR_BAD_KEY);
	assert_int_equal(get(host, ~0U, pdn, 0, at, 64), MR_BAD_KEY);
}

TEST(test_variant_is_the_hosts, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in = memory_in(host, host_pd(host));
	uint32_t key;

	in.variant = 0xa7;
	key = host_create_mr(host, &in);
	assert_int_equal(key & ORNIC_KEY_VARIANT, 0xa7);
	host_cmd_object_is(host, ORNIC_CMD_DESTROY_MR, key ^ 1, ORNIC_CMD_BAD_OBJECT);
	host_cmd_object_ok(host, ORNIC_CMD_DESTROY_MR, key);
	host_cmd_object_is(host, ORNIC_CMD_DESTROY_MR, key, ORNIC_CMD_BAD_OBJECT);
}

TEST(test_stale_key_finds_nothing, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	uint64_t at = host_alloc(host, 64, 64);
	uint32_t key = host_mr(host, pdn, at, 64, 0);

	host_cmd_object(host, ORNIC_CMD_DESTROY_MR, key);
	assert_int_equal(get(host, key, pdn, 0, at, 64), MR_BAD_KEY);
	assert_int_not_equal(host_mr(host, pdn, at, 64, 0), key);
	assert_int_equal(get(host, key, pdn, 0, at, 64), MR_BAD_KEY);
}

/* [ORNIC-OBJ-17] iova, which host_mr() gives, is not looked at */
TEST(test_zero_based, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	uint64_t at = host_alloc(host, HOST_PAGE, HOST_PAGE) + 40;
	uint32_t key = host_mr(host, pdn, at, 64, ORNIC_ACCESS_ZERO_BASED);
	struct mr_user user = { .pdn = pdn };
	struct iovec iov;
	uint64_t len = 60;
	struct mr *mr;

	assert_int_equal(get(host, key, pdn, 0, at, 64), MR_BAD_RANGE);
	assert_int_equal(mr_get(host->card, &user, key, 0, 4, 60, &mr),
			 MR_OK);
	assert_int_equal(mr_iov(mr, 4, &len, MEM_READ, &iov, 1), 1);
	assert_ptr_equal(iov.iov_base, host_device_ptr(host, at + 4));
	assert_int_equal(iov.iov_len, 60);
}

TEST(test_dma_key_is_for_kernel_queues, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	struct ornic_create_mr_in in = {
		.pdn = htole32(pdn),
		.type = ORNIC_MR_DMA,
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
	};
	struct mr_user user = {
		.pdn = pdn,
		.kernel = true,
	};
	struct iovec iov;
	uint64_t len = 64;
	struct mr *mr;
	uint32_t key;

	key = host_create_mr(host, &in);
	assert_int_equal(get(host, key, pdn, 0, HOST_RAM_BASE, 64), MR_BAD_PD);
	assert_int_equal(mr_get(host->card, &user, key,
				ORNIC_ACCESS_LOCAL_WRITE, HOST_RAM_BASE + 4000,
				64, &mr), MR_OK);
	assert_int_equal(mr_iov(mr, HOST_RAM_BASE + 4000, &len, MEM_WRITE,
				&iov, 1), 1);
	assert_ptr_equal(iov.iov_base,
			 host_device_ptr(host, HOST_RAM_BASE + 4000));
	assert_int_equal(mr_get(host->card, &user, key, 0, HOST_NOWHERE, 64,
				&mr), MR_OK);
	assert_int_equal(mr_iov(mr, HOST_NOWHERE, &len, MEM_READ, &iov, 1),
			 -EFAULT);
	assert_int_equal(mr_get(host->card, &user, key, 0, ~0ULL, 2, &mr),
			 MR_BAD_RANGE);
}

/* [ORNIC-KEY-3] */
TEST(test_memory_that_went_away, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	uint32_t key = host_mr(host, pdn, at, 2 * HOST_PAGE, 0);
	struct mr_user user = { .pdn = pdn };
	struct iovec iov[4];
	uint64_t len = 16;
	struct mr *mr;

	host_unmap(host, at + HOST_PAGE, HOST_PAGE);
	assert_int_equal(mr_get(host->card, &user, key, 0, at, 2 * HOST_PAGE,
				&mr), MR_OK);
	assert_int_equal(mr_iov(mr, at, &len, MEM_READ, iov, 4), 1);
	assert_int_equal(mr_iov(mr, at + HOST_PAGE - 8, &len, MEM_READ, iov,
				4), -EFAULT);
	host_map(host, at + HOST_PAGE, HOST_PAGE);
	len = 16;
	assert_true(mr_iov(mr, at + HOST_PAGE - 8, &len, MEM_READ, iov, 4) > 0);
	assert_int_equal(len, 16);
}

TEST(test_as_many_as_are_announced, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	struct ornic_create_mr_in in = memory_in(host, pdn);
	struct ornic_create_mr_out out;
	uint32_t i, key = 0;

	in.length = htole64(64);
	for (i = 0; i < host->card->mrs.max; i++) {
		key = host_create_mr(host, &in);
	}
	host_cmd_is(host, ORNIC_CMD_CREATE_MR, &in, &out, ORNIC_CMD_NO_RESOURCES);
	assert_int_equal(get(host, key, pdn, 0, 0x10000, 64), MR_OK);
	host_cmd_object_ok(host, ORNIC_CMD_DESTROY_MR, key);
	host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &in, &out);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_run(host);
	assert_int_equal(host->card->mrs.count, 0);
	assert_int_equal(host->card->budget.pages, 0);
}

/* ---- MODIFY_MR ---- */

static unsigned int modify(struct host *host, uint32_t key, uint32_t mask,
			   const struct ornic_modify_mr_in *good)
{
	struct ornic_modify_mr_in in = *good;

	in.key = htole32(key);
	in.mask = htole32(mask);
	return host_cmd_in(host, ORNIC_CMD_MODIFY_MR, &in);
}

static const uint8_t *host_byte(struct host *host, uint32_t key, uint32_t pdn,
				uint64_t addr)
{
	struct mr_user user = { .pdn = pdn };
	struct iovec iov;
	uint64_t len = 1;
	struct mr *mr;

	assert_int_equal(mr_get(host->card, &user, key, 0, addr, 1, &mr), MR_OK);
	assert_int_equal(mr_iov(mr, addr, &len, MEM_READ, &iov, 1), 1);
	return iov.iov_base;
}

/* [ORNIC-OBJ-28] Each part alone, and all at once */
TEST(test_modify, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host), other = host_pd(host);
	uint64_t at = host_alloc(host, LEN, HOST_PAGE);
	uint64_t to = host_alloc(host, LEN, HOST_PAGE);
	uint32_t key = host_mr(host, pdn, at, LEN, RW_REMOTE);
	struct ornic_modify_mr_in in = {
		.pdn = htole32(other),
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.iova = htole64(0x123000 + 77),
		.length = htole64(100),
		.first_offset = htole64(77),
	};

	host_buf(&in.buf, to, HOST_PAGE);
	assert_int_equal(modify(host, key, 0, &in), ORNIC_CMD_OK);
	assert_int_equal(get(host, key, pdn, RW_REMOTE, at, LEN), MR_OK);

	assert_int_equal(modify(host, key, ORNIC_MODIFY_MR_PD, &in),
			 ORNIC_CMD_OK);
	assert_int_equal(get(host, key, pdn, 0, at, 1), MR_BAD_PD);
	assert_int_equal(get(host, key, other, RW_REMOTE, at, LEN), MR_OK);

	assert_int_equal(modify(host, key, ORNIC_MODIFY_MR_ACCESS, &in),
			 ORNIC_CMD_OK);
	assert_int_equal(get(host, key, other, ORNIC_ACCESS_REMOTE_READ, at, 1),
			 MR_BAD_ACCESS);
	assert_int_equal(get(host, key, other, ORNIC_ACCESS_LOCAL_WRITE, at,
			     LEN), MR_OK);

	assert_int_equal(modify(host, key, ORNIC_MODIFY_MR_MEMORY, &in),
			 ORNIC_CMD_OK);
	assert_int_equal(get(host, key, other, 0, at, 1), MR_BAD_RANGE);
	assert_int_equal(get(host, key, other, 0, 0x123000 + 77, 101),
			 MR_BAD_RANGE);
	assert_ptr_equal(host_byte(host, key, other, 0x123000 + 100),
			 host_device_ptr(host, to + 100));
	assert_int_equal(host->card->budget.pages, 1);

	pdn = host_pd(host);
	in.pdn = htole32(pdn);
	in.access = htole32(RW_REMOTE);
	in.iova = htole64(at);
	in.length = htole64(LEN);
	in.first_offset = 0;
	host_buf(&in.buf, at, LEN);
	assert_int_equal(modify(host, key, 7, &in), ORNIC_CMD_OK);
	assert_int_equal(get(host, key, pdn, RW_REMOTE, at, LEN), MR_OK);
	host_cmd_object_ok(host, ORNIC_CMD_DESTROY_MR, key);
	assert_int_equal(host->card->budget.pages, 0);
}

/* All or nothing */
TEST(test_modify_refusals, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host), other = host_pd(host);
	uint64_t at = host_alloc(host, LEN, HOST_PAGE);
	uint32_t key = host_mr(host, pdn, at, LEN, RW_REMOTE);
	struct ornic_modify_mr_in good = {
		.pdn = htole32(other),
		.access = 0,
		.iova = htole64(0x1000),
		.length = htole64(LEN),
	};
	struct ornic_create_mr_in dma = {
		.pdn = htole32(pdn),
		.type = ORNIC_MR_DMA,
	};
	struct ornic_create_mr_out out;
	struct ornic_modify_mr_in in;

	host_buf(&good.buf, at, LEN);
#define REFUSED(field, value, mask, status) do {                           \
		in = good;                                                 \
		in.field = value;                                          \
		assert_int_equal(modify(host, key, mask, &in), status);    \
		assert_int_equal(get(host, key, pdn, RW_REMOTE, at, LEN),  \
				 MR_OK);                                   \
	} while (0)
	REFUSED(pdn, htole32(PD_MAX), 7, ORNIC_CMD_BAD_OBJECT);
	REFUSED(pdn, htole32(other), 8, ORNIC_CMD_BAD_PARAM);
	REFUSED(access, htole32(1u << 31), 7, ORNIC_CMD_BAD_PARAM);
	REFUSED(access, htole32(ORNIC_ACCESS_REMOTE_WRITE), 2,
		ORNIC_CMD_BAD_PARAM);
	REFUSED(length, 0, 7, ORNIC_CMD_BAD_PARAM);
	REFUSED(length, htole64(LEN + 1), 7, ORNIC_CMD_BAD_PARAM);
	REFUSED(iova, htole64(-1ULL), 7, ORNIC_CMD_BAD_PARAM);
	REFUSED(first_offset, htole64(HOST_PAGE), 7, ORNIC_CMD_BAD_PARAM);
	REFUSED(buf.page_shift, 11, 4, ORNIC_CMD_BAD_PARAM);
	REFUSED(buf.addr, htole64(HOST_NOWHERE), 7, ORNIC_CMD_DMA_FAULT);
#undef REFUSED
	assert_int_equal(host->card->budget.pages, 3);
	assert_int_equal(modify(host, key ^ 1, 1, &good), ORNIC_CMD_BAD_OBJECT);
	host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &dma, &out);
	assert_int_equal(modify(host, le32toh(out.key), 1, &good),
			 ORNIC_CMD_BAD_PARAM);
}

TEST(test_modify_needs_what_it_allows, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	struct ornic_create_mr_in create = memory_in(host, pdn);
	struct ornic_modify_mr_in in = {
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
	};
	uint64_t at = le64toh(create.buf.addr);
	uint32_t key;

	make_read_only(host, at);
	create.access = htole32(ORNIC_ACCESS_REMOTE_READ);
	key = host_create_mr(host, &create);
	assert_int_equal(modify(host, key, ORNIC_MODIFY_MR_ACCESS, &in),
			 ORNIC_CMD_DMA_FAULT);
	assert_int_equal(get(host, key, pdn, ORNIC_ACCESS_REMOTE_READ,
			     0x10000, LEN), MR_OK);
	assert_ptr_equal(host_byte(host, key, pdn, 0x10005),
			 host_device_ptr(host, at + 5));
}

/* ---- ORNIC_MR_NULL ---- */

/* [ORNIC-OBJ-27] All null regions share one sink for writes */
TEST(test_nulls_share_what_nobody_reads, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(host_pd(host)),
		.type = ORNIC_MR_NULL,
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.length = htole64(~0ULL),
	};
	struct ornic_create_mr_out out;
	struct iovec iov[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		uint64_t len = 64;

		host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &in, &out);
		assert_int_equal(mr_iov(mr_find(host->card, le32toh(out.key)),
					0, &len, MEM_WRITE, &iov[i], 1), 1);
	}
	assert_ptr_equal(iov[0].iov_base, iov[1].iov_base);
}

TEST(test_null, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host), other = host_pd(host);
	struct ornic_create_mr_in in = {
		.pdn = htole32(pdn),
		.type = ORNIC_MR_NULL,
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.length = htole64(~0ULL),
	};
	struct mr_user user = { .pdn = other };
	static const uint8_t zeroes[MR_NULL_PIECE];
	struct ornic_create_mr_out out;
	struct iovec iov[4];
	uint64_t len = 10000;
	struct mr *mr;
	uint32_t key;
	int i;

	in.access = htole32(ORNIC_ACCESS_REMOTE_READ);
	host_cmd_is(host, ORNIC_CMD_CREATE_MR, &in, &out, ORNIC_CMD_BAD_PARAM);
	in.access = htole32(ORNIC_ACCESS_LOCAL_WRITE);
	in.iova = htole64(1);
	host_cmd_is(host, ORNIC_CMD_CREATE_MR, &in, &out, ORNIC_CMD_BAD_PARAM);
	in.iova = 0;
	key = host_create_mr(host, &in);

	/* Any PD, any address, no remote access */
	assert_int_equal(get(host, key, pdn, 0, 0, 1), MR_OK);
	assert_int_equal(get(host, key, other, ORNIC_ACCESS_LOCAL_WRITE,
			     0x123456789abcdef0ULL, 1 << 20), MR_OK);
	assert_int_equal(get(host, key, pdn, ORNIC_ACCESS_REMOTE_READ, 0, 1),
			 MR_BAD_PD);
	assert_int_equal(get(host, key, pdn, ORNIC_ACCESS_REMOTE_WRITE, 0, 1),
			 MR_BAD_PD);
	assert_int_equal(mr_get(host->card, &user, key, 0, 77, 10000, &mr),
			 MR_OK);
	assert_int_equal(mr_iov(mr, 77, &len, MEM_WRITE, iov, 4), 3);
	assert_int_equal(len, 10000);
	for (i = 0; i < 3; i++)
		memset(iov[i].iov_base, 0xff, iov[i].iov_len);
	assert_int_equal(mr_iov(mr, 77, &len, MEM_READ, iov, 2), 2);
	assert_int_equal(len, 2 * MR_NULL_PIECE);
	for (i = 0; i < 2; i++)
		assert_memory_equal(iov[i].iov_base, zeroes, iov[i].iov_len);
	host_cmd_object_ok(host, ORNIC_CMD_DESTROY_MR, key);
}

TEST_MAIN("mr")
