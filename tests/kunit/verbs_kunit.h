/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Helpers for the tests of kernel verbs: a kernel consumer that connects QPs of one device to each
 * other.
 */
#ifndef ORNIC_VERBS_KUNIT_H
#define ORNIC_VERBS_KUNIT_H

#include <kunit/test.h>
#include <rdma/ib_verbs.h>

#define VERBS_WRS	16u
#define VERBS_TIMEOUT	(20 * HZ)

/**
 * struct verbs - fixture of a test
 * @test:	the test
 * @ibdev:	the device, operational
 * @sgid_attr:	its GID, to which it connects
 * @pd:		protection domain
 * @cqs:	one for each QP of a pair
 */
struct verbs {
	struct kunit *test;
	struct ib_device *ibdev;
	const struct ib_gid_attr *sgid_attr;
	struct ib_pd *pd;
	struct ib_cq *cqs[2];
};

/**
 * struct verbs_pair - two QPs that are connected to each other
 * @v:		the fixture
 * @qps:	QP n completes on CQ n
 */
struct verbs_pair {
	struct verbs *v;
	struct ib_qp *qps[2];
};

/**
 * struct verbs_buf - memory that the device reads and writes
 * @v:		the fixture
 * @data:	its bytes
 * @size:	number of bytes
 * @sge:	all of it, with the local DMA key
 */
struct verbs_buf {
	struct verbs *v;
	void *data;
	u32 size;
	struct ib_sge sge;
};

/**
 * struct verbs_wr - a work request to wait for
 * @cqe:	its completion entry
 * @wc:		its completion
 * @done:	it has completed
 */
struct verbs_wr {
	struct ib_cqe cqe;
	struct ib_wc wc;
	bool done;
};

/* Set up a test, with its priv, and tear it down. Return: -ENODEV without an operational device. */
int verbs_init(struct kunit *test);
void verbs_exit(struct kunit *test);

/* Zeroed memory, mapped for the device */
void verbs_buf_init(struct verbs *v, struct verbs_buf *buf, u32 size);
void verbs_buf_exit(struct verbs_buf *buf);

/* Both queues have the CQ. Return: the QP or an error pointer. */
struct ib_qp *verbs_create_qp(struct verbs *v, enum ib_qp_type type, struct ib_cq *cq,
			      struct ib_srq *srq);
/* RC or UC, connected; srq: that of QP 1, or NULL */
void verbs_pair_init(struct verbs *v, struct verbs_pair *pair, enum ib_qp_type type,
		     struct ib_srq *srq);
void verbs_pair_exit(struct verbs_pair *pair);

/* Return: wr_cqe for the request */
struct ib_cqe *verbs_wr_init(struct verbs_wr *wr);
/* Other requests complete on the CQ, too. Return: whether this one does in time. */
bool verbs_wait(struct verbs *v, u32 cq, struct verbs_wr *wr);
/* Post and wait. Return: status of the completion. */
enum ib_wc_status verbs_send(struct verbs_pair *pair, u32 qp, struct ib_send_wr *wr,
			     struct verbs_wr *done);
/* QP qp has no SRQ; done: to wait for */
void verbs_recv(struct verbs_pair *pair, u32 qp, const struct verbs_buf *buf,
		struct verbs_wr *done);

#endif /* ORNIC_VERBS_KUNIT_H */
