// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* System calls of uverbs without a library */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <rdma/rdma_user_ioctl.h>

#include "uverbs.h"

#define WORDS 256
#define IOCTL_ATTRS 3
#define QP_MASK_INIT (1 << 0 | 1 << 3 | 1 << 4 | 1 << 5)
#define QP_MASK_RTR (1 << 0 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 20)
#define QP_MASK_RTS (1 << 0 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 16)

_Noreturn void die(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, err ? strerror(err) : "not as expected");
	exit(2);
}

void say(const char *verb, const char *what, int want, int got)
{
	if (got == want)
		printf("%s, %s: ok\n", verb, what);
	else
		printf("%s, %s: %d, not %d\n", verb, what, got, want);
}

static void must(const char *what, int err)
{
	if (err)
		die(what, err);
}

static void read_line(const char *path, char *line, size_t len)
{
	FILE *file = fopen(path, "r");

	if (!file || !fgets(line, len, file))
		die(path, errno);
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

int uverbs_open(const char *device)
{
	char line[64], path[320];
	glob_t found;
	size_t i;
	int fd;

	if (glob("/sys/class/infiniband_verbs/uverbs*/ibdev", 0, NULL, &found))
		die("no uverbs device", 0);
	for (i = 0; i < found.gl_pathc; i++) {
		char *name = found.gl_pathv[i] + strlen("/sys/class/infiniband_verbs/");

		read_line(found.gl_pathv[i], line, sizeof(line));
		if (strcmp(line, device))
			continue;
		*strchr(name, '/') = '\0';
		snprintf(path, sizeof(path), "/dev/infiniband/%s", name);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			die(path, errno);
		globfree(&found);
		return fd;
	}
	die(device, ENODEV);
}

int uverbs_write_to(int fd, unsigned int command, const void *in, size_t in_len,
		    const void *response, size_t out_len, const struct udata *udata)
{
	uint32_t words[WORDS] = {};
	struct ib_uverbs_cmd_hdr *hdr = (void *)words;
	size_t all_in = in_len + (udata ? udata->in_len : 0);
	uint64_t address = (uintptr_t)response;
	uint8_t *at = (uint8_t *)(hdr + 1);

	memcpy(at, in, in_len);
	if (udata && udata->in_len)
		memcpy(at + in_len, udata->in, udata->in_len);
	if (out_len)
		memcpy(at, &address, sizeof(address));
	hdr->command = command;
	hdr->in_words = (sizeof(*hdr) + all_in + 3) / 4;
	hdr->out_words = (out_len + 3) / 4;
	return write(fd, words, hdr->in_words * 4) < 0 ? errno : 0;
}

int uverbs_write(int fd, unsigned int command, const void *in, size_t in_len, void *out,
		 size_t out_len, const struct udata *udata)
{
	uint64_t response[WORDS] = {};
	int err;

	err = uverbs_write_to(fd, command, in, in_len, response, out_len, udata);
	if (!err)
		memcpy(out, response, out_len);
	return err;
}

int uverbs_ioctl(int fd, uint16_t object, uint16_t method, const struct ib_uverbs_attr *attrs,
		 uint16_t count)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[IOCTL_ATTRS];
	} all = {
		.hdr = {
			.length = sizeof(all.hdr) + count * sizeof(*attrs),
			.object_id = object,
			.method_id = method,
			.num_attrs = count,
		},
	};

	memcpy(all.attrs, attrs, count * sizeof(*attrs));
	return ioctl(fd, RDMA_VERBS_IOCTL, &all) ? errno : 0;
}

