// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Entry points of the interface's queues and of binding the drivers; see nomem.c */
#include <fcntl.h>
#include <glob.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nomem.h"

/* Small rings have few buffers, which shortens a sweep */
#define RX_RING 64
#define RULE 1
#define PORT 4000
#define MTU 9000
#define XDP_MTU 1500

int netdev_request(struct nomem *nomem, unsigned long code, struct ifreq *ifr)
{
	snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%.15s", nomem->netdev);
	return ioctl(nomem->fd, code, ifr) ? errno : 0;
}

int netdev_ethtool(struct nomem *nomem, void *command)
{
	struct ifreq ifr = { .ifr_data = command };

	return netdev_request(nomem, SIOCETHTOOL, &ifr);
}

static int set_mtu(struct nomem *nomem, int mtu)
{
	struct ifreq ifr = { .ifr_mtu = mtu };

	return netdev_request(nomem, SIOCSIFMTU, &ifr);
}

static int set_ring(struct nomem *nomem, unsigned int rx)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	int err = netdev_ethtool(nomem, &ring);

	if (err)
		return err;
	ring.cmd = ETHTOOL_SRINGPARAM;
	ring.rx_pending = rx;
	return netdev_ethtool(nomem, &ring);
}

/* Copy the last part of the only path that matches to name. Return: name. */
static const char *only(const char *pattern, char *name, size_t len)
{
	glob_t found;

	want(!glob(pattern, 0, NULL, &found) && found.gl_pathc == 1, "%s", pattern);
	snprintf(name, len, "%s", strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
	return name;
}

void netdev_find(struct nomem *nomem)
{
	char pattern[128];

	snprintf(pattern, sizeof(pattern), "/sys/class/infiniband/%s/device/net/*",
		 nomem->device);
	only(pattern, nomem->netdev, sizeof(nomem->netdev));
	nomem->fd = socket(AF_INET, SOCK_DGRAM, 0);
	want(nomem->fd >= 0, "%s", strerror(errno));
}

void netdev_leave(struct nomem *nomem)
{
	close(nomem->fd);
}

PREPARE(find_netdev, netdev_find, set_ring(nomem, RX_RING))
FINISH(leave_netdev, set_ring(nomem, 1024), netdev_leave)

void netdev_has_carrier(struct nomem *nomem)
{
	char path[128], text[4] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/class/net/%s/carrier", nomem->netdev);
	fd = open(path, O_RDONLY);
	want(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && *text == '1', "%s: %s", path, text);
	close(fd);
}

CALL(more_buffers, set_ring(nomem, 2 * RX_RING))
CALL(fewer_buffers, set_ring(nomem, RX_RING))

static int set_channels(struct nomem *nomem, unsigned int count)
{
	struct ethtool_channels channels = {
		.cmd = ETHTOOL_SCHANNELS, .combined_count = count,
	};

	return netdev_ethtool(nomem, &channels);
}

CALL(one_queue, set_channels(nomem, 1))
CALL(two_queues, set_channels(nomem, 2))

static int add_rule(struct nomem *nomem)
{
	struct ethtool_rxnfc rule = {
		.cmd = ETHTOOL_SRXCLSRLINS,
		.fs = { .flow_type = UDP_V4_FLOW, .location = RULE },
	};

	rule.fs.h_u.udp_ip4_spec.pdst = PORT;
	rule.fs.m_u.udp_ip4_spec.pdst = 0xffff;
	return netdev_ethtool(nomem, &rule);
}

static int delete_rule(struct nomem *nomem)
{
	struct ethtool_rxnfc rule = { .cmd = ETHTOOL_SRXCLSRLDEL, .fs.location = RULE };

	return netdev_ethtool(nomem, &rule);
}

CALL(small_mtu, set_mtu(nomem, XDP_MTU))
CALL(large_mtu, set_mtu(nomem, MTU))

int netdev_set_flag(struct nomem *nomem, short flag, bool on)
{
	struct ifreq ifr = {};
	int err = netdev_request(nomem, SIOCGIFFLAGS, &ifr);

	if (err)
		return err;
	ifr.ifr_flags &= ~flag;
	ifr.ifr_flags |= on ? flag : 0;
	return netdev_request(nomem, SIOCSIFFLAGS, &ifr);
}

CALL(up, netdev_set_flag(nomem, IFF_UP, true))
CALL(down, netdev_set_flag(nomem, IFF_UP, false))

PREPARE(find_netdev_down, find_netdev, down(nomem))
FINISH(leave_netdev_up, up(nomem), leave_netdev)

int xdp_load(const struct bpf_insn *insns, size_t count)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_XDP, .insn_cnt = count, .insns = (uintptr_t)insns,
		.license = (uintptr_t)"GPL",
	};
	int fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	want(fd >= 0, "%s", strerror(errno));
	return fd;
}

