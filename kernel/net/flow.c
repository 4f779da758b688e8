// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ethtool -N rules, which direct frames to a queue or drop them, as flow rules
 * of the device (ORNIC specification, section 20). Rules of processes for their
 * own queues have precedence.
 */
#include <linux/in.h>

#include "cmd.h"
#include "netdev.h"

/* After verbs rules, whose priorities have 16 bits */
#define ORNIC_FLOW_PRIORITY	0x10000

/**
 * struct ornic_flow - an ethtool rule
 * @spec:	the rule as ethtool passed it, which ethtool reads back
 * @num:	number of the device's rule, valid while the interface is open
 */
struct ornic_flow {
	struct ethtool_rx_flow_spec spec;
	u32 num;
};

/* ---- Match fields -------------------------------------------------------- */

/* All IPv4 types, and all IPv6 types, have addresses and TOS as TCP has */
static_assert(offsetof(struct ethtool_tcpip4_spec, tos) ==
	      offsetof(struct ethtool_usrip4_spec, tos));
static_assert(offsetof(struct ethtool_tcpip4_spec, tos) ==
	      offsetof(struct ethtool_ah_espip4_spec, tos));
static_assert(offsetof(struct ethtool_tcpip6_spec, tclass) ==
	      offsetof(struct ethtool_usrip6_spec, tclass));
static_assert(offsetof(struct ethtool_tcpip6_spec, tclass) ==
	      offsetof(struct ethtool_ah_espip6_spec, tclass));

/* The device refuses value bits outside of the mask */
static void ornic_flow_put(void *value, void *mask, const void *want, const void *care, size_t len)
{
	const u8 *w = want, *c = care;
	u8 *v = value, *m = mask;
	size_t i;

	for (i = 0; i < len; i++) {
		v[i] = w[i] & c[i];
		m[i] = c[i];
	}
}

static void ornic_flow_put_ip4(struct ornic_create_flow_in *in,
			       const struct ethtool_rx_flow_spec *spec)
{
	const struct ethtool_tcpip4_spec *want = &spec->h_u.tcp_ip4_spec;
	const struct ethtool_tcpip4_spec *care = &spec->m_u.tcp_ip4_spec;
	struct ornic_flow_headers *v = &in->value.outer, *m = &in->mask.outer;
	/* An IPv4 address is in the last 4 of 16 bytes */
	size_t at = sizeof(v->src_ip) - sizeof(want->ip4src);

	v->l3 = 4;
	m->l3 = 0xff;
	ornic_flow_put(v->src_ip + at, m->src_ip + at, &want->ip4src, &care->ip4src,
		       sizeof(want->ip4src));
	ornic_flow_put(v->dst_ip + at, m->dst_ip + at, &want->ip4dst, &care->ip4dst,
		       sizeof(want->ip4dst));
	ornic_flow_put(&v->tos, &m->tos, &want->tos, &care->tos, sizeof(v->tos));
}

static void ornic_flow_put_ip6(struct ornic_create_flow_in *in,
			       const struct ethtool_rx_flow_spec *spec)
{
	const struct ethtool_tcpip6_spec *want = &spec->h_u.tcp_ip6_spec;
	const struct ethtool_tcpip6_spec *care = &spec->m_u.tcp_ip6_spec;
	struct ornic_flow_headers *v = &in->value.outer, *m = &in->mask.outer;

	v->l3 = 6;
	m->l3 = 0xff;
	ornic_flow_put(v->src_ip, m->src_ip, want->ip6src, care->ip6src, sizeof(v->src_ip));
	ornic_flow_put(v->dst_ip, m->dst_ip, want->ip6dst, care->ip6dst, sizeof(v->dst_ip));
	ornic_flow_put(&v->tos, &m->tos, &want->tclass, &care->tclass, sizeof(v->tos));
}

