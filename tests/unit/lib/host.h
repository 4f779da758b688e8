/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A host with a card in one process, for tests of the core. Guest memory is a
 * memfd; time advances by a step each time the card reads the clock, and in
 * host_sleep(); interrupts and frames are counted. The driver's side of the
 * rings is written here once, from the hardware interface.
 */
#ifndef ORNIC_UNIT_HOST_H
#define ORNIC_UNIT_HOST_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/state.h"
#include "env/env.h"
#include "unit.h"

#define HOST_RAM_BASE 0x100000ULL
#define HOST_RAM_SIZE (32ULL << 20)
#define HOST_PAGE 4096ULL
/* An address that is not mapped */
#define HOST_NOWHERE 0x7f0000000000ULL
#define HOST_VECTORS 4
#define HOST_FRAMES 128
#define HOST_ADMIN_LOG_DEPTH 5
/* Default of struct host's @clock_step_ns */
#define HOST_CLOCK_STEP_NS 1
/* First state of the random numbers of a card, by its MAC; odd */
#define HOST_RANDOM 0x9e3779b97f4a7c15ULL

/**
 * struct host - a host and its card
 * @env: the card's surroundings
 * @mem: DMA map
 * @timers: timer wheel of the card
 * @now_ns: current time
 * @clock_step_ns: time that passes each time the card reads the clock
 * @runnable_look: if not NULL, called each time the card has new work to do, to
 *	act as a vCPU that runs meanwhile
 * @runnable_arg: for @runnable_look
 * @random: state of the card's random numbers; 0: all of them are 0, so that
 *	numbers come in order
 * @card: the card
 * @mac: MAC address of the card
 * @peers_local: result of env_peer_is_local()
 * @path_full: result of env_path_is_full()
 * @peers_wait: opposite of the result of env_serve()
 * @payer: latest argument of env_serve()
 * @wants_bytes: latest argument of env_want_bytes()
 * @unread: result of env_unread()
 * @fd: memfd of guest memory
 * @ram: guest memory, mapped here
 * @used: bytes allocated by host_alloc()
 * @irqs: number of interrupts, by vector
 * @runnable: number of calls of env_mark_runnable()
 * @frames: number of frames allocated and not freed
 * @flushes: number of calls of env_tx_flush()
 * @wire: frames sent, in order, struct frame list
 * @wire_run: if not NULL, called by host_run() after each turn, to handle @wire
 * @wire_arg: for @wire_run
 * @hostile: a work request or a command may have overwritten the admin ring; a
 *	completion with other content than expected sets @lost
 * @lost: the admin queue is out of step until the next reset
 * @message: the card's latest log message
 * @admin_sq: bus address of the admin submission ring
 * @admin_cq: bus address of the admin completion ring
 * @wants_record: host_enable() gives the admin queue a record
 * @admin_dbr: bus address of the admin record, or 0
 * @admin_pi: number of commands submitted
 * @admin_ci: number of completions consumed
 * @detail: detail of the latest completion
 * @out_len: output length of the latest completion, bytes
 * @pds: numbers of PDs that were given out
 */
struct host {
	struct env env;
	struct mem mem;
	struct timers timers;
	uint64_t now_ns;
	uint64_t clock_step_ns;
	void (*runnable_look)(void *arg);
	void *runnable_arg;
	uint64_t random;
	struct card *card;
	uint8_t mac[MAC_LEN];
	bool peers_local;
	bool path_full;
	bool peers_wait;
	const struct port *payer;
	bool wants_bytes;
	bool unread;
	int fd;
	char *ram;
	uint64_t used;
	unsigned int irqs[HOST_VECTORS];
	unsigned int runnable;
	unsigned int frames;
	unsigned int flushes;
	struct list_head wire;
	void (*wire_run)(void *arg);
	void *wire_arg;
	bool hostile;
	bool lost;
	char message[256];
	uint64_t admin_sq;
	uint64_t admin_cq;
	bool wants_record;
	uint64_t admin_dbr;
	uint32_t admin_pi;
	uint32_t admin_ci;
	uint32_t detail;
	uint32_t out_len;
	uint32_t pds;
};

/* A CQ or an EQ as the driver sees it */
struct host_queue {
	struct host *host;
	uint32_t num;
	unsigned int log_size;
	unsigned int log_entry;
	uint64_t ring;
	uint64_t dbr;
	uint32_t ci;
	uint32_t arm_seq;
};

/* Value of a doorbell that tells ci and requests an event or an interrupt */
static inline uint32_t host_queue_db(const struct host_queue *queue,
				     unsigned int type)
{
	return ORNIC_PREP(ORNIC_DB_ARM_CI, queue->ci) | type;
}

