// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Members of structures of the hardware interface, for its appendices */
#include <stddef.h>

#include <ornic_hw_cmd.h>

#include "appendix.h"

#define FIELD(_type, _member, _order, _parts) {                            \
		.name = #_member, .order = _order, .parts = _parts,         \
		ORNIC_FIELD_PLACE(struct _type, _member),                   \
	}
#define LE(_type, _member) FIELD(_type, _member, 'l', NULL)
#define BITS(_type, _member, _parts) FIELD(_type, _member, 'l', _parts)
#define BE(_type, _member) FIELD(_type, _member, 'b', NULL)
#define BYTES(_type, _member) FIELD(_type, _member, '-', NULL)

#define LAYOUT(_layout, _type, ...)                                         \
	static const struct appendix_field _layout##_fields[] = {           \
		__VA_ARGS__, {},                                            \
	};                                                                  \
	const struct appendix_layout appendix_##_layout = {                 \
		.name = #_type, .fields = _layout##_fields,                 \
		.size = sizeof(struct _type),                               \
	}

static const struct appendix_part sq_ctrl[] = {
	{ "opcode", ORNIC_SQ_OPCODE, 0, 0 },
	{ "length", ORNIC_SQ_LENGTH, 0, 0 },
	{ "flags", ORNIC_SQ_FLAGS, 0, 0 },
	{},
};

static const struct appendix_part av_flow[] = {
	{ "SL", ORNIC_AV_SL, 0, 0 },
	{ "flow label", ORNIC_AV_FLOW_LABEL, 0, 0 },
	{},
};

static const struct appendix_part key[] = {
	{ "index", ORNIC_KEY_INDEX, 0, 0 },
	{ "variant", ORNIC_KEY_VARIANT, 0, 0 },
	{},
};

static const struct appendix_part cqe_qpn[] = {
	{ "phase", ORNIC_CQE_PHASE, 0, 0 },
	{ "flags", ORNIC_CQE_FLAGS, 0, 0 },
	{ "QPN", ORNIC_CQE_QPN, 0, 0 },
	{},
};

static const struct appendix_part eqe_ctl[] = {
	{ "phase", ORNIC_EQE_PHASE, 0, 0 },
	{ "type", ORNIC_EQE_TYPE, 0, 0 },
	{},
};

static const struct appendix_part cmd_cqe_ctl[] = {
	{ "phase", ORNIC_CMD_CQE_PHASE, 0, 0 },
	{ "sq_ci", ORNIC_CMD_CQE_SQ_CI, 0, 0 },
	{},
};

LAYOUT(sq_hdr, ornic_sq_hdr,
       BITS(ornic_sq_hdr, ctrl, sq_ctrl),
       BE(ornic_sq_hdr, imm),
       LE(ornic_sq_hdr, wr_id));

LAYOUT(sq_hdr_inv, ornic_sq_hdr,
       BITS(ornic_sq_hdr, ctrl, sq_ctrl),
       BITS(ornic_sq_hdr, inv_key, key),
       LE(ornic_sq_hdr, wr_id));

LAYOUT(route_rc, ornic_route_rc,
       LE(ornic_route_rc, raddr),
       BITS(ornic_route_rc, rkey, key),
       LE(ornic_route_rc, xrc_srqn));

LAYOUT(route_ud, ornic_route_ud,
       LE(ornic_route_ud, dqpn),
       LE(ornic_route_ud, qkey),
       LE(ornic_route_ud, rsvd),
       BYTES(ornic_route_ud, av.dgid),
       BYTES(ornic_route_ud, av.dmac),
       LE(ornic_route_ud, av.sgid_index),
       BITS(ornic_route_ud, av.flow, av_flow),
       LE(ornic_route_ud, av.tclass),
       LE(ornic_route_ud, av.hop_limit),
       LE(ornic_route_ud, av.udp_sport));

LAYOUT(route_eth, ornic_route_eth,
       LE(ornic_route_eth, flags),
       LE(ornic_route_eth, vlan_tci),
       LE(ornic_route_eth, csum_start),
       LE(ornic_route_eth, csum_offset),
       LE(ornic_route_eth, mss),
       LE(ornic_route_eth, hdr_len),
       LE(ornic_route_eth, rsvd));

LAYOUT(sge, ornic_sge,
       LE(ornic_sge, addr),
       LE(ornic_sge, length),
       BITS(ornic_sge, lkey, key));

LAYOUT(atomic, ornic_atomic,
       LE(ornic_atomic, swap_add),
       LE(ornic_atomic, compare));

LAYOUT(atomic_mask, ornic_atomic_mask,
       LE(ornic_atomic_mask, swap_add_mask),
       LE(ornic_atomic_mask, compare_mask));

LAYOUT(flush, ornic_flush,
       LE(ornic_flush, length),
       LE(ornic_flush, type),
       LE(ornic_flush, level),
       BYTES(ornic_flush, rsvd));

LAYOUT(bind, ornic_bind,
       BITS(ornic_bind, mw_key, key),
       BITS(ornic_bind, new_key, key),
       BITS(ornic_bind, mr_key, key),
       LE(ornic_bind, access),
       LE(ornic_bind, addr),
       LE(ornic_bind, length));

