// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: gsi DEVICE GID-INDEX ADDRESS BYTES...
 *
 * Sends a datagram of each length to the GSI of the host with this IPv4 address. Any host of the
 * network can do so, because all have the same Q_Key.
 */
#include <arpa/inet.h>
#include <stdio.h>

#include "verbs.h"

#define GSI_QPN 1
#define GSI_QKEY 0x80010000
#define LEN 4096

int main(int argc, char **argv)
{
	struct ibv_qp_attr attr = { .qkey = GSI_QKEY };
	struct ibv_ah_attr ah_attr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	struct port port;
	struct mem mem;
	int i;

	if (argc < 5) {
		fprintf(stderr, "usage: gsi DEVICE GID-INDEX ADDRESS BYTES...\n");
		return 2;
	}
	port_open(&port, argv[1], atoi(argv[2]));
	mem = mem_make(&port, LEN, ACCESS_ALL);
	cq = cq_make(&port, 16, NULL);
	qp = datagram_qp(&port, cq);
	/* The top bit of a Q_Key in a work request stands for the QP's own */
	want_ok(ibv_modify_qp(qp, &attr, IBV_QP_QKEY));
	ah_attr = port_ah_attr(&port);
	/* ::ffff:ADDRESS; the port's GID is of the same kind */
	want(inet_pton(AF_INET, argv[3], ah_attr.grh.dgid.raw + 12) == 1, "%s", argv[3]);
	ah = made(ibv_create_ah(port.pd, &ah_attr));
	for (i = 4; i < argc; i++) {
		struct ibv_sge sge = mem_sge(&mem, 0, atoi(argv[i]));
		struct ibv_send_wr wr = {
			.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
			.send_flags = IBV_SEND_SIGNALED, .wr_id = i,
			.wr.ud = { .ah = ah, .remote_qpn = GSI_QPN, .remote_qkey = GSI_QKEY },
		}, *bad;

		want_ok(ibv_post_send(qp, &wr, &bad));
		want_wc(cq, i, IBV_WC_SUCCESS);
	}
	return 0;
}
