/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work of a card in one call, as a measure of time: while a card works, all
 * other cards of the process wait. The unit is one access to guest memory, or
 * one page of a longer one.
 *
 * The linker replaces the functions of mem.h and some of card.h by wrappers that
 * count and check (WRAPPED in the Makefile).
 */
#ifndef ORNIC_FUZZ_TURN_H
#define ORNIC_FUZZ_TURN_H

#include "base/state.h"

/*
 * Limit of one card_run(): the buffer pages that commands may process, and the
 * same for work requests (CARD_RUN_PAGES), each with the overrun of one item, and
 * some accesses for each command, QP, packet and word of a board
 */
#define TURN_RUN_MAX (2 * (CARD_RUN_PAGES + 2 * BUF_STEP) + 8192)
/* Limit of one access to a register or doorbell: a doorbell may cause an event */
#define TURN_BAR_MAX 64

#endif /* ORNIC_FUZZ_TURN_H */
