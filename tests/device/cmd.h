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
 * struct cmd - a command during its execution
 * @in: input, copied once from guest memory and padded with zeros to the size
 *	in the table
 * @in_len: bytes that the host provided, at most the size in the table
 * @out: output buffer of the size in the table, all zero at first
 * @out_len: bytes of output, preset to the size in the table; a handler with a
 *	shorter output reduces it
 * @detail: device-specific detail of a refusal, for the host's log
 * @more: set by a handler that must be called again with the same input, so
 *	that a long command does not delay other work; its status is then
 *	ignored
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
 * struct cmd_desc - an entry of the command table
 * @name: name for messages
 * @opcode: enum ornic_opcode
 * @in_min: smallest accepted input, bytes
 * @in_size: known input, bytes; the tail of a longer input must be zero
 * @out_size: largest output, bytes
 * @handle: executes the command. It checks reserved fields and everything else
 *	first and changes nothing unless it returns ORNIC_CMD_OK.
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
 * @depth: entries of each ring, 0 while disabled
 * @sq_addr: bus address of the submission ring
 * @cq_addr: bus address of the completion ring
 * @sq_pi: producer index last written by the host, runs free
 * @sq_ci: commands fetched, runs free
 * @cq_pi: completions written, runs free
 * @busy: a command (@sqe, @in) is fetched and not complete
 * @sqe: the command being executed
 * @in: copy of its input, which the host cannot change
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
 * @log_depth: log2 of the entries of each ring
 * @sq_addr: bus address of the submission ring
 * @cq_addr: bus address of the completion ring
 */
void admin_enable(struct nic *nic, unsigned int log_depth, uint64_t sq_addr,
		  uint64_t cq_addr);

/**
 * admin_disable - stop the queue and drop incomplete commands
 * @nic: the card
 */
void admin_disable(struct nic *nic);

/**
 * admin_ring - handle a write to ORNIC_REG_ADMIN_DB
 * @nic: the card
 * @pi: value written
 */
void admin_ring(struct nic *nic, uint32_t pi);

/**
 * admin_pending - is there a command to execute or to continue
 * @nic: the card
 *
 * Return: true when there is.
 */
bool admin_pending(const struct nic *nic);

/**
 * admin_run - execute commands
 * @nic: the card
 * @budget: largest number of commands
 *
 * Return: true when any command was executed.
 */
bool admin_run(struct nic *nic, unsigned int budget);

/**
 * cmd_find_unused - find the object that a command destroys
 * @table: table of the object's kind
 * @cmd: command with struct ornic_object as input
 * @obj: the object, set with ORNIC_CMD_OK and BUSY
 *
 * Return: ORNIC_CMD_OK, BAD_PARAM, BAD_OBJECT, or BUSY while other objects use
 * it.
 */
enum ornic_cmd_status cmd_find_unused(const struct obj_table *table,
				      const struct cmd *cmd, struct obj **obj);

/**
 * cmd_is_zero - are all bytes zero
 * @p: first byte
 * @len: number of bytes
 *
 * Return: true when they are.
 */
bool cmd_is_zero(const void *p, size_t len);

/* Check a reserved field of any type: CMD_RSVD_ZERO(in->rsvd) */
#define CMD_RSVD_ZERO(field) cmd_is_zero(&(field), sizeof(field))

#endif /* ORNIC_DEVICE_CMD_H */
