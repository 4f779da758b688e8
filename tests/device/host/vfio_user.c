// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* vfio-user: connections and messages; vfio_user_cmd.c has the commands */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/vfio_user.h"
#include "loop/sock.h"

static void close_fds(struct vfio_user *vu)
{
	unsigned int i;

	for (i = 0; i < vu->in_fd_count; i++)
		if (vu->in_fd[i] >= 0)
			close(vu->in_fd[i]);
	vu->in_fd_count = 0;
}

void vfio_user_drop(struct vfio_user *vu)
{
	if (vu->client.fd < 0)
		return;
	loop_remove_fd(vu->loop, &vu->client);
	close(vu->client.fd);
	vu->client.fd = -1;
	close_fds(vu);
	vu->in_len = 0;
	vu->out_len = 0;
	vu->out_sent = 0;
	vu->negotiated = false;
	vu->unfinished = false;
	vu->multi_done = 0;
	vu->ops->closed(vu);
	env_log(vu->env, ENV_LOG_INFO, "client left");
}

/* Send the rest of the reply. Return: true when all of it is sent. */
static bool flush_reply(struct vfio_user *vu)
{
	ssize_t sent;

	while (vu->out_sent < vu->out_len) {
		sent = send(vu->client.fd, vu->out + vu->out_sent,
			    vu->out_len - vu->out_sent,
			    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent > 0) {
			vu->out_sent += sent;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			vfio_user_drop(vu);
		return false;
	}
	vu->out_len = 0;
	vu->out_sent = 0;
	return true;
}

static void reply(struct vfio_user *vu, int err, size_t payload)
{
	struct vfio_user_header *header = &vu->out_header;

	if (err)
		vu->stats.errors++;
	if (vu->in_header.flags & VFIO_USER_NO_REPLY)
		return;
	header->id = vu->in_header.id;
	header->cmd = vu->in_header.cmd;
	header->size = sizeof(*header) + (err ? 0 : payload);
	header->flags = VFIO_USER_TYPE_REPLY | (err ? VFIO_USER_ERROR : 0);
	header->error = -err;
	vu->out_len = header->size;
	vu->out_sent = 0;
}

/* Store received descriptors. Return: false when there are too many. */
static bool take_fds(struct vfio_user *vu, struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	unsigned int count, i;
	bool ok = !(msg->msg_flags & MSG_CTRUNC);
	int fd;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET ||
		    cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
		for (i = 0; i < count; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(fd),
			       sizeof(fd));
			if (vu->in_fd_count < VFIO_USER_MAX_FDS) {
				vu->in_fd[vu->in_fd_count++] = fd;
			} else {
				close(fd);
				ok = false;
			}
		}
	}
	return ok;
}

/*
 * Receive up to @until bytes of the message and no byte of the next one:
 * descriptors arrive with the first byte that they were sent with, and must not
 * be taken for those of another message.
 *
 * Return: 1 when the bytes are there, 0 when not yet, -1 when the client was
 * dropped.
 */
static int receive(struct vfio_user *vu, size_t until)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(VFIO_USER_MAX_FDS * sizeof(int))];
	} control;
	struct iovec iov = {
		.iov_base = vu->in + vu->in_len,
		.iov_len = until - vu->in_len,
	};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t got;

	if (vu->in_len >= until)
		return 1;
	got = recvmsg(vu->client.fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0) {
		vfio_user_drop(vu);
		return -1;
	}
	if (!take_fds(vu, &msg)) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_FDS,
			      "more than %u descriptors, closing",
			      VFIO_USER_MAX_FDS);
		vfio_user_drop(vu);
		return -1;
	}
	vu->in_len += got;
	return vu->in_len == until;
}

/* A bad header ends the connection, as the message cannot be skipped */
static bool header_ok(struct vfio_user *vu)
{
	const struct vfio_user_header *header = &vu->in_header;

	if (header->flags & ~VFIO_USER_NO_REPLY) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_HEADER,
			      "command %u has flags %#x, closing", header->cmd,
			      header->flags);
		return false;
	}
	if (header->size < sizeof(*header) || header->size > VFIO_USER_MAX_MSG) {
		env_violation(vu->env, VIOLATION_VFIO_BAD_SIZE,
			      "command %u has %u bytes, closing", header->cmd,
			      header->size);
		return false;
	}
	return true;
}

