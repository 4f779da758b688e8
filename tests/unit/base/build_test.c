// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Large buffers: the card counts and limits the pages that it reads in a turn,
 * whatever the page list says and however large the region is. Index pages may
 * list themselves, because [ORNIC-BUF-5] only requires that they stay, so a few
 * pages of host memory describe millions.
 */
#include "card/card.h"
#include "host.h"
#include "objects/mr.h"

#define SHIFT 12
/* Pages enough for some hundred turns */
#define MANY (1u << 20)
#define ACCESS (ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_READ)

/**
 * struct watch - observer of the turns of a card
 * @host: the card's host
 * @turns: number of turns so far
 * @work: pages read up to the end of the last turn
 * @most: largest number of pages read in one turn
 * @at: turn in which @act is called
 * @act: what the host does while the card executes a command
 * @arg: argument of @act
 */
struct watch {
	struct host *host;
	unsigned int turns;
	uint64_t work;
	uint64_t most;
	unsigned int at;
	void (*act)(struct watch *watch);
	uint64_t arg;
};

static void watch_turn(void *arg)
{
	struct watch *watch = arg;
	uint64_t work = watch->host->card->budget.work;

	if (work - watch->work > watch->most)
		watch->most = work - watch->work;
	watch->work = work;
	if (++watch->turns == watch->at)
		watch->act(watch);
}

static void watch_start(struct host *host, struct watch *watch,
			unsigned int at, void (*act)(struct watch *watch),
			uint64_t arg)
{
	*watch = (struct watch){
		.host = host,
		.work = host->card->budget.work,
		.at = at,
		.act = act,
		.arg = arg,
	};
	host->wire_run = watch_turn;
	host->wire_arg = watch;
}

/* All pages are the same one, which is also its own index on three levels */
static struct ornic_create_mr_in many_pages(struct host *host)
{
	uint64_t index = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_create_mr_in in = {
		.pdn = htole32(host_pd(host)),
		.access = htole32(ACCESS),
		.type = ORNIC_MR_MEMORY,
		.length = htole64((uint64_t)MANY << SHIFT),
		.buf = {
			.page_shift = SHIFT,
			.levels = 3,
			.npages = htole32(MANY),
			.addr = htole64(index),
		},
	};
	__le64 *entry = host_ptr(host, index);
	unsigned int i;

	for (i = 0; i < ORNIC_INDEX_ENTRIES; i++)
		entry[i] = htole64(index);
	return in;
}

/* Half as many, in a list of one level; return its entries, which are all the same */
static __le64 *listed_pages(struct host *host, struct ornic_create_mr_in *in)
{
	uint64_t list = host_alloc(host, MANY / 2 * sizeof(__le64), HOST_PAGE);
	__le64 *entry = host_ptr(host, list);
	unsigned int i;

	*in = many_pages(host);
	for (i = 0; i < MANY / 2; i++)
		entry[i] = in->buf.addr;
	in->buf.levels = 1;
	in->buf.npages = htole32(MANY / 2);
	in->buf.addr = htole64(list);
	in->length = htole64((uint64_t)MANY / 2 << SHIFT);
	return entry;
}

static struct mr *create(struct host *host, const struct ornic_create_mr_in *in)
{
	struct ornic_create_mr_out out;
	struct mr *mr;

	host_cmd_ok(host, ORNIC_CMD_CREATE_MR, in, &out);
	mr = mr_find(host->card, le32toh(out.key));
	assert_non_null(mr);
	return mr;
}

static int get(struct mr *mr, uint64_t offset, struct iovec *iov)
{
	uint64_t len = 64;

	return mr_iov(mr, offset, &len, MEM_READ, iov, 1);
}

TEST(test_pages_that_describe_themselves, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in = many_pages(host);
	struct watch watch;
	struct iovec iov;
	struct mr *mr;

	watch_start(host, &watch, 0, NULL, 0);
	mr = create(host, &in);
	assert_true(watch.turns >= 2ULL * MANY / CARD_RUN_PAGES);
	assert_true(watch.most <= CARD_RUN_PAGES);
	assert_int_equal(get(mr, ((uint64_t)MANY << SHIFT) - 64, &iov), 1);
	assert_ptr_equal(iov.iov_base,
			 host_device_ptr(host, le64toh(in.buf.addr) +
					 HOST_PAGE - 64));
}

/* The last page is refused in bounded turns, and nothing stays allocated */
TEST(test_last_page_out_of_reach, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in;
	__le64 *entry = listed_pages(host, &in);
	struct watch watch;

	entry[MANY / 2 - 1] = htole64(HOST_NOWHERE);
	watch_start(host, &watch, 0, NULL, 0);
	host_cmd_in_is(host, ORNIC_CMD_CREATE_MR, &in, ORNIC_CMD_DMA_FAULT);
	assert_true(watch.most <= CARD_RUN_PAGES);
	assert_int_equal(host->card->budget.pages, 0);
}

static unsigned int modify(struct host *host, struct mr *mr, uint32_t access)
{
	struct ornic_modify_mr_in in = {
		.key = htole32(mr->key),
		.mask = htole32(ORNIC_MODIFY_MR_ACCESS),
		.access = htole32(access),
	};

	return host_cmd_in(host, ORNIC_CMD_MODIFY_MR, &in);
}