static void ornic_flow_put_proto(struct ornic_create_flow_in *in, u8 want, u8 care)
{
	ornic_flow_put(&in->value.outer.proto, &in->mask.outer.proto, &want, &care, sizeof(want));
}

static void ornic_flow_put_ports(struct ornic_create_flow_in *in, u8 proto, __be16 src,
				 __be16 src_mask, __be16 dst, __be16 dst_mask)
{
	struct ornic_flow_headers *v = &in->value.outer, *m = &in->mask.outer;

	ornic_flow_put_proto(in, proto, 0xff);
	ornic_flow_put(&v->src_port, &m->src_port, &src, &src_mask, sizeof(src));
	ornic_flow_put(&v->dst_port, &m->dst_port, &dst, &dst_mask, sizeof(dst));
}

static void ornic_flow_put_spi(struct ornic_create_flow_in *in, __be32 want, __be32 care)
{
	struct ornic_flow_key *v = &in->value, *m = &in->mask;

	ornic_flow_put_proto(in, IPPROTO_ESP, 0xff);
	ornic_flow_put(&v->esp_spi, &m->esp_spi, &want, &care, sizeof(want));
}

static void ornic_flow_put_eth(struct ornic_create_flow_in *in, const struct ethhdr *want,
			       const struct ethhdr *care)
{
	struct ornic_flow_headers *v = &in->value.outer, *m = &in->mask.outer;

	ornic_flow_put(v->dmac, m->dmac, want->h_dest, care->h_dest, ETH_ALEN);
	ornic_flow_put(v->smac, m->smac, want->h_source, care->h_source, ETH_ALEN);
	ornic_flow_put(&v->ethertype, &m->ethertype, &want->h_proto, &care->h_proto,
		       sizeof(v->ethertype));
}

/* Returns 0, or -EOPNOTSUPP for fields that the device cannot match */
static int ornic_flow_put_packet(const struct ornic_netdev *nd, struct ornic_create_flow_in *in,
				 const struct ethtool_rx_flow_spec *spec)
{
	u32 type = spec->flow_type & ~(FLOW_EXT | FLOW_MAC_EXT);
	const struct ethtool_tcpip4_spec *h4 = &spec->h_u.tcp_ip4_spec;
	const struct ethtool_tcpip4_spec *m4 = &spec->m_u.tcp_ip4_spec;
	const struct ethtool_tcpip6_spec *h6 = &spec->h_u.tcp_ip6_spec;
	const struct ethtool_tcpip6_spec *m6 = &spec->m_u.tcp_ip6_spec;

	switch (type) {
	case ETHER_FLOW:
		ornic_flow_put_eth(in, &spec->h_u.ether_spec, &spec->m_u.ether_spec);
		return 0;
	case TCP_V4_FLOW:
	case UDP_V4_FLOW:
		ornic_flow_put_ip4(in, spec);
		ornic_flow_put_ports(in, type == TCP_V4_FLOW ? IPPROTO_TCP : IPPROTO_UDP,
				     h4->psrc, m4->psrc, h4->pdst, m4->pdst);
		return 0;
	case ESP_V4_FLOW:
		ornic_flow_put_ip4(in, spec);
		ornic_flow_put_spi(in, spec->h_u.esp_ip4_spec.spi, spec->m_u.esp_ip4_spec.spi);
		return 0;
	case IP_USER_FLOW:
		if (spec->h_u.usr_ip4_spec.ip_ver != ETH_RX_NFC_IP4 ||
		    spec->m_u.usr_ip4_spec.ip_ver || spec->m_u.usr_ip4_spec.l4_4_bytes) {
			netdev_dbg(nd->netdev, "rule %u: ip_ver or l4_4_bytes\n", spec->location);
			return -EOPNOTSUPP;
		}
		ornic_flow_put_ip4(in, spec);
		ornic_flow_put_proto(in, spec->h_u.usr_ip4_spec.proto,
				     spec->m_u.usr_ip4_spec.proto);
		return 0;
	case TCP_V6_FLOW:
	case UDP_V6_FLOW:
		ornic_flow_put_ip6(in, spec);
		ornic_flow_put_ports(in, type == TCP_V6_FLOW ? IPPROTO_TCP : IPPROTO_UDP,
				     h6->psrc, m6->psrc, h6->pdst, m6->pdst);
		return 0;
	case ESP_V6_FLOW:
		ornic_flow_put_ip6(in, spec);
		ornic_flow_put_spi(in, spec->h_u.esp_ip6_spec.spi, spec->m_u.esp_ip6_spec.spi);
		return 0;
	case IPV6_USER_FLOW:
		if (spec->m_u.usr_ip6_spec.l4_4_bytes) {
			netdev_dbg(nd->netdev, "rule %u: l4_4_bytes\n", spec->location);
			return -EOPNOTSUPP;
		}
		ornic_flow_put_ip6(in, spec);
		ornic_flow_put_proto(in, spec->h_u.usr_ip6_spec.l4_proto,
				     spec->m_u.usr_ip6_spec.l4_proto);
		return 0;
	default:
		/* Includes FLOW_RSS: there is only one RSS table */
		netdev_dbg(nd->netdev, "rule %u: flow type %#x is not supported\n",
			   spec->location, spec->flow_type);
		return -EOPNOTSUPP;
	}
}

