// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Flow rules; the core checks CAP_NET_RAW. Specifications become a value and a
 * mask (ORNIC specification, section 20). A process may name the headers in any order,
 * each once. A specification matches only frames that have its header, even if
 * it matches no field. Rules that no frame can match are refused.
 */
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "counters.h"
#include "device.h"
#include "qp.h"

static_assert((int)IB_FLOW_ATTR_NORMAL == (int)ORNIC_FLOW_NORMAL);
static_assert((int)IB_FLOW_ATTR_ALL_DEFAULT == (int)ORNIC_FLOW_ALL_DEFAULT);
static_assert((int)IB_FLOW_ATTR_MC_DEFAULT == (int)ORNIC_FLOW_MC_DEFAULT);
static_assert((int)IB_FLOW_ATTR_SNIFFER == (int)ORNIC_FLOW_SNIFFER);

struct ornic_ib_flow {
	struct ib_flow ibflow;
	u32 num;
};

#define ORNIC_FLOW_VNI		GENMASK(ORNIC_FLOW_VNI_BITS - 1, 0)
#define ORNIC_FLOW_LABEL	GENMASK(ORNIC_FLOW_LABEL_BITS - 1, 0)
/* RFC 7348 */
#define ORNIC_VXLAN_PORT	4789
/* RFC 2890 */
#define ORNIC_GRE_HAS_KEY	0x2000
/* As in the IPv4 header; enum ib_ipv4_flags has another order */
#define ORNIC_IPV4_DF		0x2
#define ORNIC_IPV4_MF		0x1

/* Parts that a rule may have at most once */
enum ornic_spec_part {
	ORNIC_FLOW_L2		= BIT(0),
	ORNIC_FLOW_L3		= BIT(1),
	ORNIC_FLOW_L4		= BIT(2),
	ORNIC_FLOW_VXLAN	= BIT(3),
	ORNIC_FLOW_GRE		= BIT(4),
	ORNIC_FLOW_MPLS		= BIT(5),
	ORNIC_FLOW_INNER_L2	= BIT(8),
	ORNIC_FLOW_INNER_L3	= BIT(9),
	ORNIC_FLOW_INNER_L4	= BIT(10),
	ORNIC_FLOW_DO_TAG	= BIT(16),
	ORNIC_FLOW_DO_DROP	= BIT(17),
	ORNIC_FLOW_DO_COUNT	= BIT(18),
};

#define ORNIC_FLOW_TUNNEL	(ORNIC_FLOW_VXLAN | ORNIC_FLOW_GRE | ORNIC_FLOW_MPLS)
#define ORNIC_FLOW_INNER	(ORNIC_FLOW_INNER_L2 | ORNIC_FLOW_INNER_L3 | ORNIC_FLOW_INNER_L4)
#define ORNIC_FLOW_HEADERS	(ORNIC_FLOW_L2 | ORNIC_FLOW_L3 | ORNIC_FLOW_L4 | \
				 ORNIC_FLOW_TUNNEL | ORNIC_FLOW_INNER)

