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
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "verbs.h"

#define QUEUES 4
#define LOG_QUEUES 2
#define DEPTH 2048		/* frames per queue */
#define FRAME_SIZE 2048		/* bytes per frame */
#define BATCH 32

struct queue {
	struct ibv_cq *cq;
	struct ibv_wq *wq;
	struct mem buffers;
	pthread_t thread;
	unsigned long frames;
	unsigned long bytes;
};

static atomic_ulong total;
static atomic_bool stop;

/* Post a buffer, by its number */
static void post(struct queue *queue, uint64_t number)
{
	struct ibv_sge sge = mem_sge(&queue->buffers, number * FRAME_SIZE, FRAME_SIZE);
	struct ibv_recv_wr wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1 }, *bad;

	want_ok(ibv_post_wq_recv(queue->wq, &wr, &bad));
}

static void make_queue(struct port *port, struct queue *queue)
{
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	unsigned int i;

	queue->cq = cq_make(port, DEPTH, NULL);
	queue->wq = made(wq_try(port, queue->cq, DEPTH));
	queue->buffers = mem_make(port, DEPTH * FRAME_SIZE, IBV_ACCESS_LOCAL_WRITE);
	want_ok(ibv_modify_wq(queue->wq, &ready));
	for (i = 0; i < DEPTH; i++)
		post(queue, i);
}

/* A QP without queues of its own: a hash selects a WQ of the table */
static struct ibv_qp *make_rss(struct port *port, struct queue *queues)
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
	int i;

	for (i = 0; i < QUEUES; i++)
		wqs[i] = queues[i].wq;
	return made(rss_try(port, made(ibv_create_rwq_ind_table(port->ctx, &table)), key,
			    IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP));
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

	made(ibv_create_flow(qp, &rule.attr));
}

static void *poll_queue(void *arg)
{
	struct queue *queue = arg;
	struct ibv_wc wc[BATCH];
	int i, count;

	while (!stop) {
		count = ibv_poll_cq(queue->cq, BATCH, wc);
		want(count >= 0, "ibv_poll_cq: %d", count);
		for (i = 0; i < count; i++) {
			want(!wc[i].status, "%s", ibv_wc_status_str(wc[i].status));
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
	struct port port;
	time_t end;
	int i;

	if (argc < 4) {
		fprintf(stderr, "usage: spread DEVICE UDP-PORT FRAMES [SECONDS]\n");
		return 2;
	}
	frames = strtoul(argv[3], NULL, 0);
	seconds = argc > 4 ? strtoul(argv[4], NULL, 0) : 10;
	port_open(&port, argv[1], 0);
	for (i = 0; i < QUEUES; i++)
		make_queue(&port, &queues[i]);
	for (i = 0; i < QUEUES; i++)
		want_ok(pthread_create(&queues[i].thread, NULL, poll_queue, &queues[i]));
	steer(make_rss(&port, queues), strtoul(argv[2], NULL, 0));
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
