// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RSS indirection tables: a hash selects a WQ */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "check.h"
#include "device.h"
#include "rwq_table.h"

int ornic_ib_create_rwq_ind_table(struct ib_rwq_ind_table *ibtable,
				  struct ib_rwq_ind_table_init_attr *init,
				  struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibtable->device);
	struct ornic_create_rwq_table_in *in;
	u32 i, size;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	/* The core limits log_ind_tbl_size, so that this does not overflow */
	size = 1u << init->log_ind_tbl_size;
	err = ornic_check_range(&dev->ibdev, "RWQ table size", size, 0, dev->max_rwq_table_size);
	if (err)
		return err;

	in = kzalloc_flex(*in, wqn, size);
	if (!in)
		return -ENOMEM;

	in->log_size = init->log_ind_tbl_size;
	for (i = 0; i < size; i++)
		in->wqn[i] = cpu_to_le32(init->ind_tbl[i]->wq_num);

	err = ornic_cmd_create(dev->odev, ORNIC_CMD_CREATE_RWQ_TABLE, in,
			       struct_size(in, wqn, size), &ibtable->ind_tbl_num);
	kfree(in);
	return err;
}

int ornic_ib_destroy_rwq_ind_table(struct ib_rwq_ind_table *ibtable)
{
	return ornic_cmd_destroy(to_ornic_ib_dev(ibtable->device)->odev,
				 ORNIC_CMD_DESTROY_RWQ_TABLE, ibtable->ind_tbl_num);
}