/* Make an XDP program that passes every frame */
static void find_netdev_xdp(struct nomem *nomem)
{
	static const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	find_netdev(nomem);
	want_ok(small_mtu(nomem));
	nomem->prog = xdp_load(pass, ARRAY_SIZE(pass));
}

static void leave_netdev_xdp(struct nomem *nomem)
{
	close(nomem->prog);
	want_ok(large_mtu(nomem));
	leave_netdev(nomem);
}

static int attach_xdp(struct nomem *nomem)
{
	union bpf_attr attr = {
		.link_create = {
			.prog_fd = nomem->prog, .target_ifindex = if_nametoindex(nomem->netdev),
			.attach_type = BPF_XDP, .flags = XDP_FLAGS_DRV_MODE,
		},
	};

	nomem->made.fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return nomem->made.fd < 0 ? errno : 0;
}

CALL(detach_xdp, close(nomem->made.fd) ? errno : 0)

/* Write the name of the device to a file of the driver. Return: 0 or errno. */
static int tell_driver(struct nomem *nomem, int fd)
{
	return write(fd, nomem->netdev, strlen(nomem->netdev)) < 0 ? errno : 0;
}

CALL(bind_device, tell_driver(nomem, nomem->fd))
CALL(unbind_device, tell_driver(nomem, nomem->prog))

/* Unbind the device that netdev names; driver: its directory */
static void unbind_first(struct nomem *nomem, const char *driver)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/bind", driver);
	nomem->fd = open(path, O_WRONLY);
	snprintf(path, sizeof(path), "%s/unbind", driver);
	nomem->prog = open(path, O_WRONLY);
	want(nomem->fd >= 0 && nomem->prog >= 0, "%s: %s", path, strerror(errno));
	want_ok(unbind_device(nomem));
}

static void find_pci(struct nomem *nomem)
{
	char path[128], target[256] = "";

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device", nomem->device);
	want(readlink(path, target, sizeof(target) - 1) > 0, "%s", strerror(errno));
	snprintf(nomem->netdev, sizeof(nomem->netdev), "%s", strrchr(target, '/') + 1);
	unbind_first(nomem, "/sys/bus/pci/drivers/ornic");
}

static void find_auxiliary(struct nomem *nomem)
{
	char pattern[128];

	snprintf(pattern, sizeof(pattern), "/sys/class/infiniband/%s/device/ornic.rdma.*",
		 nomem->device);
	only(pattern, nomem->netdev, sizeof(nomem->netdev));
	unbind_first(nomem, "/sys/bus/auxiliary/drivers/ornic_rdma.rdma");
}

static void bind_for_good(struct nomem *nomem)
{
	want_ok(bind_device(nomem));
	close(nomem->fd);
	close(nomem->prog);
}

const struct entry netdev_entries[] = {
	{ "rings", find_netdev, more_buffers, fewer_buffers, leave_netdev,
	  .check = netdev_has_carrier },
	{ "channels", find_netdev, one_queue, two_queues, leave_netdev,
	  .check = netdev_has_carrier },
	{ "rule", find_netdev, add_rule, delete_rule, leave_netdev, true,
	  .check = netdev_has_carrier },
	{ "mtu", find_netdev, small_mtu, large_mtu, leave_netdev, .check = netdev_has_carrier },
	{ "up", find_netdev_down, up, down, leave_netdev_up },
	{ "xdp", find_netdev_xdp, attach_xdp, detach_xdp, leave_netdev_xdp, true,
	  .check = netdev_has_carrier },
	{ 0 },
};

const struct entry probe_entries[] = {
	{ "probe_rdma", find_auxiliary, bind_device, unbind_device, bind_for_good, true },
	/*
	 * The PCI core returns EBUSY if it has no memory to request a BAR, EINVAL to map one, and
	 * ENODEV to make a domain of interrupts.
	 */
	{ "probe", find_pci, bind_device, unbind_device, bind_for_good, true,
	  .also = { EBUSY, EINVAL, ENODEV } },
	{ 0 },
};
