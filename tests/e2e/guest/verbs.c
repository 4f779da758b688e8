// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Helpers of test programs that use libibverbs */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verbs.h"

#define QP_DEPTH 64
#define QP_INLINE 64
#define RETRY_MS 200
#define CASE_MEM 4096

_Noreturn void failed(const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("%s:%d: ", file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(1);
}

/* Run a case in a process of its own and print its result. Return: whether it has passed. */
static bool run_alone(const struct test_case *test, const char *device, unsigned int gid_index)
{
	struct port port;
	int status;
	pid_t pid;

	pid = fork();
	want(pid >= 0, "%s", strerror(errno));
	if (!pid) {
		alarm(CASE_SECONDS);
		port_open(&port, device, gid_index);
		port.mem = mem_make(&port, CASE_MEM, ACCESS_ALL);
		test->run(&port);
		exit(0);
	}
	want(waitpid(pid, &status, 0) == pid, "%s", strerror(errno));
	if (WIFSIGNALED(status))
		printf("@@ %s: %s\n", test->name, strsignal(WTERMSIG(status)));
	else
		printf("@@ %s: exit %d\n", test->name, WEXITSTATUS(status));
	return !status;
}

static struct test_case *cases;

void case_add(struct test_case *test)
{
	test->next = cases;
	cases = test;
}

int run_cases(int argc, char **argv)
{
	const struct test_case *test;
	bool passed = true;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 4) {
		fprintf(stderr, "usage: %s DEVICE GID-INDEX CASE...\n", argv[0]);
		return 2;
	}
	/* Load the providers once, for all cases */
	ibv_free_device_list(made(ibv_get_device_list(NULL)));
	for (i = 3; i < argc; i++) {
		for (test = cases; test && strcmp(test->name, argv[i]); test = test->next)
			;
		want(test, "no such case: %s", argv[i]);
		passed &= run_alone(test, argv[1], atoi(argv[2]));
	}
	return passed ? 0 : 1;
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

uint64_t now_ms(void)
{
	return now_ns() / 1000000;
}

void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

bool readable(int fd, unsigned int ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, ms) == 1;
}

void port_open(struct port *port, const char *device, unsigned int gid_index)
{
	struct ibv_device **list = made(ibv_get_device_list(NULL));
	int i;

	memset(port, 0, sizeof(*port));
	port->gid_index = gid_index;
	for (i = 0; list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), device))
			port->ctx = made(ibv_open_device(list[i]));
	want(port->ctx, "%s", device);
	ibv_free_device_list(list);
	want_ok(ibv_query_device(port->ctx, &port->dev));
	want_ok(ibv_query_gid(port->ctx, 1, gid_index, &port->gid));
	port->pd = made(ibv_alloc_pd(port->ctx));
	want(fcntl(port->ctx->async_fd, F_SETFL, O_NONBLOCK) == 0, "%s", strerror(errno));
}

uint8_t *map_make(size_t len, int flags)
{
	uint8_t *map = mmap(NULL, len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	want(map != MAP_FAILED, "%s", strerror(errno));
	return map;
}

struct mem mem_make(struct port *port, size_t len, unsigned int access)
{
	struct mem mem = { .len = len };

	mem.buf = map_make(len, 0);
	mem.mr = made(ibv_reg_mr(port->pd, mem.buf, len, access));
	return mem;
}

void mem_free(struct mem *mem)
{
	if (!mem->mr)
		return;
	want_ok(ibv_dereg_mr(mem->mr));
	munmap(mem->buf, mem->len);
	mem->mr = NULL;
}

static uint8_t fill_byte(size_t i, unsigned int seed)
{
	return (i * 7 + (i >> 8) * 13 + seed * 31 + 1) & 0xff;
}

void mem_fill(struct mem *mem, size_t at, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		mem->buf[at + i] = fill_byte(i, seed);
}

bool mem_is_part(const struct mem *mem, size_t at, size_t from, size_t to, unsigned int seed)
{
	size_t i;

	for (i = from; i < to; i++)
		if (mem->buf[at + i] != fill_byte(i, seed))
			return false;
	return true;
}

bool mem_is(const struct mem *mem, size_t at, size_t len, unsigned int seed)
{
	return mem_is_part(mem, at, 0, len, seed);
}

struct ibv_sge mem_sge(const struct mem *mem, size_t at, size_t len)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)mem->buf + at, .length = len, .lkey = mem->mr->lkey,
	};
}

