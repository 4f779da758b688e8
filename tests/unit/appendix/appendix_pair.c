// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Two cards whose packets are written down, for appendices of the interface */
#include "appendix.h"
#include "card/card.h"
#include "pair.h"

#define FRAMES_MAX 16
#define OTHER_BYTES 0x100000

static struct appendix_frame frames[FRAMES_MAX];
static unsigned int frame_count;

static enum pair_fate write_down(struct pair *pair, const struct packet *pkt)
{
	struct appendix_frame *frame = &frames[frame_count++];

	assert_true(frame_count <= FRAMES_MAX);
	frame->len = frame_len(pkt->frame);
	assert_true(frame->len <= APPENDIX_FRAME_BYTES);
	assert_int_equal(frame_read(pkt->frame, 0, frame->bytes, frame->len), 0);
	return PAIR_DELIVER;
}

void appendix_frames_clear(void)
{
	frame_count = 0;
}

unsigned int appendix_frames(void)
{
	return frame_count;
}

const struct appendix_frame *appendix_frame(unsigned int n)
{
	assert_true(n < frame_count);
	return &frames[n];
}

struct pair *appendix_pair(const struct pair_config *config, unsigned int type,
			   uint32_t flags, unsigned int log_cqe)
{
	static const struct card_config as = { .ordered = true, .no_shadow = true };
	struct host_qp other;
	struct host *host[2];
	struct pair *pair;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		host[i] = host_create_as(&as, i + 1);
		host[i]->clock_step_ns = 0;
		host[i]->now_ns += 1000;
		host_enable(host[i]);
	}
	/* So that no address, key or number of B is that of A, too */
	host_alloc(host[1], OTHER_BYTES, HOST_PAGE);
	host_mr(host[1], 0, HOST_RAM_BASE, HOST_PAGE, ORNIC_ACCESS_LOCAL_WRITE);
	pair = pair_create_on(host[0], host[1], config);
	for (i = 0; i < 2; i++)
		if (log_cqe != pair->side[i].cq.log_entry)
			host_cq(host[i], &pair->side[i].cq, pair->side[i].uctx,
				pair->side[i].eq.num, PAIR_CQ_LOG, log_cqe);
	host_qp(host[1], &other, ORNIC_QPT_RC, pair->side[1].uctx, pair->side[1].pdn,
		&pair->side[1].cq, 0);
	pair_qps(pair, type, flags);
	pair->fate = write_down;
	appendix_frames_clear();
	return pair;
}

void appendix_sides(struct appendix *a, struct pair *pair)
{
	struct side *side;

	for (side = A(pair); side <= B(pair); side++) {
		appendix_block(a, NULL, "side", side == A(pair) ? "A" : "B");
		appendix_say(a, "MAC %02x%02x%02x%02x%02x%02x QP %u sq 0x%llx rq 0x%llx ",
			     side->host->mac[0], side->host->mac[1], side->host->mac[2],
			     side->host->mac[3], side->host->mac[4], side->host->mac[5],
			     side->qp.num, (unsigned long long)side->qp.sq,
			     (unsigned long long)side->qp.rq);
		appendix_say(a, "dbr 0x%llx CQ %u cq_ring 0x%llx\n",
			     (unsigned long long)side->qp.dbr, side->cq.num,
			     (unsigned long long)side->cq.ring);
		appendix_say(a, "EQ %u eq_ring 0x%llx buffer 0x%llx key 0x%x\n",
			     side->eq.num, (unsigned long long)side->eq.ring,
			     (unsigned long long)side->addr, side->key);
	}
}
