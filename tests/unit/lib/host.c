// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A host with a card in one process */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "card/admin.h"
#include "card/card.h"
#include "host.h"

/* Size from which host_alloc() makes a hole in the memfd instead of writing zeros */
#define HOST_HOLE_SIZE (1u << 20)

static struct host *env_to_host(struct env *env)
{
	return container_of(env, struct host, env);
}

static uint64_t host_now_ns(struct env *env)
{
	struct host *host = env_to_host(env);

	host->now_ns += host->clock_step_ns;
	return host->now_ns;
}

/* Marsaglia's xorshift64*, which keeps a state of 0 */
static uint64_t host_random(struct env *env)
{
	uint64_t *state = &env_to_host(env)->random;

	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

static void host_irq_raise(struct env *env, unsigned int vector)
{
	assert_true(vector < HOST_VECTORS);
	env_to_host(env)->irqs[vector]++;
}

static void host_mark_runnable(struct env *env)
{
	struct host *host = env_to_host(env);

	host->runnable++;
	if (host->runnable_look)
		host->runnable_look(host->runnable_arg);
}

static struct frame *host_frame_alloc(struct env *env)
{
	struct host *host = env_to_host(env);
	struct frame *frame;

	if (host->frames == HOST_FRAMES)
		return NULL;
	frame = calloc(1, sizeof(*frame));
	assert_non_null(frame);
	host->frames++;
	return frame;
}

static void host_frame_free(struct env *env, struct frame *frame)
{
	env_to_host(env)->frames--;
	free(frame);
}

static void host_tx(struct env *env, struct frame *frame)
{
	list_add_tail(&frame->node, &env_to_host(env)->wire);
}

static void host_tx_flush(struct env *env)
{
	env_to_host(env)->flushes++;
}

static bool host_peer_is_local(struct env *env, const uint8_t *mac)
{
	return env_to_host(env)->peers_local;
}

static bool host_path_is_full(struct env *env, const uint8_t *mac)
{
	return env_to_host(env)->path_full;
}

static bool host_serve(struct env *env, struct port *payer)
{
	struct host *host = env_to_host(env);

	host->payer = payer;
	return !host->peers_wait;
}

static void host_serve_end(struct env *env)
{
}

static bool host_unread(struct env *env)
{
	return env_to_host(env)->unread;
}

static void host_want_bytes(struct env *env, bool want)
{
	env_to_host(env)->wants_bytes = want;
}

static void __attribute__((format(printf, 3, 0)))
host_log(struct env *env, enum env_log_level level, const char *fmt, va_list ap)
{
	struct host *host = env_to_host(env);

	vsnprintf(host->message, sizeof(host->message), fmt, ap);
}

static const struct env_ops host_env_ops = {
	.now_ns = host_now_ns,
	.random = host_random,
	.irq_raise = host_irq_raise,
	.mark_runnable = host_mark_runnable,
	.frame_alloc = host_frame_alloc,
	.frame_free = host_frame_free,
	.tx = host_tx,
	.tx_flush = host_tx_flush,
	.peer_is_local = host_peer_is_local,
	.path_is_full = host_path_is_full,
	.serve = host_serve,
	.serve_end = host_serve_end,
	.want_bytes = host_want_bytes,
	.unread = host_unread,
	.log = host_log,
};

static struct host *host_alloc_ram(void)
{
	struct host *host = calloc(1, sizeof(*host));

	assert_non_null(host);
	list_init(&host->wire);
	host->fd = memfd_create("guest", MFD_CLOEXEC);
	assert_true(host->fd >= 0);
	assert_int_equal(ftruncate(host->fd, HOST_RAM_SIZE), 0);
	host->ram = mmap(NULL, HOST_RAM_SIZE, PROT_READ | PROT_WRITE,
			 MAP_SHARED, host->fd, 0);
	assert_true(host->ram != MAP_FAILED);
	return host;
}

void host_release(struct host *host)
{
	munmap(host->ram, HOST_RAM_SIZE);
	close(host->fd);
	free(host);
}

struct host *host_of(struct card *card)
{
	struct host *host = host_alloc_ram();

	host->card = card;
	memcpy(host->mac, card->mac, MAC_LEN);
	return host;
}

struct host *host_create(bool shadow, uint8_t mac_tail)
{
	return host_create_as(&(struct card_config){ .no_shadow = !shadow },
			      mac_tail);
}

struct host *host_create_as(const struct card_config *as, uint8_t mac_tail)
{
	const uint8_t mac[MAC_LEN] = { 0x02, 0x0e, 0x1c, 0x00, 0x00, mac_tail };
	struct host *host = host_alloc_ram();
	struct card_config config = *as;

	config.name = "nic0";
	config.vectors = HOST_VECTORS;
	memcpy(config.mac, mac, MAC_LEN);
	memcpy(host->mac, mac, MAC_LEN);
	host->now_ns = 1000000;
	host->clock_step_ns = HOST_CLOCK_STEP_NS;
	host->random = HOST_RANDOM * (mac_tail + 1);
	timers_init(&host->timers, host->now_ns);
	mem_init(&host->mem);
	mem_enable(&host->mem, true);
	host_map(host, HOST_RAM_BASE, HOST_RAM_SIZE);
	host->env.ops = &host_env_ops;
	host->env.mem = &host->mem;
	host->env.timers = &host->timers;
	host->card = card_create(&config, &host->env);
	assert_non_null(host->card);
	return host;
}

void host_destroy(struct host *host)
{
	card_destroy(host->card);
	while (!list_empty(&host->wire)) {
		struct frame *frame = list_first_entry(&host->wire,
						       struct frame, node);

		list_del_init(&frame->node);
		host_frame_free(&host->env, frame);
	}
	assert_int_equal(host->frames, 0);
	assert_true(timers_next(&host->timers) == TIMER_NEVER);
	mem_uninit(&host->mem);
	host_release(host);
}

static int host_setup_shadow(void **state, bool shadow)
{
	struct host *host = host_create(shadow, 1);

	host_enable(host);
	*state = host;
	return 0;
}

int host_setup(void **state)
{
	return host_setup_shadow(state, true);
}

int host_setup_no_shadow(void **state)
{
	return host_setup_shadow(state, false);
}

int host_teardown(void **state)
{
	host_destroy(*state);
	return 0;
}

void host_start_rings(struct host *host)
{
	host->admin_pi = 0;
	host->admin_ci = 0;
	host_write(host, ORNIC_REG_ADMIN_DEPTH, 4, HOST_ADMIN_LOG_DEPTH);
	host_write(host, ORNIC_REG_ADMIN_SQ, 8, host->admin_sq);
	host_write(host, ORNIC_REG_ADMIN_CQ, 8, host->admin_cq);
	host_write(host, ORNIC_REG_ADMIN_DBR, 8, host->admin_dbr);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_ENABLE);
}

