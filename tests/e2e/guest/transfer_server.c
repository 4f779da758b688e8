// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Server of transfer(1): fills the targets, grants batches, and checks the results */
#include <arpa/inet.h>
#include <endian.h>

#include "transfer.h"

#define ID_SEND (1ULL << 32)

struct server {
	struct side *side;
	struct slot slots[WINDOW][SLOTS_MAX];
	struct ibv_mw *mw[WINDOW][SLOTS_MAX];
	bool bound[WINDOW][SLOTS_MAX];
};

static void post_local(struct server *server, struct ibv_send_wr *wr)
{
	wr->wr_id = ID_SEND;
	wr->send_flags |= IBV_SEND_SIGNALED;
	post_or_fail(server->side, wr);
}

static unsigned int window_access(const struct options *options)
{
	unsigned int access = IBV_ACCESS_REMOTE_WRITE;

	if (options->type == IBV_QPT_RC)
		access |= IBV_ACCESS_REMOTE_READ;
	if (has_op(options, OP_CMP_SWP) || has_op(options, OP_FETCH_ADD))
		access |= IBV_ACCESS_REMOTE_ATOMIC;
	return access;
}

/* Return: the key of the window after the posted requests are executed */
static uint32_t bind_window(struct server *server, unsigned int batch, unsigned int i)
{
	struct side *side = server->side;
	struct ibv_mw *mw = server->mw[batch % WINDOW][i];
	bool *bound = &server->bound[batch % WINDOW][i];
	struct ibv_mw_bind_info info = {
		.mr = side->target.mr,
		.addr = (uintptr_t)side->target.buf + slot_at(side, batch, i),
		.length = side->options.max_len,
		.mw_access_flags = window_access(&side->options),
	};
	struct ibv_mw_bind bind = {
		.wr_id = ID_SEND, .send_flags = IBV_SEND_SIGNALED, .bind_info = info,
	};
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = mw->rkey };

	if (side->options.window == 1) {
		want_ok(ibv_bind_mw(side->qp, mw, &bind));
		return mw->rkey;
	}
	/* A type 2 window must be invalidated before a bind, unless a SEND_INV has done that */
	if (*bound && server->slots[batch % WINDOW][i].op != OP_SEND_INV)
		post_local(server, &wr);
	wr = (struct ibv_send_wr){
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = { .mw = mw, .rkey = ibv_inc_rkey(mw->rkey), .bind_info = info },
	};
	post_local(server, &wr);
	mw->rkey = wr.bind_mw.rkey;
	*bound = true;
	return mw->rkey;
}

static void post_slot_recv(struct side *side, unsigned int batch, unsigned int i,
			   const struct slot *slot)
{
	bool ud = side->options.type == IBV_QPT_UD;
	struct ibv_sge sge = mem_sge(&side->data, slot_at(side, batch, i) - (ud ? GRH : 0),
				     side->options.max_len + (ud ? GRH : 0));

	if (op_takes_recv(slot->op))
		recv_or_fail(side, slot_id(batch, i), &sge, op_is_send(slot->op));
}

static void grant(struct server *server, unsigned int batch)
{
	struct side *side = server->side;
	struct grant *grant = (struct grant *)(side->grants.buf + grant_at(batch) + GRH);
	struct ibv_sge sge = mem_sge(&side->grants, grant_at(batch) + GRH, sizeof(*grant));
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct slot slots[SLOTS_MAX];
	unsigned int i;

	grant->batch = htobe32(batch);
	plan_batch(&side->options, batch, slots);
	for (i = 0; i < side->options.slots && batch < side->options.batches; i++) {
		mem_fill(&side->target, slot_at(side, batch, i), side->options.max_len,
			 seed_before(batch, i));
		grant->rkey[i] = htobe32(side->options.window ? bind_window(server, batch, i) :
								side->target.mr->rkey);
		post_slot_recv(side, batch, i, &slots[i]);
	}
	memcpy(server->slots[batch % WINDOW], slots, sizeof(slots));
	if (side->options.type == IBV_QPT_UD) {
		wr.wr.ud.ah = side->ah;
		wr.wr.ud.remote_qpn = side->peer.qpn;
		wr.wr.ud.remote_qkey = QKEY;
	}
	post_local(server, &wr);
}

