// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fuzz target: a guest. The input chooses the card, register accesses,
 * doorbells, commands, ring contents, page lists, what the guest maps and
 * unmaps, and when it clears bus mastering. Nothing of another client may reach
 * it, and it may change nothing of another client.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "card/card.h"
#include "defined.h"
#include "duo.h"
#include "secret.h"
#include "target.h"

#define FILES 6
#define FILE_PAGES 16
#define FILE_SIZE (FILE_PAGES * HOST_PAGE)
#define LIST_MAX 12
#define LARGE_SHIFT 31
/* Entry of shifts[] for lists whose pages are at both ends of the bus */
#define BOTH_ENDS 7

static int files[FILES];

/* Bus addresses at which each file is mapped at first; DATA may be in two */
static const uint64_t places[FILES] = {
	0,
	(1ULL << LARGE_SHIFT) - FILE_SIZE / 2,
	-(1ULL << LARGE_SHIFT),
	-(FILE_SIZE + HOST_PAGE),
	HOST_RAM_BASE + HOST_RAM_SIZE,
	1ULL << 40,
};

/* ---- memory that comes and goes ---- */

static uint64_t place(struct fuzz *f)
{
	return places[below(f, FILES)];
}

static void map_file(struct fuzz *f)
{
	uint64_t offset = below(f, FILE_PAGES) * HOST_PAGE;
	uint64_t room = FILE_SIZE - offset;
	uint64_t len = one_in(f, 2) ? HOST_PAGE : room;
	uint64_t at = place(f);
	unsigned int prot = 1 + below(f, 3);

	mem_map(&f->host->mem, at, len, prot, files[below(f, FILES)], offset);
}

static void map_files(struct fuzz *f)
{
	unsigned int i;

	for (i = 0; i < FILES; i++)
		assert_int_equal(mem_map(&f->host->mem, places[i], FILE_SIZE,
					 MEM_READ | MEM_WRITE, files[i], 0), 0);
}

/* Map all memory of the host again, so that the card can go on */
static void map_ram(struct fuzz *f)
{
	mem_unmap(&f->host->mem, HOST_RAM_BASE, HOST_RAM_SIZE);
	host_map(f->host, HOST_RAM_BASE, HOST_RAM_SIZE);
}

static void unmap(struct fuzz *f)
{
	struct mem *mem = &f->host->mem;
	unsigned int n = mem->count ? below(f, mem->count) : 0;
	uint64_t at = place(f);

	switch (below(f, 4)) {
	case 0:
		mem_unmap(mem, 0, UINT64_MAX);
		/* Otherwise the rest of a long input would have no files */
		map_files(f);
		break;
	case 1:
		if (mem->count)
			mem_unmap(mem, mem->region[n].start,
				  mem->region[n].len);
		break;
	default:
		mem_unmap(mem, at, one_in(f, 2) ? HOST_PAGE : FILE_SIZE);
	}
	if (!one_in(f, 8))
		map_ram(f);
}

static void dma(struct fuzz *f)
{
	if (one_in(f, 2))
		map_file(f);
	else
		unmap(f);
}

/* ---- page lists ---- */

static uint64_t listed_page(struct fuzz *f, unsigned int shift)
{
	uint64_t at = one_in(f, 4) ? odd(f) : one_in(f, 2) ? place(f) : page(f);

	return one_in(f, 16) ? at : at & -(1ULL << shift);
}

/* Write a list of pages; more levels lead through one index page each */
static uint64_t write_list(struct fuzz *f, unsigned int levels,
			   unsigned int shift, unsigned int count, bool ends)
{
	uint64_t list = page(f);
	__le64 *entry = host_ptr(f->host, list);
	unsigned int i;

	for (i = 0; i < count; i++) {
		entry[i] = htole64(listed_page(f, shift));
		if (ends)
			entry[i] = htole64(i & 1 ? -(1ULL << LARGE_SHIFT) : 0);
	}
	while (--levels) {
		uint64_t index = one_in(f, 8) ? list : page(f);

		entry = host_ptr(f->host, index);
		entry[0] = htole64(list);
		list = index;
	}
	return list;
}

/* Create an MR with a page list; it replaces the one that requests use */
static void list_mr(struct fuzz *f)
{
	static const uint8_t shifts[] = { 12, 12, 13, 16, 21, 30, 31, 31 };
	unsigned int which = below(f, ARRAY_SIZE(shifts));
	unsigned int shift = shifts[which];
	bool ends = which == BOTH_ENDS;
	unsigned int levels = below(f, 4), count = 1 + below(f, LIST_MAX);
	uint64_t size = 1ULL << shift;
	struct ornic_create_mr_in in = {
		.pdn = htole32(one_in(f, 8)),
		.access = htole32(0x1f),
		.iova = htole64(f->data),
		.length = htole64(one_in(f, 4) ? 2 * HOST_PAGE : DATA),
		.buf = { .levels = levels, .page_shift = shift,
			 .npages = htole32(count) },
	};
	static const uint64_t offsets[] = { 0, 1, FILE_PAGES / 2, 1024 };
	struct ornic_create_mr_out out;
	uint64_t offset;

	offset = size - offsets[below(f, ARRAY_SIZE(offsets))] * HOST_PAGE;
	in.first_offset = htole64(one_in(f, 2) ? 0 : offset & (size - 1));
	/* The end of the first page and the start of the second are mapped */
	if (ends)
		in.first_offset = htole64(size - FILE_SIZE / 2);
	in.buf.addr = htole64(levels ? write_list(f, levels, shift, count,
						  ends) :
				       listed_page(f, shift));
	if (one_in(f, 8))
		scribble(f, &in, sizeof(in));
	if (host_cmd(f->host, ORNIC_CMD_CREATE_MR, &in, &out) == ORNIC_CMD_OK)
		f->key = le32toh(out.key);
}

