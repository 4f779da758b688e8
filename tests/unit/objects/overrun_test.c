// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CQs that are overrun */
#include "card/card.h"
#include "kit.h"
#include "objects/cq.h"
#include "queues/qp.h"

/* [ORNIC-CQ-14] */
static void test_overrun_cq_takes_no_user(void **state)
{
	struct kit *w = *state;
	uint32_t pdn = host_pd(w->host);
	struct ornic_create_wq_in wq = {
		.pdn = htole32(pdn), .cqn = htole32(w->cq.num), .log_wqes = 2,
		.stride_shift = 5,
		.dbr_addr = htole64(host_alloc(w->host, 128, 128)),
	};
	struct ornic_create_srq_in srq = {
		.pdn = htole32(pdn), .cqn = htole32(w->cq.num), .log_wqes = 2,
		.stride_shift = 5, .flags = htole32(ORNIC_SRQ_XRC),
		.dbr_addr = htole64(host_alloc(w->host, 128, 128)),
	};
	struct ornic_create_qp_in qp = {
		.uctx = htole32(w->uctx), .pdn = htole32(pdn),
		.send_cqn = htole32(w->cq.num), .flags = htole32(ORNIC_QP_SQ),
		.type = ORNIC_QPT_RC,
		.dbr_addr = htole64(host_alloc(w->host, 128, 128)),
	};
	struct ornic_modify_wq_in modify = {
		.mask = htole32(ORNIC_WQ_ATTR_STATE), .state = ORNIC_WQS_RDY,
	};
	struct ornic_create_qp_out qp_out;
	struct ornic_object out;
	struct host_qp old;
	unsigned int i;

	host_buf(&wq.buf, host_alloc(w->host, HOST_PAGE, HOST_PAGE), HOST_PAGE);
	srq.buf = wq.buf;
	qp.sq = wq.buf;
	srq.xrcdn = htole32(host_create_object(w->host, ORNIC_CMD_ALLOC_XRCD,
					       NULL, 0));
	host_qp(w->host, &old, ORNIC_QPT_RAW_PACKET, w->uctx, pdn, &w->cq, 0);
	assert_int_equal(host_cmd(w->host, ORNIC_CMD_CREATE_WQ, &wq, &out),
			 ORNIC_CMD_OK);
	modify.wqn = out.num;
	for (i = 0; i <= 1u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	host_run(w->host);
	assert_int_equal(host_cmd(w->host, ORNIC_CMD_CREATE_WQ, &wq, &out),
			 ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(host_cmd(w->host, ORNIC_CMD_CREATE_SRQ, &srq, &out),
			 ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(host_cmd(w->host, ORNIC_CMD_CREATE_QP, &qp, &qp_out),
			 ORNIC_CMD_BAD_OBJECT);
	qp.send_cqn = 0;
	qp.recv_cqn = htole32(w->cq.num);
	qp.flags = htole32(ORNIC_QP_RQ);
	qp.rq = qp.sq;
	qp.rq_stride_shift = 5;
	memset(&qp.sq, 0, sizeof(qp.sq));
	assert_int_equal(host_cmd(w->host, ORNIC_CMD_CREATE_QP, &qp, &qp_out),
			 ORNIC_CMD_BAD_OBJECT);
	/* A QP and a WQ that were in RESET before stay there */
	assert_int_equal(host_qp_modify(&old, ORNIC_QPS_INIT),
			 ORNIC_CMD_BAD_STATE);
	assert_int_equal(host_cmd_in(w->host, ORNIC_CMD_MODIFY_WQ, &modify),
			 ORNIC_CMD_BAD_STATE);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_QP,
					 old.num), ORNIC_CMD_OK);
}

/* Number of QPs in ERR */
static unsigned int count_failed(struct host *host)
{
	unsigned int count = 0;
	struct obj *obj;
	uint32_t i = 0;

	while ((obj = obj_each(&host->card->qps, &i)))
		count += container_of(obj, struct qp, base.obj)->base.state ==
			 ORNIC_QPS_ERR;
	return count;
}

/* [ORNIC-ISO-4] A CQ with many users keeps no turn busy for long */
static void test_users_are_notified_in_turns(void **state)
{
	struct kit *w = *state;
	struct host *host = w->host;
	uint32_t pdn = host_pd(host);
	struct ornic_object last = {};
	struct host_qp qp;
	unsigned int i;
	uint64_t used;

	/* Each QP uses the CQ twice */
	for (i = 0; i < CQ_RUN_LINKS; i++) {
		used = host->used;
		host_qp(host, &qp, ORNIC_QPT_RAW_PACKET, w->uctx, pdn, &w->cq,
			0);
		host->used = used;
		assert_int_equal(host_qp_modify(&qp, ORNIC_QPS_INIT),
				 ORNIC_CMD_OK);
	}
	for (i = 0; i <= 1u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	assert_true(card_run(host->card));
	assert_int_equal(count_failed(host), CQ_RUN_LINKS / 2);
	assert_false(card_sleep_prepare(host->card));
	/* A QP that does not know yet may be destroyed */
	last.num = htole32(qp.num);
	host_submit(host, ORNIC_CMD_DESTROY_QP, &last, sizeof(last));
	host_run(host);
	assert_int_equal(host_completed(host), ORNIC_CMD_OK);
	assert_int_equal(host->card->qps.count, CQ_RUN_LINKS - 1);
	assert_int_equal(count_failed(host), CQ_RUN_LINKS - 1);
	assert_true(list_empty(&host->card->dead_cqs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_overrun_cq_takes_no_user,
						kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(test_users_are_notified_in_turns,
						kit_setup, kit_teardown),
	};

	return cmocka_run_group_tests_name("overrun", tests, NULL, NULL);
}
