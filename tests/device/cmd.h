/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The admin queue: fetches commands, checks their sizes against one table,
 * calls the handler, writes the answer and the completion.
 */
#ifndef ORNIC_DEVICE_CMD_H
#define ORNIC_DEVICE_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

struct nic;
struct obj;
struct obj_table;

/**
 * struct cmd - one command while it is executed
 * @in: input, copied from guest memory once; as long as the table says,
 *	what the host left out being zero
 * @in_len: bytes the host gave, at most what the table says
 * @out: to fill; all zero, as long as the table says
 * @out_len: bytes of answer. Preset to what the table says; a handler whose
 *	answer is shorter lowers it
 * @detail: device's own word about a refusal, for the host's log
 * @more: set by a handler that wants to be called again with the same input:
 *	it takes long and others have their turn; what it returns is ignored
 */
struct cmd {
	const void *in;
	uint32_t in_len;
	void *out;
	uint32_t out_len;
	uint32_t detail;
	bool more;
};

/**
 * struct cmd_desc - one line of the table of commands
 * @name: for messages
 * @opcode: enum ornic_opcode
 * @in_min: bytes it cannot do without
 * @in_size: bytes it knows; more is accepted when zero
 * @out_size: bytes it may answer
 * @handle: executes it. Checks reserved fields and everything else first and
 *	changes nothing unless it returns ORNIC_CMD_OK
 */
struct cmd_desc {
	const char *name;
	uint16_t opcode;
	uint16_t in_min;
	uint16_t in_size;
	uint16_t out_size;
	enum ornic_cmd_status (*handle)(struct nic *nic, struct cmd *cmd);
};

/**
 * struct admin - the admin queue
 * @depth: entries of either ring, 0 while disabled
 * @sq_addr: bus address of the submission ring
 * @cq_addr: bus address of the completion ring
 * @sq_pi: as rung by the host, 16 bits count
 * @sq_ci: commands fetched, runs free
 * @cq_pi: completions written, runs free
 * @busy: a command is fetched and not complete: @sqe with input @in
 * @sqe: the command being executed
 * @in: its input; the host may change its own meanwhile
 */
struct admin {
	uint32_t depth;
	uint64_t sq_addr;
	uint64_t cq_addr;
	uint32_t sq_pi;
	uint32_t sq_ci;
	uint32_t cq_pi;
	bool busy;
	struct ornic_cmd_sqe sqe;
	uint64_t in[ORNIC_CMD_MAX_IN / 8];
};

/**
 * admin_enable - start the queue with empty rings
 * @nic: the card
 * @log_depth: log2 of both rings
 * @sq_addr: bus address
 * @cq_addr: bus address
 */
void admin_enable(struct nic *nic, unsigned int log_depth, uint64_t sq_addr,
		  uint64_t cq_addr);

/**
 * admin_disable - stop the queue; commands not yet complete are forgotten
 * @nic: the card
 */
void admin_disable(struct nic *nic);

/**
 * admin_ring - the host wrote ORNIC_REG_ADMIN_DB
 * @nic: the card
 * @pi: value written
 */
void admin_ring(struct nic *nic, uint32_t pi);

/**
 * admin_pending - is there a command to execute, or one that goes on
 * @nic: the card
 *
 * Return: true when there is.
 */
bool admin_pending(const struct nic *nic);

/**
 * admin_run - execute commands
 * @nic: the card
 * @budget: how many at most
 *
 * Return: whether any was executed.
 */
bool admin_run(struct nic *nic, unsigned int budget);

/**
 * cmd_find_unused - what a command wants to destroy
 * @table: where it is
 * @cmd: its input is struct ornic_object
 * @obj: the object, with ORNIC_CMD_OK
 *
 * Return: ORNIC_CMD_OK; BAD_PARAM, BAD_OBJECT or, while others use it, BUSY.
 */
enum ornic_cmd_status cmd_find_unused(const struct obj_table *table,
				      const struct cmd *cmd, struct obj **obj);

/**
 * cmd_is_zero - are reserved bytes zero
 * @p: where
 * @len: bytes
 *
 * Return: true when they are.
 */
bool cmd_is_zero(const void *p, size_t len);

/* CMD_RSVD_ZERO(in->rsvd) for a field of any shape */
#define CMD_RSVD_ZERO(field) cmd_is_zero(&(field), sizeof(field))

#endif /* ORNIC_DEVICE_CMD_H */