static void check_recv(struct server *server, const struct ibv_wc *wc)
{
	struct side *side = server->side;
	unsigned int batch = wc->wr_id >> 8, i = wc->wr_id & 0xff;
	const struct slot *slot = &server->slots[batch % WINDOW][i];
	bool ud = side->options.type == IBV_QPT_UD;

	want(wc->opcode == (slot->op == OP_WRITE_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV),
	     "batch %u, slot %u: %d", batch, i, wc->opcode);
	want(wc->byte_len == slot->len + (ud ? GRH : 0), "batch %u, slot %u: %u, not %zu", batch,
	     i, wc->byte_len, slot->len);
	want(!ud || wc->wc_flags & IBV_WC_GRH, "batch %u, slot %u", batch, i);
	if (slot->op == OP_SEND_IMM || slot->op == OP_WRITE_IMM)
		want(wc->wc_flags & IBV_WC_WITH_IMM && ntohl(wc->imm_data) == wc->wr_id,
		     "batch %u, slot %u: %#x", batch, i, ntohl(wc->imm_data));
	else
		want(!(wc->wc_flags & IBV_WC_WITH_IMM), "batch %u, slot %u", batch, i);
	if (slot->op == OP_SEND_INV)
		want(wc->wc_flags & IBV_WC_WITH_INV &&
		     wc->invalidated_rkey == server->mw[batch % WINDOW][i]->rkey,
		     "batch %u, slot %u: key %#x", batch, i, wc->invalidated_rkey);
	if (op_is_send(slot->op))
		want(mem_is(&side->data, slot_at(side, batch, i), slot->len, seed_data(batch, i)),
		     "batch %u, slot %u", batch, i);
}

static void check_target(struct server *server, unsigned int batch, unsigned int i)
{
	struct side *side = server->side;
	const struct slot *slot = &server->slots[batch % WINDOW][i];
	size_t at = slot_at(side, batch, i), changed = 0;
	uint64_t value, before;

	if (op_is_atomic(slot->op)) {
		memcpy(&value, side->target.buf + at, sizeof(value));
		mem_fill(&side->target, at, sizeof(before), seed_before(batch, i));
		memcpy(&before, side->target.buf + at, sizeof(before));
		before = slot->op == OP_FETCH_ADD ? before : 0;
		want(value == before + operand(batch, i), "batch %u, slot %u: %#llx", batch, i,
		     (unsigned long long)value);
	} else if (!op_is_send(slot->op) && slot->op != OP_READ) {
		changed = slot->len;
		want(mem_is(&side->target, at, changed, seed_data(batch, i)),
		     "batch %u, slot %u", batch, i);
	}
	want(mem_is_part(&side->target, at, changed, side->options.max_len,
			 seed_before(batch, i)), "batch %u, slot %u: beyond %zu", batch, i,
	     changed);
}

static void next_expected(struct server *server, unsigned int *batch, unsigned int *i)
{
	const struct side *side = server->side;

	do {
		if (++*i < side->options.slots)
			continue;
		*i = 0;
		++*batch;
	} while (*batch < side->options.batches &&
		 !op_takes_recv(server->slots[*batch % WINDOW][*i].op));
}

void run_server(struct side *side)
{
	struct server server = { .side = side };
	unsigned int batch = 0, i = 0, j;
	struct ibv_wc wc;

	for (j = 0; j < WINDOW * SLOTS_MAX && side->options.window; j++)
		server.mw[j / SLOTS_MAX][j % SLOTS_MAX] =
			made(ibv_alloc_mw(side->port.pd, side->options.window == 1 ?
					  IBV_MW_TYPE_1 : IBV_MW_TYPE_2));
	sides_meet(side);
	for (j = 0; j < WINDOW; j++)
		grant(&server, j);
	if (!op_takes_recv(server.slots[0][0].op))
		next_expected(&server, &batch, &i);
	while (batch < side->options.batches) {
		wc = next_wc(side->cq);
		want(wc.status == IBV_WC_SUCCESS, "%#llx: %s", (unsigned long long)wc.wr_id,
		     ibv_wc_status_str(wc.status));
		if (wc.wr_id & ID_SEND)
			continue;
		want(wc.wr_id == slot_id(batch, i), "%#llx, not batch %u, slot %u",
		     (unsigned long long)wc.wr_id, batch, i);
		check_recv(&server, &wc);
		if (i == side->options.slots - 1) {
			for (j = 0; j < side->options.slots; j++)
				check_target(&server, batch, j);
			grant(&server, batch + WINDOW);
		}
		next_expected(&server, &batch, &i);
	}
}
