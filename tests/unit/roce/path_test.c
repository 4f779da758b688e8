// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The path of a connected QP: the source of packets */
#include "pair.h"

/* WRITE from one side, and expect success */
static void talk(struct side *side)
{
	struct pair_wr wr = pair_wr_data(side, ORNIC_WR_RDMA_WRITE, 0, 3000);

	pair_send(side, &wr);
	pair_expect(side, wr.wr_id, ORNIC_WC_SUCCESS);
}

/* [ORNIC-WIRE-10] Any entry with the same GID and VLAN will do */
TEST(test_same_gid_twice, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const unsigned int index[] = { 0, 20 };
	struct side *b = B(pair);
	struct ornic_qp_attr attr = pair_attr(b, A(pair));
	unsigned int i;

	/* Before and behind the entry that the path names */
	for (i = 0; i < ARRAY_SIZE(index); i++) {
		host_set_gid(b->host, index[i], b->gid, b->host->mac, 0);
		talk(A(pair));
		pair_again(pair);
		pair_state(b, ORNIC_QPS_RESET);
		attr.av.sgid_index = htole16(index[i]);
		pair_connect_side(b, &attr);
		talk(A(pair));
		talk(b);
		pair_again(pair);
	}
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_wrong_path, 0);
}

/* [ORNIC-WIRE-10] The same GID in another VLAN is another source */
TEST(test_same_gid_of_another_vlan, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct side *b = B(pair);
	struct ornic_qp_attr attr = pair_attr(b, A(pair));
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);

	host_set_gid(b->host, 20, b->gid, b->host->mac, 5);
	pair_state(b, ORNIC_QPS_RESET);
	attr.av.sgid_index = htole16(20);
	pair_connect_side(b, &attr);
	pair_send(A(pair), &wr);
	pair_poll_none(A(pair));
	assert_true(pair_stat(b, ORNIC_RDMA_STAT_rx_wrong_path) > 0);
}

TEST_MAIN("path")
