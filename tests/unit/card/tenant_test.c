// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Processes of one host that share a card (hardware.rst, section 14.2): what
 * one of them writes to its own rings, records and doorbell page reaches nothing
 * of the others. And who may touch a doorbell record, and when (section 5).
 */
#include "card/card.h"
#include "kit.h"
#include "objects/cq.h"
#include "pair.h"

#define EVENTS_LOG 1
#define VICTIM_BYTES 4096

/* Fill in one side of a connection that a process has with itself */
static void intrude_side(struct pair *pair, struct side *evil,
			 const struct side *other)
{
	struct side *a = A(pair);
	struct host *host = a->host;

	memset(evil, 0, sizeof(*evil));
	evil->pair = pair;
	evil->host = host;
	evil->uctx = other ? other->uctx : host_uctx(host, 0, 0);
	evil->pdn = other ? other->pdn : host_pd(host);
	evil->eq = a->eq;
	host_cq(host, &evil->cq, evil->uctx, evil->eq.num, 6, 6);
	evil->addr = host_alloc(host, HOST_PAGE, HOST_PAGE);
	evil->buf = host_ptr(host, evil->addr);
	evil->key = host_mr(host, evil->pdn, evil->addr, HOST_PAGE,
			    ORNIC_ACCESS_LOCAL_WRITE |
			    ORNIC_ACCESS_REMOTE_WRITE |
			    ORNIC_ACCESS_REMOTE_READ |
			    ORNIC_ACCESS_REMOTE_ATOMIC);
	evil->sgid_index = a->sgid_index;
	memcpy(evil->gid, a->gid, GID_LEN);
	host_qp(host, &evil->qp, ORNIC_QPT_RC, evil->uctx, evil->pdn,
		&evil->cq, 0);
}

static void connect_sides(struct side *evil)
{
	struct ornic_qp_attr attr;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		attr = pair_attr(&evil[i], &evil[!i]);
		pair_connect_side(&evil[i], &attr);
	}
}

/* A process that has its own page, PD and memory, and two connected QPs */
static void intrude(struct pair *pair, struct side *evil)
{
	intrude_side(pair, &evil[0], NULL);
	intrude_side(pair, &evil[1], &evil[0]);
	connect_sides(evil);
}

/* The connection again, without an error */
static void recover(struct side *evil)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct ornic_qp_dbr *dbr = host_qp_dbr(&evil[i].qp);

		while (host_queue_peek(&evil[i].cq))
			host_queue_consume(&evil[i].cq);
		pair_state(&evil[i], ORNIC_QPS_RESET);
		evil[i].qp.sq_pi = 0;
		evil[i].qp.rq_pi = 0;
		guest_store32(&dbr->sq_pi, 0);
		guest_store32(&dbr->rq_pi, 0);
	}
	connect_sides(evil);
}

/* A request of the process to its other QP */
static struct pair_wr own_wr(struct side *evil, unsigned int opcode)
{
	struct pair_wr wr = pair_wr_data(evil, opcode, 0, 8);

	wr.raddr = evil[1].addr + 64;
	wr.rkey = evil[1].key;
	return wr;
}

static void expect_status(struct side *evil, const struct pair_wr *wr,
			  unsigned int status)
{
	pair_send(evil, wr);
	pair_expect(evil, wr->wr_id, status);
	if (status)
		recover(evil);
}

