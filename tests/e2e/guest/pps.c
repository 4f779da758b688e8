// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: pps send|receive raw|packet DEVICE NETDEV BYTES FRAMES [DESTINATION]
 *
 * Frames per second of RAW_PACKET QPs, or of a packet socket on the netdev of the same port. The
 * sender sends as fast as it can; the receiver ends when it has all frames, or has received none
 * for two seconds. Both print the number of frames and the nanoseconds from the first to the last.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "verbs.h"

#define ETHERTYPE 0x88b5	/* for local experiments */
#define DEPTH 2048
#define BATCH 32
#define FRAME_SIZE 2048
#define SOCKET_BUFFER (16 << 20)
#define QUIET_NS (2 * 1000000000ULL)

/* Parameters and results */
struct job {
	const char *device;
	const char *netdev;
	size_t len;
	unsigned long frames;
	unsigned long done;
	uint64_t first;
	uint64_t last;
	uint8_t *buffers;
};

static void count_received(struct job *job, int count)
{
	job->last = now_ns();
	if (!job->done)
		job->first = job->last;
	job->done += count;
}

/* Return: whether more frames are expected */
static bool expects(const struct job *job)
{
	return job->done < job->frames &&
	       (!job->done || now_ns() - job->last < QUIET_NS);
}

static struct ibv_qp *make_qp(struct port *port)
{
	struct ibv_qp_init_attr init = qp_init(IBV_QPT_RAW_PACKET, cq_make(port, 2 * DEPTH, NULL));
	struct ibv_qp *qp;

	init.cap = (struct ibv_qp_cap){ .max_send_wr = DEPTH, .max_recv_wr = DEPTH,
					.max_send_sge = 1, .max_recv_sge = 1 };
	qp = made(ibv_create_qp(port->pd, &init));
	raw_to_rts(qp);
	return qp;
}

static void raw_send(struct job *job, struct ibv_qp *qp, struct ibv_mr *mr)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)job->buffers, .length = job->len, .lkey = mr->lkey,
	};
	struct ibv_send_wr wr[BATCH] = { 0 }, *bad;
	unsigned long posted = 0;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < BATCH; i++) {
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i + 1 < BATCH ? &wr[i + 1] : NULL;
	}
	wr[BATCH - 1].send_flags = IBV_SEND_SIGNALED;
	job->first = now_ns();
	while (job->done < job->frames) {
		if (posted < job->frames && posted - job->done + BATCH <= DEPTH) {
			want_ok(ibv_post_send(qp, wr, &bad));
			posted += BATCH;
		}
		while (ibv_poll_cq(qp->send_cq, 1, &wc) == 1) {
			want(!wc.status, "%s", ibv_wc_status_str(wc.status));
			job->done += BATCH;
		}
	}
	job->last = now_ns();
}

static void raw_post(struct job *job, struct ibv_qp *qp, struct ibv_mr *mr, uint64_t number)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)job->buffers + number * FRAME_SIZE, .length = FRAME_SIZE,
		.lkey = mr->lkey,
	};

	want_ok(post_recv(qp, number, &sge));
}

static void raw_receive(struct job *job, struct ibv_qp *qp, struct ibv_mr *mr)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
	} rule = {
		.attr = { .type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(rule),
			  .num_of_specs = 1, .port = 1 },
		.eth = { .type = IBV_FLOW_SPEC_ETH, .size = sizeof(rule.eth),
			 .val.ether_type = htons(ETHERTYPE), .mask.ether_type = 0xffff },
	};
	struct ibv_wc wc[BATCH];
	int i, count;

	for (i = 0; i < DEPTH; i++)
		raw_post(job, qp, mr, i);
	made(ibv_create_flow(qp, &rule.attr));
	printf("ready\n");
	while (expects(job)) {
		count = ibv_poll_cq(qp->recv_cq, BATCH, wc);
		if (count <= 0)
			continue;
		count_received(job, count);
		for (i = 0; i < count; i++) {
			want(!wc[i].status, "%s", ibv_wc_status_str(wc[i].status));
			raw_post(job, qp, mr, wc[i].wr_id);
		}
	}
}

static void raw(struct job *job, bool send)
{
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct port port;

	port_open(&port, job->device, 0);
	mr = made(ibv_reg_mr(port.pd, job->buffers, DEPTH * FRAME_SIZE, IBV_ACCESS_LOCAL_WRITE));
	qp = make_qp(&port);
	if (send)
		raw_send(job, qp, mr);
	else
		raw_receive(job, qp, mr);
}

static int packet_socket(const struct job *job)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETHERTYPE),
		.sll_ifindex = if_nametoindex(job->netdev),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0), one = 1, size = SOCKET_BUFFER;

	want_call(fd);
	want_call(setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)));
	want_call(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)));
	want_call(bind(fd, (struct sockaddr *)&address, sizeof(address)));
	return fd;
}

static void packet(struct job *job, bool send)
{
	struct iovec iov[BATCH];
	struct mmsghdr msgs[BATCH] = { 0 };
	struct pollfd pollfd = { .events = send ? POLLOUT : POLLIN };
	int i, count, fd = packet_socket(job);

	for (i = 0; i < BATCH; i++) {
		iov[i].iov_base = job->buffers + (send ? 0 : i * FRAME_SIZE);
		iov[i].iov_len = send ? job->len : FRAME_SIZE;
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	pollfd.fd = fd;
	if (!send)
		printf("ready\n");
	job->first = now_ns();
	while (send ? job->done < job->frames : expects(job)) {
		count = send ? sendmmsg(fd, msgs, BATCH, 0) :
			recvmmsg(fd, msgs, BATCH, MSG_DONTWAIT, NULL);
		if (count <= 0)
			poll(&pollfd, 1, 1);
		else if (send)
			job->done += count;
		else
			count_received(job, count);
	}
	if (send)
		job->last = now_ns();
}

int main(int argc, char **argv)
{
	struct job job = { 0 };
	uint8_t header[14];
	bool send;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 7) {
		fprintf(stderr, "usage: pps send|receive raw|packet DEVICE NETDEV BYTES FRAMES "
			"[DESTINATION]\n");
		return 2;
	}
	send = !strcmp(argv[1], "send");
	job.device = argv[3];
	job.netdev = argv[4];
	job.len = strtoul(argv[5], NULL, 0);
	job.frames = strtoul(argv[6], NULL, 0) / BATCH * BATCH;
	job.buffers = map_make(DEPTH * FRAME_SIZE, MAP_POPULATE);
	if (send) {
		memset(header + 6, 2, 6);
		if (argc < 8 || sscanf(argv[7], "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &header[0],
				       &header[1], &header[2], &header[3], &header[4],
				       &header[5]) != 6)
			return 2;
		header[12] = ETHERTYPE >> 8;
		header[13] = ETHERTYPE & 0xff;
		memcpy(job.buffers, header, sizeof(header));
	}
	if (!strcmp(argv[2], "raw"))
		raw(&job, send);
	else
		packet(&job, send);
	printf("%lu frames, %llu ns\n", job.done, (unsigned long long)(job.last - job.first));
	return 0;
}