static const struct ornic_spec_kind {
	u16 type;		/* enum ib_flow_spec_type */
	u16 size;		/* bytes */
	enum ornic_spec_part part;
} ornic_spec_kinds[] = {
	{ IB_FLOW_SPEC_ETH, sizeof(struct ib_flow_spec_eth), ORNIC_FLOW_L2 },
	{ IB_FLOW_SPEC_IPV4, sizeof(struct ib_flow_spec_ipv4), ORNIC_FLOW_L3 },
	{ IB_FLOW_SPEC_IPV6, sizeof(struct ib_flow_spec_ipv6), ORNIC_FLOW_L3 },
	{ IB_FLOW_SPEC_TCP, sizeof(struct ib_flow_spec_tcp_udp), ORNIC_FLOW_L4 },
	{ IB_FLOW_SPEC_UDP, sizeof(struct ib_flow_spec_tcp_udp), ORNIC_FLOW_L4 },
	{ IB_FLOW_SPEC_ESP, sizeof(struct ib_flow_spec_esp), ORNIC_FLOW_L4 },
	{ IB_FLOW_SPEC_VXLAN_TUNNEL, sizeof(struct ib_flow_spec_tunnel), ORNIC_FLOW_VXLAN },
	{ IB_FLOW_SPEC_GRE, sizeof(struct ib_flow_spec_gre), ORNIC_FLOW_GRE },
	{ IB_FLOW_SPEC_MPLS, sizeof(struct ib_flow_spec_mpls), ORNIC_FLOW_MPLS },
	{ IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_ETH, sizeof(struct ib_flow_spec_eth),
	  ORNIC_FLOW_INNER_L2 },
	{ IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_IPV4, sizeof(struct ib_flow_spec_ipv4),
	  ORNIC_FLOW_INNER_L3 },
	{ IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_IPV6, sizeof(struct ib_flow_spec_ipv6),
	  ORNIC_FLOW_INNER_L3 },
	{ IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_TCP, sizeof(struct ib_flow_spec_tcp_udp),
	  ORNIC_FLOW_INNER_L4 },
	{ IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_UDP, sizeof(struct ib_flow_spec_tcp_udp),
	  ORNIC_FLOW_INNER_L4 },
	{ IB_FLOW_SPEC_ACTION_TAG, sizeof(struct ib_flow_spec_action_tag), ORNIC_FLOW_DO_TAG },
	{ IB_FLOW_SPEC_ACTION_DROP, sizeof(struct ib_flow_spec_action_drop), ORNIC_FLOW_DO_DROP },
	{ IB_FLOW_SPEC_ACTION_COUNT, sizeof(struct ib_flow_spec_action_count),
	  ORNIC_FLOW_DO_COUNT },
};

/* One specification in the format of the device */
struct ornic_spec_match {
	struct ornic_flow_key value;
	struct ornic_flow_key mask;
};

/* The functions below convert either the value or the mask of a filter */
static void ornic_spec_put_eth(const struct ib_flow_eth_filter *filter,
			       struct ornic_flow_headers *headers)
{
	memcpy(headers->dmac, filter->dst_mac, ETH_ALEN);
	memcpy(headers->smac, filter->src_mac, ETH_ALEN);
	headers->ethertype = filter->ether_type;
	headers->vlan_tci = filter->vlan_tag;
}

static void ornic_spec_put_ipv4(const struct ib_flow_ipv4_filter *filter,
				struct ornic_flow_headers *headers)
{
	memcpy(headers->src_ip + 12, &filter->src_ip, sizeof(filter->src_ip));
	memcpy(headers->dst_ip + 12, &filter->dst_ip, sizeof(filter->dst_ip));
	headers->proto = filter->proto;
	headers->tos = filter->tos;
	headers->ttl = filter->ttl;
	headers->ip_flags = (filter->flags & IB_IPV4_DONT_FRAG ? ORNIC_IPV4_DF : 0) |
			    (filter->flags & IB_IPV4_MORE_FRAG ? ORNIC_IPV4_MF : 0);
}

static void ornic_spec_put_ipv6(const struct ib_flow_ipv6_filter *filter,
				struct ornic_flow_headers *headers)
{
	memcpy(headers->src_ip, filter->src_ip, sizeof(filter->src_ip));
	memcpy(headers->dst_ip, filter->dst_ip, sizeof(filter->dst_ip));
	headers->flow_label = filter->flow_label;
	headers->proto = filter->next_hdr;
	headers->tos = filter->traffic_class;
	headers->ttl = filter->hop_limit;
}

static void ornic_spec_put_ports(const struct ib_flow_tcp_udp_filter *filter,
				 struct ornic_flow_headers *headers)
{
	headers->src_port = filter->src_port;
	headers->dst_port = filter->dst_port;
}

static void ornic_spec_put_esp(const struct ib_flow_esp_filter *filter, struct ornic_flow_key *key)
{
	key->esp_spi = filter->spi;
	key->esp_seq = filter->seq;
}

static void ornic_spec_put_gre(const struct ib_flow_gre_filter *filter, struct ornic_flow_key *key)
{
	key->gre_flags = filter->c_ks_res0_ver;
	key->gre_proto = filter->protocol;
	key->gre_key = filter->key;
}

/* The presence of the header is a condition, too */
static void ornic_spec_want_l3(struct ornic_flow_headers *value, struct ornic_flow_headers *mask,
			       u8 version)
{
	value->l3 = version;
	mask->l3 = U8_MAX;
}

static void ornic_spec_want_proto(struct ornic_flow_headers *value,
				  struct ornic_flow_headers *mask, u8 proto)
{
	value->proto = proto;
	mask->proto = U8_MAX;
}

