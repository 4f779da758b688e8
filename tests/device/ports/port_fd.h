/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ports that lead out of the process by a file descriptor */
#ifndef ORNIC_DEVICE_PORT_FD_H
#define ORNIC_DEVICE_PORT_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "env/log.h"
#include "env/port.h"
#include "loop/loop.h"

/* Longest packet from outside: MTU 9000 with room for all headers */
#define PORT_FD_PACKET_MAX 10240

/*
 * Limits of the queue of packets that wait for a slow reader. The port becomes
 * full at PORT_FD_FULL packets and has room again at PORT_FD_ROOM. While it is
 * full, NICs send it only frames that are queued already. Other ports cannot be
 * held back: their packets are dropped when PORT_FD_WAITING packets wait. Nobody
 * holds frames back that go to all ports: they do not count, have a limit of
 * their own, and are dropped at it.
 */
#define PORT_FD_FULL 64
#define PORT_FD_ROOM 16
#define PORT_FD_WAITING 128
#define PORT_FD_FLOODS 128
/* Room for all frames that the NICs of a process may have queued */
#define PORT_FD_WAITING_MAX \
	(PORT_FD_WAITING + LOOP_CARDS_MAX * SWITCH_PORT_FRAMES)
#define PORT_FD_RETRY_MIN_NS 10000
#define PORT_FD_RETRY_MAX_NS 1000000
/*
 * The port is full for PORT_FD_STALL_NS at most. A reader that does not make
 * room in that time, however many packets it takes, holds back no NIC until it
 * does: the port drops. If the reader takes nothing, the port retries only every
 * PORT_FD_STALL_RETRY_NS or so.
 */
#define PORT_FD_STALL_NS 1000000000
#define PORT_FD_STALL_RETRY_NS 10000000

/**
 * struct port_fd_waiting - packets that the descriptor had no room for
 *
 * A Unix datagram socket takes 11 packets and then fails with EAGAIN, whatever
 * room the reader has a moment later. It does not signal when it has room
 * again, so a timer retries.
 *
 * @packets: list of struct port_fd_packet, which are copies, in order
 * @count: number of @packets
 * @floods: those of them that went to all ports
 * @retry: timer of the next attempt
 * @retry_ns: time to the next attempt, ns; doubles with each attempt that fails
 * @since_ns: time when the port became full; if it is not full, when the reader
 *	last took a packet or the first one was queued, ns
 * @stalled: that was PORT_FD_STALL_NS ago: the port is not full, and
 *	PORT_FD_WAITING limits frames of NICs too
 */
struct port_fd_waiting {
	struct list_head packets;
	unsigned int count;
	unsigned int floods;
	struct timer retry;
	uint64_t retry_ns;
	uint64_t since_ns;
	bool stalled;
};

/**
 * struct port_fd - a port on a file descriptor
 * @port: the port
 * @share: pays for the packets from outside
 * @loop: watches @lfd
 * @lfd: the descriptor; one packet per read and per write
 * @is_socket: @lfd is a datagram socket that sends to @peer
 * @peer: destination address; packets of others are dropped
 * @path: path to unlink when the port is destroyed, or NULL
 * @buffer: PORT_FD_PACKET_MAX bytes for each frame of the port's pool
 * @waiting: packets that wait to be sent
 * @spoofcheck: which sources packets from outside may have
 * @log: where the first packet of a stranger is told
 */
struct port_fd {
	struct port port;
	struct share share;
	struct loop *loop;
	struct loop_fd lfd;
	bool is_socket;
	struct sockaddr_un peer;
	const char *path;
	uint8_t *buffer;
	struct port_fd_waiting waiting;
	struct port_spoofcheck spoofcheck;
	const struct log *log;
};

/**
 * struct port_fd_config - what is known of the station behind a port
 * @mac: its address; all zero: any number of stations, which the switch learns
 * @spoofcheck: which sources it may send with
 */
struct port_fd_config {
	uint8_t mac[MAC_LEN];
	struct port_spoofcheck spoofcheck;
};

/**
 * port_fd_create - create a port on a descriptor and plug it into the loop's
 *	switch
 * @loop: event loop of the port
 * @name: name of the port; outlives it
 * @fd: non-blocking descriptor; belongs to the port on success
 * @config: the station behind it
 * @out: the port; the switch destroys it
 *
 * Return: 0 or a negative errno.
 */
int port_fd_create(struct loop *loop, const char *name, int fd,
		   const struct port_fd_config *config, struct port_fd **out);

/**
 * port_dgram_create - create a port to QEMU's -netdev dgram
 * @loop: event loop of the port
 * @log: where messages go
 * @local: path of the port's own socket; outlives the port
 * @remote: path of QEMU's socket, which need not exist yet. QEMU must have bound
 *	it by the same path.
 * @config: the station behind it
 *
 * Return: 0, or a negative errno after a message was logged.
 */
int port_dgram_create(struct loop *loop, const struct log *log,
		      const char *local, const char *remote,
		      const struct port_fd_config *config);

/**
 * port_tap_create - create a port to a TAP interface of the host
 * @loop: event loop of the port
 * @log: where messages go
 * @name: name of the interface; outlives the port. The interface is created if
 *	it does not exist
 * @config: the station behind it
 *
 * Return: 0, or a negative errno after a message was logged.
 */
int port_tap_create(struct loop *loop, const struct log *log, const char *name,
		    const struct port_fd_config *config);

#endif /* ORNIC_DEVICE_PORT_FD_H */
