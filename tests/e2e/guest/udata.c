// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: udata DEVICE
 *
 * Makes contexts, CQs, QPs, MRs and Ethernet objects (udata_eth.c), and resizes CQs, in ways that
 * no library would. Prints one line per attempt; see say().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "udata.h"

/* Ways to spoil a request: how much longer it is, and the byte that is set */
const struct spoiled spoiled[SPOILED] = {
	{ "no request", EINVAL, -LONGEST, LONGEST },
	{ "request cut by 4 bytes", EINVAL, -4, LONGEST },
	{ "comp_mask bit", EOPNOTSUPP, 0, 0 },
	{ "second word's top bit", EOPNOTSUPP, 0, 7 },
	{ "tail of zeros", 0, TAIL, LONGEST },
	{ "tail with a bit", EOPNOTSUPP, TAIL, LONGEST - 1 },
};

struct udata spoil(size_t i, struct long_request *bytes, size_t len, size_t out_len)
{
	int more = spoiled[i].more;

	memset(bytes, 0, sizeof(*bytes));
	if (spoiled[i].set == LONGEST - 1)
		bytes->bytes[len + TAIL / 2] = 0x80;
	else if (spoiled[i].set < LONGEST)
		bytes->bytes[spoiled[i].set] = 0x80;
	return (struct udata){ bytes, more == -LONGEST ? 0 : len + more, out_len };
}

static void contexts(const char *device)
{
	struct long_request bytes;
	struct udata udata;
	size_t i;
	int fd;

	for (i = 0; i < SPOILED; i++) {
		udata = spoil(i, &bytes, sizeof(struct ornic_alloc_ucontext_req),
			      sizeof(struct ornic_alloc_ucontext_resp));
		fd = uverbs_open(device);
		say("context", spoiled[i].name, spoiled[i].want,
		    uverbs_try_context(fd, &udata, NULL));
		close(fd);
	}
	/* Room for half of the response only, as an old library has */
	udata = (struct udata){ &bytes, sizeof(struct ornic_alloc_ucontext_req), 16 };
	memset(&bytes, 0, sizeof(bytes));
	fd = uverbs_open(device);
	say("context", "short answer", 0, uverbs_try_context(fd, &udata, NULL));
	close(fd);
}

static void cqs(int fd)
{
	static const struct {
		const char *name;
		int want;
		uint32_t cqe, vector;
	} sizes[] = {
		{ "no entries", EINVAL, 0, 0 },
		{ "4 billion entries", EINVAL, ~0u, 0 },
		{ "2 billion entries", EINVAL, 1u << 31, 0 },
		{ "vector 4 billion", EINVAL, 16, ~0u },
		{ "vector 1000", EINVAL, 16, 1000 },
	};
	struct long_request bytes = {};
	struct ring_cq cq;
	struct udata udata;
	size_t i;

	for (i = 0; i < SPOILED; i++) {
		udata = spoil(i, &bytes, sizeof(struct ornic_create_cq_req), sizeof(cq.resp));
		say("cq", spoiled[i].name, spoiled[i].want, uverbs_try_cq(fd, 16, 0, &udata, &cq));
	}
	memset(&bytes, 0, sizeof(bytes));
	udata = (struct udata){ &bytes, sizeof(struct ornic_create_cq_req), sizeof(cq.resp) };
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		say("cq", sizes[i].name, sizes[i].want,
		    uverbs_try_cq(fd, sizes[i].cqe, sizes[i].vector, &udata, &cq));
}

static void resizes(int fd, struct ring_cq *cq)
{
	struct long_request bytes = {};
	struct udata udata;
	size_t i;

	for (i = 0; i < SPOILED; i++) {
		/* As long as the shortest request, which may be missing */
		udata = spoil(i, &bytes, 8, sizeof(struct ornic_resize_resp));
		say("resize", spoiled[i].name, spoiled[i].more < 0 ? 0 : spoiled[i].want,
		    uverbs_try_resize_cq(fd, cq, 64, &udata, NULL));
	}
	udata = (struct udata){ NULL, 0, sizeof(struct ornic_resize_resp) };
	say("resize", "no entries", EINVAL, uverbs_try_resize_cq(fd, cq, 0, &udata, NULL));
	say("resize", "4 billion entries", EINVAL, uverbs_try_resize_cq(fd, cq, ~0u, &udata, NULL));
	say("resize", "2 billion entries", EINVAL,
	    uverbs_try_resize_cq(fd, cq, 1u << 31, &udata, NULL));
	say("resize", "one entry", 0, uverbs_try_resize_cq(fd, cq, 1, &udata, NULL));
}