/* Return: true when there is a complete message */
static bool get_message(struct vfio_user *vu)
{
	if (vu->unfinished)
		return true;
	if (receive(vu, sizeof(vu->in_header)) <= 0)
		return false;
	if (!header_ok(vu)) {
		vfio_user_drop(vu);
		return false;
	}
	if (receive(vu, vu->in_header.size) <= 0)
		return false;
	vu->stats.messages++;
	vfio_user_charge(vu, VFIO_USER_COST_MESSAGE);
	return true;
}

/* Return: true when a message was handled and there may be another */
static bool handle_message(struct vfio_user *vu)
{
	size_t reply_len = 0;
	bool negotiated;
	int err;

	if (!get_message(vu))
		return false;
	err = vfio_user_handle(vu, &reply_len);
	if (vu->unfinished) {
		/* EPOLLOUT is due at once and causes the next turn */
		loop_modify_fd(vu->loop, &vu->client, EPOLLOUT);
		return false;
	}
	vu->multi_done = 0;
	close_fds(vu);
	reply(vu, err, reply_len);
	vu->in_len = 0;
	negotiated = vu->negotiated;
	if (!flush_reply(vu)) {
		if (vu->client.fd >= 0)
			loop_modify_fd(vu->loop, &vu->client, EPOLLOUT);
		return false;
	}
	/* Negotiation failed: disconnect */
	if (!negotiated) {
		vfio_user_drop(vu);
		return false;
	}
	return true;
}

static void client_ready(struct loop_fd *lfd, uint32_t events)
{
	struct vfio_user *vu = container_of(lfd, struct vfio_user, client);

	vu->budget = VFIO_USER_TURN;
	/* Handle no further message before the client has read the reply */
	if (vu->out_len && !flush_reply(vu))
		return;
	if (events & EPOLLOUT)
		loop_modify_fd(vu->loop, &vu->client, EPOLLIN);
	while (vu->budget && handle_message(vu))
		continue;
}

bool vfio_user_unread(const struct vfio_user *vu)
{
	struct pollfd poll_fd = { .fd = vu->client.fd, .events = POLLIN };

	return vu->in_len || poll(&poll_fd, 1, 0) == 1;
}

/* Is the client gone, though some of its messages may be unread? */
static bool client_is_gone(const struct vfio_user *vu)
{
	struct pollfd poll_fd = { .fd = vu->client.fd };

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & POLLHUP;
}

static void listener_ready(struct loop_fd *lfd, uint32_t events)
{
	struct vfio_user *vu = container_of(lfd, struct vfio_user, listener);
	int fd, err;

	(void)events;
	fd = sock_accept(lfd->fd, &vu->loop->spare_fd);
	if (fd == -EMFILE || fd == -ENFILE) {
		vu->stats.refused++;
		env_log(vu->env, ENV_LOG_ERR,
			"%s: a client was refused: %s", vu->path,
			strerror(-fd));
	}
	if (fd < 0)
		return;
	/*
	 * The former client may have died without its hang-up being handled
	 * yet. A client that has not negotiated does not keep the card either.
	 */
	if (vu->client.fd >= 0 && (!vu->negotiated || client_is_gone(vu)))
		vfio_user_drop(vu);
	if (vu->client.fd >= 0) {
		vu->stats.refused++;
		env_log(vu->env, ENV_LOG_ERR,
			"%s: a second client was refused, the card is in use",
			vu->path);
		close(fd);
		return;
	}
	vu->client.fd = fd;
	err = loop_add_fd(vu->loop, &vu->client, EPOLLIN);
	if (err) {
		env_log(vu->env, ENV_LOG_ERR,
			"cannot watch client: %s",
			strerror(-err));
		vu->client.fd = -1;
		close(fd);
		return;
	}
	vu->stats.connects++;
	env_log(vu->env, ENV_LOG_INFO, "client came");
}

int vfio_user_open(struct vfio_user *vu, int listener)
{
	int err;

	vu->client.fd = -1;
	vu->client.ready = client_ready;
	vu->listener.ready = listener_ready;
	vu->listener.fd = listener < 0 ? sock_bind(vu->path, SOCK_STREAM) : listener;
	if (vu->listener.fd < 0)
		return vu->listener.fd;
	err = loop_add_fd(vu->loop, &vu->listener, EPOLLIN);
	if (err && listener < 0) {
		close(vu->listener.fd);
		unlink(vu->path);
	}
	if (err)
		vu->listener.fd = -1;
	return err;
}

void vfio_user_close(struct vfio_user *vu)
{
	if (vu->listener.fd < 0)
		return;
	vfio_user_drop(vu);
	loop_remove_fd(vu->loop, &vu->listener);
	close(vu->listener.fd);
	if (!vu->loop->confined)
		unlink(vu->path);
	vu->listener.fd = -1;
}
