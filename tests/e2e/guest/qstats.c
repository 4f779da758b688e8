// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: qstats INTERFACE [device | napi [ID DEFER_HARD_IRQS GRO_FLUSH_TIMEOUT THREADED]]
 *
 * Prints the counters of each queue as the network stack reports them: one line per counter, with
 * direction, queue, name and value. Counters that the driver does not have are left out. "device"
 * prints those of all queues together, as queue -1. "napi" prints the NAPI instances, one per line,
 * with ID, interrupt and the settings named above, or changes the settings of one.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netdev.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUF_SIZE 32768

struct request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	char attrs[128];
};

/* Newer than the headers of the root tree */
enum {
	NAPI_DEFER_HARD_IRQS	= NETDEV_A_NAPI_PID + 1,
	NAPI_GRO_FLUSH_TIMEOUT,
	NAPI_IRQ_SUSPEND_TIMEOUT,
	NAPI_THREADED,

	CMD_NAPI_SET		= NETDEV_CMD_QSTATS_GET + 2,
};

static const struct {
	unsigned int type;
	const char *direction;
	const char *name;
} counters[] = {
	{ NETDEV_A_QSTATS_RX_PACKETS, "rx", "packets" },
	{ NETDEV_A_QSTATS_RX_BYTES, "rx", "bytes" },
	{ NETDEV_A_QSTATS_RX_ALLOC_FAIL, "rx", "alloc_fail" },
	{ NETDEV_A_QSTATS_TX_PACKETS, "tx", "packets" },
	{ NETDEV_A_QSTATS_TX_BYTES, "tx", "bytes" },
	{ NETDEV_A_QSTATS_TX_HW_GSO_PACKETS, "tx", "gso_packets" },
	{ NETDEV_A_QSTATS_TX_HW_GSO_BYTES, "tx", "gso_bytes" },
	{ NETDEV_A_QSTATS_TX_HW_GSO_WIRE_PACKETS, "tx", "gso_wire_packets" },
	{ NETDEV_A_QSTATS_TX_HW_GSO_WIRE_BYTES, "tx", "gso_wire_bytes" },
	{ NETDEV_A_QSTATS_TX_STOP, "tx", "stop" },
	{ NETDEV_A_QSTATS_TX_WAKE, "tx", "wake" },
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void add_attr(struct request *request, unsigned int type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)request + request->nl.nlmsg_len;

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy(attr + 1, data, len);
	request->nl.nlmsg_len += NLA_ALIGN(attr->nla_len);
}

static void add_u32(struct request *request, unsigned int type, uint32_t value)
{
	add_attr(request, type, &value, sizeof(value));
}

static void start(struct request *request, unsigned int family, unsigned int flags,
		  unsigned int cmd)
{
	*request = (struct request) {
		.nl = {
			.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
			.nlmsg_type = family,
			.nlmsg_flags = NLM_F_REQUEST | flags,
		},
		.genl = { .cmd = cmd, .version = 1 },
	};
}

static size_t exchange(int fd, const struct request *request, char *buf)
{
	ssize_t len;

	if (request && send(fd, request, request->nl.nlmsg_len, 0) < 0)
		die("send");
	len = recv(fd, buf, BUF_SIZE, 0);
	if (len < 0)
		die("recv");
	return len;
}

/* Return: the value of an attribute of 4 or 8 bytes, or -1 if it is missing */
static int64_t value_of(const struct nlmsghdr *msg, unsigned int type)
{
	const char *at = (const char *)NLMSG_DATA(msg) + GENL_HDRLEN;
	const char *end = (const char *)msg + msg->nlmsg_len;

	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *attr = (const void *)at;
		uint64_t value = 0;

		if (attr->nla_len < NLA_HDRLEN || at + attr->nla_len > end)
			break;
		if ((attr->nla_type & NLA_TYPE_MASK) == type) {
			size_t len = attr->nla_len - NLA_HDRLEN;

			memcpy(&value, attr + 1, len < sizeof(value) ? len : sizeof(value));
			return value;
		}
		at += NLA_ALIGN(attr->nla_len);
	}
	return -1;
}

static unsigned int find_family(int fd, char *buf)
{
	struct request request;
	int64_t family;

	start(&request, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	add_attr(&request, CTRL_ATTR_FAMILY_NAME, NETDEV_FAMILY_NAME, sizeof(NETDEV_FAMILY_NAME));
	exchange(fd, &request, buf);
	family = value_of((const void *)buf, CTRL_ATTR_FAMILY_ID);
	if (family < 0) {
		fprintf(stderr, "no netlink family %s\n", NETDEV_FAMILY_NAME);
		exit(1);
	}
	return family;
}

static const char *name_of(unsigned int type, const char **direction)
{
	unsigned int i;

	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (counters[i].type != type)
			continue;
		*direction = counters[i].direction;
		return counters[i].name;
	}
	*direction = "other";
	return NULL;
}