unsigned int host_set_host(struct host *host, uint64_t features)
{
	struct ornic_set_host_in in = {
		.version = htole32(ORNIC_VERSION),
		.page_shift = 12,
		.features = htole64(features),
		.name = "unit test",
	};

	return host_cmd_in(host, ORNIC_CMD_SET_HOST, &in);
}

/*
 * Tests count commands, interrupts and entries of the rings from 0, so the
 * rings start again after the command.
 */
void host_start_admin(struct host *host)
{
	struct ornic_cmd_cqe *cqe = host_ptr(host, host->admin_cq);
	unsigned int irqs = host->irqs[0], runnable = host->runnable;
	unsigned int flushes = host->flushes;
	uint64_t now_ns = host->now_ns;

	host_start_rings(host);
	/* The features in force stay until the next reset */
	if (host->card->host.told)
		return;
	if (host_set_host(host, host->card->features))
		assert_true(host->hostile || host->card->fatal);
	if (host->card->fatal || host->lost)
		return;
	admin_disable(host->card);
	memset(cqe, 0, sizeof(*cqe) << HOST_ADMIN_LOG_DEPTH);
	if (host->admin_dbr)
		memset(host_ptr(host, host->admin_dbr), 0,
		       sizeof(struct ornic_admin_dbr));
	host_start_rings(host);
	host->card->stats.STAT_DEVICE(commands) = 0;
	host->card->stats.STAT_DEVICE(interrupts) = 0;
	host->irqs[0] = irqs;
	host->runnable = runnable;
	host->flushes = flushes;
	host->now_ns = now_ns;
}

void host_enable(struct host *host)
{
	host->admin_sq = host_alloc(host, HOST_PAGE, HOST_PAGE);
	host->admin_cq = host_alloc(host, HOST_PAGE, HOST_PAGE);
	/* Behind the ring */
	if (host->wants_record)
		host->admin_dbr = host->admin_cq + HOST_PAGE / 2;
	host_start_admin(host);
	host_read_is(host, ORNIC_REG_STATUS, 4, ORNIC_STATUS_READY | ORNIC_STATUS_ENABLED);
}

