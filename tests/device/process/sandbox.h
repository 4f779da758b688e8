/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The sandbox. When everything is open, the program gives up its user, most
 * system calls, and resources that it does not need.
 */
#ifndef ORNIC_DEVICE_SANDBOX_H
#define ORNIC_DEVICE_SANDBOX_H

#include <stdbool.h>
#include <sys/types.h>

#include "env/log.h"

/**
 * enum sandbox_mode - --sandbox
 * @SANDBOX_AUTO: on, or without it where this is not possible
 * @SANDBOX_ON: on, or the program does not start
 * @SANDBOX_OFF: off
 */
enum sandbox_mode {
	SANDBOX_AUTO,
	SANDBOX_ON,
	SANDBOX_OFF,
};

/**
 * struct sandbox_user - --user
 * @uid: user
 * @gid: group; there are no supplementary groups
 */
struct sandbox_user {
	uid_t uid;
	gid_t gid;
};

/**
 * sandbox_find_user - read the argument of --user
 * @text: name of a user, or UID:GID
 * @user: the result
 *
 * Return: true when there is such a user.
 */
bool sandbox_find_user(const char *text, struct sandbox_user *user);

/**
 * sandbox_become - become another user for good
 * @log: log for messages
 * @user: the user
 *
 * Return: 0, or a negative errno after logging a message.
 */
int sandbox_become(const struct log *log, const struct sandbox_user *user);

/**
 * sandbox_enter - limit the process to what the event loop needs
 * @log: log for messages
 * @mode: not SANDBOX_OFF
 * @fds: largest number of descriptors that the program may have
 *
 * From now on any other system call ends the process by SIGSYS, after a message.
 *
 * Return: 0, also without the sandbox when @mode permits it, or a negative errno
 * after logging a message.
 */
int sandbox_enter(const struct log *log, enum sandbox_mode mode,
		  unsigned int fds);

#endif /* ORNIC_DEVICE_SANDBOX_H */
