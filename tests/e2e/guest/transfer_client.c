// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Client of transfer(1): sends each granted batch, and checks the results of READs and atomics */
#include <arpa/inet.h>
#include <endian.h>

#include "transfer.h"

#define ID_GRANT (1ULL << 32)

struct client {
	struct side *side;
	struct slot slots[WINDOW][SLOTS_MAX];
	unsigned int open[WINDOW];	/* outstanding completions */
	unsigned int sent;		/* batches */
	unsigned int done;		/* batches whose slots have all completed */
};

static const struct grant *grant_of(const struct client *client, unsigned int batch)
{
	return (const struct grant *)(client->side->grants.buf + grant_at(batch) + GRH);
}

static uint32_t rkey_of(const struct client *client, unsigned int batch, unsigned int slot)
{
	return be32toh(grant_of(client, batch)->rkey[slot]);
}

static void post_grant_recv(struct side *side, unsigned int batch)
{
	bool ud = side->options.type == IBV_QPT_UD;
	struct ibv_sge sge = mem_sge(&side->grants, grant_at(batch) + (ud ? 0 : GRH),
				     sizeof(struct grant) + (ud ? GRH : 0));

	recv_or_fail(side, ID_GRANT | batch, &sge, 1);
}

static enum ibv_wr_opcode wr_opcode(enum op op)
{
	static const enum ibv_wr_opcode opcodes[OP_COUNT] = {
		[OP_SEND] = IBV_WR_SEND,
		[OP_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
		[OP_SEND_INV] = IBV_WR_SEND_WITH_INV,
		[OP_WRITE] = IBV_WR_RDMA_WRITE,
		[OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[OP_READ] = IBV_WR_RDMA_READ,
		[OP_CMP_SWP] = IBV_WR_ATOMIC_CMP_AND_SWP,
		[OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	return opcodes[op];
}

static uint64_t value_before(unsigned int batch, unsigned int slot)
{
	uint8_t bytes[8];
	struct mem mem = { .buf = bytes };
	uint64_t value;

	mem_fill(&mem, 0, sizeof(bytes), seed_before(batch, slot));
	memcpy(&value, bytes, sizeof(value));
	return value;
}

/*
 * After the last slot of a batch the server may reuse the memory, so the results of all earlier
 * READs and atomics must be here by then: a lost response is requested again (IBTA 10.8.3.3).
 */
static unsigned int post_flags(const struct side *side, unsigned int i)
{
	bool fence = side->options.type == IBV_QPT_RC && i == side->options.slots - 1;

	return IBV_SEND_SIGNALED | (fence ? IBV_SEND_FENCE : 0);
}

static void post_old(struct client *client, unsigned int batch, unsigned int i)
{
	struct side *side = client->side;
	const struct slot *slot = &client->slots[batch % WINDOW][i];
	const struct hello *peer = &side->peer;
	struct ibv_sge sge = mem_sge(&side->data, slot_at(side, batch, i), slot->len);
	uint64_t raddr = peer->target + slot_at(side, batch, i);
	uint32_t rkey = rkey_of(client, batch, i);
	struct ibv_send_wr wr = {
		.wr_id = slot_id(batch, i),
		.sg_list = &sge,
		/* Both an empty list and an SGE of 0 bytes mean no data */
		.num_sge = slot->len || i % 2,
		.opcode = wr_opcode(slot->op),
		.send_flags = post_flags(side, i),
	};

	if (slot->op == OP_SEND_INV)
		wr.invalidate_rkey = rkey;
	else
		wr.imm_data = htonl(slot_id(batch, i));
	if (side->options.type == IBV_QPT_UD) {
		wr.wr.ud.ah = side->ah;
		wr.wr.ud.remote_qpn = side->options.group ? 0xffffff : peer->qpn;
		wr.wr.ud.remote_qkey = QKEY;
	} else if (op_is_atomic(slot->op)) {
		wr.wr.atomic.remote_addr = raddr;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = slot->op == OP_CMP_SWP ? value_before(batch, i) :
								    operand(batch, i);
		wr.wr.atomic.swap = operand(batch, i);
	} else {
		wr.wr.rdma.remote_addr = raddr;
		wr.wr.rdma.rkey = rkey;
	}
	post_or_fail(side, &wr);
}

static void build_new(struct client *client, unsigned int batch, unsigned int i,
		      struct ibv_qp_ex *qp)
{
	struct side *side = client->side;
	const struct slot *slot = &client->slots[batch % WINDOW][i];
	uint64_t raddr = side->peer.target + slot_at(side, batch, i);
	uint32_t rkey = rkey_of(client, batch, i);
	uint32_t imm = htonl(slot_id(batch, i));

	switch (slot->op) {
	case OP_SEND:
		ibv_wr_send(qp);
		break;
	case OP_SEND_IMM:
		ibv_wr_send_imm(qp, imm);
		break;
	case OP_SEND_INV:
		ibv_wr_send_inv(qp, rkey);
		break;
	case OP_WRITE:
	case OP_FLUSH:
		ibv_wr_rdma_write(qp, rkey, raddr);
		break;
	case OP_WRITE_IMM:
		ibv_wr_rdma_write_imm(qp, rkey, raddr, imm);
		break;
	case OP_READ:
		ibv_wr_rdma_read(qp, rkey, raddr);
		break;
	case OP_CMP_SWP:
		ibv_wr_atomic_cmp_swp(qp, rkey, raddr, value_before(batch, i),
				      operand(batch, i));
		break;
	case OP_FETCH_ADD:
		ibv_wr_atomic_fetch_add(qp, rkey, raddr, operand(batch, i));
		break;
	case OP_ATOMIC_WRITE:
		ibv_wr_atomic_write(qp, rkey, raddr, side->data.buf + slot_at(side, batch, i));
		break;
	default:
		failed(__FILE__, __LINE__, "operation %d", slot->op);
	}
}

static void post_new(struct client *client, unsigned int batch, unsigned int i)
{
	struct side *side = client->side;
	const struct slot *slot = &client->slots[batch % WINDOW][i];
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(side->qp);

	ibv_wr_start(qp);
	qp->wr_id = slot_id(batch, i);
	/* Only the FLUSH after a WRITE is signaled */
	qp->wr_flags = slot->op == OP_FLUSH ? 0 : post_flags(side, i);
	build_new(client, batch, i, qp);
	if (side->options.type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qp, side->ah,
				   side->options.group ? 0xffffff : side->peer.qpn, QKEY);
	/* ATOMIC WRITE already has its data */
	if (slot->op != OP_ATOMIC_WRITE)
		ibv_wr_set_sge(qp, side->data.mr->lkey,
			       (uintptr_t)side->data.buf + slot_at(side, batch, i), slot->len);
	if (slot->op == OP_FLUSH) {
		qp->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_flush(qp, rkey_of(client, batch, i),
			     side->peer.target + slot_at(side, batch, i), slot->len,
			     IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);
	}
	want_ok(ibv_wr_complete(qp));
}

static void send_batch(struct client *client)
{
	struct side *side = client->side;
	unsigned int batch = client->sent++, i;
	struct slot *slots = client->slots[batch % WINDOW];

	plan_batch(&side->options, batch, slots);
	for (i = 0; i < side->options.slots; i++) {
		mem_fill(&side->data, slot_at(side, batch, i), slots[i].len,
			 slots[i].op == OP_READ || op_is_atomic(slots[i].op) ?
				 ~0u : seed_data(batch, i));
		if (side->new_posts)
			post_new(client, batch, i);
		else
			post_old(client, batch, i);
	}
	client->open[batch % WINDOW] = side->options.slots;
}

static void take_send(struct client *client, const struct ibv_wc *wc)
{
	struct side *side = client->side;
	unsigned int batch = wc->wr_id >> 8, i = wc->wr_id & 0xff;
	const struct slot *slot = &client->slots[batch % WINDOW][i];

	if (slot->op == OP_READ || op_is_atomic(slot->op))
		want(mem_is(&side->data, slot_at(side, batch, i), slot->len,
			    seed_before(batch, i)), "batch %u, slot %u", batch, i);
	if (!--client->open[batch % WINDOW])
		client->done = batch + 1;
}

void run_client(struct side *side)
{
	struct client client = { .side = side };
	unsigned int granted = 0, batch, i;
	struct ibv_wc wc;

	for (i = 0; i < WINDOW; i++)
		post_grant_recv(side, i);
	sides_meet(side);
	while (client.done < side->options.batches || granted < side->options.batches + WINDOW) {
		/* Results of a batch are checked before another batch overwrites them */
		if (client.sent < granted && client.sent < side->options.batches &&
		    client.sent < client.done + WINDOW) {
			send_batch(&client);
			continue;
		}
		wc = next_wc(side->cq);
		want(wc.status == IBV_WC_SUCCESS, "%#llx: %s", (unsigned long long)wc.wr_id,
		     ibv_wc_status_str(wc.status));
		if (!(wc.wr_id & ID_GRANT)) {
			take_send(&client, &wc);
			continue;
		}
		batch = be32toh(grant_of(&client, granted)->batch);
		want(batch == granted, "batch %u instead of %u", batch, granted);
		if (granted < side->options.batches)
			post_grant_recv(side, granted + WINDOW);
		granted++;
	}
}