static int ornic_flow_put_ext(const struct ornic_netdev *nd, struct ornic_create_flow_in *in,
			      const struct ethtool_rx_flow_spec *spec)
{
	const struct ethtool_flow_ext *want = &spec->h_ext, *care = &spec->m_ext;
	struct ornic_flow_headers *v = &in->value.outer, *m = &in->mask.outer;

	if (spec->flow_type & FLOW_MAC_EXT)
		ornic_flow_put(v->dmac, m->dmac, want->h_dest, care->h_dest, ETH_ALEN);
	if (!(spec->flow_type & FLOW_EXT))
		return 0;

	if (care->vlan_etype || care->data[0] || care->data[1]) {
		netdev_dbg(nd->netdev, "rule %u: vlan-etype or user-def\n", spec->location);
		return -EOPNOTSUPP;
	}

	if (care->vlan_tci) {
		v->vlan = 1;
		m->vlan = 1;
		ornic_flow_put(&v->vlan_tci, &m->vlan_tci, &want->vlan_tci, &care->vlan_tci,
			       sizeof(v->vlan_tci));
	}
	return 0;
}

/* ---- Rules --------------------------------------------------------------- */

static int ornic_flow_check(const struct ornic_netdev *nd, u32 location,
			    const struct ornic_create_flow_in *in)
{
	const char *part = ornic_flow_field_unsupported(&nd->core->odev.lim, in);

	if (!part)
		return 0;

	netdev_dbg(nd->netdev, "rule %u: the device does not support %s\n", location, part);
	return -EOPNOTSUPP;
}

/* Fills in everything but the QP number, which is valid only while open */
static int ornic_flow_fill(struct ornic_netdev *nd, const struct ethtool_rx_flow_spec *spec,
			   struct ornic_create_flow_in *in)
{
	int err;

	if (spec->location >= nd->max_flows) {
		netdev_dbg(nd->netdev, "rule %u: only %u rules\n", spec->location, nd->max_flows);
		return -EINVAL;
	}

	*in = (struct ornic_create_flow_in) {
		.priority = cpu_to_le32(ORNIC_FLOW_PRIORITY + spec->location),
		.type = ORNIC_FLOW_NORMAL,
	};
	if (spec->ring_cookie == RX_CLS_FLOW_DISC) {
		in->flags = cpu_to_le32(ORNIC_FLOW_DROP);
	} else if (spec->ring_cookie >= nd->config.num_queues) {
		netdev_dbg(nd->netdev, "rule %u: queue %llu of %u\n", spec->location,
			   spec->ring_cookie, nd->config.num_queues);
		return -EINVAL;
	}

