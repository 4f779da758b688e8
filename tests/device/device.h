/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The program: the cards, the event loop and the control socket */
#ifndef ORNIC_DEVICE_DEVICE_H
#define ORNIC_DEVICE_DEVICE_H

#include "capture.h"
#include "card.h"
#include "loop.h"
#include "options.h"

struct control;

/**
 * struct device - state of the program
 * @options: the command line
 * @loop: event loop
 * @card: cards, in the order of the options
 * @card_count: number of @card
 * @capture: packet capture or NULL
 * @control: control socket or NULL
 * @signals: signalfd for SIGTERM and SIGINT
 * @remover: from remover_start(), or -1
 */
struct device {
	struct options options;
	struct loop loop;
	struct card *card[OPTIONS_MAX_NICS];
	unsigned int card_count;
	struct capture *capture;
	struct control *control;
	struct loop_fd signals;
	int remover;
};

#endif /* ORNIC_DEVICE_DEVICE_H */