int uverbs_write_ex(int fd, unsigned int command, const void *in, size_t in_len, void *out,
		    size_t out_len, const struct udata *udata)
{
	uint64_t response[WORDS] = {}, words[WORDS] = {};
	struct ib_uverbs_cmd_hdr *hdr = (void *)words;
	struct ib_uverbs_ex_cmd_hdr *ex = (void *)(hdr + 1);
	uint8_t *at = (uint8_t *)(ex + 1);
	size_t size = sizeof(*hdr) + sizeof(*ex) + in_len + udata->in_len;

	hdr->command = command | IB_USER_VERBS_CMD_FLAG_EXTENDED;
	hdr->in_words = in_len / 8;
	hdr->out_words = out_len / 8;
	ex->response = (uintptr_t)response;
	ex->provider_in_words = udata->in_len / 8;
	ex->provider_out_words = udata->out_len / 8;
	memcpy(at, in, in_len);
	if (udata->in_len)
		memcpy(at + in_len, udata->in, udata->in_len);
	if (write(fd, words, size) != (ssize_t)size)
		return errno;
	memcpy(out, response, out_len + udata->out_len);
	return 0;
}

int uverbs_try_context(int fd, const struct udata *udata, struct uverbs *uv)
{
	RESPONSE(ib_uverbs_get_context_resp, ornic_alloc_ucontext_resp) out = {};
	struct ib_uverbs_get_context cmd = {};
	int err;

	err = uverbs_write(fd, IB_USER_VERBS_CMD_GET_CONTEXT, &cmd, sizeof(cmd), &out,
			   sizeof(out.core) + udata->out_len, udata);
	if (!err && uv) {
		uv->async_fd = out.core.async_fd;
		uv->resp = out.driver;
	}
	return err;
}

void *uverbs_map(int fd, size_t length, int prot, uint64_t offset)
{
	void *at = mmap(NULL, length, prot, MAP_SHARED, fd, offset);

	if (at == MAP_FAILED)
		die("mmap", errno);
	return at;
}

void uverbs_context(struct uverbs *uv, const char *device)
{
	static const struct ornic_board zero;
	const struct ornic_alloc_ucontext_req req = {};
	const struct udata udata = { &req, sizeof(req), sizeof(uv->resp) };

	memset(uv, 0, sizeof(*uv));
	uv->fd = uverbs_open(device);
	must("GET_CONTEXT", uverbs_try_context(uv->fd, &udata, uv));
	uv->db = uverbs_map(uv->fd, uv->resp.db.length, PROT_WRITE, uv->resp.db.offset);
	if (!(uv->resp.caps & ORNIC_UCONTEXT_CAP_SHADOW))
		return;
	uv->board = uverbs_map(uv->fd, uv->resp.board.length, PROT_READ | PROT_WRITE,
			       uv->resp.board.offset);
	/* [ORNIC-DB-15], [ORNIC-OBJ-10] */
	if (memcmp(uv->board, &zero, sizeof(zero)))
		die("the board is not zero", 0);
}

uint32_t uverbs_pd(int fd)
{
	struct ib_uverbs_alloc_pd_resp out = {};
	struct ib_uverbs_alloc_pd cmd = {};

	must("ALLOC_PD", uverbs_write(fd, IB_USER_VERBS_CMD_ALLOC_PD, &cmd, sizeof(cmd), &out,
				      sizeof(out), NULL));
	return out.pd_handle;
}

int uverbs_try_cq(int fd, uint32_t cqe, uint32_t vector, const struct udata *udata,
		  struct ring_cq *cq)
{
	RESPONSE(ib_uverbs_create_cq_resp, ornic_create_cq_resp) out = {};
	struct ib_uverbs_create_cq cmd = {
		.cqe = cqe,
		.comp_vector = vector,
		.comp_channel = -1,
	};
	int err;

	err = uverbs_write(fd, IB_USER_VERBS_CMD_CREATE_CQ, &cmd, sizeof(cmd), &out,
			   sizeof(out.core) + udata->out_len, udata);
	if (err)
		return err;
	memset(cq, 0, sizeof(*cq));
	cq->handle = out.core.cq_handle;
	cq->resp = out.driver;
	return 0;
}