/* [ORNIC-ISO-1] Keys of another process: for what is sent, and what is named */
TEST(test_no_memory_of_others, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t opcodes[] = {
		ORNIC_WR_RDMA_WRITE, ORNIC_WR_RDMA_READ,
		ORNIC_WR_ATOMIC_FETCH_ADD, ORNIC_WR_ATOMIC_CMP_SWP,
	};
	struct side *a = A(pair), evil[2];
	struct pair_wr wr;
	unsigned int i;

	intrude(pair, evil);
	pair_fill(a->buf, VICTIM_BYTES, 1);
	pair_fill(evil[0].buf, VICTIM_BYTES, 2);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		wr = own_wr(evil, opcodes[i]);
		expect_status(evil, &wr, ORNIC_WC_SUCCESS);
		pair_fill(evil[0].buf, VICTIM_BYTES, 2);
		wr.sge[0].addr = a->addr;
		wr.sge[0].lkey = a->key;
		expect_status(evil, &wr, ORNIC_WC_LOC_PROT_ERR);
		wr = own_wr(evil, opcodes[i]);
		wr.raddr = a->addr;
		wr.rkey = a->key;
		expect_status(evil, &wr, ORNIC_WC_REM_ACCESS_ERR);
		/* Its own key with addresses of the other's */
		wr = own_wr(evil, opcodes[i]);
		wr.raddr = a->addr;
		expect_status(evil, &wr, ORNIC_WC_REM_ACCESS_ERR);
		pair_check(a->buf, VICTIM_BYTES, 1);
		pair_check(evil[0].buf, VICTIM_BYTES, 2);
	}
	/* A receive into the other's memory */
	pair_post_recv_sges(&evil[1], 7, &(struct sge){ a->addr, 8, a->key },
			    1);
	wr = own_wr(evil, ORNIC_WR_SEND);
	pair_send(evil, &wr);
	pair_expect(&evil[1], 7, ORNIC_WC_LOC_PROT_ERR);
	pair_check(a->buf, VICTIM_BYTES, 1);
}

/* [ORNIC-ISO-1], [ORNIC-DB-4] Each type of doorbell, for each queue */
TEST(test_no_queues_of_others, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct side *a = A(pair), evil[2];
	struct pair_wr wr = pair_wr_data(a, ORNIC_WR_RDMA_WRITE, 0, 8);
	uint64_t bad;

	intrude(pair, evil);
	bad = host_device_stat(a->host, ORNIC_DEVICE_STAT_bad_doorbell_queue);
	/* Published, and rung by the wrong process only */
	guest_store32(&host_qp_dbr(&a->qp)->sq_watched, 0);
	host_doorbell(a->host, evil->uctx, ORNIC_DB_SQ, a->qp.num, 1);
	host_doorbell(a->host, evil->uctx, ORNIC_DB_CQ, a->cq.num,
		      4 | ORNIC_ARM_NEXT);
	host_doorbell(a->host, evil->uctx, ORNIC_DB_EQ, a->eq.num,
		      4 | ORNIC_ARM_NEXT);
	host_device_stat_is(a->host, ORNIC_DEVICE_STAT_bad_doorbell_queue, bad + 3);
	assert_null(host_queue_peek(&a->eq));
	pair_one(pair, &wr);
	assert_null(host_queue_peek(&a->eq));
}

/*
 * [ORNIC-ISO-2] The process does all that takes its own QP or CQ to an error,
 * and after each a connection of another process works
 */
TEST(test_errors_stay_at_home, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct side *a = A(pair), evil[2];
	struct pair_wr good = pair_wr_data(a, ORNIC_WR_RDMA_WRITE, 0, 64), wr;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		struct ornic_qp_dbr *dbr;
		uint64_t sq;

		intrude(pair, evil);
		dbr = host_qp_dbr(&evil->qp);
		sq = evil->qp.sq;
		wr = own_wr(evil, ORNIC_WR_RDMA_WRITE);
		switch (i) {
		case 0:
			/* Index beyond the ring */
			guest_store32(&dbr->sq_pi, 1000);
			pair_ring(evil);
			break;
		case 1:
			memset(host_ptr(evil->host, sq), 0xff, 4096);
			guest_store32(&dbr->sq_pi, 64);
			pair_ring(evil);
			break;
		case 2:
			/* Own ring is gone */
			host_unmap(evil->host, sq, HOST_PAGE);
			guest_store32(&dbr->sq_pi, 2);
			pair_ring(evil);
			break;
		case 3:
			/* CQ that is never emptied: an overrun */
			for (wr.wr_id = 0; wr.wr_id < 70; wr.wr_id++)
				pair_send(evil, &wr);
			break;
		case 4:
			/* The same, and ci is no possible value */
			guest_store32(host_ptr(evil->host, evil->cq.dbr),
				      0x80000000);
			for (wr.wr_id = 0; wr.wr_id < 70; wr.wr_id++)
				pair_send(evil, &wr);
			break;
		default:
			/* Own memory is gone */
			host_unmap(evil->host, evil->addr, HOST_PAGE);
			pair_send(evil, &wr);
		}
		pair_run(pair);
		if (pair_qp(evil)->base.state != ORNIC_QPS_ERR)
			fail_msg("case %u: no error", i);
		pair_fill(a->buf, 64, i);
		pair_one(pair, &good);
		pair_check(B(pair)->buf, 64, i);
		host_read_is(a->host, ORNIC_REG_STATUS, 4,
			     ORNIC_STATUS_READY | ORNIC_STATUS_ENABLED);
	}
}

