// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: rds serve IP
 *        rds ask IP SERVER-IP
 *
 * AF_RDS between two machines: datagrams of many sizes, which the server sends back inverted, and
 * memory of the client, which the server reads and writes by RDMA. All data is checked. The server
 * prints "bound" when it is ready. At the end both print the statistics of RDS: a line "connection
 * TRANSPORT" per connection, and a line "NAME NUMBER" per counter that is not 0.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <linux/rds.h>

#define SERVER_PORT 18634
#define CLIENT_PORT 18635
#define MESSAGES 200
#define WINDOW 8
#define BIGGEST (96 * 1024)
/* An MR of the small pool of RDS and one of its large pool, both unaligned */
static const uint32_t mapped[] = { 8000, 1000000 };
#define MAPPED_MAX 1000000
#define MAPPED_OFFSET 72

enum kind { ECHO, MAP, READ_DONE, WRITE_DONE, BYE };

struct header {
	uint32_t kind;
	uint32_t number;
	uint32_t bytes;	/* after the header, or mapped */
};

struct peer {
	int fd;
	struct sockaddr_in addr;	/* of the other side */
};

static uint8_t message[sizeof(struct header) + BIGGEST];
static uint8_t memory[MAPPED_OFFSET + MAPPED_MAX]
	__attribute__((aligned(4096)));

static uint8_t pattern(uint32_t number, uint32_t i)
{
	return number * 37 + i * 13 + (i >> 8) * 5 + (i >> 16);
}

static void fill(uint8_t *data, uint32_t bytes, uint32_t number, uint8_t mask)
{
	for (uint32_t i = 0; i < bytes; i++)
		data[i] = pattern(number, i) ^ mask;
}

static void verify(const char *what, const uint8_t *data, uint32_t bytes,
		   uint32_t number, uint8_t mask)
{
	for (uint32_t i = 0; i < bytes; i++)
		if (data[i] != (uint8_t)(pattern(number, i) ^ mask))
			errx(1, "%s %u: byte %u of %u is wrong", what, number,
			     i, bytes);
}

static struct sockaddr_in address(const char *ip, uint16_t port)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};

	if (inet_pton(AF_INET, ip, &sin.sin_addr) != 1)
		errx(1, "%s is no IPv4 address", ip);
	return sin;
}