uint64_t host_alloc(struct host *host, uint64_t size, uint64_t align)
{
	uint64_t at = (host->used + align - 1) & -align;

	assert_true(at + size <= HOST_RAM_SIZE);
	host->used = at + size;
	/* Memory that was never written needs no pages for its zeros */
	if (size < HOST_HOLE_SIZE)
		memset(host->ram + at, 0, size);
	else
		assert_int_equal(fallocate(host->fd, FALLOC_FL_PUNCH_HOLE |
					   FALLOC_FL_KEEP_SIZE, at, size), 0);
	return HOST_RAM_BASE + at;
}

void *host_ptr(struct host *host, uint64_t addr)
{
	assert_true(addr >= HOST_RAM_BASE &&
		    addr < HOST_RAM_BASE + HOST_RAM_SIZE);
	return host->ram + (addr - HOST_RAM_BASE);
}

void *host_device_ptr(struct host *host, uint64_t addr)
{
	return mem_ptr(&host->mem, addr, 1, MEM_READ);
}

void host_unmap(struct host *host, uint64_t addr, uint64_t len)
{
	assert_int_equal(mem_unmap(&host->mem, addr, len), 0);
}

void host_map(struct host *host, uint64_t addr, uint64_t len)
{
	assert_int_equal(mem_map(&host->mem, addr, len, MEM_READ | MEM_WRITE,
				 host->fd, addr - HOST_RAM_BASE), 0);
}

uint64_t host_read(struct host *host, uint64_t reg, unsigned int size)
{
	uint64_t val = ~0ULL;

	card_bar_read(host->card, ORNIC_BAR_REGS, reg, size, &val);
	return val;
}

void host_write(struct host *host, uint64_t reg, unsigned int size,
		uint64_t val)
{
	card_bar_write(host->card, ORNIC_BAR_REGS, reg, size, val);
}

void host_doorbell(struct host *host, uint32_t page, unsigned int type,
		   uint32_t num, uint32_t val)
{
	card_bar_write(host->card, ORNIC_BAR_DB, page * CARD_DB_PAGE_SIZE, 8,
		      (uint64_t)type << 56 | (uint64_t)num << 32 | val);
}

void host_run(struct host *host)
{
	unsigned int turns = 0;

	while (card_run(host->card)) {
		if (host->wire_run)
			host->wire_run(host->wire_arg);
		assert_true(turns++ < 100000);
	}
}

void host_sleep(struct host *host, uint64_t ns)
{
	host->now_ns += ns;
	timers_run(&host->timers, host->now_ns);
	host_run(host);
}

void host_ring_admin(struct host *host)
{
	struct ornic_admin_dbr *dbr;

	if (host->admin_dbr) {
		dbr = host_ptr(host, host->admin_dbr);
		guest_store32(&dbr->sq_pi, host->admin_pi);
		guest_fence();
		if (guest_load32(&dbr->sq_watched))
			return;
	}
	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi);
}

static uint64_t host_submit_out(struct host *host, unsigned int opcode,
				const void *in, uint32_t in_len,
				uint32_t out_len)
{
	uint32_t mask = (1u << HOST_ADMIN_LOG_DEPTH) - 1;
	struct ornic_cmd_sqe *sqe = host_ptr(host, host->admin_sq);
	uint64_t in_addr = host_alloc(host, in_len + 8, 8);
	uint64_t out_addr = host_alloc(host, out_len + 8, 8);

	if (in_len)
		memcpy(host_ptr(host, in_addr), in, in_len);
	sqe[host->admin_pi & mask] = (struct ornic_cmd_sqe){
		.opcode = htole16(opcode),
		.cmd_id = htole16(host->admin_pi * 7),
		.in_len = htole32(in_len),
		.out_len = htole32(out_len),
		.in_addr = htole64(in_addr),
		.out_addr = htole64(out_addr),
	};
	host->admin_pi++;
	host_ring_admin(host);
	return out_addr;
}

void host_submit(struct host *host, unsigned int opcode, const void *in,
		 uint32_t in_len)
{
	host_submit_out(host, opcode, in, in_len, 0);
}

static struct ornic_cmd_cqe *host_next_cqe(struct host *host)
{
	uint32_t mask = (1u << HOST_ADMIN_LOG_DEPTH) - 1;
	struct ornic_cmd_cqe *cqe = host_ptr(host, host->admin_cq);

	return cqe + (host->admin_ci & mask);
}