/* ---- raw commands ---- */

/* Write an invalid entry of the admin ring */
static void raw_command(struct fuzz *f)
{
	struct host *host = f->host;
	uint32_t mask = (1u << HOST_ADMIN_LOG_DEPTH) - 1;
	struct ornic_cmd_sqe *ring = host_ptr(host, host->admin_sq);
	struct ornic_cmd_sqe *sqe = &ring[host->admin_pi & mask];

	if (host->lost)
		return;
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = htole16(below(f, 0x100));
	sqe->in_len = htole32(below(f, 512));
	sqe->out_len = htole32(below(f, 512));
	sqe->in_addr = htole64(page(f));
	sqe->out_addr = htole64(page(f));
	scribble(f, sqe, sizeof(*sqe));
	sqe->cmd_id = htole16(host->admin_pi * 7);
	host->admin_pi += one_in(f, 32) ? below(f, 256) : 1;
	host_ring_admin(host);
	host_run(host);
	if (!host->card->fatal && host_has_completed(host))
		host_completed(host);
	/* A driver whose indexes differ from the card's resets the card */
	host->lost = host->admin_ci != host->admin_pi;
}

/* ---- bus mastering ---- */

static void wait_off(struct fuzz *f)
{
	host_sleep(f->host, below(f, 3000000));
}

static void test_irq(struct fuzz *f)
{
	host_write(f->host, ORNIC_REG_IRQ_TEST, 4, below(f, HOST_VECTORS + 1));
}

/*
 * Disable bus mastering for a while ([ORNIC-PCI-6]). The card has stopped, so no
 * access to its memory fails because of that.
 */
static void bus_master_off(struct fuzz *f)
{
	static void (*const deeds[])(struct fuzz *f) = {
		fuzz_post_send, fuzz_post_recv, fuzz_consume, fuzz_doorbell,
		wait_off, test_irq, dma,
	};
	struct stats *stats = &f->host->card->stats;
	uint64_t faults = stats->STAT_DEVICE(dma_faults);
	unsigned int left = 1 + below(f, 8);

	card_bus_master(f->host->card, false);
	while (left--) {
		deeds[below(f, ARRAY_SIZE(deeds))](f);
		duo_step();
	}
	/* A reset that goes on clears the counters at its end */
	assert_true(stats->STAT_DEVICE(dma_faults) <= faults);
	card_bus_master(f->host->card, true);
}

/* ---- the target ---- */

/* Bytes at the end of an input that choose the card */
#define CARD_BYTES 3
/* Features that the first objects do not need */
static const uint64_t optional[] = {
	ORNIC_FEAT_MCAST, ORNIC_FEAT_MODIFY_MR, ORNIC_FEAT_RESIZE_CQ,
	ORNIC_FEAT_CQ_MODERATION, ORNIC_FEAT_TSO, ORNIC_FEAT_RATE_LIMIT,
	ORNIC_FEAT_FLOW_COPY, ORNIC_FEAT_STAT_SETS,
};

static struct card_config choose_card(const uint8_t *bytes)
{
	struct card_config config = {
		.no_shadow = bytes[0] & 0x01,
		.whole_entries = bytes[0] & 0x04,
		.pair_entries = (bytes[0] & 0x0c) == 0x0c,
		.commands_reverse = bytes[0] & 0x08,
		.ci_lags = bytes[0] & 0x10,
		.rq_doorbell = bytes[0] & 0x20,
		.push = bytes[1] & 0x80,
		.flow_basic = bytes[0] & 0x40,
		.parse_least = bytes[1] & 0x40,
		.ready_ms = bytes[0] & 0x80 ? 2 : 0,
		.ci_lag = bytes[0] & 0x10 ? bytes[1] : 0,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(optional); i++)
		if (bytes[2] >> i & 1)
			config.without |= optional[i];
	if (bytes[1] & 0x20)
		config.without |= ORNIC_FEAT_RESIZE_SRQ;
	return config;
}

static void aim(struct fuzz *f)
{
	static const uint8_t nobody[MAC_LEN] = { 2, 0, 0, 0, 0, 9 };

	f->dmac = one_in(f, 8) ? nobody : duo.seat[one_in(f, 2)].f.host->mac;
}

static void step(struct fuzz *f)
{
	switch (below(f, 16)) {
	case 0:
		dma(f);
		break;
	case 1:
		list_mr(f);
		break;
	case 2:
		raw_command(f);
		break;
	case 3:
		aim(f);
		break;
	case 4:
		host_sleep(f->host, below(f, 3000000));
		break;
	case 5:
		if (one_in(f, 8))
			bus_master_off(f);
		break;
	default:
		fuzz_step(f);
	}
	duo_step();
}

void target_init(void)
{
	unsigned int i;

	secret_init();
	for (i = 0; i < FILES; i++) {
		files[i] = memfd_create("file", MFD_CLOEXEC);
		assert_true(files[i] >= 0);
		assert_int_equal(ftruncate(files[i], FILE_SIZE), 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz *f = &duo.seat[0].f;
	struct card_config config;
	unsigned int i;

	if (len < CARD_BYTES) {
		duo_begin(NULL, data, len);
	} else {
		len -= CARD_BYTES;
		config = choose_card(data + len);
		duo_begin(&config, data, len);
	}
	map_files(f);
	while (f->left)
		step(f);
	duo_end();
	/* The files are empty again */
	for (i = 0; i < FILES; i++) {
		assert_int_equal(ftruncate(files[i], 0), 0);
		assert_int_equal(ftruncate(files[i], FILE_SIZE), 0);
	}
	return 0;
}
