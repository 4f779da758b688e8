// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: mcast DEVICE GID-INDEX CASE
 *
 * Multicast groups: which QPs may attach, which get a datagram, and which cannot be destroyed.
 */
#include "verbs.h"

#define LEN 4096
#define MULTICAST_QPN 0xffffff

/* 239.10.20.N */
static union ibv_gid group(unsigned int n)
{
	return group_gid(0x0a1400 + n);
}

static int attach(struct ibv_qp *qp, unsigned int n)
{
	union ibv_gid gid = group(n);

	return ibv_attach_mcast(qp, &gid, 0);
}

static int detach(struct ibv_qp *qp, unsigned int n)
{
	union ibv_gid gid = group(n);

	return ibv_detach_mcast(qp, &gid, 0);
}

CASE(refusals)
{
	struct ibv_cq *cq = cq_make(port, 64, NULL);
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_qp *qp = datagram_qp(port, cq);

	want_errno(EINVAL, attach(pair.a, 1));
	want_errno(EINVAL, ibv_attach_mcast(qp, &port->gid, 0));
	want_errno(EINVAL, detach(qp, 1));
	want_ok(attach(qp, 1));
	want_errno(EINVAL, detach(qp, 2));
	want_ok(detach(qp, 1));
	want_errno(EINVAL, detach(qp, 1));
}

CASE(destroy_attached)
{
	struct ibv_cq *cq = cq_make(port, 64, NULL);
	struct ibv_qp *qp = datagram_qp(port, cq);

	want_ok(attach(qp, 1));
	want_ok(attach(qp, 2));
	want_errno(EBUSY, ibv_destroy_qp(qp));
	want_ok(detach(qp, 1));
	want_errno(EBUSY, ibv_destroy_qp(qp));
	want_ok(detach(qp, 2));
	want_ok(ibv_destroy_qp(qp));
}

static void say(struct port *port, struct ibv_qp *qp, struct mem *mem, unsigned int n)
{
	struct ibv_ah_attr attr = port_ah_attr(port);
	struct ibv_ah *ah;

	attr.grh.dgid = group(n);
	ah = made(ibv_create_ah(port->pd, &attr));
	post_datagram(qp, ah, MULTICAST_QPN, n, mem_sge(mem, 0, 64));
	want_wc(qp->send_cq, n, IBV_WC_SUCCESS);
	want_ok(ibv_destroy_ah(ah));
}

/* Each member of a group gets one copy, also on the port of the sender; other QPs get none */
CASE(members_only)
{
	struct mem mem = mem_make(port, LEN, ACCESS_ALL), got = mem_make(port, LEN, ACCESS_ALL);
	struct ibv_cq *cq[3] = { cq_make(port, 64, NULL), cq_make(port, 64, NULL),
				 cq_make(port, 64, NULL) };
	struct ibv_cq *send_cq = cq_make(port, 64, NULL);
	struct ibv_qp *sender = datagram_qp(port, send_cq), *qp[3];
	struct ibv_sge sge = mem_sge(&got, 0, 128);
	unsigned int i, j;

	for (i = 0; i < 3; i++) {
		qp[i] = datagram_qp(port, cq[i]);
		for (j = 0; j < 4; j++)
			want_ok(post_recv(qp[i], j, &sge));
	}
	want_ok(attach(qp[0], 1));
	want_ok(attach(qp[1], 1));
	want_ok(attach(qp[2], 2));
	mem_fill(&mem, 0, 64, 5);
	say(port, sender, &mem, 1);
	want_wc(cq[0], 0, IBV_WC_SUCCESS);
	want_wc(cq[1], 0, IBV_WC_SUCCESS);
	want(mem_is(&got, 40, 64, 5), "contents");
	want_no_wc(cq[2]);
	want_no_wc(cq[0]);
	say(port, sender, &mem, 2);
	want_wc(cq[2], 0, IBV_WC_SUCCESS);
	/* A group without members */
	say(port, sender, &mem, 3);
	want_ok(detach(qp[0], 1));
	say(port, sender, &mem, 1);
	want_wc(cq[1], 1, IBV_WC_SUCCESS);
	want_no_wc(cq[0]);
	want_no_wc(cq[2]);
}
