/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The command line */
#ifndef ORNIC_DEVICE_OPTIONS_H
#define ORNIC_DEVICE_OPTIONS_H

#include <stdbool.h>

#include "base/config.h"
#include "env/log.h"
#include "loop/loop.h"
#include "ports/port_fd.h"
#include "process/sandbox.h"

#define OPTIONS_MAX_NICS LOOP_CARDS_MAX
#define OPTIONS_MAX_PORTS 16
/* Format of the names of cards, and room for them */
#define OPTIONS_NAME "nic%u"
#define OPTIONS_NAME_LEN 8

/**
 * struct options_nic - one --nic
 * @path: path of the vfio-user socket
 * @name: nic0, nic1 ...
 * @config: configuration of the card
 */
struct options_nic {
	const char *path;
	char name[OPTIONS_NAME_LEN];
	struct card_config config;
};

/**
 * struct options_port - one --port
 * @tap: name of the TAP interface, NULL for dgram
 * @local: path of the card's socket
 * @remote: path of QEMU's socket
 * @config: the station behind the port
 */
struct options_port {
	const char *tap;
	const char *local;
	const char *remote;
	struct port_fd_config config;
};

/**
 * struct options - options of the command line
 * @nic: cards
 * @nic_count: number of @nic
 * @port: ports that lead out of the process
 * @port_count: number of @port
 * @pcap: path of the capture file, or NULL
 * @control: path of the control socket, or NULL
 * @spin_us: longest time to spin after work, us
 * @sandbox: --sandbox
 * @user: user to become after the start
 * @has_user: there is a @user
 * @bytes: also packets between cards of this process are real wire bytes
 * @log: log level
 *
 * Strings point into argv, which options_parse() modifies.
 */
struct options {
	struct options_nic nic[OPTIONS_MAX_NICS];
	unsigned int nic_count;
	struct options_port port[OPTIONS_MAX_PORTS];
	unsigned int port_count;
	const char *pcap;
	const char *control;
	unsigned int spin_us;
	enum sandbox_mode sandbox;
	struct sandbox_user user;
	bool has_user;
	bool bytes;
	struct log log;
};

/**
 * enum options_result - result of options_parse()
 * @OPTIONS_RUN: start the cards
 * @OPTIONS_DONE: exit successfully after --help or --version
 * @OPTIONS_BAD: exit with an error; a message names it
 */
enum options_result {
	OPTIONS_RUN,
	OPTIONS_DONE,
	OPTIONS_BAD,
};

/**
 * options_parse - parse the command line
 * @options: options to fill
 * @argc: argument of main()
 * @argv: argument of main()
 *
 * Return: enum options_result.
 */
enum options_result options_parse(struct options *options, int argc,
				  char **argv);

/**
 * options_parse_nic - parse the argument of one --nic
 * @nic: filled; its strings point into @arg, which is modified
 * @number: of the card, which gives it a name and a default MAC
 * @arg: the argument
 *
 * Return: NULL, or why not, valid until the next call.
 */
const char *options_parse_nic(struct options_nic *nic, unsigned int number, char *arg);

#endif /* ORNIC_DEVICE_OPTIONS_H */