static void ornic_spec_want_layer(struct ornic_spec_match *match, u32 layer)
{
	match->value.layers = cpu_to_be32(layer);
	match->mask.layers = cpu_to_be32(layer);
}

static void ornic_spec_eth(const struct ib_flow_spec_eth *spec, struct ornic_flow_headers *value,
			   struct ornic_flow_headers *mask)
{
	ornic_spec_put_eth(&spec->val, value);
	ornic_spec_put_eth(&spec->mask, mask);
	/* A frame without a tag does not match a tag of 0 */
	if (mask->vlan_tci) {
		value->vlan = 1;
		mask->vlan = 1;
	}
}

static int ornic_spec_ipv4(const struct ib_device *ibdev, const struct ib_flow_spec_ipv4 *spec,
			   struct ornic_flow_headers *value, struct ornic_flow_headers *mask)
{
	int err;

	err = ornic_check_flags(ibdev, "flow IPv4 mask.flags", spec->mask.flags,
				IB_IPV4_DONT_FRAG | IB_IPV4_MORE_FRAG);
	if (err)
		return err;

	ornic_spec_put_ipv4(&spec->val, value);
	ornic_spec_put_ipv4(&spec->mask, mask);
	ornic_spec_want_l3(value, mask, 4);
	return 0;
}

static int ornic_spec_ipv6(const struct ib_device *ibdev, const struct ib_flow_spec_ipv6 *spec,
			   struct ornic_flow_headers *value, struct ornic_flow_headers *mask)
{
	int err;

	err = ornic_check_range(ibdev, "flow IPv6 mask.flow_label",
				be32_to_cpu(spec->mask.flow_label), 0,
				ORNIC_FLOW_LABEL);
	if (err)
		return err;

	ornic_spec_put_ipv6(&spec->val, value);
	ornic_spec_put_ipv6(&spec->mask, mask);
	ornic_spec_want_l3(value, mask, 6);
	return 0;
}

static void ornic_spec_tcp_udp(const struct ib_flow_spec_tcp_udp *spec, u8 proto,
			       struct ornic_flow_headers *value, struct ornic_flow_headers *mask)
{
	ornic_spec_put_ports(&spec->val, value);
	ornic_spec_put_ports(&spec->mask, mask);
	/* A fragment has no ports, and does not match ports of 0 */
	if (mask->src_port || mask->dst_port)
		mask->frag = 1;
	ornic_spec_want_proto(value, mask, proto);
}

static void ornic_spec_esp(const struct ib_flow_spec_esp *spec, struct ornic_spec_match *match)
{
	ornic_spec_put_esp(&spec->val, &match->value);
	ornic_spec_put_esp(&spec->mask, &match->mask);
	ornic_spec_want_proto(&match->value.outer, &match->mask.outer, IPPROTO_ESP);
	ornic_spec_want_layer(match, ORNIC_FLOW_LAYER_ESP);
}

static int ornic_spec_vxlan(const struct ib_device *ibdev, const struct ib_flow_spec_tunnel *spec,
			    struct ornic_spec_match *match)
{
	int err;

	match->value.vni = spec->val.tunnel_id;
	match->mask.vni = spec->mask.tunnel_id;
	err = ornic_check_range(ibdev, "flow VXLAN mask.tunnel_id", be32_to_cpu(match->mask.vni),
				0, ORNIC_FLOW_VNI);
	if (err)
		return err;

	match->value.outer.dst_port = cpu_to_be16(ORNIC_VXLAN_PORT);
	match->mask.outer.dst_port = cpu_to_be16(U16_MAX);
	ornic_spec_want_proto(&match->value.outer, &match->mask.outer, IPPROTO_UDP);
	ornic_spec_want_layer(match, ORNIC_FLOW_LAYER_VXLAN);
	return 0;
}

static int ornic_spec_gre(const struct ib_device *ibdev, const struct ib_flow_spec_gre *spec,
			  struct ornic_spec_match *match)
{
	const __be16 has_key = cpu_to_be16(ORNIC_GRE_HAS_KEY);

