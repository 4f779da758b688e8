/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * System calls of uverbs without a library, so that a test can send requests that no library would,
 * and write to rings what no provider would. Any failure outside the subject of the test ends the
 * program.
 */
#ifndef ORNIC_E2E_UVERBS_H
#define ORNIC_E2E_UVERBS_H

#include <stddef.h>
#include <stdint.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include <ornic_hw_cmd.h>
#include <rdma/ornic-abi.h>

/* The driver's part of a request, and the room for its part of the response */
struct udata {
	const void *in;
	size_t in_len;
	size_t out_len;
};

/* The response of a verb, and that of the driver after it */
#define RESPONSE(_core, _driver) struct { struct _core core; struct _driver driver; }

struct uverbs {
	int fd;
	int async_fd;
	struct ornic_alloc_ucontext_resp resp;
	uint64_t *db;
	struct ornic_board *board;
};

struct ring_cq {
	uint32_t handle;
	uint32_t ci;
	struct ornic_create_cq_resp resp;
	struct ornic_cqe *ring;
	struct ornic_cq_dbr *dbr;
};

struct ring_qp {
	struct uverbs *uv;
	uint32_t handle;
	uint32_t sq_pi;
	uint32_t rq_pi;
	struct ornic_create_qp_resp resp;
	uint8_t *sq;
	uint8_t *rq;
	struct ornic_qp_dbr *dbr;
};

struct ring_srq {
	uint32_t handle;
	struct ornic_create_srq_resp resp;
	uint8_t *ring;
	struct ornic_qp_dbr *dbr;
};

/* Two connected QPs of one port; the receiver takes its WQEs from an SRQ. Does not move. */
struct srq_pair {
	struct uverbs uv;
	struct ring_cq send_cq;
	struct ring_cq recv_cq;
	struct ring_srq srq;
	struct ring_qp sender;
	struct ring_qp receiver;
};

struct region {
	uint32_t handle;
	uint32_t key;
};

/* device: name as in /sys/class/infiniband. Return: a file descriptor. */
int uverbs_open(const char *device);

/*
 * Return: 0 or errno. response: where the kernel writes the response of the verb, followed by that
 * of the driver; the memory need not exist.
 */
int uverbs_write_to(int fd, unsigned int command, const void *in, size_t in_len,
		    const void *response, size_t out_len, const struct udata *udata);
/* As above, and out gets a copy of the response */
int uverbs_write(int fd, unsigned int command, const void *in, size_t in_len, void *out,
		 size_t out_len, const struct udata *udata);

/* At most 3 attributes. Return: 0 or errno. */
int uverbs_ioctl(int fd, uint16_t object, uint16_t method, const struct ib_uverbs_attr *attrs,
		 uint16_t count);

/*
 * As uverbs_write(), for extended commands. All lengths are multiples of 8. out_len is the length
 * of the verb's response alone; that of the driver follows it.
 */
int uverbs_write_ex(int fd, unsigned int command, const void *in, size_t in_len, void *out,
		    size_t out_len, const struct udata *udata);

/* uv: NULL, or gets the response. Return: 0 or errno. */
int uverbs_try_context(int fd, const struct udata *udata, struct uverbs *uv);
int uverbs_try_cq(int fd, uint32_t cqe, uint32_t vector, const struct udata *udata,
		  struct ring_cq *cq);
/* The CQ has another ring afterwards; resp: gets its place, or NULL */
int uverbs_try_resize_cq(int fd, const struct ring_cq *cq, uint32_t cqe,
			 const struct udata *udata, struct ornic_resize_resp *resp);
/* cmd: at least type and cap are set; handles of missing CQs and PDs are 0 */
int uverbs_try_qp(int fd, const struct ib_uverbs_create_qp *cmd, const struct udata *udata,
		  struct ring_qp *qp);
int uverbs_try_mr(int fd, uint32_t pd, const void *addr, uint64_t length, uint64_t iova,
		  uint32_t access, struct region *mr);

/* These succeed or end the program */
void uverbs_context(struct uverbs *uv, const char *device);
void *uverbs_map(int fd, size_t length, int prot, uint64_t offset);
uint32_t uverbs_pd(int fd);
void uverbs_cq(struct uverbs *uv, uint32_t cqe, struct ring_cq *cq);
void uverbs_srq(struct uverbs *uv, uint32_t pd, struct ring_srq *srq);
/* srq: NULL, or the SRQ in place of a receive queue */
void uverbs_rc_qp(struct uverbs *uv, uint32_t pd, const struct ring_cq *cq,
		  const struct ring_srq *srq, struct ring_qp *qp);
void uverbs_mr(int fd, uint32_t pd, const void *addr, uint64_t length, uint32_t access,
	       struct region *mr);
void uverbs_dereg_mr(int fd, const struct region *mr);
void uverbs_destroy_qp(int fd, const struct ring_qp *qp);
/* To RTS, connected to a QP of the same port; gid: GID of that port, at this index */
void uverbs_connect(struct ring_qp *qp, uint32_t dest_qpn, const uint8_t *gid, unsigned int index);
void read_gid(const char *device, unsigned int index, uint8_t *gid);
/* Open the device and make all of it */
void uverbs_srq_pair(struct srq_pair *pair, const char *device, unsigned int gid_index);

/* wqe: slots * 64 bytes */
void ring_post_send(struct ring_qp *qp, const void *wqe, unsigned int slots);
/* A signaled SEND without data */
void ring_post_empty_send(struct ring_qp *qp);
void ring_post_recv(struct ring_qp *qp, uint64_t wr_id, const struct ornic_sge *sge,
		    unsigned int count);
void ring_doorbell(struct uverbs *uv, uint64_t type, uint64_t num, uint32_t value);
void ring_sq_doorbell(struct ring_qp *qp);
/* Store a word, visible to the device after all earlier stores */
void ring_publish(__le32 *word, uint32_t value);
/* Return: 1 and a copy of the next entry, or 0 after this time without one */
int ring_poll(struct ring_cq *cq, struct ornic_cqe *cqe, unsigned int ms);

/* Print "VERB, WHAT: ok" if an attempt had the right result, such as an errno, or what it had */
void say(const char *verb, const char *what, int want, int got);

_Noreturn void die(const char *what, int err);

#endif /* ORNIC_E2E_UVERBS_H */
