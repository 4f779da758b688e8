// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queues of the program `frames`: CQs, RAW_PACKET QPs, WQs, RWQ tables, RSS QPs */
#include "frames.h"

#define RX_LEN (1u << 20)
#define TX_LEN (512u << 10)
#define TSO_HEADER 192

static unsigned long number(const char *word)
{
	return strtoul(word, NULL, 0);
}

/* NAME WC_FLAGS CQE: a CQ, without extensions if the flags are 0 */
VERB(cq, 2)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = *words[2] ? number(words[2]) : 1024, .wc_flags = number(words[1]),
	};
	struct ibv_cq_ex *cq_ex = NULL;
	struct object *object;
	struct ibv_cq *cq;

	if (attr.wc_flags) {
		cq_ex = ibv_create_cq_ex(session->port.ctx, &attr);
		cq = cq_ex ? ibv_cq_ex_to_cq(cq_ex) : NULL;
	} else {
		cq = ibv_create_cq(session->port.ctx, attr.cqe, NULL, NULL, 0);
	}
	if (!cq)
		return errno;
	object = add(session, words[0], CQ);
	object->cq = cq;
	object->cq_ex = cq_ex;
	return 0;
}

static void queue_mem(struct session *session, struct object *object, bool sends)
{
	object->rx = mem_make(&session->port, RX_LEN, IBV_ACCESS_LOCAL_WRITE);
	if (sends)
		object->tx = mem_make(&session->port, TX_LEN, IBV_ACCESS_LOCAL_WRITE);
}

/* NAME CQ CREATE_FLAGS [TSO]: a RAW_PACKET QP in RTS, with TSO if that word is there */
VERB(qp, 3)
{
	struct object *cq = find(session, words[1], CQ), *object;
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq->cq,
		.recv_cq = cq->cq,
		.cap = { .max_send_wr = 128, .max_recv_wr = 512, .max_send_sge = 4,
			 .max_recv_sge = 4, .max_inline_data = 64 },
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = session->port.pd,
		.create_flags = number(words[2]),
	};
	struct ibv_qp *qp;

	if (attr.create_flags)
		attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	if (*words[3]) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
		attr.max_tso_header = TSO_HEADER;
	}
	qp = ibv_create_qp_ex(session->port.ctx, &attr);
	if (!qp)
		return errno;
	raw_to_rts(qp);
	object = add(session, words[0], QP);
	object->qp = qp;
	object->send_cq = cq;
	queue_mem(session, object, true);
	return tell(session, ", \"num\": %u", qp->qp_num);
}

/* Return: whether the process had this mapping before */
static bool was_mapped(char *before, const char *line)
{
	char range[40];

	snprintf(range, sizeof(range), "%.*s", (int)strcspn(line, " "), line);
	return strstr(before, range);
}

static void read_maps(char *maps, size_t room)
{
	FILE *file = made(fopen("/proc/self/maps", "r"));

	maps[fread(maps, 1, room - 1, file)] = '\0';
	fclose(file);
}

/* Find the ring of a WQ: a new mapping of the device file, if the ring is large */
static void find_ring(struct object *object, char *before, char *after)
{
	unsigned long start, end;
	char *line, *save;

	for (line = strtok_r(after, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strstr(line, "/uverbs") || was_mapped(before, line))
			continue;
		want(sscanf(line, "%lx-%lx", &start, &end) == 2, "%s", line);
		object->ring = (uint8_t *)start;
		object->ring_len = end - start;
	}
}

/* NAME CQ CREATE_FLAGS MAX_WR MAX_SGE [TYPE]: a WQ in RESET */
VERB(wq, 5)
{
	static char before[64 << 10], after[64 << 10];
	struct ibv_wq_init_attr attr = {
		.wq_type = *words[5] ? number(words[5]) : IBV_WQT_RQ,
		.max_wr = number(words[3]),
		.max_sge = number(words[4]),
		.pd = session->port.pd,
		.cq = find(session, words[1], CQ)->cq,
		.create_flags = number(words[2]),
	};
	struct object *object;
	struct ibv_wq *wq;

	if (attr.create_flags)
		attr.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
	read_maps(before, sizeof(before));
	wq = ibv_create_wq(session->port.ctx, &attr);
	if (!wq)
		return errno;
	read_maps(after, sizeof(after));
	object = add(session, words[0], WQ);
	object->wq = wq;
	find_ring(object, before, after);
	queue_mem(session, object, false);
	return tell(session, ", \"num\": %u, \"max_wr\": %u, \"max_sge\": %u", wq->wq_num,
		    attr.max_wr, attr.max_sge);
}