/* A QP as the provider sees it, or an SRQ, which uses the receive half */
struct host_qp {
	struct host *host;
	uint32_t num;
	uint32_t slot;
	uint32_t uctx;
	uint64_t dbr;
	uint64_t sq;
	uint64_t rq;
	unsigned int log_sq_slots;
	unsigned int log_rq_wqes;
	unsigned int rq_stride_shift;
	uint32_t sq_pi;
	uint32_t rq_pi;
};

/* Fixtures: a card that is enabled; the same without ORNIC_CAPS_SHADOW */
int host_setup(void **state);
int host_setup_no_shadow(void **state);
int host_teardown(void **state);

#define IN_HOST IN(host_setup, host_teardown)

struct host *host_create(bool shadow, uint8_t mac_tail);
/* Create a card with the options of @as; its name, MAC and vectors are set here */
struct host *host_create_as(const struct card_config *as, uint8_t mac_tail);
void host_destroy(struct host *host);
/*
 * Host of a card that exists, for the functions that write registers and guest
 * memory. The caller maps @fd for the card at HOST_RAM_BASE.
 */
struct host *host_of(struct card *card);
void host_release(struct host *host);

/* Allocate and program the admin queue, and enable the card */
void host_enable(struct host *host);
/*
 * Program the admin queue that host_enable() allocated, enable the card, and
 * bring all its features into force
 */
void host_start_admin(struct host *host);
/* The same, and no feature is in force after a reset */
void host_start_rings(struct host *host);

/* Execute SET_HOST; return its status */
unsigned int host_set_host(struct host *host, uint64_t features);

uint64_t host_alloc(struct host *host, uint64_t size, uint64_t align);
void *host_ptr(struct host *host, uint64_t addr);
/* Return the address at which the card has mapped @addr */
void *host_device_ptr(struct host *host, uint64_t addr);
/* Take pages out of the DMA map, and put them back */
void host_unmap(struct host *host, uint64_t addr, uint64_t len);
void host_map(struct host *host, uint64_t addr, uint64_t len);

uint64_t host_read(struct host *host, uint64_t reg, unsigned int size);
void host_write(struct host *host, uint64_t reg, unsigned int size,
		uint64_t val);
void host_doorbell(struct host *host, uint32_t page, unsigned int type,
		   uint32_t num, uint32_t val);

/* Call card_run() until there is no work left */
void host_run(struct host *host);
/* Advance time by @ns: run timers, then host_run() */
void host_sleep(struct host *host, uint64_t ns);

/* Publish admin_pi as [ORNIC-ADM-18] says */
void host_ring_admin(struct host *host);
/* Submit a command without output, as [ORNIC-ADM-18] says; the card does not run */
void host_submit(struct host *host, unsigned int opcode, const void *in,
		 uint32_t in_len);
/* Return true if the next completion is there, as the card writes it */
bool host_has_completed(struct host *host);
/* Consume the oldest completion and return its status; fail if there is none */
unsigned int host_completed(struct host *host);
/* Execute a command with all lengths chosen by the test; return its status */
unsigned int host_cmd_raw(struct host *host, unsigned int opcode,
			  const void *in, uint32_t in_len, void *out,
			  uint32_t out_len);
/* Execute a command with the lengths of its structures; return its status */
#define host_cmd(host, opcode, in, out) \
	host_cmd_raw(host, opcode, in, sizeof(*(in)), out, sizeof(*(out)))
#define host_cmd_in(host, opcode, in) \
	host_cmd_raw(host, opcode, in, sizeof(*(in)), NULL, 0)
#define host_cmd_out(host, opcode, out) \
	host_cmd_raw(host, opcode, NULL, 0, out, sizeof(*(out)))
/* Check that the command @good with @field set to @value ends with @status */
#define host_refused(host, opcode, good, field, value, out, status) do { \
		typeof(good) _in = good;                                 \
		_in.field = value;                                       \
		host_cmd_is(host, opcode, &_in, out, status);            \
	} while (0)
unsigned int host_cmd_object(struct host *host, unsigned int opcode,
			     uint32_t num);
/*
 * NAME_is() checks that NAME() returns the last argument, and NAME_ok() that it
 * returns ORNIC_CMD_OK. They are macros so that a failure has the test's line.
 */
#define host_cmd_is(host, opcode, in, out, status) \
	assert_int_equal(host_cmd(host, opcode, in, out), status)
#define host_cmd_raw_is(host, opcode, in, in_len, out, out_len, status) \
	assert_int_equal(host_cmd_raw(host, opcode, in, in_len, out, out_len), status)
#define host_cmd_in_is(host, opcode, in, status) \
	assert_int_equal(host_cmd_in(host, opcode, in), status)
#define host_cmd_out_is(host, opcode, out, status) \
	assert_int_equal(host_cmd_out(host, opcode, out), status)
#define host_cmd_object_is(host, opcode, num, status) \
	assert_int_equal(host_cmd_object(host, opcode, num), status)
#define host_cmd_ok(host, opcode, in, out) \
	host_cmd_is(host, opcode, in, out, ORNIC_CMD_OK)
