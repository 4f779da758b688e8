// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libornic writes the work requests of Documentation/hardware-vectors.txt byte
 * by byte, and understands its completions ([ORNIC-VEC-1])
 */
#include <stdio.h>

#include "fixture.h"

#define BYTES	128
#define FIELDS	32
#define NAME	24
#define VALUE	40

/**
 * struct vector - an entry of the document
 * @bytes: all bytes
 * @length: number of bytes
 * @names: names of the fields that are not 0, in order
 * @values: their values
 * @count: number of fields
 */
struct vector {
	uint8_t bytes[BYTES];
	unsigned int length;
	char names[FIELDS][NAME];
	uint64_t values[FIELDS];
	unsigned int count;
};

/* Reads the bytes of a line, which are its last word */
static void read_hex(struct vector *v, const char *line)
{
	unsigned int byte;

	for (line = strrchr(line, ' ') + 1; sscanf(line, "%2x", &byte) == 1; line += 2) {
		assert_true(v->length < BYTES);
		v->bytes[v->length++] = byte;
	}
}

/* Reads a line of pairs of a name and a value */
static void read_fields(struct vector *v, const char *line)
{
	char name[NAME], value[VALUE];
	int used;

	for (; sscanf(line, "%23s %39s%n", name, value, &used) == 2; line += used) {
		assert_true(v->count < FIELDS);
		strcpy(v->names[v->count], name);
		v->values[v->count++] = strtoull(value, NULL, 0);
	}
}

/* Reads a vector; @head is its first line */
static struct vector read_vector(const char *head)
{
	FILE *file = fopen(DOCUMENTS "/hardware-vectors.txt", "r");
	size_t len = strlen(head);
	struct vector v = {};
	bool found = false;
	char line[256];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (!found)
			found = !strncmp(line, head, len) && line[len] == '\n';
		else if (line[0] == '\n')
			break;
		else if (!strncmp(line, "hex ", 4))
			read_hex(&v, line);
		else
			read_fields(&v, line);
	}
	fclose(file);
	if (!v.length)
		fail_msg("no %s", head);
	return v;
}

/* Value of the @nth field of a name, 0 without one */
static uint64_t value(const struct vector *v, const char *name, unsigned int nth)
{
	unsigned int i;

	for (i = 0; i < v->count; i++)
		if (!strcmp(v->names[i], name) && !nth--)
			return v->values[i];
	return 0;
}

static unsigned int number_of(const struct vector *v, const char *name)
{
	unsigned int i, found = 0;

	for (i = 0; i < v->count; i++)
		found += !strcmp(v->names[i], name);
	return found;
}

static uint32_t flags_of(const struct vector *v)
{
	return value(v, "ctrl.flags", 0);
}

/* Clears what the device ignores: unused words of the header and the route */
static void clear_ignored(uint8_t *bytes, uint32_t opcode, bool is_ud)
{
	bool has_word = opcode == ORNIC_WR_SEND_WITH_IMM ||
			opcode == ORNIC_WR_RDMA_WRITE_WITH_IMM ||
			opcode == ORNIC_WR_SEND_WITH_INV ||
			opcode == ORNIC_WR_LOCAL_INV;
	bool has_route = opcode != ORNIC_WR_SEND &&
			 opcode != ORNIC_WR_SEND_WITH_IMM &&
			 opcode != ORNIC_WR_SEND_WITH_INV &&
			 opcode != ORNIC_WR_LOCAL_INV &&
			 opcode != ORNIC_WR_BIND_MW;

	if (!has_word)
		memset(bytes + offsetof(struct ornic_sq_hdr, imm), 0, 4);
	if (!has_route && !is_ud)
		memset(bytes + sizeof(struct ornic_sq_hdr), 0,
		       sizeof(struct ornic_route_rc));
}

/* The device fetches a WQE, which must be the vector */
static void expect(struct ibv_qp *ibqp, const struct vector *v)
{
	bool is_ud = ibqp->qp_type == IBV_QPT_UD;
	uint8_t want[BYTES], found[BYTES];
	struct fake_wqe wqe;

	take_send(ibqp, &wqe);
	memcpy(found, &wqe.hdr, sizeof(wqe.hdr));
	memcpy(found + sizeof(wqe.hdr), wqe.bytes, BYTES - sizeof(wqe.hdr));
	memcpy(want, v->bytes, BYTES);
	clear_ignored(found, wqe.opcode, is_ud);
	clear_ignored(want, wqe.opcode, is_ud);
	assert_memory_equal(found, want, v->length);
	assert_no_send(ibqp);
}