int dma_buf_make(size_t len, uint8_t **map)
{
	struct udmabuf_create create = { .size = len };
	int dev = open("/dev/udmabuf", O_RDWR), fd;

	want(dev >= 0, "%s", strerror(errno));
	create.memfd = memfd_create("mem", MFD_ALLOW_SEALING);
	want(!ftruncate(create.memfd, len) && !fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK),
	     "%s", strerror(errno));
	*map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, create.memfd, 0);
	want(*map != MAP_FAILED, "%s", strerror(errno));
	fd = ioctl(dev, UDMABUF_CREATE, &create);
	want(fd >= 0, "%s", strerror(errno));
	close(create.memfd);
	close(dev);
	return fd;
}

struct ibv_flow *flow_from(struct ibv_qp *raw, uint32_t src, struct ibv_counters *counters)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
		struct ibv_flow_spec_ipv4 ipv4;
		struct ibv_flow_spec_counter_action count;
	} __attribute__((packed, aligned(8))) rule = {
		.attr = {
			.type = IBV_FLOW_ATTR_NORMAL, .num_of_specs = counters ? 3 : 2,
			.size = sizeof(rule) - (counters ? 0 : sizeof(rule.count)), .port = 1,
		},
		.eth = {
			.type = IBV_FLOW_SPEC_ETH, .size = sizeof(rule.eth),
			.val = { .ether_type = htons(0x0800) }, .mask = { .ether_type = 0xffff },
		},
		.ipv4 = {
			.type = IBV_FLOW_SPEC_IPV4, .size = sizeof(rule.ipv4),
			.val = { .src_ip = htonl(src) }, .mask = { .src_ip = 0xffffffff },
		},
		.count = {
			.type = IBV_FLOW_SPEC_ACTION_COUNT, .size = sizeof(rule.count),
			.counters = counters,
		},
	};

	return ibv_create_flow(raw, &rule.attr);
}

struct ibv_cq *cq_make(struct port *port, int cqe, struct ibv_comp_channel *comp)
{
	return made(ibv_create_cq(port->ctx, cqe, NULL, comp, 0));
}

struct ibv_qp_init_attr qp_init(enum ibv_qp_type type, struct ibv_cq *cq)
{
	return (struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = QP_DEPTH,
			.max_recv_wr = QP_DEPTH,
			.max_send_sge = 2,
			.max_recv_sge = 2,
			.max_inline_data = QP_INLINE,
		},
		.qp_type = type,
	};
}

struct ibv_qp *qp_make(struct port *port, enum ibv_qp_type type, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = qp_init(type, cq);

	return made(ibv_create_qp(port->pd, &init));
}

int qp_try_init(struct ibv_qp *qp, unsigned int access)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY, .qp_access_flags = access,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	mask |= qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	return ibv_modify_qp(qp, &attr, mask);
}

void qp_to_init(struct ibv_qp *qp, unsigned int access)
{
	want_ok(qp_try_init(qp, access));
}

struct ibv_ah_attr port_ah_attr(const struct port *port)
{
	return (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = port->gid, .sgid_index = port->gid_index, .hop_limit = 64 },
	};
}

int qp_try_rtr(const struct port *port, struct ibv_qp *qp, uint32_t peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer,
		.rq_psn = PSN,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,	/* 0.64 ms */
		.ah_attr = port_ah_attr(port),
	};
	int mask = IBV_QP_STATE;

	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(qp, &attr, mask);
}

void qp_to_rtr(const struct port *port, struct ibv_qp *qp, uint32_t peer)
{
	want_ok(qp_try_rtr(port, qp, peer));
}

int qp_try_rts(struct ibv_qp *qp, unsigned int timeout, unsigned int retry_cnt,
	       unsigned int rnr_retry)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = PSN,
		.timeout = timeout,
		.retry_cnt = retry_cnt,
		.rnr_retry = rnr_retry,
		.max_rd_atomic = 4,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &attr, mask);
}

void qp_to_rts_with(struct ibv_qp *qp, unsigned int timeout, unsigned int retry_cnt,
		    unsigned int rnr_retry)
{
	want_ok(qp_try_rts(qp, timeout, retry_cnt, rnr_retry));
}

void qp_to_rts(struct ibv_qp *qp)
{
	/* 0.5 s: no loss is expected, and the machine may be busy */
	qp_to_rts_with(qp, 17, 7, 7);
}

enum ibv_qp_state qp_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	want_ok(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

void qp_set_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	want_ok(ibv_modify_qp(qp, &attr, IBV_QP_STATE));
}

struct ibv_qp *lonely_qp(struct port *port, struct ibv_cq *cq)
{
	struct ibv_qp *qp = qp_make(port, IBV_QPT_RC, cq);

	qp_to_init(qp, ACCESS_ALL);
	qp_to_rtr(port, qp, qp->qp_num);
	qp_to_rts(qp);
	return qp;
}

