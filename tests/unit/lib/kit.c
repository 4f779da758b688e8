// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A card with an EQ and a CQ, and helpers for tests of rings */
#include "kit.h"
#include "objects/cq.h"

void kit_cq(struct kit *kit, uint32_t eqn, unsigned int log_size,
	    unsigned int log_cqe_size)
{
	host_cq(kit->host, &kit->cq, kit->uctx, eqn, log_size, log_cqe_size);
	kit->dev_cq = cq_find(kit->host->card, kit->cq.num);
	assert_non_null(kit->dev_cq);
}

void kit_init(struct kit *kit, const struct card_config *as,
	      unsigned int log_cq, unsigned int log_eq)
{
	memset(kit, 0, sizeof(*kit));
	kit->host = host_create_as(as, 1);
	host_enable(kit->host);
	kit->board = host_alloc(kit->host, HOST_PAGE, HOST_PAGE);
	kit->uctx = host_uctx(kit->host, ORNIC_UCTX_KERNEL, kit->board);
	host_eq(kit->host, &kit->eq, 1, log_eq);
	kit_cq(kit, kit->eq.num, log_cq, 5);
}

void kit_uninit(struct kit *kit)
{
	host_destroy(kit->host);
}

static int kit_create(void **state, struct card_config as)
{
	struct kit *kit = malloc(sizeof(*kit));

	assert_non_null(kit);
	kit_init(kit, &as, KIT_LOG_CQ, KIT_LOG_EQ);
	*state = kit;
	return 0;
}

#define KIT_SETUP(name, ...) \
	int name(void **state) \
	{ \
		return kit_create(state, (struct card_config){ __VA_ARGS__ }); \
	}

KIT_SETUP(kit_setup)
KIT_SETUP(kit_setup_no_shadow, .no_shadow = true)
KIT_SETUP(kit_setup_whole, .whole_entries = true)
KIT_SETUP(kit_setup_pairs, .whole_entries = true, .pair_entries = true)

int kit_teardown(void **state)
{
	kit_uninit(*state);
	free(*state);
	return 0;
}

void kit_complete(struct kit *kit, uint64_t wr_id,
		  unsigned int status, bool solicited)
{
	struct ornic_cqe cqe = {
		.wr_id = htole64(wr_id),
		.status = htole32(status),
		.qpn = htole32(KIT_QPN),
	};

	cq_post(kit->dev_cq, &cqe, NULL, solicited);
}

void kit_post(struct kit *kit, uint64_t wr_id)
{
	kit_complete(kit, wr_id, ORNIC_WC_SUCCESS, false);
}

void kit_overrun(struct kit *kit)
{
	unsigned int i;

	for (i = 0; i <= 1u << KIT_LOG_CQ; i++)
		kit_post(kit, i);
}

void kit_expect_cqe(struct kit *kit, uint64_t wr_id)
{
	const struct ornic_cqe *cqe = host_queue_peek(&kit->cq);

	assert_non_null(cqe);
	assert_true(le64toh(cqe->wr_id) == wr_id);
	assert_int_equal(le32toh(cqe->qpn) & ORNIC_CQE_QPN, KIT_QPN);
	host_queue_consume(&kit->cq);
	kit_tell_cq(kit);
}

void kit_expect_cqes(struct kit *kit, uint64_t first, uint64_t last)
{
	for (; first <= last; first++)
		kit_expect_cqe(kit, first);
}

void kit_expect_event(struct kit *kit, enum ornic_event type,
		      uint32_t num)
{
	assert_int_equal(host_event(&kit->eq, num), type);
	kit_tell_eq(kit);
}

void kit_expect_comp(struct kit *kit)
{
	kit_expect_event(kit, ORNIC_EVENT_COMP, kit->cq.num);
}

void kit_expect_no_event(struct kit *kit)
{
	assert_null(host_queue_peek(&kit->eq));
}

void kit_post_event(struct kit *kit, uint64_t wr_id)
{
	kit_post(kit, wr_id);
	kit_expect_comp(kit);
}

void kit_post_silent(struct kit *kit, uint64_t wr_id)
{
	kit_post(kit, wr_id);
	kit_expect_no_event(kit);
}

static void kit_arm(struct kit *kit, struct host_queue *queue,
		    unsigned int dbtype, unsigned int type)
{
	host_queue_arm(queue, type);
	host_doorbell(kit->host, kit->uctx, dbtype, queue->num,
		      host_queue_db(queue, type));
}

void kit_tell_cq(struct kit *kit)
{
	host_doorbell(kit->host, kit->uctx, ORNIC_DB_CQ, kit->cq.num,
		      host_queue_db(&kit->cq, ORNIC_ARM_NONE));
}

void kit_tell_eq(struct kit *kit)
{
	host_doorbell(kit->host, kit->uctx, ORNIC_DB_EQ, kit->eq.num,
		      host_queue_db(&kit->eq, ORNIC_ARM_NONE));
}

void kit_arm_cq(struct kit *kit, unsigned int type)
{
	kit_arm(kit, &kit->cq, ORNIC_DB_CQ, type);
}

void kit_arm_eq(struct kit *kit)
{
	kit_arm(kit, &kit->eq, ORNIC_DB_EQ, ORNIC_ARM_NEXT);
}

void kit_arm_and_post(struct kit *kit, uint64_t wr_id)
{
	kit_arm_cq(kit, ORNIC_ARM_NEXT);
	kit_post(kit, wr_id);
}
