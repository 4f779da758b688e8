// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Ethernet attempts of the program `udata`; see udata.c */
#include <errno.h>
#include <string.h>

#include "udata.h"

#define FIRST_HANDLE 12345	/* of no object */

static const struct udata none;

static int try_wq(int fd, const struct ib_uverbs_ex_create_wq *cmd, const struct udata *udata,
		  uint32_t *handle)
{
	RESPONSE(ib_uverbs_ex_create_wq_resp, ornic_create_wq_resp) out = {};
	int err;

	err = uverbs_write_ex(fd, IB_USER_VERBS_EX_CMD_CREATE_WQ, cmd, sizeof(*cmd), &out,
			      sizeof(out.core), udata);
	if (!err)
		*handle = out.core.wq_handle;
	return err;
}

/* Return: handle of a good one */
static uint32_t wqs(int fd, uint32_t pd, uint32_t cq)
{
	struct ib_uverbs_ex_create_wq good = {
		.wq_type = IB_UVERBS_WQT_RQ, .pd_handle = pd, .cq_handle = cq, .max_wr = 16,
		.max_sge = 1,
	};
	struct {
		const char *name;
		int want;
		struct ib_uverbs_ex_create_wq cmd;
	} odd[] = {
		{ "comp_mask", EOPNOTSUPP, but(good, comp_mask, 1u << 31) },
		{ "type 7", EOPNOTSUPP, but(good, wq_type, 7) },
		{ "no such PD", ENOENT, but(good, pd_handle, FIRST_HANDLE) },
		{ "no such CQ", ENOENT, but(good, cq_handle, FIRST_HANDLE) },
		{ "no receives", EINVAL, but(good, max_wr, 0) },
		{ "4 billion receives", EINVAL, but(good, max_wr, ~0u) },
		{ "4 billion SGEs", EINVAL, but(good, max_sge, ~0u) },
		{ "top flag", EOPNOTSUPP, but(good, create_flags, 1u << 31) },
		{ "all flags", EOPNOTSUPP, but(good, create_flags, ~0u) },
	};
	struct long_request bytes = {};
	struct udata udata;
	uint32_t handle = 0;
	size_t i;

	for (i = 0; i < SPOILED; i++) {
		udata = spoil(i, &bytes, sizeof(struct ornic_create_wq_req),
			      sizeof(struct ornic_create_wq_resp));
		say("wq", spoiled[i].name, spoiled[i].want, try_wq(fd, &good, &udata, &handle));
	}
	memset(&bytes, 0, sizeof(bytes));
	udata = (struct udata){ &bytes, 8, sizeof(struct ornic_create_wq_resp) };
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		say("wq", odd[i].name, odd[i].want, try_wq(fd, &odd[i].cmd, &udata, &handle));
	return handle;
}

/* wqs: number of handles in the request; log_size: the size that it states */
static int try_table(int fd, uint32_t comp_mask, uint32_t log_size, uint32_t wq, unsigned int wqs,
		     uint32_t *handle)
{
	uint32_t cmd[2 + 128] = { comp_mask, log_size };
	struct ib_uverbs_ex_create_rwq_ind_table_resp out = {};
	unsigned int i;
	int err;

	for (i = 0; i < wqs; i++)
		cmd[2 + i] = wq;
	/* The response is 16 bytes, the request a multiple of 8: one WQ needs padding */
	err = uverbs_write_ex(fd, IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL, cmd,
			      8 + (wqs * 4 + 7) / 8 * 8, &out, sizeof(out), &none);
	if (!err && handle)
		*handle = out.ind_tbl_handle;
	return err;
}

/* Return: handle of a good one */
static uint32_t tables(int fd, uint32_t wq)
{
	uint32_t handle = 0;

	say("table", "comp_mask", EOPNOTSUPP, try_table(fd, 1u << 31, 1, wq, 2, NULL));
	say("table", "no such WQ", ENOENT, try_table(fd, 0, 1, FIRST_HANDLE, 2, NULL));
	say("table", "of 2, said to be 8", ENOSPC, try_table(fd, 0, 3, wq, 2, NULL));
	say("table", "of 16, said to be 8", EOPNOTSUPP, try_table(fd, 0, 3, wq, 16, NULL));
	say("table", "2 to the 31", EINVAL, try_table(fd, 0, 31, wq, 128, NULL));
	say("table", "2 to the 4 billion", EINVAL, try_table(fd, 0, ~0u, wq, 128, NULL));
	say("table", "of 64", 0, try_table(fd, 0, 6, wq, 64, &handle));
	return handle;
}

