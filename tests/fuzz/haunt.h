/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that a client unmaps becomes secret memory of another one at the same
 * addresses (secret_haunt()): a pointer that the card should have dropped leads
 * there. The linker replaces mem_unmap() and mem_enable() by wrappers.
 */
#ifndef ORNIC_FUZZ_HAUNT_H
#define ORNIC_FUZZ_HAUNT_H

#include "env/mem.h"

/* Called before memory goes away, unless NULL */
extern void (*haunt_flush)(struct mem *mem);

#endif /* ORNIC_FUZZ_HAUNT_H */