LAYOUT(reg_mr, ornic_reg_mr,
       BITS(ornic_reg_mr, key, key),
       LE(ornic_reg_mr, access),
       LE(ornic_reg_mr, iova),
       LE(ornic_reg_mr, length),
       LE(ornic_reg_mr, buf.addr),
       LE(ornic_reg_mr, buf.npages),
       LE(ornic_reg_mr, buf.page_shift),
       LE(ornic_reg_mr, buf.levels),
       BYTES(ornic_reg_mr, buf.rsvd),
       LE(ornic_reg_mr, rsvd));

LAYOUT(rq_hdr, ornic_rq_hdr,
       LE(ornic_rq_hdr, ctrl),
       LE(ornic_rq_hdr, rsvd),
       LE(ornic_rq_hdr, wr_id));

LAYOUT(cqe, ornic_cqe,
       LE(ornic_cqe, wr_id),
       LE(ornic_cqe, status),
       LE(ornic_cqe, opcode),
       LE(ornic_cqe, src_qp),
       LE(ornic_cqe, byte_len),
       BE(ornic_cqe, imm),
       BITS(ornic_cqe, qpn, cqe_qpn));

LAYOUT(cqe_inv, ornic_cqe,
       LE(ornic_cqe, wr_id),
       LE(ornic_cqe, status),
       LE(ornic_cqe, opcode),
       LE(ornic_cqe, src_qp),
       LE(ornic_cqe, byte_len),
       BITS(ornic_cqe, inv_key, key),
       BITS(ornic_cqe, qpn, cqe_qpn));

LAYOUT(cqe_error, ornic_cqe,
       LE(ornic_cqe, wr_id),
       LE(ornic_cqe, status),
       LE(ornic_cqe, opcode),
       LE(ornic_cqe, vendor_err),
       LE(ornic_cqe, byte_len),
       BE(ornic_cqe, imm),
       BITS(ornic_cqe, qpn, cqe_qpn));

LAYOUT(cqe_ext, ornic_cqe_ext,
       LE(ornic_cqe_ext, timestamp),
       LE(ornic_cqe_ext, flow_tag),
       LE(ornic_cqe_ext, rss_hash),
       LE(ornic_cqe_ext, vlan_tci),
       LE(ornic_cqe_ext, flags),
       BYTES(ornic_cqe_ext, smac),
       LE(ornic_cqe_ext, sl),
       BYTES(ornic_cqe_ext, rsvd));

LAYOUT(eqe, ornic_eqe,
       LE(ornic_eqe, num),
       LE(ornic_eqe, num2),
       LE(ornic_eqe, data),
       LE(ornic_eqe, data2),
       LE(ornic_eqe, rsvd),
       BITS(ornic_eqe, ctl, eqe_ctl));

LAYOUT(dma_test, ornic_dma_test,
       LE(ornic_dma_test, nonce),
       LE(ornic_dma_test, answer));

LAYOUT(cmd_sqe, ornic_cmd_sqe,
       LE(ornic_cmd_sqe, opcode),
       LE(ornic_cmd_sqe, cmd_id),
       LE(ornic_cmd_sqe, rsvd),
       LE(ornic_cmd_sqe, in_len),
       LE(ornic_cmd_sqe, out_len),
       LE(ornic_cmd_sqe, in_addr),
       LE(ornic_cmd_sqe, out_addr));

LAYOUT(cmd_cqe, ornic_cmd_cqe,
       LE(ornic_cmd_cqe, cmd_id),
       LE(ornic_cmd_cqe, status),
       LE(ornic_cmd_cqe, out_len),
       LE(ornic_cmd_cqe, detail),
       BITS(ornic_cmd_cqe, ctl, cmd_cqe_ctl));

LAYOUT(object, ornic_object,
       LE(ornic_object, num),
       LE(ornic_object, rsvd));

LAYOUT(create_cq_in, ornic_create_cq_in,
       LE(ornic_create_cq_in, uctx),
       LE(ornic_create_cq_in, eqn),
       LE(ornic_create_cq_in, log_size),
       LE(ornic_create_cq_in, log_cqe_size),
       BYTES(ornic_create_cq_in, rsvd),
       LE(ornic_create_cq_in, flags),
       LE(ornic_create_cq_in, buf.addr),
       LE(ornic_create_cq_in, buf.npages),
       LE(ornic_create_cq_in, buf.page_shift),
       LE(ornic_create_cq_in, buf.levels),
       BYTES(ornic_create_cq_in, buf.rsvd),
       LE(ornic_create_cq_in, dbr_addr));

LAYOUT(query_device_out, ornic_query_device_out,
       LE(ornic_query_device_out, features),
       LE(ornic_query_device_out, guid),
       LE(ornic_query_device_out, fw_version),
       LE(ornic_query_device_out, max_uctx),
       LE(ornic_query_device_out, max_pd),
       LE(ornic_query_device_out, max_eq),
       LE(ornic_query_device_out, max_eqe),
       LE(ornic_query_device_out, max_cq),
       LE(ornic_query_device_out, max_cqe),
       LE(ornic_query_device_out, max_qp),
       LE(ornic_query_device_out, max_sq_slots),
       LE(ornic_query_device_out, max_rq_wqes),
       LE(ornic_query_device_out, max_sge),
       LE(ornic_query_device_out, max_inline));
