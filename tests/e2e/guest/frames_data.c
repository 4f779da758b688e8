// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Traffic of the program `frames` */

#include "frames.h"

#define FILL 0xee	/* bytes of a buffer before a receive */
#define BEHIND 64	/* bytes after the received data that the answer includes */
#define UNDER_WAY 64	/* outstanding sends of one command */
#define FRAME_MAX 16384

/* QP|WQ COUNT BYTES [SGES]: post COUNT receives of BYTES, split into SGES */
VERB(post, 3)
{
	struct object *object = find(session, words[0], NONE);
	unsigned int i, j, count = atoi(words[1]), sges = *words[3] ? atoi(words[3]) : 1;
	size_t bytes = atoi(words[2]);
	struct ibv_recv_wr wr = { .num_sge = sges }, *bad;
	struct ibv_sge sge[8];
	int err = 0;

	want(sges && sges <= ARRAY_SIZE(sge), "%u", sges);
	object->piece = (bytes + BEHIND + 63) & ~63;
	wr.sg_list = sge;
	for (i = 0; !err && i < count; i++) {
		size_t places = object->rx.len / object->piece;
		size_t at = object->posted % places * object->piece;

		memset(object->rx.buf + at, FILL, object->piece);
		for (j = 0; j < sges; j++)
			sge[j] = mem_sge(&object->rx, at + bytes / sges * j, bytes / sges);
		wr.wr_id = at;
		err = object->kind == WQ ? ibv_post_wq_recv(object->wq, &wr, &bad) :
			ibv_post_recv(object->qp, &wr, &bad);
		object->posted += !err;
	}
	tell(session, ", \"posted\": %u", i - !!err);
	return err;
}

/* The fields of completions of both kinds of CQ */
struct completion {
	uint64_t wr_id;
	unsigned int status;
	unsigned int opcode;
	unsigned int num;
	unsigned int len;
	unsigned int flags;
	unsigned int tag;
	unsigned int vlan;
	uint64_t timestamp;
};

static struct completion of_cq_ex(struct ibv_cq_ex *cq)
{
	struct completion done = { .wr_id = cq->wr_id, .status = cq->status };

	if (done.status)
		return done;
	done.opcode = ibv_wc_read_opcode(cq);
	done.flags = ibv_wc_read_wc_flags(cq);
	if (cq->read_qp_num)
		done.num = ibv_wc_read_qp_num(cq);
	if (cq->read_byte_len)
		done.len = ibv_wc_read_byte_len(cq);
	if (cq->read_flow_tag)
		done.tag = ibv_wc_read_flow_tag(cq);
	if (cq->read_cvlan)
		done.vlan = ibv_wc_read_cvlan(cq);
	if (cq->read_completion_ts)
		done.timestamp = ibv_wc_read_completion_ts(cq);
	return done;
}

/* Return: whether there is a completion */
static bool next_completion(struct object *object, struct completion *done)
{
	struct ibv_poll_cq_attr attr = { 0 };
	struct ibv_wc wc;

	if (!object->cq_ex) {
		if (ibv_poll_cq(object->cq, 1, &wc) != 1)
			return false;
		*done = (struct completion){
			.wr_id = wc.wr_id, .status = wc.status, .opcode = wc.opcode,
			.num = wc.qp_num, .len = wc.byte_len, .flags = wc.wc_flags,
		};
		return true;
	}
	if (ibv_start_poll(object->cq_ex, &attr))
		return false;
	*done = of_cq_ex(object->cq_ex);
	if (done->status && object->cq_ex->read_qp_num)
		done->num = ibv_wc_read_qp_num(object->cq_ex);
	ibv_end_poll(object->cq_ex);
	return true;
}

static const struct object *owner(struct session *session, unsigned int num)
{
	size_t i;

	for (i = 0; i < MAX_OBJECTS; i++) {
		const struct object *object = &session->objects[i];

		if (object->kind == QP && object->qp->qp_num == num ||
		    object->kind == WQ && object->wq->wq_num == num)
			return object;
	}
	return NULL;
}

static void tell_bytes(struct session *session, const char *name, const uint8_t *bytes, size_t len)
{
	tell(session, ", \"%s\": \"", name);
	while (len--)
		tell(session, "%02x", *bytes++);
	tell(session, "\"");
}