bool host_has_completed(struct host *host)
{
	const struct ornic_cmd_cqe *cqe = host_next_cqe(host);
	uint32_t ctl = (host->admin_ci + 1) & ORNIC_CMD_CQE_SQ_CI;

	if (!(host->admin_ci >> HOST_ADMIN_LOG_DEPTH & 1))
		ctl |= ORNIC_CMD_CQE_PHASE;
	return (le32toh(cqe->ctl) & (ORNIC_CMD_CQE_PHASE |
				     ORNIC_CMD_CQE_SQ_CI)) == ctl &&
	       le16toh(cqe->cmd_id) == (uint16_t)(host->admin_ci * 7);
}

unsigned int host_completed(struct host *host)
{
	const struct ornic_cmd_cqe *cqe = host_next_cqe(host);

	assert_true(host_has_completed(host));
	host->admin_ci++;
	host->detail = le32toh(cqe->detail);
	host->out_len = le32toh(cqe->out_len);
	return le16toh(cqe->status);
}

unsigned int host_cmd_raw(struct host *host, unsigned int opcode,
			  const void *in, uint32_t in_len, void *out,
			  uint32_t out_len)
{
	uint64_t used = host->used;
	uint64_t out_addr = host_submit_out(host, opcode, in, in_len, out_len);
	unsigned int status;

	host_run(host);
	if (host->hostile && (!host_has_completed(host) ||
			      le32toh(host_next_cqe(host)->out_len) > out_len))
		host->lost = true;
	/* The card may have stopped for another reason than the command */
	if (host->card->fatal || host->lost) {
		host->used = used;
		return ORNIC_CMD_INTERNAL;
	}
	status = host_completed(host);
	assert_true(host->out_len <= out_len);
	if (out_len)
		memcpy(out, host_ptr(host, out_addr), out_len);
	host->used = used;
	return status;
}

unsigned int host_cmd_object(struct host *host, unsigned int opcode,
			     uint32_t num)
{
	struct ornic_object in = { .num = htole32(num) };

	return host_cmd_in(host, opcode, &in);
}

uint32_t host_create_object(struct host *host, unsigned int opcode,
			    const void *in, uint32_t in_len)
{
	struct ornic_object out = {};

	host_cmd_raw_is(host, opcode, in, in_len, &out, sizeof(out), ORNIC_CMD_OK);
	return le32toh(out.num);
}

uint64_t host_device_stat(struct host *host, enum ornic_device_stat stat)
{
	return host->card->stats.device[stat];
}

uint64_t host_port_stat(struct host *host, enum ornic_port_stat stat)
{
	return host->card->stats.port[stat];
}

struct stat_wanted {
	const char *name;
	uint64_t value;
	bool found;
};

static void match_stat(void *arg, const char *name, uint64_t value)
{
	struct stat_wanted *wanted = arg;

	if (!strcmp(name, wanted->name)) {
		wanted->value = value;
		wanted->found = true;
	}
}

uint64_t host_card_stat(struct host *host, const char *name)
{
	struct stat_wanted wanted = { .name = name };

	card_stats(host->card, match_stat, &wanted);
	assert_true(wanted.found);
	return wanted.value;
}

void host_port_up(struct host *host, bool up)
{
	struct ornic_modify_port_in in = { .mask = htole32(ORNIC_PORT_UP),
					   .up = up };

	host_cmd_in_ok(host, ORNIC_CMD_MODIFY_PORT, &in);
}

void host_set_gid(struct host *host, unsigned int index, const uint8_t *gid, const uint8_t *smac,
		  unsigned int vlan_id)
{
	struct ornic_set_gid_in in = {
		.index = htole16(index),
		.flags = htole16(ORNIC_GID_VALID | (vlan_id ? ORNIC_GID_VLAN : 0)),
		.vlan_id = htole16(vlan_id),
	};

	memcpy(in.gid, gid, GID_LEN);
	memcpy(in.smac, smac, MAC_LEN);
	host_cmd_in_ok(host, ORNIC_CMD_SET_GID, &in);
}

void host_buf(struct ornic_buf *buf, uint64_t addr, uint64_t len)
{
	memset(buf, 0, sizeof(*buf));
	buf->addr = htole64(addr);
	buf->npages = htole32((len + HOST_PAGE - 1) / HOST_PAGE);
	buf->page_shift = 12;
}

uint32_t host_uctx(struct host *host, uint32_t flags, uint64_t board)
{
	struct ornic_alloc_uctx_in in = {
		.flags = htole32(flags),
		.board_addr = htole64(board),
	};

	return host_create_object(host, ORNIC_CMD_ALLOC_UCTX, &in, sizeof(in));
}

