// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entry points of the interface's settings, for which the drivers allocate nothing themselves: the
 * kernel does, before and after it calls them; see nomem.c.
 */
#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nomem.h"

#define HASH_KEY 40
#define VLAN 7
/* A second address of the interface */
#define ADDRESS "192.168.43.1"

/* Another key each time */
static int set_key(struct nomem *nomem)
{
	struct {
		struct ethtool_rxfh head;
		uint8_t key[HASH_KEY];
	} rss = {
		.head = {
			.cmd = ETHTOOL_SRSSH, .indir_size = ETH_RXFH_INDIR_NO_CHANGE,
			.key_size = HASH_KEY,
		},
		.key = { nomem->turn++ },
	};

	return netdev_ethtool(nomem, &rss);
}

static int set_fields(struct nomem *nomem, uint64_t fields)
{
	struct ethtool_rxnfc hash = {
		.cmd = ETHTOOL_SRXFH, .flow_type = UDP_V4_FLOW, .data = fields,
	};

	return netdev_ethtool(nomem, &hash);
}

CALL(hash_addresses, set_fields(nomem, RXH_IP_SRC | RXH_IP_DST))
CALL(hash_ports, set_fields(nomem, RXH_IP_SRC | RXH_IP_DST | RXH_L4_B_0_1 | RXH_L4_B_2_3))

static void find_mac(struct nomem *nomem)
{
	struct ifreq ifr = {};

	netdev_find(nomem);
	want_ok(netdev_request(nomem, SIOCGIFHWADDR, &ifr));
	nomem->mac = ifr.ifr_hwaddr;
}

static int own_mac(struct nomem *nomem)
{
	struct ifreq ifr = { .ifr_hwaddr = nomem->mac };

	return netdev_request(nomem, SIOCSIFHWADDR, &ifr);
}

/* Neighbouring cards differ in the last bytes */
static int other_mac(struct nomem *nomem)
{
	struct ifreq ifr = { .ifr_hwaddr = nomem->mac };

	ifr.ifr_hwaddr.sa_data[1] ^= 0x55;
	return netdev_request(nomem, SIOCSIFHWADDR, &ifr);
}

static int change_group(struct nomem *nomem, unsigned long code)
{
	struct ifreq ifr = {
		.ifr_hwaddr = {
			.sa_family = AF_UNSPEC, .sa_data = { 0x01, 0x00, 0x5e, 0x01, 0x02, 0x03 },
		},
	};

	return netdev_request(nomem, code, &ifr);
}

CALL(join_group, change_group(nomem, SIOCADDMULTI))
CALL(leave_group, change_group(nomem, SIOCDELMULTI))
CALL(promiscuous, netdev_set_flag(nomem, IFF_PROMISC, true))
CALL(not_promiscuous, netdev_set_flag(nomem, IFF_PROMISC, false))

static int add_vlan(struct nomem *nomem)
{
	struct vlan_ioctl_args args = { .cmd = ADD_VLAN_CMD, .u.VID = VLAN };

	snprintf(args.device1, sizeof(args.device1), "%.15s", nomem->netdev);
	return ioctl(nomem->fd, SIOCSIFVLAN, &args) ? errno : 0;
}

static int delete_vlan(struct nomem *nomem)
{
	struct vlan_ioctl_args args = { .cmd = DEL_VLAN_CMD };

	snprintf(args.device1, sizeof(args.device1), "%.15s.%u", nomem->netdev, VLAN);
	return ioctl(nomem->fd, SIOCSIFVLAN, &args) ? errno : 0;
}

/* The second address has a name of its own, by which it is deleted */
static void find_alias(struct nomem *nomem)
{
	size_t len;

	netdev_find(nomem);
	len = strlen(nomem->netdev);
	snprintf(nomem->netdev + len, sizeof(nomem->netdev) - len, ":1");
}

/* ib_core notes the address here, and makes a GID of it in a work item */
static int add_address(struct nomem *nomem)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(ADDRESS),
	};
	struct ifreq ifr = {};

	memcpy(&ifr.ifr_addr, &address, sizeof(address));
	return netdev_request(nomem, SIOCSIFADDR, &ifr);
}

static int delete_address(struct nomem *nomem)
{
	struct ifreq ifr = {};

	return netdev_request(nomem, SIOCSIFFLAGS, &ifr);
}

/* Make an XDP program that sends every frame from the interface */
static void find_redirect(struct nomem *nomem)
{
	struct bpf_insn redirect[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	netdev_find(nomem);
	redirect[0].imm = if_nametoindex(nomem->netdev);
	nomem->prog = xdp_load(redirect, ARRAY_SIZE(redirect));
}

static void leave_redirect(struct nomem *nomem)
{
	close(nomem->prog);
	netdev_leave(nomem);
}

/* The kernel runs the program on a frame, in this thread */
static int redirect(struct nomem *nomem)
{
	static const struct ethhdr frame[4] = { { .h_proto = 0xb588 /* for experiments */ } };
	union bpf_attr attr = {
		.test = {
			.prog_fd = nomem->prog, .data_in = (uintptr_t)frame,
			.data_size_in = sizeof(frame), .repeat = 1, .batch_size = 1,
			.flags = BPF_F_TEST_XDP_LIVE_FRAMES,
		},
	};

	return syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)) ? errno : 0;
}

const struct entry settings_entries[] = {
	{ "rss_key", netdev_find, set_key, NULL, netdev_leave, .check = netdev_has_carrier },
	{ "rss_fields", netdev_find, hash_addresses, hash_ports, netdev_leave,
	  .check = netdev_has_carrier },
	{ "mac", find_mac, other_mac, own_mac, netdev_leave, .check = netdev_has_carrier },
	{ "multicast", netdev_find, join_group, leave_group, netdev_leave,
	  .check = netdev_has_carrier },
	{ "promisc", netdev_find, promiscuous, not_promiscuous, netdev_leave,
	  .check = netdev_has_carrier },
	/* The kernel overlooks that its device got no name, and refuses to add it without one */
	{ "vlan", netdev_find, add_vlan, delete_vlan, netdev_leave, .check = netdev_has_carrier,
	  .also = { EINVAL } },
	{ "address", find_alias, add_address, delete_address, netdev_leave },
	{ "redirect", find_redirect, redirect, NULL, leave_redirect, .check = netdev_has_carrier },
	{ 0 },
};