int uverbs_try_resize_cq(int fd, const struct ring_cq *cq, uint32_t cqe,
			 const struct udata *udata, struct ornic_resize_resp *resp)
{
	RESPONSE(ib_uverbs_resize_cq_resp, ornic_resize_resp) out = {};
	struct ib_uverbs_resize_cq cmd = {
		.cq_handle = cq->handle,
		.cqe = cqe,
	};
	int err;

	err = uverbs_write(fd, IB_USER_VERBS_CMD_RESIZE_CQ, &cmd, sizeof(cmd), &out,
			   sizeof(out.core) + udata->out_len, udata);
	if (!err && resp)
		*resp = out.driver;
	return err;
}

void uverbs_cq(struct uverbs *uv, uint32_t cqe, struct ring_cq *cq)
{
	const struct ornic_create_cq_req req = {};
	const struct udata udata = { &req, sizeof(req), sizeof(cq->resp) };
	uint8_t *at;

	must("CREATE_CQ", uverbs_try_cq(uv->fd, cqe, 0, &udata, cq));
	at = uverbs_map(uv->fd, cq->resp.map.length, PROT_READ | PROT_WRITE, cq->resp.map.offset);
	cq->ring = (void *)(at + cq->resp.ring_offset);
	cq->dbr = (void *)(at + cq->resp.dbr_offset);
}

int uverbs_try_qp(int fd, const struct ib_uverbs_create_qp *cmd, const struct udata *udata,
		  struct ring_qp *qp)
{
	RESPONSE(ib_uverbs_create_qp_resp, ornic_create_qp_resp) out = {};
	int err;

	err = uverbs_write(fd, IB_USER_VERBS_CMD_CREATE_QP, cmd, sizeof(*cmd), &out,
			   sizeof(out.core) + udata->out_len, udata);
	if (err)
		return err;
	memset(qp, 0, sizeof(*qp));
	qp->handle = out.core.qp_handle;
	qp->resp = out.driver;
	return 0;
}

void uverbs_srq(struct uverbs *uv, uint32_t pd, struct ring_srq *srq)
{
	const struct ornic_create_srq_req req = {};
	const struct udata udata = { &req, sizeof(req), sizeof(srq->resp) };
	const struct ib_uverbs_create_srq cmd = { .pd_handle = pd, .max_wr = 16, .max_sge = 4 };
	RESPONSE(ib_uverbs_create_srq_resp, ornic_create_srq_resp) out = {};
	uint8_t *at;

	must("CREATE_SRQ", uverbs_write(uv->fd, IB_USER_VERBS_CMD_CREATE_SRQ, &cmd, sizeof(cmd),
					&out, sizeof(out), &udata));
	srq->handle = out.core.srq_handle;
	srq->resp = out.driver;
	at = uverbs_map(uv->fd, srq->resp.map.length, PROT_READ | PROT_WRITE,
			srq->resp.map.offset);
	srq->ring = at + srq->resp.ring_offset;
	srq->dbr = (void *)(at + srq->resp.dbr_offset);
}

void uverbs_rc_qp(struct uverbs *uv, uint32_t pd, const struct ring_cq *cq,
		  const struct ring_srq *srq, struct ring_qp *qp)
{
	const struct ornic_create_qp_req req = {};
	const struct udata udata = { &req, sizeof(req), sizeof(qp->resp) };
	const struct ib_uverbs_create_qp cmd = {
		.pd_handle = pd,
		.send_cq_handle = cq->handle,
		.recv_cq_handle = cq->handle,
		.max_send_wr = 16,
		.max_recv_wr = 16,
		.max_send_sge = 4,
		.max_recv_sge = 4,
		.qp_type = IB_UVERBS_QPT_RC,
		.is_srq = !!srq,
		.srq_handle = srq ? srq->handle : 0,
	};
	uint8_t *at;

	must("CREATE_QP", uverbs_try_qp(uv->fd, &cmd, &udata, qp));
	qp->uv = uv;
	at = uverbs_map(uv->fd, qp->resp.map.length, PROT_READ | PROT_WRITE, qp->resp.map.offset);
	qp->sq = at + qp->resp.sq_offset;
	qp->rq = at + qp->resp.rq_offset;
	qp->dbr = (void *)(at + qp->resp.dbr_offset);
}

