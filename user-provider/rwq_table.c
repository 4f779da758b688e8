// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Indirection tables of work queues, for receive side scaling (RSS) */

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "ornic.h"

/**
 * ornic_create_rwq_table() - create an indirection table
 * @ibctx: context
 * @attr: list of WQs, whose length is a power of two; a WQ may occur repeatedly
 *
 * Return: the table; NULL with errno set, EINVAL for a table that is too large.
 */
struct ibv_rwq_ind_table *
ornic_create_rwq_table(struct ibv_context *ibctx,
		       struct ibv_rwq_ind_table_init_attr *attr)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	struct ibv_rwq_ind_table *table;
	int ret;

	/* libibverbs shifts an int by it and copies the table to its stack */
	if (attr->log_ind_tbl_size > IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE) {
		ornic_refuse(ibctx, "log_ind_tbl_size %u exceeds %u",
			     attr->log_ind_tbl_size,
			     IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE);
		errno = EINVAL;
		return NULL;
	}

	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;

	ret = ibv_cmd_create_rwq_ind_table(ibctx, attr, table, &resp,
					   sizeof(resp));
	if (ret) {
		free(table);
		errno = ret;
		return NULL;
	}
	return table;
}

/**
 * ornic_destroy_rwq_table() - destroy an indirection table
 * @table: table, freed on success
 *
 * Return: 0 or a positive errno, EBUSY while a QP uses it.
 */
int ornic_destroy_rwq_table(struct ibv_rwq_ind_table *table)
{
	int ret;

	ret = ibv_cmd_destroy_rwq_ind_table(table);
	if (ret)
		return ret;

	free(table);
	return 0;
}