static void show_counters(const struct nlmsghdr *msg)
{
	long long queue = value_of(msg, NETDEV_A_QSTATS_QUEUE_ID);
	unsigned int type;

	for (type = NETDEV_A_QSTATS_RX_PACKETS; type <= UINT8_MAX; type++) {
		long long value = value_of(msg, type);
		const char *direction, *name;

		if (value < 0)
			continue;
		name = name_of(type, &direction);
		if (name)
			printf("%s %lld %s %lld\n", direction, queue, name, value);
		else
			printf("%s %lld %u %lld\n", direction, queue, type, value);
	}
}

static void show_napi(const struct nlmsghdr *msg)
{
	printf("%lld %lld %lld %lld %lld\n", (long long)value_of(msg, NETDEV_A_NAPI_ID),
	       (long long)value_of(msg, NETDEV_A_NAPI_IRQ),
	       (long long)value_of(msg, NAPI_DEFER_HARD_IRQS),
	       (long long)value_of(msg, NAPI_GRO_FLUSH_TIMEOUT),
	       (long long)value_of(msg, NAPI_THREADED));
}

/* Return: whether more messages follow */
static int handle_all(char *buf, size_t len, void (*show)(const struct nlmsghdr *msg))
{
	struct nlmsghdr *msg;

	for (msg = (void *)buf; NLMSG_OK(msg, len); msg = NLMSG_NEXT(msg, len)) {
		const struct nlmsgerr *error = NLMSG_DATA(msg);

		if (msg->nlmsg_type == NLMSG_DONE)
			return 0;
		if (msg->nlmsg_type == NLMSG_ERROR) {
			errno = -error->error;
			if (errno)
				die("netlink");
			return 0;
		}
		show(msg);
	}
	return 1;
}

static void run(int fd, const struct request *request, void (*show)(const struct nlmsghdr *msg))
{
	char buf[BUF_SIZE] __attribute__((aligned(8)));
	size_t len = exchange(fd, request, buf);

	while (handle_all(buf, len, show))
		len = exchange(fd, NULL, buf);
}

int main(int argc, char **argv)
{
	char buf[BUF_SIZE] __attribute__((aligned(8)));
	unsigned int ifindex, family;
	struct request request;
	const char *what;
	int fd;

	what = argc > 2 ? argv[2] : "queues";
	if (argc < 2 || (argc > 3 && (argc != 7 || strcmp(what, "napi")))) {
		fprintf(stderr, "usage: qstats INTERFACE [device | napi [ID DEFER_HARD_IRQS "
			"GRO_FLUSH_TIMEOUT THREADED]]\n");
		return 2;
	}
	ifindex = if_nametoindex(argv[1]);
	if (!ifindex)
		die(argv[1]);

	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (fd < 0)
		die("socket");

	family = find_family(fd, buf);
	if (argc == 7) {
		start(&request, family, NLM_F_ACK, CMD_NAPI_SET);
		add_u32(&request, NETDEV_A_NAPI_ID, strtoul(argv[3], NULL, 10));
		add_u32(&request, NAPI_DEFER_HARD_IRQS, strtoul(argv[4], NULL, 10));
		add_u32(&request, NAPI_GRO_FLUSH_TIMEOUT, strtoul(argv[5], NULL, 10));
		add_u32(&request, NAPI_THREADED, strtoul(argv[6], NULL, 10));
		run(fd, &request, NULL);
	} else if (!strcmp(what, "napi")) {
		start(&request, family, NLM_F_DUMP, NETDEV_CMD_NAPI_GET);
		add_u32(&request, NETDEV_A_NAPI_IFINDEX, ifindex);
		run(fd, &request, show_napi);
	} else {
		start(&request, family, NLM_F_DUMP, NETDEV_CMD_QSTATS_GET);
		add_u32(&request, NETDEV_A_QSTATS_IFINDEX, ifindex);
		if (strcmp(what, "device"))
			add_u32(&request, NETDEV_A_QSTATS_SCOPE, NETDEV_QSTATS_SCOPE_QUEUE);
		run(fd, &request, show_counters);
	}
	close(fd);
	return 0;
}
