// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Ports that lead out of the process by a file descriptor */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/switch.h"
#include "ports/port_fd.h"

/* Packets received in one turn of the loop, and waiting ones sent */
#define PACKET_BUDGET 64

/* A copy of a packet that waits */
struct port_fd_packet {
	struct list_head node;
	uint32_t len;
	bool flood;
	uint8_t bytes[];
};

static struct port_fd *to_port_fd(struct port *port)
{
	return container_of(port, struct port_fd, port);
}

/* Send, or drop on error. Return: false when the descriptor has no room now. */
static bool port_fd_send(struct port_fd *pfd, struct iovec *iov, int count)
{
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = count };
	ssize_t sent;

	if (pfd->is_socket) {
		msg.msg_name = &pfd->peer;
		msg.msg_namelen = sizeof(pfd->peer);
		sent = sendmsg(pfd->lfd.fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	} else {
		sent = writev(pfd->lfd.fd, iov, count);
	}
	if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS))
		return false;
	/* A wire without a reader loses packets too */
	if (sent < 0)
		pfd->port.stats.drops++;
	return true;
}

static void port_fd_wait(struct port_fd *pfd)
{
	timer_arm(&pfd->loop->timers, &pfd->waiting.retry,
		  pfd->loop->now_ns + pfd->waiting.retry_ns);
}

static void port_fd_forget_first(struct port_fd *pfd)
{
	struct port_fd_packet *packet =
		list_first_entry(&pfd->waiting.packets, struct port_fd_packet,
				 node);

	list_del_init(&packet->node);
	pfd->waiting.count--;
	pfd->waiting.floods -= packet->flood;
	free(packet);
}

static bool port_fd_send_first(struct port_fd *pfd)
{
	struct port_fd_packet *packet =
		list_first_entry(&pfd->waiting.packets, struct port_fd_packet,
				 node);
	struct iovec iov = {
		.iov_base = packet->bytes,
		.iov_len = packet->len,
	};

	if (!port_fd_send(pfd, &iov, 1))
		return false;
	port_fd_forget_first(pfd);
	return true;
}

/* Packets that NICs hold back for; those that go to all ports are not among them */
static unsigned int port_fd_held(const struct port_fd *pfd)
{
	return pfd->waiting.count - pfd->waiting.floods;
}

static void port_fd_set_full(struct port_fd *pfd, bool full)
{
	if (pfd->port.full == full)
		return;
	pfd->port.full = full;
	pfd->waiting.since_ns = pfd->loop->now_ns;
	if (!full)
		switch_room(pfd->port.sw);
}

static void port_fd_retry(struct timer *timer)
{
	struct port_fd *pfd = container_of(timer, struct port_fd,
					   waiting.retry);
	struct port_fd_waiting *waiting = &pfd->waiting;
	uint64_t now = pfd->loop->now_ns;
	unsigned int before = waiting->count;
	int budget = PACKET_BUDGET;

	while (waiting->count && budget-- && port_fd_send_first(pfd))
		continue;
	if (waiting->count != before) {
		waiting->retry_ns = PORT_FD_RETRY_MIN_NS;
		if (!pfd->port.full)
			waiting->since_ns = now;
		if (port_fd_held(pfd) <= PORT_FD_ROOM)
			waiting->stalled = false;
	} else if (waiting->retry_ns < (waiting->stalled ?
					PORT_FD_STALL_RETRY_NS :
					PORT_FD_RETRY_MAX_NS)) {
		waiting->retry_ns *= 2;
	}
	if (now - waiting->since_ns >= PORT_FD_STALL_NS)
		waiting->stalled = true;
	if (waiting->count)
		port_fd_wait(pfd);
	if (waiting->stalled || port_fd_held(pfd) <= PORT_FD_ROOM)
		port_fd_set_full(pfd, false);
}

/*
 * NICs hold frames to the peer back while the port is full, so the port has room
 * for those that are underway. Nobody holds frames back that go to all ports.
 */