TEST(test_access_to_many_pages, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in = many_pages(host);
	struct watch watch;
	struct iovec iov;
	struct mr *mr;

	in.access = htole32(ORNIC_ACCESS_REMOTE_READ);
	mr = create(host, &in);
	assert_int_equal(mr->buf.dir, MEM_READ);
	watch_start(host, &watch, 0, NULL, 0);
	assert_int_equal(modify(host, mr, ACCESS), ORNIC_CMD_OK);
	assert_true(watch.turns >= MANY / CARD_RUN_PAGES);
	assert_true(watch.most <= CARD_RUN_PAGES);
	assert_int_equal(mr->buf.dir, MEM_READ | MEM_WRITE);
	assert_int_equal(get(mr, 0, &iov), 1);
}

static void act_use(struct watch *watch)
{
	obj_get(&mr_find(watch->host->card, watch->arg)->obj);
}

/* The region gets a user while the command is being executed */
TEST(test_region_gets_a_user_meanwhile, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in = many_pages(host);
	struct watch watch;
	struct mr *mr;

	in.access = htole32(ORNIC_ACCESS_REMOTE_READ);
	mr = create(host, &in);
	watch_start(host, &watch, 3, act_use, mr->key);
	assert_int_equal(modify(host, mr, ACCESS), ORNIC_CMD_BUSY);
	assert_int_equal(mr->access, ORNIC_ACCESS_REMOTE_READ);
	assert_int_equal(mr->buf.dir, MEM_READ);
	obj_put(&mr->obj);
}

static void act_unmap(struct watch *watch)
{
	host_unmap(watch->host, watch->arg, HOST_PAGE);
}

/* Pages read early are unmapped before the command ends */
TEST(test_memory_goes_away_meanwhile, struct host *host, IN_HOST)
{
	uint64_t page = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_create_mr_in in;
	__le64 *entry = listed_pages(host, &in);
	struct watch watch;
	struct iovec iov;
	struct mr *mr;

	entry[0] = htole64(page);
	/* After all addresses are read and some pages are mapped */
	watch_start(host, &watch, MANY / 2 / CARD_RUN_PAGES + 4, act_unmap,
		    page);
	mr = create(host, &in);
	assert_true(watch.turns > watch.at);
	assert_int_equal(get(mr, 0, &iov), -EFAULT);
	assert_int_equal(get(mr, HOST_PAGE, &iov), 1);
	assert_int_equal(get(mr, ((uint64_t)MANY / 2 - 1) << SHIFT, &iov), 1);
}

TEST(test_all_memory_goes_and_comes_back, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in = many_pages(host);
	struct mr *mr = create(host, &in);
	struct iovec iov;
	uint64_t work = host->card->budget.work;

	mem_enable(&host->mem, false);
	assert_int_equal(get(mr, 0, &iov), -EFAULT);
	mem_enable(&host->mem, true);
	assert_int_equal(get(mr, 0, &iov), 1);
	assert_true(host->card->budget.work - work <= BUF_STEP);
	/* A later access does no work */
	work = host->card->budget.work;
	assert_int_equal(get(mr, HOST_PAGE, &iov), 1);
	assert_true(host->card->budget.work == work);
}

static void act_fatal(struct watch *watch)
{
	card_stop(watch->host->card);
}

TEST(test_reset_meanwhile, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in = many_pages(host);
	struct watch watch;

	watch_start(host, &watch, 3, act_fatal, 0);
	host_cmd_in_is(host, ORNIC_CMD_CREATE_MR, &in, ORNIC_CMD_INTERNAL);
	assert_int_equal(host->card->budget.pages, MANY);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	assert_int_equal(host->card->budget.pages, 0);
	host_enable(host);
	in.pdn = htole32(host_pd(host));
	create(host, &in);
}

/* Post CREATE_MR and execute a part of it; return its input in guest memory */
static struct ornic_create_mr_in *
begin(struct host *host, const struct ornic_create_mr_in *in, uint64_t out)
{
	uint64_t at = host_alloc(host, sizeof(*in), 8);
	struct ornic_cmd_sqe *sqe = host_ptr(host, host->admin_sq);
	unsigned int i;

	memcpy(host_ptr(host, at), in, sizeof(*in));
	sqe[host->admin_pi % (1u << HOST_ADMIN_LOG_DEPTH)] =
		(struct ornic_cmd_sqe){
			.opcode = htole16(ORNIC_CMD_CREATE_MR),
			.in_len = htole32(sizeof(*in)),
			.in_addr = htole64(at),
			.out_len = htole32(sizeof(struct ornic_create_mr_out)),
			.out_addr = htole64(out),
		};
	host_write(host, ORNIC_REG_ADMIN_DB, 4, ++host->admin_pi);
	for (i = 0; i < 3; i++)
		assert_true(card_run(host->card));
	assert_int_equal(host->card->budget.pages, MANY);
	return host_ptr(host, at);
}

/*
 * [ORNIC-ADM-2], [ORNIC-BAD-2] The input is copied once; the host's later
 * changes have no effect
 */
TEST(test_input_changes_meanwhile, struct host *host, IN_HOST)
{
	struct ornic_create_mr_in in = many_pages(host), *posted;
	uint64_t out = host_alloc(host, sizeof(struct ornic_create_mr_out), 8);
	const struct ornic_create_mr_out *answer = host_ptr(host, out);
	struct mr *mr;

	posted = begin(host, &in, out);
	posted->length = htole64(1ULL << 40);
	posted->buf.npages = htole32(UINT32_MAX);
	host_run(host);
	mr = mr_find(host->card, le32toh(answer->key));
	assert_non_null(mr);
	assert_true(mr->length == (uint64_t)MANY << SHIFT);
	assert_int_equal(mr->buf.npages, MANY);
}

TEST_MAIN("build")