	err = ornic_flow_put_packet(nd, in, spec);
	if (err)
		return err;

	err = ornic_flow_put_ext(nd, in, spec);
	return err ? err : ornic_flow_check(nd, spec->location, in);
}

/* A rule that drops frames needs a QP, too: use the first */
static u32 ornic_flow_queue(const struct ornic_flow *flow)
{
	return flow->spec.ring_cookie == RX_CLS_FLOW_DISC ? 0 : flow->spec.ring_cookie;
}

static int ornic_flow_create_cmd(struct ornic_netdev *nd, struct ornic_queue *const *queues,
				 struct ornic_flow *flow, struct ornic_create_flow_in *in)
{
	in->qpn = cpu_to_le32(queues[ornic_flow_queue(flow)]->qpn);
	return ornic_cmd_create_as(ornic_nd_dev(nd), true, ORNIC_CMD_CREATE_FLOW, in, sizeof(*in),
				   &flow->num);
}

static void ornic_flow_destroy_cmd(struct ornic_netdev *nd, struct ornic_flow *flow)
{
	ornic_cmd_release_as(ornic_nd_dev(nd), true, ORNIC_CMD_DESTROY_FLOW, flow->num);
}

/**
 * ornic_flow_insert - add a rule, or replace the one at its location
 * @nd:		the interface; rtnl_lock is held, as for all functions here
 * @spec:	the rule
 *
 * Return: 0, or a negative error number, in which case nothing has changed.
 */
int ornic_flow_insert(struct ornic_netdev *nd, const struct ethtool_rx_flow_spec *spec)
{
	struct ornic_create_flow_in in;
	struct ornic_flow *flow, *old;
	int err;

	err = ornic_flow_fill(nd, spec, &in);
	if (err)
		return err;

	flow = kzalloc_obj(*flow);
	if (!flow)
		return -ENOMEM;

	flow->spec = *spec;
	/* Old and new rule overlap, so that no frame misses both */
	if (nd->open) {
		err = ornic_flow_create_cmd(nd, nd->queues, flow, &in);
		if (err)
			goto err_free;
	}

	old = xa_store(&nd->flows, spec->location, flow, GFP_KERNEL);
	if (xa_is_err(old)) {
		err = xa_err(old);
		goto err_destroy;
	}

	if (old && nd->open)
		ornic_flow_destroy_cmd(nd, old);
	kfree(old);
	return 0;

err_destroy:
	if (nd->open)
		ornic_flow_destroy_cmd(nd, flow);
err_free:
	kfree(flow);
	return err;
}

/**
 * ornic_flow_remove - remove a rule
 * @nd:		the interface
 * @location:	location of the rule
 *
 * Return: 0, or -ENOENT if there is none.
 */
int ornic_flow_remove(struct ornic_netdev *nd, u32 location)
{
	struct ornic_flow *flow = xa_erase(&nd->flows, location);

	if (!flow)
		return -ENOENT;

	if (nd->open)
		ornic_flow_destroy_cmd(nd, flow);
	kfree(flow);
	return 0;
}

/**
 * ornic_flow_get - look up a rule
 * @nd:		the interface
 * @spec:	its location is set; the rest is filled in
 *
 * Return: 0, or -ENOENT if there is none.
 */
int ornic_flow_get(struct ornic_netdev *nd, struct ethtool_rx_flow_spec *spec)
{
	const struct ornic_flow *flow = xa_load(&nd->flows, spec->location);

	if (!flow)
		return -ENOENT;

	*spec = flow->spec;
	return 0;
}

/**
 * ornic_flow_list - list the locations of all rules
 * @nd:		the interface
 * @locations:	filled in, or NULL
 * @room:	entries of @locations
 *
 * Return: number of rules, or -EMSGSIZE if @locations is too small.
 */
