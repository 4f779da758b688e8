/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The program as a whole: what main.c puts together and the control socket shows. */
#ifndef ORNIC_DEVICE_DEVICE_H
#define ORNIC_DEVICE_DEVICE_H

#include "capture.h"
#include "card.h"
#include "loop.h"
#include "options.h"

struct control;

/**
 * struct device - everything
 * @options: the command line
 * @loop: runs all of it
 * @card: cards, in the order of the options
 * @card_count: number of @card
 * @capture: packet capture or NULL
 * @control: control socket or NULL
 * @signals: SIGTERM and SIGINT
 */
struct device {
	struct options options;
	struct loop loop;
	struct card *card[OPTIONS_MAX_NICS];
	unsigned int card_count;
	struct capture *capture;
	struct control *control;
	struct loop_fd signals;
};

#endif /* ORNIC_DEVICE_DEVICE_H */