void raw_to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	want_ok(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT));
	qp_set_state(qp, IBV_QPS_RTR);
	qp_set_state(qp, IBV_QPS_RTS);
}

struct ibv_srq *srq_try(struct port *port, unsigned int max_wr, unsigned int max_sge)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = max_wr, .max_sge = max_sge } };

	return ibv_create_srq(port->pd, &init);
}

struct ibv_xrcd *xrcd_try(struct port *port)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};

	return ibv_open_xrcd(port->ctx, &attr);
}

struct ibv_srq *xrc_srq_try(struct port *port, struct ibv_xrcd *xrcd, struct ibv_cq *cq,
			    unsigned int max_wr)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = max_wr, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC, .pd = port->pd, .xrcd = xrcd, .cq = cq,
	};

	return ibv_create_srq_ex(port->ctx, &attr);
}

struct ibv_wq *wq_try(struct port *port, struct ibv_cq *cq, unsigned int max_wr)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = max_wr, .max_sge = 1, .pd = port->pd, .cq = cq,
	};

	return ibv_create_wq(port->ctx, &attr);
}

struct ibv_qp *rss_try(struct port *port, struct ibv_rwq_ind_table *table, uint8_t *key,
		       uint64_t fields)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = port->pd,
		.rwq_ind_tbl = table,
		.rx_hash_conf = {
			.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
			.rx_hash_key_len = 40,
			.rx_hash_key = key,
			.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | fields,
		},
	};

	return ibv_create_qp_ex(port->ctx, &attr);
}

struct pair pair_init(struct port *port, enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct pair pair = { .port = port };
	struct ibv_qp_init_attr init;

	pair.a_cq = cq_make(port, 4 * QP_DEPTH, NULL);
	pair.b_cq = cq_make(port, 4 * QP_DEPTH, NULL);
	pair.a = qp_make(port, type, pair.a_cq);
	init = qp_init(type, pair.b_cq);
	init.srq = srq;
	pair.b = made(ibv_create_qp(port->pd, &init));
	qp_to_init(pair.a, ACCESS_ALL);
	qp_to_init(pair.b, ACCESS_ALL);
	return pair;
}

void pair_to_rtr(const struct pair *pair)
{
	qp_to_rtr(pair->port, pair->a, pair->b->qp_num);
	qp_to_rtr(pair->port, pair->b, pair->a->qp_num);
}

struct pair pair_make(struct port *port, enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct pair pair = pair_init(port, type, srq);

	pair_to_rtr(&pair);
	qp_to_rts(pair.a);
	qp_to_rts(pair.b);
	return pair;
}

void pair_destroy(struct pair *pair)
{
	want_ok(ibv_destroy_qp(pair->a));
	want_ok(ibv_destroy_qp(pair->b));
	want_ok(ibv_destroy_cq(pair->a_cq));
	want_ok(ibv_destroy_cq(pair->b_cq));
}

void pair_send(const struct pair *pair, uint64_t wr_id, const struct ibv_sge *sge)
{
	want_ok(post_send(pair->a, IBV_WR_SEND, wr_id, sge, 0, 0));
	want_wc(pair->a_cq, wr_id, IBV_WC_SUCCESS);
}

union ibv_gid group_gid(uint32_t number)
{
	return (union ibv_gid){
		.raw = { [10] = 0xff, [11] = 0xff, [12] = 239, [13] = number >> 16,
			 [14] = number >> 8, [15] = number },
	};
}

struct ibv_qp *datagram_qp(struct port *port, struct ibv_cq *cq)
{
	struct ibv_qp *qp = qp_make(port, IBV_QPT_UD, cq);

	qp_to_init(qp, 0);
	qp_to_rtr(port, qp, 0);
	qp_to_rts(qp);
	return qp;
}

int post_send(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id,
	      const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey)
{
	struct ibv_sge copy = sge ? *sge : (struct ibv_sge){ 0 };
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &copy,
		.num_sge = !!sge,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = raddr, .rkey = rkey },
	};
	struct ibv_send_wr *bad;

	return ibv_post_send(qp, &wr, &bad);
}

void post_write(struct ibv_qp *qp, uint64_t wr_id, const struct ibv_sge *sge, const struct mem *to,
		size_t at)
{
	want_ok(post_send(qp, IBV_WR_RDMA_WRITE, wr_id, sge, (uintptr_t)to->buf + at,
			  to->mr->rkey));
}

int post_atomic(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id,
		struct ibv_sge sge, uint64_t raddr, uint32_t rkey)
{
	struct ibv_send_wr wr = {
		.wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.atomic = { .remote_addr = raddr, .compare_add = 1, .rkey = rkey },
	}, *bad;

	return ibv_post_send(qp, &wr, &bad);
}

