/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The command line. */
#ifndef ORNIC_DEVICE_OPTIONS_H
#define ORNIC_DEVICE_OPTIONS_H

#include <stdbool.h>

#include "log.h"
#include "nic.h"

#define OPTIONS_MAX_NICS 64
#define OPTIONS_MAX_PORTS 16
#define OPTIONS_NAME_LEN 8

/**
 * struct options_nic - one --nic
 * @path: of the vfio-user socket
 * @name: nic0, nic1 ...
 * @config: what the card is told
 */
struct options_nic {
	const char *path;
	char name[OPTIONS_NAME_LEN];
	struct nic_config config;
};

/**
 * struct options_port - one --port
 * @tap: interface name, NULL for dgram
 * @local: our socket
 * @remote: QEMU's socket
 */
struct options_port {
	const char *tap;
	const char *local;
	const char *remote;
};

/**
 * struct options - the command line
 * @nic: cards
 * @nic_count: number of @nic
 * @port: ports to the outside
 * @port_count: number of @port
 * @pcap: file to capture to, or NULL
 * @control: path of the control socket, or NULL
 * @spin_us: longest time to spin after work
 * @bytes: packets are bytes everywhere
 * @log: how much to say
 *
 * Strings point into the arguments, which options_parse() cuts up.
 */
struct options {
	struct options_nic nic[OPTIONS_MAX_NICS];
	unsigned int nic_count;
	struct options_port port[OPTIONS_MAX_PORTS];
	unsigned int port_count;
	const char *pcap;
	const char *control;
	unsigned int spin_us;
	bool bytes;
	struct log log;
};

/**
 * enum options_result - what to do after options_parse()
 * @OPTIONS_RUN: start
 * @OPTIONS_DONE: --help or --version was asked for and answered
 * @OPTIONS_BAD: the command line makes no sense, and a message says why
 */
enum options_result {
	OPTIONS_RUN,
	OPTIONS_DONE,
	OPTIONS_BAD,
};

/**
 * options_parse - read the command line
 * @options: filled
 * @argc: of main()
 * @argv: of main()
 *
 * Return: what to do.
 */
enum options_result options_parse(struct options *options, int argc,
				  char **argv);

#endif /* ORNIC_DEVICE_OPTIONS_H */