#define GOOD_QP(pd, cq) { \
	.pd_handle = pd, .send_cq_handle = cq, .recv_cq_handle = cq, .max_send_wr = 4, \
	.max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1, .qp_type = IB_UVERBS_QPT_RC, \
}

static void qps(int fd, uint32_t pd, uint32_t cq_handle)
{
	struct ib_uverbs_create_qp good = GOOD_QP(pd, cq_handle);
	struct {
		const char *name;
		int want;
		struct ib_uverbs_create_qp cmd;
	} odd[] = {
		{ "4 billion sends", EINVAL, but(good, max_send_wr, ~0u) },
		{ "4 billion receives", EINVAL, but(good, max_recv_wr, ~0u) },
		{ "4 billion send SGEs", EINVAL, but(good, max_send_sge, ~0u) },
		{ "4 billion receive SGEs", EINVAL, but(good, max_recv_sge, ~0u) },
		{ "4 billion inline bytes", EINVAL, but(good, max_inline_data, ~0u) },
		{ "type 200", EINVAL, but(good, qp_type, 200) },
		{ "type RAW_PACKET", 0, but(good, qp_type, IB_UVERBS_QPT_RAW_PACKET) },
		{ "no such PD", ENOENT, but(good, pd_handle, 12345) },
		{ "no such CQ", ENOENT, but(good, send_cq_handle, 12345) },
	};
	struct long_request bytes = {};
	struct udata udata;
	struct ring_qp qp;
	size_t i;

	for (i = 0; i < SPOILED; i++) {
		udata = spoil(i, &bytes, sizeof(struct ornic_create_qp_req), sizeof(qp.resp));
		say("qp", spoiled[i].name, spoiled[i].want, uverbs_try_qp(fd, &good, &udata, &qp));
	}
	memset(&bytes, 0, sizeof(bytes));
	udata = (struct udata){ &bytes, sizeof(struct ornic_create_qp_req), sizeof(qp.resp) };
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		say("qp", odd[i].name, odd[i].want, uverbs_try_qp(fd, &odd[i].cmd, &udata, &qp));
}

static void mrs(int fd, uint32_t pd)
{
	static uint8_t page[8192] __attribute__((aligned(4096)));
	const uint32_t local = ORNIC_ACCESS_LOCAL_WRITE;
	struct region mr;

	say("mr", "good", 0, uverbs_try_mr(fd, pd, page, 4096, (uintptr_t)page, local, &mr));
	say("mr", "length 0", EINVAL, uverbs_try_mr(fd, pd, page, 0, (uintptr_t)page, local, &mr));
	say("mr", "length that wraps", EINVAL,
	    uverbs_try_mr(fd, pd, page, ~0ull - 4096, (uintptr_t)page, local, &mr));
	say("mr", "memory that is not there", EFAULT,
	    uverbs_try_mr(fd, pd, (void *)0x10000, 4096, 0x10000, local, &mr));
	say("mr", "address of another page offset", EINVAL,
	    uverbs_try_mr(fd, pd, page, 4096, (uintptr_t)page + 1, local, &mr));
	say("mr", "remote write without local write", EINVAL,
	    uverbs_try_mr(fd, pd, page, 4096, (uintptr_t)page, ORNIC_ACCESS_REMOTE_WRITE, &mr));
	say("mr", "unknown access flag", EINVAL,
	    uverbs_try_mr(fd, pd, page, 4096, (uintptr_t)page, local | 1u << 15, &mr));
	/* Refused before the memory is checked */
	say("mr", "huge pages that are not there", EOPNOTSUPP,
	    uverbs_try_mr(fd, pd, (void *)0x10000, 4096, 0x10000, local | 1u << 7, &mr));
	say("mr", "no such PD", ENOENT,
	    uverbs_try_mr(fd, 12345, page, 4096, (uintptr_t)page, local, &mr));
}

/*
 * The driver's response has memory, and the verb's response before it has none. The kernel notices
 * this after it has created the object, and must destroy the object again. Then the memory is the
 * other way round: the driver notices this, and must free what it has made.
 */
