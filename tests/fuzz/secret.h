/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that no client but its owner may ever read or write. It is a file full
 * of one word that nothing else contains.
 */
#ifndef ORNIC_FUZZ_SECRET_H
#define ORNIC_FUZZ_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "env/frame.h"
#include "env/mem.h"

#define SECRET_SIZE (1u << 20)

/* Create the file, once in a process */
void secret_init(void);
int secret_fd(void);

/* Return true if memory contains the word, at any alignment */
bool secret_is_in(const void *p, size_t len);
bool secret_is_in_frame(const struct frame *frame);

/*
 * Map the file where the card had mapped memory that it must have let go: the
 * kernel may give these addresses to another client at any time. Addresses that
 * are in use are left alone.
 */
void secret_haunt(void *addr, size_t len);

/* Abort if the file has changed; undo all secret_haunt() */
void secret_check(void);

#endif /* ORNIC_FUZZ_SECRET_H */