static int try_raw_qp(int fd, const struct ib_uverbs_ex_create_qp *cmd, const struct udata *udata,
		      uint32_t *handle)
{
	RESPONSE(ib_uverbs_ex_create_qp_resp, ornic_create_qp_resp) out = {};
	int err;

	err = uverbs_write_ex(fd, IB_USER_VERBS_EX_CMD_CREATE_QP, cmd, sizeof(*cmd), &out,
			      sizeof(out.core), udata);
	if (!err)
		*handle = out.core.base.qp_handle;
	return err;
}

/* Return: handle of a good one */
static uint32_t rss_qps(int fd, uint32_t pd, uint32_t table)
{
	const struct ib_uverbs_ex_create_qp cmd = {
		.pd_handle = pd, .qp_type = IB_UVERBS_QPT_RAW_PACKET,
		.comp_mask = IB_UVERBS_CREATE_QP_MASK_IND_TABLE, .rwq_ind_tbl_handle = table,
	};
	struct ornic_create_qp_req good = {
		.rx_hash_function = 1, .rx_hash_key_len = 40,
		.rx_hash_fields = ORNIC_RX_HASH_SRC_IPV4,
	};
	struct {
		const char *name;
		int want;
		struct ornic_create_qp_req req;
	} odd[] = {
		{ "comp_mask", EOPNOTSUPP, but(good, comp_mask, 1u << 31) },
		{ "TSO headers", EOPNOTSUPP, but(good, max_tso_header, 64) },
		{ "no function", EOPNOTSUPP, but(good, rx_hash_function, 0) },
		{ "function 2", EOPNOTSUPP, but(good, rx_hash_function, 2) },
		{ "key of 39", EINVAL, but(good, rx_hash_key_len, 39) },
		{ "key of 255", EINVAL, but(good, rx_hash_key_len, 255) },
		{ "unknown field", EOPNOTSUPP,
		  but(good, rx_hash_fields, good.rx_hash_fields | 1u << 20) },
		{ "field 63", EOPNOTSUPP,
		  but(good, rx_hash_fields, good.rx_hash_fields | 1ull << 63) },
		{ "good", 0, good },
	};
	struct ib_uverbs_ex_create_qp wrong = cmd;
	struct udata udata = { &good, 8, sizeof(struct ornic_create_qp_resp) };
	uint32_t handle = 0;
	size_t i;

	say("rss", "no request", EINVAL, try_raw_qp(fd, &cmd, &none, &handle));
	say("rss", "request of 8 bytes", EINVAL, try_raw_qp(fd, &cmd, &udata, &handle));
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		udata = (struct udata){ &odd[i].req, sizeof(odd[i].req),
					sizeof(struct ornic_create_qp_resp) };
		say("rss", odd[i].name, odd[i].want, try_raw_qp(fd, &cmd, &udata, &handle));
	}
	wrong.qp_type = IB_UVERBS_QPT_UD;
	say("rss", "of type UD", EOPNOTSUPP, try_raw_qp(fd, &wrong, &udata, &wrong.srq_handle));
	wrong = cmd;
	wrong.rwq_ind_tbl_handle = FIRST_HANDLE;
	say("rss", "no such table", ENOENT, try_raw_qp(fd, &wrong, &udata, &wrong.srq_handle));
	return handle;
}

/* A rule for IPv4 over Ethernet with three specs */
struct long_rule {
	struct ib_uverbs_create_flow cmd;
	struct ib_uverbs_flow_spec_eth eth;
	struct ib_uverbs_flow_spec_ipv4 ipv4;
	struct ib_uverbs_flow_spec_action_drop drop;
};

static int try_flow(int fd, const struct long_rule *rule, size_t len)
{
	struct ib_uverbs_create_flow_resp out = {};

	return uverbs_write_ex(fd, IB_USER_VERBS_EX_CMD_CREATE_FLOW, rule, len, &out, sizeof(out),
			       &none);
}