#define host_cmd_in_ok(host, opcode, in) \
	host_cmd_in_is(host, opcode, in, ORNIC_CMD_OK)
#define host_cmd_out_ok(host, opcode, out) \
	host_cmd_out_is(host, opcode, out, ORNIC_CMD_OK)
#define host_cmd_object_ok(host, opcode, num) \
	host_cmd_object_is(host, opcode, num, ORNIC_CMD_OK)
#define host_read_is(host, reg, size, value) \
	assert_int_equal(host_read(host, reg, size), value)
#define host_device_stat_is(host, stat, count) \
	assert_int_equal(host_device_stat(host, stat), count)
#define host_port_stat_is(host, stat, count) \
	assert_int_equal(host_port_stat(host, stat), count)
/* Execute a command that answers with struct ornic_object; return its number */
uint32_t host_create_object(struct host *host, unsigned int opcode,
			    const void *in, uint32_t in_len);

uint64_t host_device_stat(struct host *host, enum ornic_device_stat stat);
/* Set a GID with the source MAC of its packets; @vlan_id 0: without a VLAN */
void host_set_gid(struct host *host, unsigned int index, const uint8_t *gid, const uint8_t *smac,
		  unsigned int vlan_id);
uint64_t host_port_stat(struct host *host, enum ornic_port_stat stat);
/* Return a number that card_stats() tells, such as "objects.qp" */
uint64_t host_card_stat(struct host *host, const char *name);

void host_port_up(struct host *host, bool up);

/* Describe a contiguous buffer in pages of 4096 bytes */
void host_buf(struct ornic_buf *buf, uint64_t addr, uint64_t len);

uint32_t host_uctx(struct host *host, uint32_t flags, uint64_t board);
/* Return the number of another PD, which the host chooses ([ORNIC-OBJ-12]) */
uint32_t host_pd(struct host *host);
/* Execute CREATE_MR; return the key */
uint32_t host_create_mr(struct host *host, const struct ornic_create_mr_in *in);
/* Create an MR over [addr, addr + len) with iova = addr; return its key */
uint32_t host_mr(struct host *host, uint32_t pdn, uint64_t addr, uint64_t len,
		 uint32_t access);
void host_eq(struct host *host, struct host_queue *eq, unsigned int vector,
	     unsigned int log_size);
void host_cq(struct host *host, struct host_queue *cq, uint32_t uctx,
	     uint32_t eqn, unsigned int log_size, unsigned int log_cqe_size);

/*
 * Return the next entry if its phase marks it as written, else NULL: struct
 * ornic_eqe or struct ornic_cqe, which is the end of an entry of 64 bytes
 */
const void *host_queue_peek(struct host_queue *queue);
/* Return the extension of a completion in an entry of 64 bytes */
static inline const struct ornic_cqe_ext *
host_cqe_ext(const struct ornic_cqe *cqe)
{
	return (const void *)((const char *)cqe -
			      offsetof(struct ornic_cqe_64, cqe));
}
/* Consume an entry and publish ci */
void host_queue_consume(struct host_queue *queue);
void host_queue_arm(struct host_queue *queue, unsigned int type);
/*
 * Consume the next event, which must be about @num; return its type, or 0 if there
 * is none
 */
unsigned int host_event(struct host_queue *eq, uint32_t num);

/* Create a QP with rings of the sizes in @in; buffers and dbr_addr are filled in */
void host_create_qp(struct host *host, struct host_qp *qp, struct ornic_create_qp_in *in);
/* Fill in the queues of a QP of the type in @in; @from as for host_qp() */
void host_queues(struct ornic_create_qp_in *in, uint32_t from, unsigned int log_rq_wqes,
		 unsigned int rq_stride_shift);
/*
 * Create a QP with the queues of its type; a kernel QP if @uctx is 0. @from is
 * the XRCD of an XRC_RECV QP; for other types, the SRQ or 0.
 */
void host_qp(struct host *host, struct host_qp *qp, unsigned int type,
	     uint32_t uctx, uint32_t pdn, const struct host_queue *cq,
	     uint32_t from);
/* Create an SRQ with a ring of the size in @in; buf and dbr_addr are filled in */
void host_create_srq(struct host *host, struct host_qp *srq,
		     struct ornic_create_srq_in *in);
/* Create an SRQ of 16 WQEs; @xrcdn and @cqn are for ORNIC_SRQ_XRC only */
void host_srq(struct host *host, struct host_qp *srq, uint32_t pdn,
	      uint32_t flags, uint32_t xrcdn, uint32_t cqn);
/* Modify the state and no other attribute, which is enough for RAW_PACKET */
unsigned int host_qp_modify(struct host_qp *qp, unsigned int state);
/* From RESET to RTS */
void host_qp_to_rts(struct host_qp *qp);
struct ornic_qp_dbr *host_qp_dbr(struct host_qp *qp);

#endif /* ORNIC_UNIT_HOST_H */