/* NAME ATTR_MASK STATE CURRENT FLAGS FLAGS_MASK */
VERB(modify_wq, 6)
{
	struct object *object = find(session, words[0], WQ);
	struct ibv_wq_attr attr = {
		.attr_mask = number(words[1]),
		.wq_state = number(words[2]),
		.curr_wq_state = number(words[3]),
		.flags = number(words[4]),
		.flags_mask = number(words[5]),
	};

	if (attr.attr_mask & IBV_WQ_ATTR_STATE && attr.wq_state == IBV_WQS_RESET)
		object->posted = 0;
	return ibv_modify_wq(object->wq, &attr);
}

/* NAME LOG_SIZE WQ... */
VERB(table, 1)
{
	struct ibv_rwq_ind_table_init_attr attr = { .log_ind_tbl_size = number(words[1]) };
	struct ibv_wq **list;
	struct ibv_rwq_ind_table *table;
	unsigned int i;

	/* Missing entries are the first WQ */
	list = made(calloc(1u << attr.log_ind_tbl_size, sizeof(*list)));
	for (i = 0; i < 1u << attr.log_ind_tbl_size; i++)
		list[i] = i < MAX_WORDS - 8 && *words[2 + i] ?
			find(session, words[2 + i], WQ)->wq : list[0];
	attr.ind_tbl = list;
	table = ibv_create_rwq_ind_table(session->port.ctx, &attr);
	free(list);
	if (!table)
		return errno;
	add(session, words[0], TABLE)->table = table;
	return 0;
}

/* NAME TABLE FIELDS KEY [FUNCTION]: an RSS QP; KEY is in hexadecimal */
VERB(rss, 4)
{
	uint8_t key[256];
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = session->port.pd,
		.rwq_ind_tbl = find(session, words[1], TABLE)->table,
		.rx_hash_conf = {
			.rx_hash_function = *words[4] ? number(words[4]) :
				IBV_RX_HASH_FUNC_TOEPLITZ,
			.rx_hash_key_len = from_hex(words[3], key, sizeof(key)),
			.rx_hash_key = key,
			.rx_hash_fields_mask = number(words[2]),
		},
	};
	struct ibv_qp *qp = ibv_create_qp_ex(session->port.ctx, &attr);
	struct object *object;

	if (!qp)
		return errno;
	object = add(session, words[0], QP);
	object->qp = qp;
	return tell(session, ", \"num\": %u", qp->qp_num);
}

/* QP STATE */
VERB(state, 2)
{
	struct ibv_qp_attr attr = { .qp_state = number(words[1]) };

	return ibv_modify_qp(find(session, words[0], QP)->qp, &attr, IBV_QP_STATE);
}

/* QP KBPS BURST TYPICAL; TYPICAL -: with ibv_modify_qp(), which takes the rate only */
VERB(rate, 4)
{
	struct ibv_qp *qp = find(session, words[0], QP)->qp;
	struct ibv_qp_rate_limit_attr limit = {
		.rate_limit = number(words[1]),
		.max_burst_sz = number(words[2]),
		.typical_pkt_sz = number(words[3]),
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .rate_limit = number(words[1]),
	};

	if (*words[3] == '-')
		return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_RATE_LIMIT);
	return ibv_modify_qp_rate_limit(qp, &limit);
}

/* WQ OFFSET LENGTH BYTE: overwrite a part of the ring; LENGTH 0: to its end */
VERB(trash, 4)
{
	struct object *object = find(session, words[0], WQ);
	size_t at = number(words[1]), len = number(words[2]);

	want(object->ring, "no mapping of the ring");
	if (!len)
		len = object->ring_len - at;
	want(at + len <= object->ring_len, "%zu", object->ring_len);
	memset(object->ring + at, number(words[3]), len);
	return 0;
}
