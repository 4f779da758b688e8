// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion counters. An rdma-core before 65 has none, and this file no test. */
#include "fixture.h"

#ifndef ORNIC_LACKS_COMP_CNTR
static struct ibv_comp_cntr *create(struct fixture *f)
{
	struct ibv_comp_cntr_init_attr attr = { .type = IBV_COMP_CNTR_TYPE_WRS };

	return f->ops->create_comp_cntr(f->ctx, &attr);
}

/* [ORNIC-CNTR-7] Values are those of the device, without a command */
TEST(values_are_the_devices, struct fixture *f, IN_OWN)
{
	struct ibv_comp_cntr *cntr = create(f), *other = create(f);
	struct ornic_comp_counts *counts;
	unsigned int commands;
	uint64_t value;

	assert_non_null(cntr);
	assert_non_null(other);
	counts = f->fake.last_counts[0];
	counts->completed = htole64(0x123456789abcdef0);
	counts->errors = htole64(7);
	commands = f->fake.commands;
	assert_int_equal(f->ops->read_comp_cntr(cntr, &value), 0);
	assert_int_equal(value, 0x123456789abcdef0);
	assert_int_equal(f->ops->read_err_comp_cntr(cntr, &value), 0);
	assert_int_equal(value, 7);
	assert_int_equal(f->ops->read_comp_cntr(other, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(f->fake.commands, commands);

	f->fake.fail = EBUSY;
	assert_int_equal(f->ops->destroy_comp_cntr(cntr), EBUSY);
	assert_int_equal(f->ops->destroy_comp_cntr(cntr), 0);
	assert_int_equal(f->ops->destroy_comp_cntr(other), 0);
}

TEST(the_rest_is_the_kernels, struct fixture *f, IN_OWN)
{
	struct ibv_qp_attach_comp_cntr_attr attr = {
		.op_mask = IBV_QP_ATTACH_COMP_CNTR_OP_SEND,
	};
	struct ibv_comp_cntr *cntr = create(f);
	struct ibv_comp_cntr_caps caps;

	assert_int_equal(f->ops->query_comp_cntr_caps(f->ctx, &caps, sizeof(caps)), 0);
	assert_int_equal(f->ops->qp_attach_comp_cntr(f->rc, cntr, &attr), 0);
	assert_int_equal(f->ops->set_comp_cntr(cntr, 1), 0);
	assert_int_equal(f->ops->inc_err_comp_cntr(cntr, 1), 0);
	assert_int_equal(f->ops->destroy_comp_cntr(cntr), 0);
}

TEST(refusals, struct fixture *f, IN_OWN)
{
	struct ibv_comp_cntr_init_attr attr = {
		.type = IBV_COMP_CNTR_TYPE_BYTES,
	};
	struct ibv_qp_attach_comp_cntr_attr attach = {
		.op_mask = IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE << 1 |
			   IBV_QP_ATTACH_COMP_CNTR_OP_SEND,
	};
	struct ibv_comp_cntr *cntr = create(f);
	unsigned int commands = f->fake.commands;
	struct ibv_comp_cntr_caps caps;

	assert_int_equal(f->ops->qp_attach_comp_cntr(f->rc, cntr, &attach), EOPNOTSUPP);
	attach = (struct ibv_qp_attach_comp_cntr_attr){ .comp_mask = 1, .op_mask = 1 };
	assert_int_equal(f->ops->qp_attach_comp_cntr(f->rc, cntr, &attach), EOPNOTSUPP);
	assert_fails(f->ops->create_comp_cntr(f->ctx, &attr), EOPNOTSUPP);
	attr = (struct ibv_comp_cntr_init_attr){ .flags = 1 };
	assert_fails(f->ops->create_comp_cntr(f->ctx, &attr), EOPNOTSUPP);
	attr = (struct ibv_comp_cntr_init_attr){ .comp_mask = 1 };
	assert_fails(f->ops->create_comp_cntr(f->ctx, &attr), EOPNOTSUPP);
	assert_int_equal(f->fake.commands, commands);

	/* A kernel without such an object says so */
	f->fake.fail = EPROTONOSUPPORT;
	assert_fails(create(f), EOPNOTSUPP);
	f->fake.fail = EPROTONOSUPPORT;
	assert_int_equal(f->ops->query_comp_cntr_caps(f->ctx, &caps, sizeof(caps)), EOPNOTSUPP);

	f->fake.fail = ENOMEM;
	assert_fails(create(f), ENOMEM);
	f->fake.bad_mmap = true;
	assert_fails(create(f), EINVAL);
	assert_int_equal(f->ops->destroy_comp_cntr(cntr), 0);
}
#endif /* ORNIC_LACKS_COMP_CNTR */

TEST_MAIN("comp_cntr")
