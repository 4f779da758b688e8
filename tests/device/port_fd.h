/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the ports have in common that lead out of the process by a descriptor. */
#ifndef ORNIC_DEVICE_PORT_FD_H
#define ORNIC_DEVICE_PORT_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "log.h"
#include "loop.h"
#include "options.h"
#include "port.h"

/* Longest packet from outside: MTU 9000 with room for all headers. */
#define PORT_FD_PACKET_MAX 10240

/*
 * Packets that wait for a reader who is slower than we are. The port is full
 * with the first number, and again not full with the second; NICs then send no
 * more but what they had on its way. Others cannot be held back, and their
 * packets are dropped where more than the third number wait.
 */
#define PORT_FD_FULL 64
#define PORT_FD_ROOM 16
#define PORT_FD_WAITING 128
/* What all NICs of a process may have on its way when the port is full */
#define PORT_FD_WAITING_MAX \
	(PORT_FD_WAITING + OPTIONS_MAX_NICS * SWITCH_PORT_FRAMES)
#define PORT_FD_RETRY_MIN_NS 50000
#define PORT_FD_RETRY_MAX_NS 1000000
/*
 * For a reader who took nothing for so long nobody waits, and the card seldom
 * looks.
 */
#define PORT_FD_STALL_NS 1000000000
#define PORT_FD_STALL_RETRY_NS 10000000

/**
 * struct port_fd_waiting - packets to the outside that found no room there
 *
 * A Unix datagram socket takes 11 packets and then says no, however much room
 * the reader would have a moment later; and it tells nobody of the moment.
 *
 * @packets: struct port_fd_packet list: copies, in order
 * @count: their number
 * @retry: tries again
 * @retry_ns: after so long, twice as long each time that there is still no room
 * @since_ns: when the reader last took one, or the first began to wait
 * @stalled: it took none for PORT_FD_STALL_NS: the port is not full, and has
 *	packets of NICs wait as those of others
 */
struct port_fd_waiting {
	struct list_head packets;
	unsigned int count;
	struct timer retry;
	uint64_t retry_ns;
	uint64_t since_ns;
	bool stalled;
};

/**
 * struct port_fd - a port of bytes
 * @port: the port
 * @loop: watches @lfd
 * @lfd: one packet per read, one per write
 * @is_socket: @lfd is a datagram socket, packets go to @peer
 * @peer: where packets go
 * @path: to remove at the end, NULL for none
 * @buffer: PORT_FD_PACKET_MAX bytes for each frame of the port's pool
 * @waiting: packets to the outside
 * @oversize: packets from outside that were too long
 */
struct port_fd {
	struct port port;
	struct loop *loop;
	struct loop_fd lfd;
	bool is_socket;
	struct sockaddr_un peer;
	const char *path;
	uint8_t *buffer;
	struct port_fd_waiting waiting;
	uint64_t oversize;
};

/**
 * port_fd_create - make a port of a descriptor and plug it into the loop's switch
 * @loop: runs it
 * @name: of the port, outlives it
 * @fd: non-blocking, the port's on success
 * @out: the port; the switch destroys it
 *
 * Return: 0 or a negative errno.
 */
int port_fd_create(struct loop *loop, const char *name, int fd,
		   struct port_fd **out);

/**
 * port_dgram_create - a port to QEMU's -netdev dgram
 * @loop: runs it
 * @log: where messages go
 * @local: path of our socket, outlives the port
 * @remote: path of QEMU's, which need not exist yet
 *
 * Return: 0 or a negative errno, and a message was logged.
 */
int port_dgram_create(struct loop *loop, const struct log *log,
		      const char *local, const char *remote);

/**
 * port_tap_create - a port to a TAP interface of the host
 * @loop: runs it
 * @log: where messages go
 * @name: of the interface, outlives the port; made if there is none
 *
 * Return: 0 or a negative errno, and a message was logged.
 */
int port_tap_create(struct loop *loop, const struct log *log, const char *name);

#endif /* ORNIC_DEVICE_PORT_FD_H */