int ornic_flow_list(struct ornic_netdev *nd, u32 *locations, u32 room)
{
	struct ornic_flow *flow;
	unsigned long location;
	u32 count = 0;

	xa_for_each(&nd->flows, location, flow) {
		if (locations) {
			if (count == room)
				return -EMSGSIZE;
			locations[count] = location;
		}
		count++;
	}

	return count;
}

/**
 * ornic_flows_destroy - remove all rules from the device, but keep them in @nd
 * @nd:		the interface
 */
void ornic_flows_destroy(struct ornic_netdev *nd)
{
	struct ornic_flow *flow;
	unsigned long location;

	xa_for_each(&nd->flows, location, flow)
		ornic_flow_destroy_cmd(nd, flow);
}

/**
 * ornic_flows_create - create all rules in the device again
 * @nd:		the interface; its queues were created anew
 *
 * Return: 0, or a negative error number, in which case the device has none.
 */
int ornic_flows_create(struct ornic_netdev *nd)
{
	struct ornic_create_flow_in in;
	unsigned long location, failed;
	struct ornic_flow *flow;
	int err;

	xa_for_each(&nd->flows, location, flow) {
		err = ornic_flow_fill(nd, &flow->spec, &in);
		if (!err)
			err = ornic_flow_create_cmd(nd, nd->queues, flow, &in);
		if (err)
			goto err_destroy;
	}

	return 0;

err_destroy:
	failed = location;
	xa_for_each(&nd->flows, location, flow) {
		if (location == failed)
			break;
		ornic_flow_destroy_cmd(nd, flow);
	}
	return err;
}

/* Old and new rule overlap, so that no frame misses both */
static int ornic_flow_move(struct ornic_netdev *nd, struct ornic_flow *flow,
			   struct ornic_queue *const *from, struct ornic_queue *const *to)
{
	u32 index = ornic_flow_queue(flow);
	struct ornic_flow old = *flow;
	struct ornic_create_flow_in in;
	int err;

	if (from[index] == to[index])
		return 0;

	err = ornic_flow_fill(nd, &flow->spec, &in);
	if (!err)
		err = ornic_flow_create_cmd(nd, to, flow, &in);
	if (!err)
		ornic_flow_destroy_cmd(nd, &old);
	return err;
}

/**
 * ornic_flows_move - direct the rules to other queues
 * @nd:		the interface
 * @from:	current queues
 * @to:		new queues, some of which may be current ones
 * @count:	number of @to; a rule for a queue beyond these is an error
 *
 * Return: 0, or a negative error number, in which case no rule has moved.
 */
int ornic_flows_move(struct ornic_netdev *nd, struct ornic_queue *const *from,
		     struct ornic_queue *const *to, u32 count)
{
	unsigned long location, failed;
	struct ornic_flow *flow;
	int err;

	xa_for_each(&nd->flows, location, flow) {
		if (flow->spec.ring_cookie != RX_CLS_FLOW_DISC &&
		    flow->spec.ring_cookie >= count) {
			netdev_dbg(nd->netdev, "rule %u needs queue %llu, %u queues requested\n",
				   flow->spec.location, flow->spec.ring_cookie, count);
			err = -EINVAL;
		} else {
			err = ornic_flow_move(nd, flow, from, to);
		}
		if (err)
			goto err_move_back;
	}

	return 0;

err_move_back:
	failed = location;
	xa_for_each(&nd->flows, location, flow) {
		if (location == failed)
			break;
		/* The device has room for one more rule, as it had before */
		ornic_flow_move(nd, flow, to, from);
	}
	return err;
}

/**
 * ornic_flows_free - free all rules
 * @nd:		the interface, not registered
 */
void ornic_flows_free(struct ornic_netdev *nd)
{
	struct ornic_flow *flow;
	unsigned long location;

	xa_for_each(&nd->flows, location, flow)
		kfree(flow);
	xa_destroy(&nd->flows);
}
