/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The program: the cards, the event loop and the control socket */
#ifndef ORNIC_DEVICE_DEVICE_H
#define ORNIC_DEVICE_DEVICE_H

#include "loop/loop.h"
#include "ports/capture.h"
#include "process/options.h"
#include "process/slot.h"
#include "process/stream.h"
#include "process/tracer.h"

struct control;

/**
 * struct device - state of the program
 * @options: the command line
 * @loop: event loop
 * @slot: cards, in the order in which they came
 * @slot_count: number of @slot
 * @capture: packet capture or NULL
 * @tracer: trace of messages
 * @control: control socket or NULL
 * @stream: counters of captures for clients of @control
 * @leave: destroys cards that are leaving
 * @signals: signalfd for SIGTERM and SIGINT
 * @remover: from remover_start(), or -1
 */
struct device {
	struct options options;
	struct loop loop;
	struct slot *slot[OPTIONS_MAX_NICS];
	unsigned int slot_count;
	struct capture *capture;
	struct tracer tracer;
	struct control *control;
	struct stream_stats stream;
	struct timer leave;
	struct loop_fd signals;
	int remover;
};

#endif /* ORNIC_DEVICE_DEVICE_H */
