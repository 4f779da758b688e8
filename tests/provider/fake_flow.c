// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The fake kernel: WQs, indirection tables, flow rules, counters of both kinds */
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "fake.h"

int ibv_cmd_create_wq(struct ibv_context *context,
		      struct ibv_wq_init_attr *attr, struct ibv_wq *ibwq,
		      struct ibv_create_wq *ibv_cmd, size_t cmd_size,
		      struct ib_uverbs_ex_create_wq_resp *ibv_resp,
		      size_t resp_size)
{
	struct ornic_ucreate_wq_resp *resp =
		container_of(ibv_resp, struct ornic_ucreate_wq_resp, ibv_resp);
	uint8_t log = fake_log2(attr->max_wr);
	uint8_t stride = fake_stride(attr->max_sge);
	struct fake_qp *wq;
	struct fake_place place;
	uint32_t n;
	int ret;

	fake_now->last_wq_attr = *attr;
	ret = fake_fails();
	if (ret)
		return ret;

	for (n = 0; fake_now->wqs[n].qpn; n++)
		assert(n < FAKE_WQS - 1);
	place = fake_place((1u << (log + stride)) + FAKE_PAGE);
	wq = &fake_now->wqs[n];
	*wq = (struct fake_qp){
		.qpn = FAKE_FIRST_WQN + n,
		.object = ibwq,
		.rq = place.mem,
		.dbr = (void *)(place.mem + (1u << (log + stride))),
		.rq_wqes = 1u << log,
		.stride_shift = stride,
	};

	ibwq->context = context;
	ibwq->cq = attr->cq;
	ibwq->pd = attr->pd;
	ibwq->handle = n;
	ibwq->wq_num = wq->qpn;
	attr->max_wr = wq->rq_wqes;
	attr->max_sge = (1u << stride) / 16 - 1;
	resp->map = place.map;
	resp->ring_offset = place.base;
	resp->dbr_offset = place.base + ((uint8_t *)wq->dbr - wq->rq);
	resp->log_wqes = log;
	resp->stride_shift = stride;
	return 0;
}

int ibv_cmd_modify_wq(struct ibv_wq *ibwq, struct ibv_wq_attr *attr,
		      struct ibv_modify_wq *cmd, size_t cmd_size)
{
	struct fake_qp *wq = fake_wq(ibwq);
	int ret = fake_fails();

	if (ret || !(attr->attr_mask & IBV_WQ_ATTR_STATE))
		return ret;

	ibwq->state = attr->wq_state;
	if (attr->wq_state == IBV_WQS_RESET) {
		wq->rq_ci = 0;
		wq->dbr->rq_ci = 0;
	}
	return 0;
}

int ibv_cmd_destroy_wq(struct ibv_wq *ibwq)
{
	int ret = fake_fails();

	if (!ret)
		fake_wq(ibwq)->qpn = 0;
	fake_answered();
	return ret;
}

int ibv_cmd_create_rwq_ind_table(struct ibv_context *context,
				 struct ibv_rwq_ind_table_init_attr *attr,
				 struct ibv_rwq_ind_table *table,
				 struct ib_uverbs_ex_create_rwq_ind_table_resp *resp,
				 size_t resp_size)
{
	uint32_t i;

	table->context = context;
	fake_now->last_table_size = 1u << attr->log_ind_tbl_size;
	assert(fake_now->last_table_size <= FAKE_WQS);
	for (i = 0; i < fake_now->last_table_size; i++)
		fake_now->last_table[i] = attr->ind_tbl[i]->wq_num;
	return fake_fails();
}

COMMAND(ibv_cmd_destroy_rwq_ind_table, struct ibv_rwq_ind_table *table)

int ibv_cmd_create_flow(struct ibv_qp *qp, struct ibv_flow *flow,
			struct ibv_flow_attr *attr, void *ucmd,
			size_t ucmd_size)
{
	flow->context = qp->context;
	fake_now->last_flow = *attr;
	return fake_fails();
}

COMMAND(ibv_cmd_destroy_flow, struct ibv_flow *flow)

int ibv_cmd_create_counters(struct ibv_context *context,
			    struct ibv_counters_init_attr *attr,
			    struct verbs_counters *vcounters,
			    struct ibv_command_buffer *link)
{
	vcounters->counters.context = context;
	return fake_fails();
}

COMMAND(ibv_cmd_destroy_counters, struct verbs_counters *vcounters)

int ibv_cmd_read_counters(struct verbs_counters *vcounters, uint64_t *values,
			  uint32_t num, uint32_t flags,
			  struct ibv_command_buffer *link)
{
	assert(num == 2);
	fake_now->last_read_flags = flags;
	values[0] = FAKE_PACKETS;
	values[1] = FAKE_COUNTED;
	return fake_fails();
}

#ifndef ORNIC_LACKS_COMP_CNTR
int ibv_cmd_create_comp_cntr(struct ibv_context *context,
			     struct ibv_comp_cntr *comp_cntr,
			     struct ibv_command_buffer *link)
{
	struct ib_uverbs_attr *attr = link->next_attr - 1;
	struct ornic_create_comp_cntr_resp *resp =
		(void *)(uintptr_t)attr->data;
	struct fake_place place;
	int ret = fake_fails();

	assert(attr->attr_id == ORNIC_ATTR_CREATE_COMP_CNTR_RESP);
	assert(attr->len == sizeof(*resp));
	if (ret)
		return ret;

	place = fake_place(sizeof(struct ornic_comp_counts));
	resp->map = place.map;
	resp->offset = place.base;
	comp_cntr->context = context;
	fake_now->last_counts[0] = fake_now->last_counts[1];
	fake_now->last_counts[1] = (void *)place.mem;
	return 0;
}

COMMAND(ibv_cmd_destroy_comp_cntr, struct ibv_comp_cntr *comp_cntr)
COMMAND(ibv_cmd_inc_comp_cntr, struct ibv_comp_cntr *comp_cntr, uint64_t amount)
COMMAND(ibv_cmd_inc_err_comp_cntr, struct ibv_comp_cntr *comp_cntr,
	uint64_t amount)
COMMAND(ibv_cmd_set_comp_cntr, struct ibv_comp_cntr *comp_cntr, uint64_t value)
COMMAND(ibv_cmd_set_err_comp_cntr, struct ibv_comp_cntr *comp_cntr,
	uint64_t value)
COMMAND(ibv_cmd_query_comp_cntr_caps, struct ibv_context *context,
	struct ibv_comp_cntr_caps *caps, size_t caps_size)
COMMAND(ibv_cmd_qp_attach_comp_cntr, struct ibv_qp *qp,
	struct ibv_comp_cntr *comp_cntr,
	struct ibv_qp_attach_comp_cntr_attr *attr)
#endif