/* One completion more than the ring has room for: CQ_ERR */
static void overrun(struct kit *kit, const struct host_queue *cq)
{
	unsigned int i;

	kit->dev_cq = cq_find(kit->host->card, cq->num);
	for (i = 0; i <= 1u << cq->log_size; i++)
		kit_complete(kit, i, ORNIC_WC_SUCCESS, false);
}

static int setup_small_eq(void **state)
{
	struct kit *kit = calloc(1, sizeof(*kit));

	kit_init(kit, &(struct card_config){}, KIT_LOG_CQ, EVENTS_LOG);
	*state = kit;
	return 0;
}

/*
 * [ORNIC-ISO-3] More events of one process than the EQ has room for: the card
 * goes on, and the event of another process comes when there is room
 */
TEST(test_full_eq_stops_nothing, struct kit *kit, IN(setup_small_eq, kit_teardown))
{
	struct host *host = kit->host;
	struct host_queue cqs[16], last;
	unsigned int i, events = 0;
	const struct ornic_eqe *eqe;
	uint32_t uctx, num = 0;

	uctx = host_uctx(host, 0, 0);
	for (i = 0; i < ARRAY_SIZE(cqs); i++) {
		host_cq(host, &cqs[i], uctx, kit->eq.num, 2, 5);
		overrun(kit, &cqs[i]);
	}
	host_run(host);
	host_cq(host, &last, kit->uctx, kit->eq.num, 2, 5);
	overrun(kit, &last);
	host_read_is(host, ORNIC_REG_FATAL_CAUSE, 4, 0);
	host_cmd_raw_is(host, ORNIC_CMD_NOP, NULL, 0, NULL, 0, ORNIC_CMD_OK);
	for (i = 0; i < 100; i++) {
		host_sleep(host, 1000000);
		while ((eqe = host_queue_peek(&kit->eq))) {
			assert_int_equal(ORNIC_GET(ORNIC_EQE_TYPE,
						   le32toh(eqe->ctl)),
					 ORNIC_EVENT_CQ_ERR);
			num = le32toh(eqe->num);
			events++;
			host_queue_consume(&kit->eq);
		}
	}
	assert_int_equal(events, ARRAY_SIZE(cqs) + 1);
	assert_int_equal(num, last.num);
}

/* ---- records ---- */

/* [ORNIC-DB-9] A doorbell that is older than the record loses nothing */
TEST(test_old_doorbell, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
	struct side *a = A(pair);
	unsigned int i;

	for (i = 0; i < 4; i++) {
		wr.wr_id = i;
		pair_post(a, &wr);
	}
	host_doorbell(a->host, a->uctx, ORNIC_DB_SQ, a->qp.num, 1);
	pair_run(pair);
	/* The first one at least is done, and the others after their doorbell */
	pair_expect(a, 0, ORNIC_WC_SUCCESS);
	pair_ring(a);
	pair_run(pair);
	for (i = 1; i < 4; i++)
		pair_expect(a, i, ORNIC_WC_SUCCESS);
	host_device_stat_is(a->host, ORNIC_DEVICE_STAT_bad_sq_pi, 0);
}

/* [ORNIC-DB-14] The host's line of the record belongs to the host */
TEST(test_line_of_the_host, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct side *a = A(pair), *b = B(pair);
	struct pair_wr wr = pair_wr_data(a, ORNIC_WR_SEND, 0, 8);
	struct ornic_qp_dbr *dbrs[] = {
		host_qp_dbr(&a->qp), host_qp_dbr(&b->qp),
	};
	unsigned int i, j;

	for (i = 0; i < 2; i++)
		memset(dbrs[i]->host_rsvd, 0xa5, sizeof(dbrs[i]->host_rsvd));
	for (i = 0; i < 100; i++) {
		pair_post_recv(b, i, b->addr, 8);
		pair_one(pair, &wr);
		pair_expect(b, i, ORNIC_WC_SUCCESS);
	}
	for (i = 0; i < 2; i++)
		for (j = 0; j < ARRAY_SIZE(dbrs[i]->host_rsvd); j++)
			assert_int_equal(dbrs[i]->host_rsvd[j], 0xa5a5a5a5);
	assert_int_equal(le32toh(dbrs[0]->sq_pi), a->qp.sq_pi);
	assert_int_equal(le32toh(dbrs[1]->rq_pi), b->qp.rq_pi);
}