	ornic_spec_put_gre(&spec->val, &match->value);
	ornic_spec_put_gre(&spec->mask, &match->mask);
	/* A header without a key does not match a key of 0 */
	if (match->mask.gre_key) {
		if (match->mask.gre_flags & ~match->value.gre_flags & has_key) {
			ibdev_dbg_ratelimited(ibdev, "flow GRE: a key without its flag\n");
			return -EINVAL;
		}
		match->value.gre_flags |= has_key;
		match->mask.gre_flags |= has_key;
	}
	ornic_spec_want_proto(&match->value.outer, &match->mask.outer, IPPROTO_GRE);
	ornic_spec_want_layer(match, ORNIC_FLOW_LAYER_GRE);
	return 0;
}

static void ornic_spec_mpls(const struct ib_flow_spec_mpls *spec, struct ornic_spec_match *match)
{
	match->value.mpls = spec->val.tag;
	match->mask.mpls = spec->mask.tag;
	ornic_spec_want_layer(match, ORNIC_FLOW_LAYER_MPLS);
}

static int ornic_spec_header(const struct ib_device *ibdev, const union ib_flow_spec *spec,
			     struct ornic_spec_match *match)
{
	bool inner = spec->type & IB_FLOW_SPEC_INNER;
	struct ornic_flow_headers *value = inner ? &match->value.inner : &match->value.outer;
	struct ornic_flow_headers *mask = inner ? &match->mask.inner : &match->mask.outer;

	switch (spec->type & ~IB_FLOW_SPEC_INNER) {
	case IB_FLOW_SPEC_ETH:
		ornic_spec_eth(&spec->eth, value, mask);
		return 0;
	case IB_FLOW_SPEC_IPV4:
		return ornic_spec_ipv4(ibdev, &spec->ipv4, value, mask);
	case IB_FLOW_SPEC_IPV6:
		return ornic_spec_ipv6(ibdev, &spec->ipv6, value, mask);
	case IB_FLOW_SPEC_TCP:
		ornic_spec_tcp_udp(&spec->tcp_udp, IPPROTO_TCP, value, mask);
		return 0;
	case IB_FLOW_SPEC_UDP:
		ornic_spec_tcp_udp(&spec->tcp_udp, IPPROTO_UDP, value, mask);
		return 0;
	case IB_FLOW_SPEC_ESP:
		ornic_spec_esp(&spec->esp, match);
		return 0;
	case IB_FLOW_SPEC_VXLAN_TUNNEL:
		return ornic_spec_vxlan(ibdev, &spec->tunnel, match);
	case IB_FLOW_SPEC_GRE:
		return ornic_spec_gre(ibdev, &spec->gre, match);
	case IB_FLOW_SPEC_MPLS:
		ornic_spec_mpls(&spec->mpls, match);
		return 0;
	default:
		/* ornic_spec_kinds has only the types above */
		return -EOPNOTSUPP;
	}
}

/* Specifications may overlap if they agree on the common bits */
static int ornic_spec_merge(const struct ib_device *ibdev, u32 type,
			    const struct ornic_spec_match *match, struct ornic_create_flow_in *in)
{
	const u8 *value = (const u8 *)&match->value;
	const u8 *mask = (const u8 *)&match->mask;
	u8 *all_values = (u8 *)&in->value;
	u8 *all_masks = (u8 *)&in->mask;
	u32 i;

	for (i = 0; i < sizeof(match->value); i++) {
		if ((value[i] ^ all_values[i]) & mask[i] & all_masks[i]) {
			ibdev_dbg_ratelimited(ibdev, "flow type %#x contradicts another one\n",
					      type);
			return -EINVAL;
		}
		all_values[i] |= value[i] & mask[i];
		all_masks[i] |= mask[i];
	}
	return 0;
}

static int ornic_spec_add(const struct ib_device *ibdev, const union ib_flow_spec *spec,
			  enum ornic_spec_part part, struct ornic_create_flow_in *in,
			  struct ib_counters **counters)
{
	struct ornic_spec_match match = {};
	int err;

	switch (part) {
	case ORNIC_FLOW_DO_TAG:
		in->tag = cpu_to_le32(spec->flow_tag.tag_id);
		return 0;
	case ORNIC_FLOW_DO_DROP:
		in->flags |= cpu_to_le32(ORNIC_FLOW_DROP);
		return 0;
	case ORNIC_FLOW_DO_COUNT:
		in->flags |= cpu_to_le32(ORNIC_FLOW_COUNT);
		*counters = spec->flow_count.counters;
		return 0;
	default:
		err = ornic_spec_header(ibdev, spec, &match);
		return err ? err : ornic_spec_merge(ibdev, spec->type, &match, in);
	}
}

