// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: spread DEVICE UDP-PORT FRAMES [SECONDS]
 *
 * An example of a packet-processing program that receives with libibverbs only. The device spreads
 * the UDP flows to one port over four WQs, by a hash of addresses and ports; each WQ has a thread
 * that polls it and counts. Ends after FRAMES frames, or after SECONDS (10), and prints the counts
 * of each thread. The program gets the frames that its rule matches; all others go to the kernel.
 * Needs CAP_NET_RAW.
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alone.h"

#define QUEUES 4
#define LOG_QUEUES 2
#define DEPTH 2048		/* frames per queue */
#define FRAME_SIZE 2048		/* bytes per frame */
#define BATCH 32

struct queue {
	struct ibv_cq *cq;
	struct ibv_wq *wq;
	struct ibv_mr *mr;
	uint8_t *buffers;
	pthread_t thread;
	unsigned long frames;
	unsigned long bytes;
};

static atomic_ulong total;
static atomic_bool stop;

/* Post a buffer, by its number */
static void post(struct queue *queue, uint64_t number)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)queue->buffers + number * FRAME_SIZE,
		.length = FRAME_SIZE,
		.lkey = queue->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1 }, *bad;

	check_zero(ibv_post_wq_recv(queue->wq, &wr, &bad), "post");
}

static void make_queue(struct ibv_context *ctx, struct ibv_pd *pd, struct queue *queue)
{
	struct ibv_wq_init_attr init = {
		.wq_type = IBV_WQT_RQ, .max_wr = DEPTH, .max_sge = 1, .pd = pd,
	};
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	size_t size = (size_t)DEPTH * FRAME_SIZE;
	unsigned int i;

	queue->cq = check(ibv_create_cq(ctx, DEPTH, NULL, NULL, 0), "completion queue");
	init.cq = queue->cq;
	queue->wq = check(ibv_create_wq(ctx, &init), "work queue");
	queue->buffers = check(aligned_alloc(4096, size), "buffers");
	queue->mr = check(ibv_reg_mr(pd, queue->buffers, size, IBV_ACCESS_LOCAL_WRITE), "region");
	check_zero(ibv_modify_wq(queue->wq, &ready), "work queue to ready");
	for (i = 0; i < DEPTH; i++)
		post(queue, i);
}

/* A QP without queues of its own: a hash selects a WQ of the table */
static struct ibv_qp *make_rss(struct ibv_context *ctx, struct ibv_pd *pd, struct queue *queues)
{
	/* The key of Microsoft's "Verifying the RSS Hash Calculation" */
	static uint8_t key[40] = {
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
		0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
		0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
		0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
	};
	struct ibv_wq *wqs[QUEUES];
	struct ibv_rwq_ind_table_init_attr table = {
		.log_ind_tbl_size = LOG_QUEUES, .ind_tbl = wqs,
	};
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = pd,
		.rx_hash_conf = {
			.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
			.rx_hash_key_len = sizeof(key),
			.rx_hash_key = key,
			.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 |
				IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP,
		},
	};
	int i;

	for (i = 0; i < QUEUES; i++)
		wqs[i] = queues[i].wq;
	init.rwq_ind_tbl = check(ibv_create_rwq_ind_table(ctx, &table), "table");
	return check(ibv_create_qp_ex(ctx, &init), "RSS QP");
}

/* Match IPv4, UDP, and the port; other fields do not matter */
static void steer(struct ibv_qp *qp, uint16_t udp_port)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_ipv4 ip;
		struct ibv_flow_spec_tcp_udp udp;
	} rule = {
		.attr = { .type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(rule),
			  .num_of_specs = 2, .port = 1 },
		.ip = { .type = IBV_FLOW_SPEC_IPV4, .size = sizeof(rule.ip) },
		.udp = { .type = IBV_FLOW_SPEC_UDP, .size = sizeof(rule.udp),
			 .val.dst_port = htons(udp_port), .mask.dst_port = 0xffff },
	};

	check(ibv_create_flow(qp, &rule.attr), "flow rule");
}

static void *poll_queue(void *arg)
{
	struct queue *queue = arg;
	struct ibv_wc wc[BATCH];
	int i, count;

	while (!stop) {
		count = ibv_poll_cq(queue->cq, BATCH, wc);
		if (count < 0)
			exit(1);
		for (i = 0; i < count; i++) {
			check_zero(wc[i].status, ibv_wc_status_str(wc[i].status));
			queue->frames++;
			queue->bytes += wc[i].byte_len;
			/* A real program would process the frame here */
			post(queue, wc[i].wr_id);
		}
		total += count;
		/* Not needed if each thread has a processor of its own */
		if (!count)
			sched_yield();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct queue queues[QUEUES];
	unsigned long frames, seconds;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	time_t end;
	int i;

	if (argc < 4) {
		fprintf(stderr, "usage: spread DEVICE UDP-PORT FRAMES [SECONDS]\n");
		return 2;
	}
	frames = strtoul(argv[3], NULL, 0);
	seconds = argc > 4 ? strtoul(argv[4], NULL, 0) : 10;
	ctx = open_device(argv[1]);
	pd = check(ibv_alloc_pd(ctx), "protection domain");
	for (i = 0; i < QUEUES; i++)
		make_queue(ctx, pd, &queues[i]);
	for (i = 0; i < QUEUES; i++)
		check_zero(pthread_create(&queues[i].thread, NULL, poll_queue, &queues[i]),
			   "thread");
	steer(make_rss(ctx, pd, queues), strtoul(argv[2], NULL, 0));
	printf("ready\n");
	fflush(stdout);
	for (end = time(NULL) + seconds; total < frames && time(NULL) <= end;)
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	stop = true;
	for (i = 0; i < QUEUES; i++)
		pthread_join(queues[i].thread, NULL);
	for (i = 0; i < QUEUES; i++)
		printf("queue %d: %lu frames, %lu bytes\n", i, queues[i].frames, queues[i].bytes);
	printf("total: %lu frames\n", (unsigned long)total);
	return total < frames;
}