uint32_t host_pd(struct host *host)
{
	return host->pds++;
}

uint32_t host_create_mr(struct host *host, const struct ornic_create_mr_in *in)
{
	struct ornic_create_mr_out out;

	host_cmd_ok(host, ORNIC_CMD_CREATE_MR, in, &out);
	return le32toh(out.key);
}

uint32_t host_mr(struct host *host, uint32_t pdn, uint64_t addr, uint64_t len,
		 uint32_t access)
{
	uint64_t offset = addr % HOST_PAGE;
	struct ornic_create_mr_in in = {
		.pdn = htole32(pdn),
		.access = htole32(access),
		.iova = htole64(addr),
		.length = htole64(len),
		.first_offset = htole64(offset),
	};

	host_buf(&in.buf, addr - offset, offset + len);
	return host_create_mr(host, &in);
}

static void host_queue_init(struct host *host, struct host_queue *queue,
			    unsigned int log_size, unsigned int log_entry)
{
	uint64_t bytes = 1ULL << (log_size + log_entry);

	memset(queue, 0, sizeof(*queue));
	queue->host = host;
	queue->log_size = log_size;
	queue->log_entry = log_entry;
	queue->ring = host_alloc(host, bytes, HOST_PAGE);
	queue->dbr = host_alloc(host, 64, 64);
}

void host_eq(struct host *host, struct host_queue *eq, unsigned int vector,
	     unsigned int log_size)
{
	struct ornic_create_eq_in in = { .vector = htole32(vector),
					 .log_size = log_size };

	host_queue_init(host, eq, log_size, 5);
	host_buf(&in.buf, eq->ring, 1ULL << (log_size + 5));
	in.dbr_addr = htole64(eq->dbr);
	eq->num = host_create_object(host, ORNIC_CMD_CREATE_EQ, &in,
				     sizeof(in));
}

void host_cq(struct host *host, struct host_queue *cq, uint32_t uctx,
	     uint32_t eqn, unsigned int log_size, unsigned int log_cqe_size)
{
	struct ornic_create_cq_in in = {
		.uctx = htole32(uctx),
		.eqn = htole32(eqn),
		.log_size = log_size,
		.log_cqe_size = log_cqe_size,
	};

	host_queue_init(host, cq, log_size, log_cqe_size);
	host_buf(&in.buf, cq->ring, 1ULL << (log_size + log_cqe_size));
	in.dbr_addr = htole64(cq->dbr);
	cq->num = host_create_object(host, ORNIC_CMD_CREATE_CQ, &in,
				     sizeof(in));
}

const void *host_queue_peek(struct host_queue *queue)
{
	uint64_t pos = queue->ci & ((1u << queue->log_size) - 1);
	const char *end = host_ptr(queue->host, queue->ring);
	bool phase = !(queue->ci >> queue->log_size & 1);

	end += (pos + 1) << queue->log_entry;
	/* The phase is bit 31 of the last word of an entry of any size */
	return guest_load32(end - 4) >> 31 == phase ?
	       end - sizeof(struct ornic_cqe) : NULL;
}

void host_queue_consume(struct host_queue *queue)
{
	struct ornic_cq_dbr *dbr = host_ptr(queue->host, queue->dbr);

	queue->ci++;
	guest_store32(&dbr->ci, queue->ci);
}

void host_queue_arm(struct host_queue *queue, unsigned int type)
{
	struct ornic_cq_dbr *dbr = host_ptr(queue->host, queue->dbr);

	queue->arm_seq += ORNIC_ARM_TYPE + 1;
	guest_store32(&dbr->arm, queue->arm_seq | type);
}

unsigned int host_event(struct host_queue *eq, uint32_t num)
{
	const struct ornic_eqe *eqe = host_queue_peek(eq);

	if (!eqe)
		return 0;
	assert_int_equal(le32toh(eqe->num), num);
	host_queue_consume(eq);
	return ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe->ctl));
}