/* [ORNIC-DB-19], [ORNIC-OBJ-7] Nothing is read or written after destruction */
TEST(test_record_of_a_destroyed_qp, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct side *a = A(pair);
	struct pair_wr wr = pair_wr_data(a, ORNIC_WR_RDMA_WRITE, 0, 100000);
	struct ornic_qp_dbr before, *dbr = host_qp_dbr(&a->qp);
	uint64_t faults;

	pair_post(a, &wr);
	pair_ring(a);
	card_run(a->host->card);
	host_cmd_object_ok(a->host, ORNIC_CMD_DESTROY_QP, a->qp.num);
	memset(dbr, 0x5a, sizeof(*dbr));
	before = *dbr;
	faults = host_device_stat(a->host, ORNIC_DEVICE_STAT_dma_faults);
	pair_sleep(pair, 50 * 1000 * 1000);
	assert_memory_equal(dbr, &before, sizeof(before));
	host_device_stat_is(a->host, ORNIC_DEVICE_STAT_dma_faults, faults);
	host_device_stat_is(a->host, ORNIC_DEVICE_STAT_bad_sq_pi, 0);
}

static uint32_t watched(struct side *side)
{
	return guest_load32(&host_qp_dbr(&side->qp)->sq_watched);
}

/* [ORNIC-DB-39] In the states in which nothing is sent it is 0 */
TEST(test_watched_is_0_after_errors, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	static const uint8_t states[] = { ORNIC_QPS_ERR, ORNIC_QPS_RESET };
	struct side *a = A(pair);
	struct pair_wr wr = pair_wr_data(a, ORNIC_WR_RDMA_WRITE, 0, 8);
	unsigned int i;

	assert_int_equal(watched(a), 0);
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		pair_one(pair, &wr);
		assert_int_equal(watched(a), 1);
		pair_state(a, states[i]);
		assert_int_equal(watched(a), 0);
		pair_again(pair);
	}
}

/* [ORNIC-DB-34] Of completions of commands, of events, and of IRQ_TEST */
TEST(test_interrupts_are_counted, struct kit *kit, IN_KIT)
{
	struct host *host = kit->host;
	unsigned int i, sum = 0;

	for (i = 0; i < 5; i++) {
		kit_arm_eq(kit);
		kit_arm_cq(kit, ORNIC_ARM_NEXT);
		kit_post_event(kit, i);
		host_write(host, ORNIC_REG_IRQ_TEST, 4, i % HOST_VECTORS);
		host_cmd_raw(host, ORNIC_CMD_NOP, NULL, 0, NULL, 0);
	}
	for (i = 0; i < HOST_VECTORS; i++)
		sum += host->irqs[i];
	assert_true(host->irqs[1] > 1);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_interrupts, sum);
}

/* [ORNIC-OBJ-24] */
TEST(test_new_qp, struct kit *kit, IN_KIT)
{
	uint32_t pdn = host_pd(kit->host);
	uint32_t plain = host_uctx(kit->host, 0, 0);
	struct ornic_object in;
	struct ornic_qp_attr attr;
	struct host_queue cq;
	struct host_qp qp;

	host_qp(kit->host, &qp, ORNIC_QPT_RC, kit->uctx, pdn, &kit->cq, 0);
	assert_true(qp.slot < ORNIC_BOARD_SLOTS);
	in = (struct ornic_object){ .num = htole32(qp.num) };
	host_cmd_ok(kit->host, ORNIC_CMD_QUERY_QP, &in, &attr);
	assert_int_equal(attr.state, ORNIC_QPS_RESET);
	/* A page without a board has no slots */
	host_cq(kit->host, &cq, plain, kit->eq.num, 3, 5);
	host_qp(kit->host, &qp, ORNIC_QPT_RC, plain, pdn, &cq, 0);
	assert_int_equal(qp.slot, ORNIC_BOARD_NO_SLOT);
}

TEST_MAIN("tenant")