/* Checks that the ethertype matches the IP version, outer or inner */
static bool ornic_spec_agrees(const struct ornic_flow_headers *value,
			      const struct ornic_flow_headers *mask)
{
	__be16 type = cpu_to_be16(value->l3 == 4 ? ETH_P_IP : ETH_P_IPV6);

	return !mask->l3 || !((value->ethertype ^ type) & mask->ethertype);
}

/* Returns why the parts of a rule contradict each other, NULL if they do not */
static const char *ornic_spec_fault(const struct ib_flow_attr *attr, u32 parts,
				    const struct ornic_create_flow_in *in)
{
	if (attr->type != IB_FLOW_ATTR_NORMAL && (attr->flags || parts & ORNIC_FLOW_HEADERS))
		return "its type defines by itself which frames match";
	if (parts & ORNIC_FLOW_DO_DROP &&
	    (attr->type == IB_FLOW_ATTR_SNIFFER || attr->flags & IB_FLOW_ATTR_FLAGS_DONT_TRAP))
		return "a rule that gets copies cannot drop";
	if (attr->flags & IB_FLOW_ATTR_FLAGS_EGRESS &&
	    (attr->flags & IB_FLOW_ATTR_FLAGS_DONT_TRAP || parts & ORNIC_FLOW_DO_TAG ||
	     !(parts & (ORNIC_FLOW_DO_DROP | ORNIC_FLOW_DO_COUNT))))
		return "egress rules only drop or count";
	if (parts & ORNIC_FLOW_INNER && !(parts & ORNIC_FLOW_TUNNEL))
		return "inner headers without a tunnel";
	if (!ornic_spec_agrees(&in->value.outer, &in->mask.outer) ||
	    !ornic_spec_agrees(&in->value.inner, &in->mask.inner))
		return "the ethertype is not that of the IP version";
	return NULL;
}

static int ornic_spec_check(const struct ib_device *ibdev, const struct ib_flow_attr *attr,
			    u32 parts, const struct ornic_create_flow_in *in)
{
	const char *fault;
	int err;

	err = ornic_check_flags(ibdev, "flow flags", attr->flags,
				IB_FLOW_ATTR_FLAGS_DONT_TRAP | IB_FLOW_ATTR_FLAGS_EGRESS);
	if (err)
		return err;

	if (attr->type > IB_FLOW_ATTR_SNIFFER) {
		ibdev_dbg_ratelimited(ibdev, "unknown flow type %d\n", attr->type);
		return -EOPNOTSUPP;
	}

	fault = ornic_spec_fault(attr, parts, in);
	if (fault) {
		ibdev_dbg_ratelimited(ibdev, "flow type %d, flags %#x: %s\n", attr->type,
				      attr->flags, fault);
		return -EINVAL;
	}
	return 0;
}

static const struct ornic_spec_kind *ornic_spec_find_kind(u32 type)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ornic_spec_kinds); i++)
		if (ornic_spec_kinds[i].type == type)
			return &ornic_spec_kinds[i];
	return NULL;
}

/* Removes the next specification, which may be unaligned, from the input */
static int ornic_spec_take(const struct ib_device *ibdev, const void **at, size_t *left,
			   union ib_flow_spec *spec, enum ornic_spec_part *part)
{
	const size_t head = offsetofend(union ib_flow_spec, size);
	const struct ornic_spec_kind *kind;

	if (*left < head) {
		ibdev_dbg_ratelimited(ibdev, "flow: %zu bytes left for a specification\n", *left);
		return -EINVAL;
	}

	memcpy(spec, *at, head);
	kind = ornic_spec_find_kind(spec->type);
	if (!kind) {
		ibdev_dbg_ratelimited(ibdev, "flow specification %#x is not supported\n",
				      spec->type);
		return -EOPNOTSUPP;
	}
	if (spec->size != kind->size || *left < kind->size) {
		ibdev_dbg_ratelimited(ibdev,
				      "flow specification %#x has %u of %u bytes, %zu left\n",
				      spec->type, spec->size, kind->size, *left);
		return -EINVAL;
	}