static bool port_fd_may_wait(const struct port_fd *pfd,
			     const struct frame *frame, bool flood)
{
	if (flood)
		return pfd->waiting.floods < PORT_FD_FLOODS;
	return port_fd_held(pfd) < (pfd->waiting.stalled || !frame->src->is_card ?
				    PORT_FD_WAITING : PORT_FD_WAITING_MAX);
}

static void port_fd_queue(struct port_fd *pfd, const struct frame *frame)
{
	struct port_fd_waiting *waiting = &pfd->waiting;
	bool flood = switch_lookup(pfd->port.sw, frame->hdr) != &pfd->port;
	uint64_t len = frame_len(frame);
	struct port_fd_packet *packet = NULL;

	if (port_fd_may_wait(pfd, frame, flood) &&
	    len <= FRAME_HDR_MAX + PORT_FD_PACKET_MAX)
		packet = malloc(sizeof(*packet) + len);
	if (!packet || frame_read(frame, 0, packet->bytes, len)) {
		free(packet);
		pfd->port.stats.drops++;
		return;
	}
	packet->len = len;
	packet->flood = flood;
	list_add_tail(&packet->node, &waiting->packets);
	waiting->floods += flood;
	waiting->count++;
	if (port_fd_held(pfd) >= PORT_FD_FULL && !waiting->stalled)
		port_fd_set_full(pfd, true);
	if (!timer_armed(&waiting->retry)) {
		waiting->retry_ns = PORT_FD_RETRY_MIN_NS;
		waiting->since_ns = pfd->loop->now_ns;
		port_fd_wait(pfd);
	}
}

static void port_fd_rx(struct port *port, const struct frame *frame)
{
	struct port_fd *pfd = to_port_fd(port);
	struct iovec iov[FRAME_IOV_MAX + 2];
	int count;

	count = frame_iov(frame, 0, frame_len(frame), iov, ARRAY_SIZE(iov));
	/* Keep the order: go behind the packets that wait already */
	if (pfd->waiting.count || !port_fd_send(pfd, iov, count))
		port_fd_queue(pfd, frame);
}

/* Did the peer send this? Each process that may write to the socket could have. */
static bool port_fd_is_peer(struct port_fd *pfd, const struct sockaddr_un *sender)
{
	if (!strncmp(sender->sun_path, pfd->peer.sun_path, sizeof(sender->sun_path)))
		return true;
	if (pfd->log)
		log_msg(pfd->log, ENV_LOG_INFO, pfd->port.name,
			"drops packets of '%.*s', as the peer is '%s'",
			(int)sizeof(sender->sun_path), sender->sun_path,
			pfd->peer.sun_path);
	/* Once */
	pfd->log = NULL;
	return false;
}

/* Return: length of one packet, 0 when it is dropped, -1 without a packet */
static ssize_t read_packet(struct port_fd *pfd, struct iovec *iov, int count)
{
	struct sockaddr_un sender = { .sun_family = AF_UNSPEC };
	struct msghdr msg = {
		.msg_name = &sender,
		.msg_namelen = sizeof(sender),
		.msg_iov = iov,
		.msg_iovlen = count,
	};
	struct iovec all[3];
	uint8_t excess;
	ssize_t got;

	if (pfd->is_socket) {
		got = recvmsg(pfd->lfd.fd, &msg, MSG_DONTWAIT);
		return got >= 0 && (msg.msg_flags & MSG_TRUNC ||
				    !port_fd_is_peer(pfd, &sender)) ? 0 : got;
	}
	/* A TAP truncates silently; one more byte shows it */
	memcpy(all, iov, count * sizeof(*iov));
	all[count] = (struct iovec){ .iov_base = &excess, .iov_len = 1 };
	got = readv(pfd->lfd.fd, all, count + 1);
	return got > (ssize_t)(iov[0].iov_len + iov[1].iov_len) ? 0 : got;
}

