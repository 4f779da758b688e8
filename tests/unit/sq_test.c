// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Send queues: opcodes and lengths of WQEs, and indexes of the ring */
#include "card/card.h"
#include "pair.h"

/* ---- WQEs ---- */

/* [ORNIC-SQ-5] Each of the 256 opcodes that is not in send_ops is refused */
static void test_opcodes_not_announced(void **state)
{
	struct pair *pair = *state;
	struct ornic_query_device_out out;
	unsigned int opcode, refused = 0;
	struct pair_wr wr;

	assert_int_equal(host_cmd_raw(A(pair)->host, ORNIC_CMD_QUERY_DEVICE,
				      NULL, 0, &out, sizeof(out)),
			 ORNIC_CMD_OK);
	for (opcode = 0; opcode < 256; opcode++) {
		if (le64toh(out.send_ops[opcode / 64]) >> opcode % 64 & 1)
			continue;
		wr = pair_wr_data(A(pair), opcode, 0, 8);
		pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
		assert_int_equal(host_device_stat(A(pair)->host,
						  ORNIC_DEVICE_STAT_bad_wqe_opcode),
				 ++refused);
		pair_again(pair);
	}
	assert_int_equal(refused, 256 - 17);
}

/* [ORNIC-SQ-29] A length that does not fit the opcode; the slots are right */
static void test_bad_lengths(void **state)
{
	static const struct {
		uint8_t opcode;
		unsigned int sges;
		int longer;
	} rows[] = {
		{ ORNIC_WR_SEND, 0, -32 }, { ORNIC_WR_SEND, 0, -31 },
		{ ORNIC_WR_SEND, 0, -1 }, { ORNIC_WR_SEND, 1, -1 },
		{ ORNIC_WR_SEND, 1, 1 }, { ORNIC_WR_SEND, 2, -8 },
		{ ORNIC_WR_LOCAL_INV, 0, 16 }, { ORNIC_WR_LOCAL_INV, 0, -1 },
		{ ORNIC_WR_BIND_MW, 0, -16 }, { ORNIC_WR_FLUSH, 0, -16 },
		{ ORNIC_WR_FLUSH, 0, 16 }, { ORNIC_WR_ATOMIC_CMP_SWP, 0, -1 },
		{ ORNIC_WR_ATOMIC_CMP_SWP, 0, 0 },
		{ ORNIC_WR_ATOMIC_CMP_SWP, 1, -16 },
		{ ORNIC_WR_ATOMIC_WRITE, 2, 0 }, { ORNIC_WR_SEND, 3, -1 },
		{ ORNIC_WR_RDMA_READ_WITH_INV, 0, 0 },
	};
	struct pair *pair = *state;
	struct pair_wr wr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		wr = pair_wr_data(A(pair), rows[i].opcode, 0, 8);
		wr.sges = rows[i].sges;
		wr.sge[1] = wr.sge[2] = wr.sge[0];
		wr.longer = rows[i].longer;
		pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
		assert_int_equal(host_device_stat(A(pair)->host,
						  ORNIC_DEVICE_STAT_bad_wqe_count),
				 i + 1);
		pair_again(pair);
	}
}

/* [ORNIC-SQ-28] Slots of WQEs that the card cannot interpret */
static void test_flush_by_length(void **state)
{
	struct pair *pair = *state;
	struct pair_wr wr = pair_wr_data(A(pair), 0xee, 0, 8);
	unsigned int i;

	pair_state(A(pair), ORNIC_QPS_ERR);
	for (i = 0; i < 9; i++) {
		wr.opcode = i % 3 ? 0xee : ORNIC_WR_RDMA_READ;
		wr.flags = i % 4 ? ORNIC_SEND_INLINE : ORNIC_SEND_RSVD;
		wr.data = wr.sge;
		wr.data_len = 16 * i;
		wr.sges = i;
		wr.wr_id = 50 + i;
		pair_post(A(pair), &wr);
	}
	/* No length at all is one slot */
	wr.flags = 0;
	wr.sges = 0;
	wr.longer = -32;
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	pair_run(pair);
	for (i = 0; i < 9; i++)
		pair_expect(A(pair), 50 + i, ORNIC_WC_WR_FLUSH_ERR);
	pair_expect(A(pair), 58, ORNIC_WC_WR_FLUSH_ERR);
	pair_poll_none(A(pair));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_BOTH(test_opcodes_not_announced, pair_setup_rc),
		PAIR_BOTH(test_bad_lengths, pair_setup_rc),
		PAIR_BOTH(test_flush_by_length, pair_setup_rc),
	};

	return cmocka_run_group_tests_name("sq", tests, NULL, NULL);
}