void post_datagram(struct ibv_qp *qp, struct ibv_ah *ah, uint32_t dest, uint64_t wr_id,
		   struct ibv_sge sge)
{
	struct ibv_send_wr wr = {
		.wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = ah, .remote_qpn = dest, .remote_qkey = QKEY },
	}, *bad;

	want_ok(ibv_post_send(qp, &wr, &bad));
}

int post_recv(struct ibv_qp *qp, uint64_t wr_id, const struct ibv_sge *sge)
{
	struct ibv_sge copy = sge ? *sge : (struct ibv_sge){ 0 };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &copy, .num_sge = !!sge };
	struct ibv_recv_wr *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

int post_srq(struct ibv_srq *srq, uint64_t wr_id, const struct ibv_sge *sge)
{
	struct ibv_sge copy = sge ? *sge : (struct ibv_sge){ 0 };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &copy, .num_sge = !!sge };
	struct ibv_recv_wr *bad;

	return ibv_post_srq_recv(srq, &wr, &bad);
}

struct ibv_wc next_wc(struct ibv_cq *cq)
{
	uint64_t end = now_ms() + SOON_MS;
	struct ibv_wc wc;
	int count;

	while (!(count = ibv_poll_cq(cq, 1, &wc)))
		want(now_ms() < end, "no completion");
	want(count == 1, "ibv_poll_cq: %d", count);
	return wc;
}

struct ibv_wc want_wc(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status)
{
	struct ibv_wc wc = next_wc(cq);

	want(wc.wr_id == wr_id && wc.status == status, "work request %llu: %s, not %llu: %s",
	     (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status),
	     (unsigned long long)wr_id, ibv_wc_status_str(status));
	return wc;
}

void want_no_wc(struct ibv_cq *cq)
{
	uint64_t end = now_ms() + NEVER_MS;
	struct ibv_wc wc;

	while (now_ms() < end)
		want(!ibv_poll_cq(cq, 1, &wc), "work request %llu: %s",
		     (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
}

static const void *event_element(const struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		return event->element.cq;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return event->element.srq;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return event->element.qp;
	default:
		return NULL;
	}
}

struct ibv_async_event take_event(struct port *port, unsigned int ms)
{
	struct ibv_async_event event;

	want(readable(port->ctx->async_fd, ms), "no event");
	want(!ibv_get_async_event(port->ctx, &event), "%s", strerror(errno));
	ibv_ack_async_event(&event);
	return event;
}

void want_event(struct port *port, enum ibv_event_type type, const void *element)
{
	struct ibv_async_event event;

	want(readable(port->ctx->async_fd, SOON_MS), "no event; %s is due",
	     ibv_event_type_str(type));
	event = take_event(port, 0);
	want(event.event_type == type, "%s, not %s", ibv_event_type_str(event.event_type),
	     ibv_event_type_str(type));
	want(event_element(&event) == element, "%s of something else", ibv_event_type_str(type));
}

void want_no_event(struct port *port)
{
	if (readable(port->ctx->async_fd, NEVER_MS))
		failed(__FILE__, __LINE__, "%s",
		       ibv_event_type_str(take_event(port, 0).event_type));
}

int tcp_serve(uint16_t tcp_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(tcp_port) };
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, fd;

	want_call(listener);
	want_call(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	want_call(bind(listener, (struct sockaddr *)&address, sizeof(address)));
	want_call(listen(listener, 1));
	printf("ready\n");
	fd = accept(listener, NULL, NULL);
	want_call(fd);
	close(listener);
	return fd;
}

int tcp_call(const char *ip, uint16_t tcp_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(tcp_port) };
	uint64_t end = now_ms() + SOON_MS;
	int fd;

	want(inet_pton(AF_INET, ip, &address.sin_addr) == 1, "%s", ip);
	for (;;) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		want_call(fd);
		if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
			return fd;
		want(now_ms() < end, "%s: %s", ip, strerror(errno));
		close(fd);
		sleep_ms(RETRY_MS);
	}
}

static void put(int fd, const void *from, size_t len)
{
	ssize_t count;
	size_t done;

	for (done = 0; done < len; done += count) {
		count = write(fd, (const char *)from + done, len - done);
		want(count > 0, "%s", strerror(errno));
	}
}

static void get(int fd, void *to, size_t len)
{
	want(recv(fd, to, len, MSG_WAITALL) == (ssize_t)len, "the other side is gone");
}

void tcp_exchange(int fd, bool answers, const void *own, void *peer, size_t len)
{
	/* Both would wait for room if both wrote first */
	if (answers)
		get(fd, peer, len);
	put(fd, own, len);
	if (!answers)
		get(fd, peer, len);
}
