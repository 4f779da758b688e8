/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands, as their handlers see them, and what handlers share. admin.h
 * executes commands.
 */
#ifndef ORNIC_DEVICE_CMD_H
#define ORNIC_DEVICE_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

struct card;
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