/* Posts a request with the SGEs or the inline data of a vector */
static void post(struct ibv_qp *ibqp, struct ibv_send_wr *wr, const struct vector *v)
{
	unsigned int i, num = number_of(v, "addr");
	uint32_t flags = flags_of(v);
	struct ibv_send_wr *bad;
	struct ibv_sge sg[2];

	wr->wr_id = value(v, "wr_id", 0);
	wr->send_flags = flags;
	wr->sg_list = sg;
	wr->num_sge = num;
	for (i = 0; i < num; i++)
		sg[i] = (struct ibv_sge){
			.addr = value(v, "addr", i),
			.length = value(v, "length", i),
			.lkey = value(v, "lkey", i),
		};
	if (flags & ORNIC_SEND_INLINE) {
		wr->num_sge = 1;
		sg[0].addr = (uintptr_t)v->bytes + 32;
		sg[0].length = v->length - 32;
	}
	assert_int_equal(ibv_post_send(ibqp, wr, &bad), 0);
	expect(ibqp, v);
}

TEST(messages_and_reads, struct fixture *f, IN_OWN)
{
	static const struct {
		const char *name;
		enum ibv_wr_opcode opcode;
	} table[] = {
		{ "wqe send-inline", IBV_WR_SEND },
		{ "wqe send-with-imm", IBV_WR_SEND_WITH_IMM },
		{ "wqe rdma-write", IBV_WR_RDMA_WRITE },
		{ "wqe rdma-write-with-imm", IBV_WR_RDMA_WRITE_WITH_IMM },
		{ "wqe rdma-read", IBV_WR_RDMA_READ },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct vector v = read_vector(table[i].name);
		struct ibv_send_wr wr = {
			.opcode = table[i].opcode,
			.imm_data = htobe32(value(&v, "imm", 0)),
			.wr.rdma.remote_addr = value(&v, "raddr", 0),
			.wr.rdma.rkey = value(&v, "rkey", 0),
		};

		post(f->rc, &wr, &v);
	}
}

TEST(atomics, struct fixture *f, IN_OWN)
{
	struct vector v = read_vector("wqe atomic-cmp-swp");
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
		.wr.atomic.remote_addr = value(&v, "raddr", 0),
		.wr.atomic.rkey = value(&v, "rkey", 0),
		.wr.atomic.swap = value(&v, "swap_add", 0),
		.wr.atomic.compare_add = value(&v, "compare", 0),
	};

	post(f->rc, &wr, &v);
}

TEST(keys, struct fixture *f, IN_OWN)
{
	struct vector v = read_vector("wqe local-inv");
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_LOCAL_INV,
		.invalidate_rkey = value(&v, "inv_key", 0),
	};
	struct ibv_send_wr *bad;
	struct ibv_mr mr = {};
	struct ibv_mw mw = { .type = IBV_MW_TYPE_2 };

	post(f->rc, &wr, &v);

	v = read_vector("wqe send-with-inv");
	wr.opcode = IBV_WR_SEND_WITH_INV;
	wr.invalidate_rkey = value(&v, "inv_key", 0);
	post(f->rc, &wr, &v);

	v = read_vector("wqe bind-mw");
	mr.lkey = value(&v, "mr_key", 0);
	mw.rkey = value(&v, "mw_key", 0);
	wr = (struct ibv_send_wr){
		.wr_id = value(&v, "wr_id", 0),
		.opcode = IBV_WR_BIND_MW,
		.send_flags = flags_of(&v),
		.bind_mw.mw = &mw,
		.bind_mw.rkey = value(&v, "new_key", 0),
		.bind_mw.bind_info = {
			.mr = &mr,
			.addr = value(&v, "addr", 0),
			.length = value(&v, "length", 0),
			.mw_access_flags = value(&v, "access", 0),
		},
	};
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
	expect(f->rc, &v);
}