static void responses(int fd, uint32_t pd, uint32_t cq_handle)
{
	/* Zeros count as no request; the request of a creation must not prevent the destruction */
	const struct ornic_create_cq_req cq_req = { .flags = ORNIC_CREATE_CQ_EXT };
	const struct ornic_create_srq_req srq_req = {};
	const struct ornic_create_qp_req qp_req = {};
	const struct ib_uverbs_alloc_pd pd_cmd = {};
	const struct ib_uverbs_create_cq cq_cmd = { .cqe = 16, .comp_channel = -1 };
	const struct ib_uverbs_create_srq srq_cmd = { .pd_handle = pd, .max_wr = 4, .max_sge = 1 };
	const struct ib_uverbs_create_qp qp_cmd = GOOD_QP(pd, cq_handle);
	const struct ib_uverbs_reg_mr mr_cmd = {
		.start = (uintptr_t)spoiled & ~4095ull,
		.length = 4096,
		.hca_va = (uintptr_t)spoiled & ~4095ull,
		.pd_handle = pd,
	};
	const struct {
		const char *name;
		unsigned int command;
		const void *cmd;
		size_t len, out_len;
		struct udata udata;
	} verbs[] = {
		{ "pd", IB_USER_VERBS_CMD_ALLOC_PD, &pd_cmd, sizeof(pd_cmd),
		  sizeof(struct ib_uverbs_alloc_pd_resp), { NULL, 0, 0 } },
		{ "cq", IB_USER_VERBS_CMD_CREATE_CQ, &cq_cmd, sizeof(cq_cmd),
		  sizeof(struct ib_uverbs_create_cq_resp),
		  { &cq_req, sizeof(cq_req), sizeof(struct ornic_create_cq_resp) } },
		{ "srq", IB_USER_VERBS_CMD_CREATE_SRQ, &srq_cmd, sizeof(srq_cmd),
		  sizeof(struct ib_uverbs_create_srq_resp),
		  { &srq_req, sizeof(srq_req), sizeof(struct ornic_create_srq_resp) } },
		{ "qp", IB_USER_VERBS_CMD_CREATE_QP, &qp_cmd, sizeof(qp_cmd),
		  sizeof(struct ib_uverbs_create_qp_resp),
		  { &qp_req, sizeof(qp_req), sizeof(struct ornic_create_qp_resp) } },
		{ "mr", IB_USER_VERBS_CMD_REG_MR, &mr_cmd, sizeof(mr_cmd),
		  sizeof(struct ib_uverbs_reg_mr_resp), { NULL, 0, 0 } },
	};
	uint8_t *pages = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE))
		die("mmap", errno);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		say(verbs[i].name, "no memory for the response", EFAULT,
		    uverbs_write_to(fd, verbs[i].command, verbs[i].cmd, verbs[i].len,
				    pages + 4096 - verbs[i].out_len,
				    verbs[i].out_len + verbs[i].udata.out_len, &verbs[i].udata));
	if (mprotect(pages, 4096, PROT_READ | PROT_WRITE) ||
	    mprotect(pages + 4096, 4096, PROT_NONE))
		die("mprotect", errno);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (verbs[i].udata.out_len)
			say(verbs[i].name, "no memory for the driver's response", EFAULT,
			    uverbs_write_to(fd, verbs[i].command, verbs[i].cmd, verbs[i].len,
					    pages + 4096 - verbs[i].out_len,
					    verbs[i].out_len + verbs[i].udata.out_len,
					    &verbs[i].udata));
	munmap(pages, 8192);
}

/* Pages of the context are mapped one by one, and shared with the device */
static void maps(const struct uverbs *uv)
{
	const struct { const char *name; struct ornic_mmap_place place; } pages[] = {
		{ "doorbells", uv->resp.db },
		{ "board", uv->resp.board },
		{ "clock", uv->resp.clock },
	};
	const struct { const char *odd; int pages, flags; } ways[] = {
		{ "two pages", 2, MAP_SHARED },
		{ "private", 1, MAP_PRIVATE },
	};
	size_t i, j;
	void *at;

	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		for (j = 0; j < sizeof(ways) / sizeof(ways[0]); j++) {
			at = mmap(NULL, ways[j].pages * pages[i].place.length, PROT_READ,
				  ways[j].flags, uv->fd, pages[i].place.offset);
			say(pages[i].name, ways[j].odd, EINVAL, at == MAP_FAILED ? errno : 0);
		}
	}
}

int main(int argc, char **argv)
{
	struct uverbs uv;
	struct ring_cq cq;
	uint32_t pd;

	if (argc != 2)
		die("usage: udata DEVICE", 0);
	contexts(argv[1]);
	uverbs_context(&uv, argv[1]);
	maps(&uv);
	cqs(uv.fd);
	pd = uverbs_pd(uv.fd);
	uverbs_cq(&uv, 16, &cq);
	resizes(uv.fd, &cq);
	qps(uv.fd, pd, cq.handle);
	mrs(uv.fd, pd);
	responses(uv.fd, pd, cq.handle);
	try_ethernet(uv.fd, pd, cq.handle);
	return 0;
}