void uverbs_destroy_qp(int fd, const struct ring_qp *qp)
{
	struct ib_uverbs_destroy_qp cmd = { .qp_handle = qp->handle };
	struct ib_uverbs_destroy_qp_resp out;

	must("DESTROY_QP", uverbs_write(fd, IB_USER_VERBS_CMD_DESTROY_QP, &cmd, sizeof(cmd), &out,
					sizeof(out), NULL));
}

int uverbs_try_mr(int fd, uint32_t pd, const void *addr, uint64_t length, uint64_t iova,
		  uint32_t access, struct region *mr)
{
	struct ib_uverbs_reg_mr_resp out = {};
	struct ib_uverbs_reg_mr cmd = {
		.start = (uintptr_t)addr,
		.length = length,
		.hca_va = iova,
		.pd_handle = pd,
		.access_flags = access,
	};
	int err;

	err = uverbs_write(fd, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), &out, sizeof(out),
			   NULL);
	if (!err)
		*mr = (struct region){ out.mr_handle, out.rkey };
	return err;
}

void uverbs_mr(int fd, uint32_t pd, const void *addr, uint64_t length, uint32_t access,
	       struct region *mr)
{
	must("REG_MR", uverbs_try_mr(fd, pd, addr, length, (uintptr_t)addr, access, mr));
}

void uverbs_dereg_mr(int fd, const struct region *mr)
{
	struct ib_uverbs_dereg_mr cmd = { .mr_handle = mr->handle };

	must("DEREG_MR", uverbs_write(fd, IB_USER_VERBS_CMD_DEREG_MR, &cmd, sizeof(cmd), NULL, 0,
				      NULL));
}

void read_gid(const char *device, unsigned int index, uint8_t *gid)
{
	char path[128], line[64];
	const char *at = line;
	unsigned int i, byte;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%u", device, index);
	read_line(path, line, sizeof(line));
	for (i = 0; i < 16; i++, at += 2) {
		at += *at == ':';
		if (sscanf(at, "%2x", &byte) != 1)
			die(line, 0);
		gid[i] = byte;
	}
}

static void modify(const struct ring_qp *qp, struct ib_uverbs_modify_qp *cmd, uint8_t state,
		   uint32_t mask)
{
	cmd->qp_handle = qp->handle;
	cmd->qp_state = state;
	cmd->attr_mask = mask;
	must("MODIFY_QP", uverbs_write(qp->uv->fd, IB_USER_VERBS_CMD_MODIFY_QP, cmd, sizeof(*cmd),
				       NULL, 0, NULL));
}

void uverbs_connect(struct ring_qp *qp, uint32_t dest_qpn, const uint8_t *gid, unsigned int index)
{
	struct ib_uverbs_modify_qp cmd = {
		.dest_qp_num = dest_qpn,
		.qp_access_flags = ORNIC_ACCESS_REMOTE_WRITE | ORNIC_ACCESS_REMOTE_READ |
				   ORNIC_ACCESS_REMOTE_ATOMIC,
		.path_mtu = 3,
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.port_num = 1,
		.timeout = 14,
		.retry_cnt = 3,
		.rnr_retry = 3,
		.dest = {
			.sgid_index = index,
			.hop_limit = 64,
			.is_global = 1,
			.port_num = 1,
		},
	};

	memcpy(cmd.dest.dgid, gid, 16);
	modify(qp, &cmd, ORNIC_QPS_INIT, QP_MASK_INIT);
	modify(qp, &cmd, ORNIC_QPS_RTR, QP_MASK_RTR);
	modify(qp, &cmd, ORNIC_QPS_RTS, QP_MASK_RTS);
}

