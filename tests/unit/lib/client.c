// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Cards with real clients */
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "loop/sock.h"

/* Memory space and bus mastering, in the command register */
#define COMMAND_OFFSET 4
#define COMMAND_ENABLE 6
#define MESSAGE_MAX 65536
#define HANG_SECONDS 120

int client_connect(struct world *w, unsigned int slot)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;

	assert_true(fd >= 0);
	assert_int_equal(sock_address(w->path[slot], &address), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address,
				 sizeof(address)), 0);
	return fd;
}

/* Return: false when the socket is full */
static bool send_message(int client, unsigned int cmd, uint32_t flags,
			 const void *payload, size_t len, int fd, int how)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {};
	struct vfio_user_header header = {
		.id = 1,
		.cmd = cmd,
		.size = sizeof(header) + len,
		.flags = flags,
	};
	struct iovec iov[] = {
		{ .iov_base = &header, .iov_len = sizeof(header) },
		{ .iov_base = (void *)(uintptr_t)payload, .iov_len = len },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	struct cmsghdr *cmsg;
	ssize_t sent;

	if (fd >= 0) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = sizeof(control.bytes);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	sent = sendmsg(client, &msg, MSG_NOSIGNAL | how);
	if (sent < 0 && errno == EAGAIN)
		return false;
	assert_int_equal(sent, header.size);
	return true;
}

void client_send(int client, unsigned int cmd, uint32_t flags,
		 const void *payload, size_t len, int fd)
{
	assert_true(send_message(client, cmd, flags, payload, len, fd, 0));
}

bool client_try_send(int client, unsigned int cmd, uint32_t flags,
		     const void *payload, size_t len, int fd)
{
	return send_message(client, cmd, flags, payload, len, fd,
			    MSG_DONTWAIT);
}

bool client_readable(int client)
{
	struct pollfd poll_fd = { .fd = client, .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 1;
}

void client_wait(struct world *w, int client)
{
	while (!client_readable(client))
		assert_int_equal(loop_turn(&w->loop), 0);
}

unsigned int client_reply(int client, unsigned int cmd, void *payload,
			  size_t len)
{
	uint8_t message[MESSAGE_MAX];
	struct vfio_user_header header;
	ssize_t got = recv(client, message, sizeof(message), MSG_DONTWAIT);

	assert_true(got >= (ssize_t)sizeof(header));
	memcpy(&header, message, sizeof(header));
	assert_int_equal(header.size, got);
	assert_int_equal(header.cmd, cmd);
	if (header.flags & VFIO_USER_ERROR)
		return header.error;
	assert_true(got >= (ssize_t)(sizeof(header) + len));
	if (len)
		memcpy(payload, message + sizeof(header), len);
	return 0;
}

unsigned int client_request(struct world *w, int client, unsigned int cmd,
			    const void *payload, size_t len, int fd)
{
	client_send(client, cmd, 0, payload, len, fd);
	client_wait(w, client);
	return client_reply(client, cmd, NULL, 0);
}

unsigned int client_version(struct world *w, int client)
{
	struct vfio_user_version version = {};

	return client_request(w, client, VFIO_USER_VERSION, &version,
			      sizeof(version), -1);
}

void client_write(struct world *w, int client, unsigned int region,
		  uint64_t offset, uint64_t value, unsigned int size)
{
	struct {
		struct vfio_user_region_access access;
		uint64_t value;
	} write = {
		.access = {
			.offset = offset,
			.region = region,
			.count = size,
		},
		.value = value,
	};

	assert_int_equal(client_request(w, client, VFIO_USER_REGION_WRITE,
					&write, sizeof(write.access) + size,
					-1), 0);
}

void client_begin(struct world *w, int client)
{
	assert_int_equal(client_version(w, client), 0);
	client_write(w, client, VFIO_USER_REGION_CONFIG, COMMAND_OFFSET,
		     COMMAND_ENABLE, 2);
}

int world_setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	unsigned int i;

	assert_non_null(w);
	/* End a turn that sleeps because it has nothing to do */
	alarm(HANG_SECONDS);
	strcpy(w->dir, "/tmp/ornic-unit-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	assert_int_equal(loop_init(&w->loop, 0), 0);
	w->log.level = ENV_LOG_ERR;
	for (i = 0; i < CLIENT_CARDS; i++) {
		struct card_config config = {
			.name = "nic",
			/* The time of a turn must repeat exactly */
			.ordered = true,
			.mac = { 2, 0, 0, 0, 0, i },
			.vectors = CARD_VECTORS_MAX,
		};

		snprintf(w->path[i], sizeof(w->path[i]), "%s/%u", w->dir, i);
		assert_int_equal(slot_create(&w->loop, &w->log, &config,
					     w->path[i], -1, &w->slot[i]), 0);
		w->client[i] = client_connect(w, i);
		client_begin(w, w->client[i]);
	}
	*state = w;
	return 0;
}

int world_teardown(void **state)
{
	struct world *w = *state;
	unsigned int i;

	for (i = 0; i < CLIENT_CARDS; i++) {
		close(w->client[i]);
		slot_destroy(w->slot[i]);
	}
	loop_uninit(&w->loop);
	assert_int_equal(rmdir(w->dir), 0);
	free(w);
	alarm(0);
	return 0;
}