/* Requests that only the extended calls have */
TEST(flushes_and_atomic_writes, struct fixture *f, IN_OWN)
{
	struct vector v = read_vector("wqe flush");
	struct ibv_qp_ex *qp = ex(f->rc);

	ibv_wr_start(qp);
	qp->wr_id = value(&v, "wr_id", 0);
	qp->wr_flags = flags_of(&v);
	ibv_wr_flush(qp, value(&v, "rkey", 0), value(&v, "raddr", 0),
		     value(&v, "length", 0), value(&v, "type", 0),
		     value(&v, "level", 0));
	assert_int_equal(ibv_wr_complete(qp), 0);
	expect(f->rc, &v);

	v = read_vector("wqe atomic-write");
	ibv_wr_start(qp);
	qp->wr_id = value(&v, "wr_id", 0);
	/* The call itself puts the data inline */
	qp->wr_flags = flags_of(&v) & ~ORNIC_SEND_INLINE;
	ibv_wr_atomic_write(qp, value(&v, "rkey", 0), value(&v, "raddr", 0),
			    v.bytes + v.length - 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	expect(f->rc, &v);
}

TEST(datagrams, struct fixture *f, IN_OWN)
{
	struct vector v = read_vector("wqe ud-send");
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_ah_attr attr = {};

	memcpy(&f->fake.av, v.bytes + sizeof(struct ornic_sq_hdr) +
	       offsetof(struct ornic_route_ud, av), sizeof(f->fake.av));
	wr.wr.ud.ah = f->ops->create_ah(f->rc->pd, &attr);
	assert_non_null(wr.wr.ud.ah);
	wr.wr.ud.remote_qpn = value(&v, "dqpn", 0);
	wr.wr.ud.remote_qkey = value(&v, "qkey", 0);
	post(f->ud, &wr, &v);
	assert_int_equal(f->ops->destroy_ah(wr.wr.ud.ah), 0);
}

TEST(receives, struct fixture *f, IN_OWN)
{
	struct vector v = read_vector("wqe receive");
	struct ornic_sge sges[4];
	struct ibv_recv_wr *bad, wr = { .wr_id = value(&v, "wr_id", 0) };
	struct ornic_rq_hdr hdr;
	struct ibv_sge sg[2];
	unsigned int i;

	wr.num_sge = number_of(&v, "addr");
	wr.sg_list = sg;
	assert_int_equal(wr.num_sge, ARRAY_SIZE(sg));
	for (i = 0; i < ARRAY_SIZE(sg); i++)
		sg[i] = (struct ibv_sge){
			.addr = value(&v, "addr", i),
			.length = value(&v, "length", i),
			.lkey = value(&v, "lkey", i),
		};
	assert_int_equal(ibv_post_recv(f->rc, &wr, &bad), 0);
	assert_true(fake_take_recv(fake_qp(f->rc), &hdr, sges));
	assert_memory_equal(&hdr, v.bytes, sizeof(hdr));
	assert_memory_equal(sges, v.bytes + sizeof(hdr), v.length - sizeof(hdr));
}

/* The completions in entries of 32 bytes */
TEST(completions, struct fixture *f, IN_OWN)
{
	static const struct {
		const char *name;
		enum ibv_wc_opcode opcode;
		unsigned int flags;
	} table[] = {
		{ "cqe send", IBV_WC_SEND, 0 },
		{ "cqe recv-send-with-imm", IBV_WC_RECV, IBV_WC_WITH_IMM },
		{ "cqe recv-rdma-write-with-imm", IBV_WC_RECV_RDMA_WITH_IMM,
		  IBV_WC_WITH_IMM },
		{ "cqe rdma-read", IBV_WC_RDMA_READ, 0 },
		{ "cqe recv-send-with-inv", IBV_WC_RECV, IBV_WC_WITH_INV },
		{ "cqe wrong-key", 0, 0 },
		{ "cqe flushed", 0, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct vector v = read_vector(table[i].name);
		struct ornic_cqe cqe;
		struct ibv_wc wc;

		assert_int_equal(v.length, sizeof(cqe));
		memcpy(&cqe, v.bytes, sizeof(cqe));
		fake_complete(fake_cq(f->cq), &cqe);
		assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
		assert_int_equal(wc.wr_id, value(&v, "wr_id", 0));
		assert_int_equal(wc.status, value(&v, "status", 0));
		assert_int_equal(wc.qp_num, value(&v, "qpn.QPN", 0));
		if (wc.status)
			continue;
		assert_int_equal(wc.opcode, table[i].opcode);
		assert_int_equal(wc.byte_len, value(&v, "byte_len", 0));
		assert_int_equal(wc.wc_flags, table[i].flags);
		if (wc.wc_flags & IBV_WC_WITH_IMM)
			assert_int_equal(be32toh(wc.imm_data), value(&v, "imm", 0));
		if (wc.wc_flags & IBV_WC_WITH_INV)
			assert_int_equal(wc.invalidated_rkey, value(&v, "inv_key", 0));
	}
}

TEST_MAIN("vectors")
