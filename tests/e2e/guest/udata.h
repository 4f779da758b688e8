/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Declarations of the program `udata`; see udata.c */
#ifndef ORNIC_E2E_UDATA_H
#define ORNIC_E2E_UDATA_H

#include "uverbs.h"

#define TAIL 24
#define LONGEST 128
#define SPOILED 6

/* A request with room for a tail that the kernel does not know */
struct long_request {
	uint8_t bytes[LONGEST];
};

/* A way to spoil a request; a good one is all zeros */
struct spoiled {
	const char *name;
	int want;	/* errno */
	int more;	/* bytes longer than a good one; -LONGEST: no request */
	size_t set;	/* byte to set; LONGEST - 1: one in the tail, LONGEST: none */
};

extern const struct spoiled spoiled[SPOILED];

/* A copy of a good request with one other value */
#define but(good, field, value)                       \
	({                                            \
		typeof(good) but_ = (good);           \
		but_.field = (value);                 \
		but_;                                 \
	})

/* Return: a request spoiled in the i-th way, stored in bytes; len: of a good one */
struct udata spoil(size_t i, struct long_request *bytes, size_t len, size_t out_len);

/* WQs, RWQ tables, RSS QPs, flow rules; cq: a handle */
void try_ethernet(int fd, uint32_t pd, uint32_t cq);

#endif /* ORNIC_E2E_UDATA_H */