static void tell_completion(struct session *session, const struct completion *done)
{
	const struct object *object = owner(session, done->num);

	tell(session, "{\"name\": \"%s\", \"id\": %llu, \"status\": %u, \"opcode\": %u",
	     object ? object->name : "", (unsigned long long)done->wr_id, done->status,
	     done->opcode);
	tell(session, ", \"len\": %u, \"flags\": %u, \"tag\": %u, \"vlan\": %u, \"time\": %llu",
	     done->len, done->flags, done->tag, done->vlan, (unsigned long long)done->timestamp);
	if (object && object->rx.buf && !done->status && done->opcode & IBV_WC_RECV) {
		size_t room = object->piece - BEHIND;
		size_t behind = done->len > room ? 0 : object->piece - done->len;

		tell_bytes(session, "data", object->rx.buf + done->wr_id, done->len);
		tell_bytes(session, "behind", object->rx.buf + done->wr_id + done->len,
			   behind > BEHIND ? BEHIND : behind);
	}
	tell(session, "}");
}

/* CQ COUNT MILLISECONDS: poll at most COUNT completions within that time */
VERB(poll, 3)
{
	struct object *object = find(session, words[0], CQ);
	unsigned int got = 0, count = atoi(words[1]);
	uint64_t end = now_ms() + atoi(words[2]);
	struct completion done;

	tell(session, ", \"completions\": [");
	do {
		while (got < count && next_completion(object, &done)) {
			tell(session, got++ ? ", " : "");
			tell_completion(session, &done);
		}
		if (got < count)
			sleep_ms(1);
	} while (got < count && now_ms() < end);
	return tell(session, "]");
}

/* Return: the status of the next completion, which must be of a send */
static unsigned int want_sent(struct object *object)
{
	uint64_t end = now_ms() + SOON_MS;
	struct completion done;

	while (!next_completion(object->send_cq, &done))
		want(now_ms() < end, "no completion");
	want(done.status || !(done.opcode & IBV_WC_RECV), "a receive");
	return done.status;
}

/*
 * QP FRAME SEND_FLAGS COUNT [SGES [LATER]]: send the frame COUNT times. Waits for all completions
 * unless LATER is given; nothing else may complete in that CQ.
 */
VERB(send, 4)
{
	struct object *object = find(session, words[0], QP);
	unsigned int i, j, count = atoi(words[3]), done = 0, status = 0;
	unsigned int sges = *words[4] ? atoi(words[4]) : 1;
	size_t len = from_hex(words[1], object->tx.buf, FRAME_MAX);
	struct ibv_sge sge[8];
	struct ibv_send_wr wr = {
		.sg_list = sge, .num_sge = sges, .opcode = IBV_WR_SEND,
		.send_flags = strtoul(words[2], NULL, 0) | IBV_SEND_SIGNALED,
	}, *bad;
	uint64_t start = now_ns();
	int err = 0;

	want(sges && sges <= ARRAY_SIZE(sge), "%u", sges);
	for (j = 0; j < sges; j++)
		sge[j] = mem_sge(&object->tx, len * j / sges,
				 len * (j + 1) / sges - len * j / sges);
	for (i = 0; !err && i < count; i++) {
		if (i - done == UNDER_WAY) {
			status |= want_sent(object);
			done++;
		}
		err = ibv_post_send(object->qp, &wr, &bad);
	}
	for (i -= !!err; !*words[5] && done < i; done++)
		status |= want_sent(object);
	tell(session, ", \"ns\": %llu, \"status\": %u", (unsigned long long)(now_ns() - start),
	     status);
	return err;
}

/* QP HEADER MSS BYTES [SEND_FLAGS]: send BYTES of payload, where byte n is n % 251 */
VERB(tso, 4)
{
	struct object *object = find(session, words[0], QP);
	uint8_t header[512];
	size_t i, len = atoi(words[3]);
	struct ibv_sge sge[2] = {
		mem_sge(&object->tx, 0, len / 2), mem_sge(&object->tx, len / 2, len - len / 2),
	};
	struct ibv_send_wr wr = {
		.sg_list = sge, .num_sge = 2, .opcode = IBV_WR_TSO,
		.send_flags = strtoul(words[4], NULL, 0) | IBV_SEND_SIGNALED,
		.tso = { .hdr = header, .hdr_sz = from_hex(words[1], header, sizeof(header)),
			 .mss = atoi(words[2]) },
	}, *bad;
	int err;

	want(len <= object->tx.len, "%zu", len);
	for (i = 0; i < len; i++)
		object->tx.buf[i] = i % 251;
	err = ibv_post_send(object->qp, &wr, &bad);
	if (err)
		return err;
	return tell(session, ", \"status\": %u", want_sent(object));
}