/* Return: true when there may be more packets */
static bool receive(struct port_fd *pfd)
{
	struct frame *frame = switch_frame_alloc(&pfd->port);
	struct iovec iov[2];
	uint8_t *buffer;
	ssize_t got;

	if (!frame)
		return false;
	buffer = pfd->buffer +
		 (size_t)(frame - pfd->port.pool) * PORT_FD_PACKET_MAX;
	iov[0] = (struct iovec){ .iov_base = frame->hdr,
				 .iov_len = FRAME_HDR_MAX };
	iov[1] = (struct iovec){ .iov_base = buffer,
				 .iov_len = PORT_FD_PACKET_MAX };
	got = read_packet(pfd, iov, ARRAY_SIZE(iov));
	if (got >= 2 * MAC_LEN &&
	    !port_may_send(&pfd->spoofcheck, pfd->port.mac, frame->hdr + MAC_LEN))
		got = 0;
	if (got <= 0) {
		pfd->port.stats.refused += !got;
		switch_frame_free(&pfd->port, frame);
		return !got;
	}
	if (got > FRAME_HDR_MAX) {
		frame->hdr_len = FRAME_HDR_MAX;
		frame_add(frame, buffer, got - FRAME_HDR_MAX);
	} else {
		frame->hdr_len = got;
	}
	switch_tx(&pfd->port, frame);
	return true;
}

static void port_fd_ready(struct loop_fd *lfd, uint32_t events)
{
	struct port_fd *pfd = container_of(lfd, struct port_fd, lfd);
	int budget = PACKET_BUDGET;

	/* A deleted TAP reports EPOLLERR for ever */
	if (events & EPOLLERR && !pfd->is_socket) {
		loop_remove_fd(pfd->loop, lfd);
		return;
	}
	while (budget-- && receive(pfd))
		continue;
}

static void port_fd_destroy(struct port *port)
{
	struct port_fd *pfd = to_port_fd(port);

	timer_cancel(&pfd->loop->timers, &pfd->waiting.retry);
	while (pfd->waiting.count)
		port_fd_forget_first(pfd);
	loop_remove_fd(pfd->loop, &pfd->lfd);
	shares_remove(&pfd->loop->shares, &pfd->share);
	close(pfd->lfd.fd);
	if (pfd->path && !pfd->loop->confined)
		unlink(pfd->path);
	free(pfd->buffer);
	free(pfd);
}

static const struct port_ops port_fd_ops = {
	.rx = port_fd_rx,
	.destroy = port_fd_destroy,
};

int port_fd_create(struct loop *loop, const char *name, int fd,
		   const struct port_fd_config *config, struct port_fd **out)
{
	struct port_fd *pfd;
	int err = -ENOMEM;

	pfd = calloc(1, sizeof(*pfd));
	if (!pfd)
		return err;
	pfd->buffer = malloc((size_t)SWITCH_PORT_FRAMES * PORT_FD_PACKET_MAX);
	if (!pfd->buffer)
		goto free_pfd;
	list_init(&pfd->waiting.packets);
	timer_init(&pfd->waiting.retry, port_fd_retry);
	pfd->port.ops = &port_fd_ops;
	pfd->port.name = name;
	pfd->port.share = &pfd->share;
	pfd->port.checked = config->spoofcheck.on;
	memcpy(pfd->port.mac, config->mac, MAC_LEN);
	pfd->spoofcheck = config->spoofcheck;
	pfd->loop = loop;
	pfd->lfd.fd = fd;
	pfd->lfd.ready = port_fd_ready;
	pfd->lfd.share = &pfd->share;
	err = switch_add_port(&loop->sw, &pfd->port);
	if (err)
		goto free_buffer;
	err = loop_add_fd(loop, &pfd->lfd, EPOLLIN);
	if (err)
		goto remove_port;
	shares_add(&loop->shares, &pfd->share);
	*out = pfd;
	return 0;

remove_port:
	switch_remove_port(&pfd->port);
free_buffer:
	free(pfd->buffer);
free_pfd:
	free(pfd);
	return err;
}
