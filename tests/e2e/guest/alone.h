/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Helpers of programs that need libibverbs and nothing else: they end on errors */
#ifndef ORNIC_GUEST_ALONE_H
#define ORNIC_GUEST_ALONE_H

#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *check(void *object, const char *what)
{
	if (!object) {
		perror(what);
		exit(1);
	}
	return object;
}

static inline void check_zero(int err, const char *what)
{
	if (err) {
		fprintf(stderr, "%s: %s\n", what, strerror(err));
		exit(1);
	}
}

static inline struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = check(ibv_get_device_list(NULL), "list of devices");
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list[i] && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = check(ibv_open_device(list[i]), name);
	ibv_free_device_list(list);
	if (!ctx) {
		fprintf(stderr, "no such device: %s\n", name);
		exit(1);
	}
	return ctx;
}

#endif /* ORNIC_GUEST_ALONE_H */