void uverbs_srq_pair(struct srq_pair *pair, const char *device, unsigned int gid_index)
{
	uint8_t gid[16];
	uint32_t pd;

	uverbs_context(&pair->uv, device);
	read_gid(device, gid_index, gid);
	pd = uverbs_pd(pair->uv.fd);
	uverbs_cq(&pair->uv, 16, &pair->send_cq);
	uverbs_cq(&pair->uv, 16, &pair->recv_cq);
	uverbs_srq(&pair->uv, pd, &pair->srq);
	uverbs_rc_qp(&pair->uv, pd, &pair->send_cq, NULL, &pair->sender);
	uverbs_rc_qp(&pair->uv, pd, &pair->recv_cq, &pair->srq, &pair->receiver);
	uverbs_connect(&pair->sender, pair->receiver.resp.qpn, gid, gid_index);
	uverbs_connect(&pair->receiver, pair->sender.resp.qpn, gid, gid_index);
}

void ring_publish(__le32 *word, uint32_t value)
{
	atomic_store_explicit((_Atomic(uint32_t) *)word, htole32(value), memory_order_seq_cst);
}

void ring_doorbell(struct uverbs *uv, uint64_t type, uint64_t num, uint32_t value)
{
	*(volatile uint64_t *)uv->db = htole64(ORNIC_PREP(ORNIC_DB_TYPE, type) |
					       ORNIC_PREP(ORNIC_DB_NUM, num) | value);
}

void ring_sq_doorbell(struct ring_qp *qp)
{
	ring_doorbell(qp->uv, ORNIC_DB_SQ, qp->resp.qpn, qp->sq_pi);
}

void ring_post_send(struct ring_qp *qp, const void *wqe, unsigned int slots)
{
	uint32_t mask = (1u << qp->resp.log_sq_slots) - 1;
	unsigned int i;

	for (i = 0; i < slots; i++)
		memcpy(qp->sq + ((qp->sq_pi + i & mask) << ORNIC_SLOT_SHIFT),
		       (const uint8_t *)wqe + i * ORNIC_SLOT_SIZE, ORNIC_SLOT_SIZE);
	qp->sq_pi += slots;
	ring_publish(&qp->dbr->sq_pi, qp->sq_pi);
	ring_sq_doorbell(qp);
}

void ring_post_empty_send(struct ring_qp *qp)
{
	const struct ornic_sq_hdr wqe[ORNIC_SLOT_SIZE / sizeof(struct ornic_sq_hdr)] = {
		{ .ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_SEND, ORNIC_SEND_SIGNALED, 32)) },
	};

	ring_post_send(qp, wqe, 1);
}

void ring_post_recv(struct ring_qp *qp, uint64_t wr_id, const struct ornic_sge *sge,
		    unsigned int count)
{
	uint32_t mask = (1u << qp->resp.log_rq_wqes) - 1;
	uint8_t *at = qp->rq + ((qp->rq_pi & mask) << qp->resp.rq_stride_shift);
	const struct ornic_rq_hdr hdr = { .ctrl = htole32(count), .wr_id = htole64(wr_id) };

	memcpy(at, &hdr, sizeof(hdr));
	memcpy(at + sizeof(hdr), sge, count * sizeof(*sge));
	ring_publish(&qp->dbr->rq_pi, ++qp->rq_pi);
}

static int cq_has_entry(const struct ring_cq *cq, const struct ornic_cqe *at)
{
	uint32_t word = le32toh(atomic_load_explicit((_Atomic(uint32_t) *)&at->qpn,
						     memory_order_acquire));
	int odd = cq->ci >> cq->resp.log_size & 1;

	return !!(word & ORNIC_CQE_PHASE) != odd;
}

int ring_poll(struct ring_cq *cq, struct ornic_cqe *cqe, unsigned int ms)
{
	struct ornic_cqe *at = &cq->ring[cq->ci & ((1u << cq->resp.log_size) - 1)];
	const struct timespec pause = { .tv_nsec = 1000000 };

	while (!cq_has_entry(cq, at)) {
		if (!ms--)
			return 0;
		nanosleep(&pause, NULL);
	}
	*cqe = *at;
	ring_publish(&cq->dbr->ci, ++cq->ci);
	return 1;
}
