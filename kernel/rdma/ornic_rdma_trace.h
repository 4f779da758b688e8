/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Trace events of the verbs driver: the life of queue pairs */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ornic_rdma

#if !defined(ORNIC_RDMA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ORNIC_RDMA_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>

#define ORNIC_QP_STATE_LIST		\
	ornic_qp_state_name(RESET)	\
	ornic_qp_state_name(INIT)	\
	ornic_qp_state_name(RTR)	\
	ornic_qp_state_name(RTS)	\
	ornic_qp_state_name(SQD)	\
	ornic_qp_state_name(SQE)	\
	ornic_qp_state_end(ERR)

#undef ornic_qp_state_name
#undef ornic_qp_state_end
#define ornic_qp_state_name(name) TRACE_DEFINE_ENUM(IB_QPS_##name);
#define ornic_qp_state_end(name) TRACE_DEFINE_ENUM(IB_QPS_##name);

ORNIC_QP_STATE_LIST

#undef ornic_qp_state_name
#undef ornic_qp_state_end
#define ornic_qp_state_name(name) { IB_QPS_##name, #name },
#define ornic_qp_state_end(name) { IB_QPS_##name, #name }

#define ornic_show_qp_state(state) __print_symbolic(state, ORNIC_QP_STATE_LIST)

DECLARE_EVENT_CLASS(ornic_qp,
	TP_PROTO(const struct ib_device *ibdev, u32 qpn, u32 type),
	TP_ARGS(ibdev, qpn, type),

	TP_STRUCT__entry(
		__string(dev, dev_name(&ibdev->dev))
		__field(u32, qpn)
		__field(u32, type)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->qpn = qpn;
		__entry->type = type;
	),

	TP_printk("%s: qpn=%#x type=%u", __get_str(dev), __entry->qpn, __entry->type)
);

DEFINE_EVENT(ornic_qp, ornic_qp_create,
	TP_PROTO(const struct ib_device *ibdev, u32 qpn, u32 type),
	TP_ARGS(ibdev, qpn, type)
);

DEFINE_EVENT(ornic_qp, ornic_qp_destroy,
	TP_PROTO(const struct ib_device *ibdev, u32 qpn, u32 type),
	TP_ARGS(ibdev, qpn, type)
);

/*
 * A change by the consumer or the driver, also one that the device refused, or
 * a change that a query found.
 */
TRACE_EVENT(ornic_qp_state,
	TP_PROTO(const struct ib_device *ibdev, u32 qpn, enum ib_qp_state from,
		 enum ib_qp_state to, int err),
	TP_ARGS(ibdev, qpn, from, to, err),

	TP_STRUCT__entry(
		__string(dev, dev_name(&ibdev->dev))
		__field(u32, qpn)
		__field(u32, from)
		__field(u32, to)
		__field(int, err)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->qpn = qpn;
		__entry->from = from;
		__entry->to = to;
		__entry->err = err;
	),

	TP_printk("%s: qpn=%#x %s -> %s error=%d", __get_str(dev), __entry->qpn,
		  ornic_show_qp_state(__entry->from), ornic_show_qp_state(__entry->to),
		  __entry->err)
);

#endif /* ORNIC_RDMA_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ornic_rdma_trace
#include <trace/define_trace.h>