static void flows(int fd, uint32_t qp)
{
	const size_t specs = sizeof(struct long_rule) - offsetof(struct long_rule, eth);
	struct long_rule good = {
		.cmd = { .qp_handle = qp,
			 .flow_attr = { .size = specs, .num_of_specs = 3, .port = 1 } },
		.eth = { .type = 0x20, .size = sizeof(good.eth), .val.ether_type = 8,
			 .mask.ether_type = 0xffff },
		.ipv4 = { .type = 0x30, .size = sizeof(good.ipv4) },
		.drop = { .type = 0x1001, .size = sizeof(good.drop) },
	};
	struct {
		const char *name;
		int want;
		struct long_rule rule;
		size_t missing;		/* bytes at the end */
	} odd[] = {
		{ "good", 0, good },
		{ "comp_mask", EINVAL, but(good, cmd.comp_mask, 1) },
		{ "no such QP", ENOENT, but(good, cmd.qp_handle, FIRST_HANDLE) },
		{ "reserved byte", EINVAL, but(good, cmd.flow_attr.reserved[1], 1) },
		{ "top flag", EINVAL, but(good, cmd.flow_attr.flags, 1u << 31) },
		{ "no such port", EINVAL, but(good, cmd.flow_attr.port, 200) },
		{ "type 200", EOPNOTSUPP, but(good, cmd.flow_attr.type, 200) },
		{ "size beyond the request", ENOSPC, good, 24 },
		{ "size of one spec", EOPNOTSUPP, but(good, cmd.flow_attr.size, sizeof(good.eth)) },
		{ "size above all", EINVAL, but(good, cmd.flow_attr.size, 0xffff) },
		{ "one spec said", EINVAL, but(good, cmd.flow_attr.num_of_specs, 1) },
		{ "200 specs said", EINVAL, but(good, cmd.flow_attr.num_of_specs, 200) },
		{ "spec of size 0", EINVAL, but(good, eth.size, 0) },
		{ "spec of size 8", EINVAL, but(good, eth.size, 8) },
		{ "spec of size 65535", EINVAL, but(good, eth.size, 0xffff) },
		{ "spec's reserved bits", EINVAL, but(good, eth.reserved, 1) },
		{ "unknown spec", EINVAL, but(good, eth.type, 0x2f) },
		{ "unknown action", EINVAL, but(good, drop.type, 0x10ff) },
		{ "good again", 0, good },
	};
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		say("flow", odd[i].name, odd[i].want,
		    try_flow(fd, &odd[i].rule, sizeof(good) - odd[i].missing));
}

static void raw_qps(int fd, uint32_t pd, uint32_t cq)
{
	const struct ib_uverbs_ex_create_qp good = {
		.pd_handle = pd, .send_cq_handle = cq, .recv_cq_handle = cq, .max_send_wr = 4,
		.max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1,
		.qp_type = IB_UVERBS_QPT_RAW_PACKET,
	};
	struct ib_uverbs_ex_create_qp wrong = good;
	struct ornic_create_qp_req req = {};
	struct udata udata = { &req, sizeof(req), sizeof(struct ornic_create_qp_resp) };
	uint32_t handle;

	say("raw qp", "good", 0, try_raw_qp(fd, &good, &udata, &handle));
	req.max_tso_header = ORNIC_TSO_HDR_MAX + 1;
	say("raw qp", "193 bytes of headers", EINVAL, try_raw_qp(fd, &good, &udata, &handle));
	req.max_tso_header = 0;
	req.rx_hash_key[39] = 1;
	say("raw qp", "a hash key", EOPNOTSUPP, try_raw_qp(fd, &good, &udata, &handle));
	req.rx_hash_key[39] = 0;
	wrong.create_flags = 1u << 8;	/* IB_QP_CREATE_SCATTER_FCS */
	wrong.qp_type = IB_UVERBS_QPT_RC;
	say("raw qp", "RC with FCS", EOPNOTSUPP, try_raw_qp(fd, &wrong, &udata, &handle));
	wrong.create_flags = 1u << 30;
	wrong.qp_type = IB_UVERBS_QPT_RAW_PACKET;
	say("raw qp", "unknown flag", EINVAL, try_raw_qp(fd, &wrong, &udata, &handle));
}

void try_ethernet(int fd, uint32_t pd, uint32_t cq)
{
	uint32_t wq = wqs(fd, pd, cq);

	raw_qps(fd, pd, cq);
	flows(fd, rss_qps(fd, pd, tables(fd, wq)));
}
