/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RoCE packets in a trace */
#ifndef ORNIC_DEVICE_TRACE_PACKET_H
#define ORNIC_DEVICE_TRACE_PACKET_H

#include "base/trace.h"

struct card;
struct frame;
struct headers;

/* @trace_packet of struct card: a trace is on */
void trace_packet(struct card *card, const struct frame *frame, struct headers *headers,
		  enum trace_kind kind);

#endif /* ORNIC_DEVICE_TRACE_PACKET_H */
