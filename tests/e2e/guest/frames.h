/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Declarations of the program `frames`; see frames.c */
#ifndef ORNIC_E2E_FRAMES_H
#define ORNIC_E2E_FRAMES_H

#include <stdarg.h>
#include <stdio.h>

#include "verbs.h"

#define MAX_WORDS 600
#define MAX_OBJECTS 20000

enum kind { NONE, CQ, QP, WQ, TABLE, COUNTERS, FLOW };

/* An object, which the test has named */
struct object {
	char name[16];
	enum kind kind;
	union {
		struct ibv_cq *cq;
		struct ibv_qp *qp;
		struct ibv_wq *wq;
		struct ibv_rwq_ind_table *table;
		struct ibv_counters *counters;
		struct ibv_flow *flow;
	};
	struct ibv_cq_ex *cq_ex;	/* NULL: a CQ without extensions */
	struct object *send_cq;		/* of a QP */
	struct mem rx;			/* of a QP, WQ: a piece per receive, wr_id is its offset */
	struct mem tx;			/* of a QP */
	size_t piece;
	unsigned int posted;
	uint8_t *ring;			/* of a WQ, as mapped in this process */
	size_t ring_len;
};

/* The port, the channel for answers, and the objects */
struct session {
	struct port port;
	FILE *out;
	struct object objects[MAX_OBJECTS];
};

/* Append to the answer. Return: 0. */
int tell(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Return: the object of this name and kind, which must exist; NONE: of any kind */
struct object *find(struct session *session, const char *name, enum kind kind);
struct object *add(struct session *session, const char *name, enum kind kind);
/* Return: the number of bytes */
size_t from_hex(const char *hex, uint8_t *bytes, size_t room);

/* A command, with at least so many words after its name */
struct verb {
	struct verb *next;
	const char *name;
	int words;
	int (*run)(struct session *session, char **words);
};

/*
 * VERB(name, words) begins the function of a command, and adds it to those of the program. The
 * function gets the session and the words after the name, which the comment at it describes, and
 * returns 0 or errno.
 */
#define VERB(_name, _words) \
	static int verb_##_name(struct session *session, char **words); \
	static __attribute__((constructor)) void verb_##_name##_add(void) \
	{ \
		static struct verb itself = { \
			.name = #_name, .words = _words, .run = verb_##_name, \
		}; \
	\
		verb_add(&itself); \
	} \
	static int verb_##_name(struct session *session, char **words)

void verb_add(struct verb *verb);

#endif /* ORNIC_E2E_FRAMES_H */