	memcpy(spec, *at, kind->size);
	*part = kind->part;
	*at += kind->size;
	*left -= kind->size;
	return 0;
}

/**
 * ornic_flow_from_attr - convert a flow rule of verbs to a rule of the device
 * @ibdev:	logs why a rule is refused
 * @attr:	the rule, followed by its specifications
 * @in:		zeroed; filled in except for the QP and the counters
 * @counters:	set to the counters of the rule, or NULL
 *
 * Return: 0, -EOPNOTSUPP for unknown or unsupported parts, or -EINVAL for an
 * invalid rule.
 */
static int ornic_flow_from_attr(const struct ib_device *ibdev, const struct ib_flow_attr *attr,
				struct ornic_create_flow_in *in, struct ib_counters **counters)
{
	const void *at = attr->flows;
	enum ornic_spec_part part;
	union ib_flow_spec spec;
	u32 parts = 0;
	size_t left;
	int err;
	u32 i;

	if (attr->size < sizeof(*attr)) {
		ibdev_dbg_ratelimited(ibdev, "flow rule of %u bytes\n", attr->size);
		return -EINVAL;
	}

	*counters = NULL;
	left = attr->size - sizeof(*attr);
	for (i = 0; i < attr->num_of_specs; i++) {
		err = ornic_spec_take(ibdev, &at, &left, &spec, &part);
		if (err)
			return err;
		if (parts & part) {
			ibdev_dbg_ratelimited(ibdev, "flow specification %#x is the second one\n",
					      spec.type);
			return -EINVAL;
		}

		parts |= part;
		err = ornic_spec_add(ibdev, &spec, part, in, counters);
		if (err)
			return err;
	}
	if (left) {
		ibdev_dbg_ratelimited(ibdev, "flow: %zu bytes after %u specifications\n", left, i);
		return -EINVAL;
	}

	in->priority = cpu_to_le32(attr->priority);
	in->type = attr->type;
	if (attr->flags & IB_FLOW_ATTR_FLAGS_DONT_TRAP)
		in->flags |= cpu_to_le32(ORNIC_FLOW_DONT_TRAP);
	if (attr->flags & IB_FLOW_ATTR_FLAGS_EGRESS)
		in->flags |= cpu_to_le32(ORNIC_FLOW_EGRESS);
	return ornic_spec_check(ibdev, attr, parts, in);
}

struct ib_flow *ornic_ib_create_flow(struct ib_qp *ibqp, struct ib_flow_attr *attr,
				     struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_create_flow_in in = {
		.qpn = cpu_to_le32(to_ornic_qp(ibqp)->res.num),
	};
	struct ib_counters *counters;
	struct ornic_ib_flow *flow;
	const char *part;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);

	if (ibqp->qp_type != IB_QPT_RAW_PACKET) {
		ibdev_dbg_ratelimited(ibqp->device, "qp[%u]: type %d has no flow rules\n",
				      ibqp->qp_num, ibqp->qp_type);
		return ERR_PTR(-EOPNOTSUPP);
	}

	err = ornic_flow_from_attr(ibqp->device, attr, &in, &counters);
	if (err)
		return ERR_PTR(err);

	part = ornic_flow_field_unsupported(&dev->odev->lim, &in);
	if (part) {
		ibdev_dbg_ratelimited(ibqp->device,
				      "qp[%u]: the device does not support %s in flow rules\n",
				      ibqp->qp_num, part);
		return ERR_PTR(-EOPNOTSUPP);
	}

	if (counters)
		in.counters = cpu_to_le32(to_ornic_counters(counters)->num);

	flow = kzalloc_obj(*flow);
	if (!flow)
		return ERR_PTR(-ENOMEM);

	err = ornic_cmd_create(dev->odev, ORNIC_CMD_CREATE_FLOW, &in, sizeof(in), &flow->num);
	if (err) {
		kfree(flow);
		return ERR_PTR(err);
	}
	return &flow->ibflow;
}

int ornic_ib_destroy_flow(struct ib_flow *ibflow)
{
	struct ornic_ib_flow *flow = container_of(ibflow, struct ornic_ib_flow, ibflow);
	int err;

	err = ornic_cmd_destroy(to_ornic_ib_dev(ibflow->device)->odev, ORNIC_CMD_DESTROY_FLOW,
				flow->num);
	if (err)
		return err;

	kfree(flow);
	return 0;
}
