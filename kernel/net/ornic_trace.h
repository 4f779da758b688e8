/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Trace events of the core driver: commands, asynchronous events, resets,
 * failures and reads of the device's clock.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ornic

#if !defined(ORNIC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ORNIC_TRACE_H

#include <linux/device.h>
#include <linux/tracepoint.h>

#include "ornic_hw.h"

/* All except ORNIC_EVENT_COMP, which belongs to the data path */
#define ORNIC_EVENT_LIST			\
	ornic_event_name(CQ_ERR)		\
	ornic_event_name(QP_FATAL)		\
	ornic_event_name(QP_REQ_ERR)		\
	ornic_event_name(QP_ACCESS_ERR)		\
	ornic_event_name(QP_COMM_EST)		\
	ornic_event_name(QP_SQ_DRAINED)		\
	ornic_event_name(QP_LAST_WQE)		\
	ornic_event_name(SRQ_LIMIT)		\
	ornic_event_name(SRQ_ERR)		\
	ornic_event_name(WQ_FATAL)		\
	ornic_event_name(WQ_DELAY_DROP)		\
	ornic_event_name(PORT_UP)		\
	ornic_event_name(PORT_DOWN)		\
	ornic_event_end(DEVICE_FATAL)

#undef ornic_event_name
#undef ornic_event_end
#define ornic_event_name(name) TRACE_DEFINE_ENUM(ORNIC_EVENT_##name);
#define ornic_event_end(name) TRACE_DEFINE_ENUM(ORNIC_EVENT_##name);

ORNIC_EVENT_LIST

#undef ornic_event_name
#undef ornic_event_end
#define ornic_event_name(name) { ORNIC_EVENT_##name, #name },
#define ornic_event_end(name) { ORNIC_EVENT_##name, #name }

/* A command that the device got; status -1 if it died before the answer */
TRACE_EVENT(ornic_cmd,
	TP_PROTO(const struct device *dev, const char *name, enum ornic_opcode opcode, u16 id,
		 int status, u64 duration),
	TP_ARGS(dev, name, opcode, id, status, duration),

	TP_STRUCT__entry(
		__string(dev, dev_name(dev))
		__string(name, name)
		__field(u16, opcode)
		__field(u16, id)
		__field(int, status)
		__field(u64, duration)
	),

	TP_fast_assign(
		__assign_str(dev);
		__assign_str(name);
		__entry->opcode = opcode;
		__entry->id = id;
		__entry->status = status;
		__entry->duration = duration;
	),

	TP_printk("%s: %s opcode=%#x id=%#x status=%d duration=%llu ns", __get_str(dev),
		  __get_str(name), __entry->opcode, __entry->id, __entry->status,
		  __entry->duration)
);

TRACE_EVENT(ornic_event,
	TP_PROTO(const struct device *dev, enum ornic_event event, u32 num),
	TP_ARGS(dev, event, num),

	TP_STRUCT__entry(
		__string(dev, dev_name(dev))
		__field(u32, event)
		__field(u32, num)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->event = event;
		__entry->num = num;
	),

	TP_printk("%s: %s num=%#x", __get_str(dev),
		  __print_symbolic(__entry->event, ORNIC_EVENT_LIST), __entry->num)
);

TRACE_EVENT(ornic_reset,
	TP_PROTO(const struct device *dev, int err),
	TP_ARGS(dev, err),

	TP_STRUCT__entry(
		__string(dev, dev_name(dev))
		__field(int, err)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->err = err;
	),

	TP_printk("%s: error=%d", __get_str(dev), __entry->err)
);

TRACE_EVENT(ornic_fail,
	TP_PROTO(const struct device *dev, struct va_format *reason),
	TP_ARGS(dev, reason),

	TP_STRUCT__entry(
		__string(dev, dev_name(dev))
		__vstring(reason, reason->fmt, reason->va)
	),

	TP_fast_assign(
		__assign_str(dev);
		__assign_vstr(reason, reason->fmt, reason->va);
	),

	TP_printk("%s: %s", __get_str(dev), __get_str(reason))
);

/* The counter was read at some time in the duration that ends with the event */
TRACE_EVENT(ornic_clock,
	TP_PROTO(const struct device *dev, u64 cycles, u64 duration),
	TP_ARGS(dev, cycles, duration),

	TP_STRUCT__entry(
		__string(dev, dev_name(dev))
		__field(u64, cycles)
		__field(u64, duration)
	),

	TP_fast_assign(
		__assign_str(dev);
		__entry->cycles = cycles;
		__entry->duration = duration;
	),

	TP_printk("%s: cycles=%llu duration=%llu ns", __get_str(dev), __entry->cycles,
		  __entry->duration)
);

#endif /* ORNIC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ornic_trace
#include <trace/define_trace.h>