void host_create_qp(struct host *host, struct host_qp *qp, struct ornic_create_qp_in *in)
{
	struct ornic_create_qp_out out;
	uint64_t len;

	memset(qp, 0, sizeof(*qp));
	qp->host = host;
	qp->uctx = le32toh(in->uctx);
	/* A hostile host posts to a send queue that the QP does not have, too */
	qp->log_sq_slots = in->log_sq_slots ?: 6;
	len = 64ULL << qp->log_sq_slots;
	qp->sq = host_alloc(host, len, HOST_PAGE);
	if (in->flags & htole32(ORNIC_QP_SQ))
		host_buf(&in->sq, qp->sq, len);
	qp->dbr = host_alloc(host, sizeof(struct ornic_qp_dbr), 128);
	if (in->flags & htole32(ORNIC_QP_RQ)) {
		len = 1ULL << (in->log_rq_wqes + in->rq_stride_shift);
		qp->log_rq_wqes = in->log_rq_wqes;
		qp->rq_stride_shift = in->rq_stride_shift;
		qp->rq = host_alloc(host, len, HOST_PAGE);
		host_buf(&in->rq, qp->rq, len);
	}
	if (in->type != ORNIC_QPT_XRC_RECV)
		in->dbr_addr = htole64(qp->dbr);
	host_cmd_ok(host, ORNIC_CMD_CREATE_QP, in, &out);
	qp->num = le32toh(out.qpn);
	qp->slot = le32toh(out.slot);
}

void host_queues(struct ornic_create_qp_in *in, uint32_t from, unsigned int log_rq_wqes,
		 unsigned int rq_stride_shift)
{
	if (in->type == ORNIC_QPT_XRC_RECV) {
		in->pdn = 0;
		in->xrcdn = htole32(from);
		return;
	}
	in->flags |= htole32(ORNIC_QP_SQ);
	in->log_sq_slots = 6;
	if (from) {
		in->flags |= htole32(ORNIC_QP_SRQ);
		in->srqn = htole32(from);
	} else if (in->type != ORNIC_QPT_XRC_SEND) {
		in->flags |= htole32(ORNIC_QP_RQ);
		in->log_rq_wqes = log_rq_wqes;
		in->rq_stride_shift = rq_stride_shift;
	}
}

void host_qp(struct host *host, struct host_qp *qp, unsigned int type,
	     uint32_t uctx, uint32_t pdn, const struct host_queue *cq,
	     uint32_t from)
{
	struct ornic_create_qp_in in = {
		.uctx = htole32(uctx),
		.pdn = htole32(pdn),
		.send_cqn = htole32(cq->num),
		.recv_cqn = htole32(cq->num),
		.flags = htole32(uctx || type == ORNIC_QPT_XRC_RECV ? 0 : ORNIC_QP_KERNEL),
		.type = type,
	};

	host_queues(&in, from, 6, 5);
	host_create_qp(host, qp, &in);
}

void host_create_srq(struct host *host, struct host_qp *srq,
		     struct ornic_create_srq_in *in)
{
	uint64_t len = 1ULL << (in->log_wqes + in->stride_shift);

	memset(srq, 0, sizeof(*srq));
	srq->host = host;
	srq->log_rq_wqes = in->log_wqes;
	srq->rq_stride_shift = in->stride_shift;
	srq->rq = host_alloc(host, len, HOST_PAGE);
	srq->dbr = host_alloc(host, sizeof(struct ornic_qp_dbr), 128);
	host_buf(&in->buf, srq->rq, len);
	in->dbr_addr = htole64(srq->dbr);
	srq->num = host_create_object(host, ORNIC_CMD_CREATE_SRQ, in,
				      sizeof(*in));
}

void host_srq(struct host *host, struct host_qp *srq, uint32_t pdn,
	      uint32_t flags, uint32_t xrcdn, uint32_t cqn)
{
	struct ornic_create_srq_in in = {
		.pdn = htole32(pdn),
		.flags = htole32(flags),
		.xrcdn = htole32(xrcdn),
		.cqn = htole32(cqn),
		.log_wqes = 4,
		.stride_shift = 9,
	};

	host_create_srq(host, srq, &in);
}

unsigned int host_qp_modify(struct host_qp *qp, unsigned int state)
{
	struct ornic_modify_qp_in in = {
		.qpn = htole32(qp->num),
		.mask = htole32(ORNIC_QP_ATTR_STATE),
	};

	in.attr.state = state;
	return host_cmd_in(qp->host, ORNIC_CMD_MODIFY_QP, &in);
}

void host_qp_to_rts(struct host_qp *qp)
{
	unsigned int state;

	for (state = ORNIC_QPS_INIT; state <= ORNIC_QPS_RTS; state++)
		assert_int_equal(host_qp_modify(qp, state), ORNIC_CMD_OK);
}

struct ornic_qp_dbr *host_qp_dbr(struct host_qp *qp)
{
	return host_ptr(qp->host, qp->dbr);
}