/* Send message[], with a control message of RDS if data is set */
static void send_message(struct peer *peer, uint32_t bytes, int type,
			 const void *data, size_t size)
{
	uint8_t control[CMSG_SPACE(sizeof(struct rds_rdma_args))] = {};
	struct iovec iov = { message, sizeof(struct header) + bytes };
	struct msghdr msg = {
		.msg_name = &peer->addr,
		.msg_namelen = sizeof(peer->addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	struct cmsghdr *cmsg;
	int tries = 100;
	ssize_t sent;

	if (data) {
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(size);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_RDS;
		cmsg->cmsg_type = type;
		cmsg->cmsg_len = CMSG_LEN(size);
		memcpy(CMSG_DATA(cmsg), data, size);
	}
	/* EAGAIN: memory is mapped through a connection, which may be new */
	while ((sent = sendmsg(peer->fd, &msg, 0)) < 0 && errno == EAGAIN &&
	       tries--)
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	if (sent != (ssize_t)iov.iov_len)
		err(1, "sendmsg of %zu bytes", iov.iov_len);
}

static void send_header(struct peer *peer, enum kind kind, uint32_t number,
			uint32_t bytes, int type, const void *data, size_t size)
{
	struct header header = { kind, number, bytes };

	memcpy(message, &header, sizeof(header));
	send_message(peer, 0, type, data, size);
}

/*
 * Receive into message[]. A control message holds a cookie, which goes to @cookie, or the status of
 * an RDMA operation.
 *
 * Return: the length of the message; 0 for a status.
 */
static size_t receive(struct peer *peer, rds_rdma_cookie_t *cookie)
{
	uint8_t control[256];
	struct iovec iov = { message, sizeof(message) };
	struct msghdr msg = {
		.msg_name = &peer->addr,
		.msg_namelen = sizeof(peer->addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct rds_rdma_notify notify;
	struct cmsghdr *cmsg;
	ssize_t length;

	length = recvmsg(peer->fd, &msg, 0);
	if (length < 0)
		err(1, "recvmsg");
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_type == RDS_CMSG_RDMA_DEST && cookie)
			memcpy(cookie, CMSG_DATA(cmsg), sizeof(*cookie));
		if (cmsg->cmsg_type != RDS_CMSG_RDMA_STATUS)
			continue;
		memcpy(&notify, CMSG_DATA(cmsg), sizeof(notify));
		if (notify.status != RDS_RDMA_SUCCESS)
			errx(1, "RDMA ended with status %d", notify.status);
	}
	return length;
}

static struct header expect(struct peer *peer, enum kind kind, uint32_t number)
{
	struct header header;
	size_t length = receive(peer, NULL);

	memcpy(&header, message, sizeof(header));
	if (length < sizeof(header) || header.kind != kind ||
	    header.number != number)
		errx(1, "%zu bytes of kind %u, number %u instead of %u, %u",
		     length, header.kind, header.number, kind, number);
	return header;
}

static void rdma(struct peer *peer, const struct header *header,
		 rds_rdma_cookie_t cookie, enum kind answer, uint64_t flags)
{
	struct rds_iovec local = {
		.addr = (uintptr_t)memory,
		.bytes = header->bytes,
	};
	struct rds_rdma_args args = {
		.cookie = cookie,
		.remote_vec = { .bytes = header->bytes },
		.local_vec_addr = (uintptr_t)&local,
		.nr_local = 1,
		.flags = flags | RDS_RDMA_NOTIFY_ME,
	};
	struct sockaddr_in addr = peer->addr;

	send_header(peer, answer, header->number, header->bytes,
		    RDS_CMSG_RDMA_ARGS, &args, sizeof(args));
	if (receive(peer, NULL))
		errx(1, "a message instead of RDMA's status");
	/* A status has no sender, so restore the address */
	peer->addr = addr;
}

static void serve(struct peer *peer)
{
	struct header header;
	rds_rdma_cookie_t cookie;
	size_t length;

	for (;;) {
		cookie = 0;
		length = receive(peer, &cookie);
		memcpy(&header, message, sizeof(header));
		if (length < sizeof(header))
			errx(1, "a message of %zu bytes", length);
		switch (header.kind) {
		case ECHO:
			if (length != sizeof(header) + header.bytes)
				errx(1, "%zu bytes of %u", length,
				     header.bytes);
			for (size_t i = sizeof(header); i < length; i++)
				message[i] = ~message[i];
			send_message(peer, header.bytes, 0, NULL, 0);
			break;
		case MAP:
			if (!cookie)
				errx(1, "nothing is mapped");
			memset(memory, 0, header.bytes);
			rdma(peer, &header, cookie, READ_DONE, 0);
			verify("READ", memory, header.bytes, header.number, 0);
			fill(memory, header.bytes, header.number, 0xff);
			rdma(peer, &header, cookie, WRITE_DONE,
			     RDS_RDMA_READWRITE);
			break;
		case BYE:
			send_message(peer, 0, 0, NULL, 0);
			return;
		default:
			errx(1, "a message of kind %u", header.kind);
		}
	}
}

static uint32_t size_of(uint32_t number)
{
	/* Around the size of a fragment, which is a page, and far from it */
	static const uint32_t sizes[] = {
		0, 1, 4095, 4096, 4097, 8192, 33333, 64, BIGGEST,
	};

	return sizes[number % (sizeof(sizes) / sizeof(sizes[0]))];
}

static void echo(struct peer *peer)
{
	struct header header;
	uint32_t sent = 0, received;

	for (received = 0; received < MESSAGES; received++) {
		while (sent < MESSAGES && sent - received < WINDOW) {
			header = (struct header){ ECHO, sent, size_of(sent) };
			memcpy(message, &header, sizeof(header));
			fill(message + sizeof(header), header.bytes, sent, 0);
			send_message(peer, header.bytes, 0, NULL, 0);
			sent++;
		}
		header = expect(peer, ECHO, received);
		if (header.bytes != size_of(received))
			errx(1, "%u bytes in answer %u", header.bytes,
			     received);
		verify("echo", message + sizeof(header), header.bytes, received,
		       0xff);
	}
}

static void map(struct peer *peer, uint32_t number, uint32_t bytes)
{
	uint8_t *data = memory + MAPPED_OFFSET;
	rds_rdma_cookie_t cookie = 0;
	struct rds_get_mr_args get = {
		.vec = { .addr = (uintptr_t)data, .bytes = bytes },
		.cookie_addr = (uintptr_t)&cookie,
		.flags = RDS_RDMA_READWRITE,
	};
	struct rds_free_mr_args release = { .flags = RDS_RDMA_INVALIDATE };

	fill(data, bytes, number, 0);
	send_header(peer, MAP, number, bytes, RDS_CMSG_RDMA_MAP, &get,
		    sizeof(get));
	expect(peer, READ_DONE, number);
	expect(peer, WRITE_DONE, number);
	verify("WRITE", data, bytes, number, 0xff);
	release.cookie = cookie;
	if (setsockopt(peer->fd, SOL_RDS, RDS_FREE_MR, &release,
		       sizeof(release)))
		err(1, "RDS_FREE_MR");
}

/* Get a snapshot of RDS; getsockopt() returns the size of an element */
static void *info(int fd, int option, int *each, socklen_t *total)
{
	static uint8_t buffer[65536] __attribute__((aligned(4096)));

	*total = sizeof(buffer);
	*each = getsockopt(fd, SOL_RDS, option, buffer, total);
	if (*each <= 0)
		err(1, "getsockopt %d", option);
	return buffer;
}

static void report(int fd)
{
	struct rds_info_connection connection;
	struct rds_info_counter counter;
	socklen_t total, at;
	uint8_t *data;
	int each;

	data = info(fd, RDS_INFO_CONNECTIONS, &each, &total);
	for (at = 0; at < total; at += each) {
		memcpy(&connection, data + at, sizeof(connection));
		printf("connection %.*s\n", TRANSNAMSIZ, connection.transport);
	}
	data = info(fd, RDS_INFO_COUNTERS, &each, &total);
	for (at = 0; at < total; at += each) {
		memcpy(&counter, data + at, sizeof(counter));
		if (counter.value)
			printf("%.*s %llu\n", (int)sizeof(counter.name),
			       counter.name, (unsigned long long)counter.value);
	}
}

int main(int argc, char **argv)
{
	bool server = argc == 3 && !strcmp(argv[1], "serve");
	struct sockaddr_in own;
	struct peer peer = {};

	if (!server && (argc != 4 || strcmp(argv[1], "ask")))
		errx(2, "usage: rds serve IP | rds ask IP SERVER-IP");
	peer.fd = socket(AF_RDS, SOCK_SEQPACKET, 0);
	if (peer.fd < 0)
		err(1, "socket");
	own = address(argv[2], server ? SERVER_PORT : CLIENT_PORT);
	if (bind(peer.fd, (struct sockaddr *)&own, sizeof(own)))
		err(1, "bind to %s", argv[2]);
	if (server) {
		puts("bound");
		fflush(stdout);
		serve(&peer);
	} else {
		peer.addr = address(argv[3], SERVER_PORT);
		echo(&peer);
		for (size_t i = 0; i < sizeof(mapped) / sizeof(mapped[0]); i++)
			map(&peer, i, mapped[i]);
		send_header(&peer, BYE, 0, 0, 0, NULL, 0);
		expect(&peer, BYE, 0);
	}
	report(peer.fd);
	return 0;
}
