// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The card's Ethernet port */
#include <string.h>

#include "base/state.h"
#include "eth/ethport.h"
#include "queues/qp.h"

#define ETHPORT_MULTICAST 0x01	/* in the first byte of a MAC */

static const uint8_t ethport_broadcast[MAC_LEN] = { 0xff, 0xff, 0xff,
						    0xff, 0xff, 0xff };

static void ethport_set_queues(struct card *card, struct qp *const *qps,
			       unsigned int count)
{
	struct ethport *port = &card->port;
	unsigned int i;

	for (i = 0; i < count; i++)
		obj_get(&qps[i]->base.obj);
	for (i = 0; i < port->queue_count; i++)
		obj_put(&port->queue[i]->base.obj);
	if (count)
		memcpy(port->queue, qps, count * sizeof(*qps));
	port->queue_count = count;
}

void ethport_reset(struct card *card)
{
	struct ethport *port = &card->port;
	bool link = port->link;

	ethport_set_queues(card, NULL, 0);
	memset(port, 0, sizeof(*port));
	memcpy(port->mac, card->mac, MAC_LEN);
	port->link = link;
	port->mtu = ETHPORT_MTU_DEFAULT;
}

bool ethport_running(const struct card *card)
{
	return card->port.link && card->port.up && !card->fatal;
}

bool ethport_may_send(const struct card *card, const uint8_t *smac)
{
	return port_may_send(&card->spoofcheck, card->mac, smac);
}

bool ethport_accepts(const struct card *card, const uint8_t *dmac)
{
	const struct ethport *port = &card->port;
	unsigned int i;

	if (!memcmp(dmac, port->mac, MAC_LEN) ||
	    !memcmp(dmac, ethport_broadcast, MAC_LEN) ||
	    port->filter & ORNIC_RX_PROMISC ||
	    (dmac[0] & ETHPORT_MULTICAST && port->filter & ORNIC_RX_ALLMULTI))
		return true;
	for (i = 0; i < port->mac_count; i++)
		if (!memcmp(dmac, port->macs[i], MAC_LEN))
			return true;
	return false;
}

struct qp *ethport_queue(const struct card *card, uint32_t hash)
{
	const struct ethport *port = &card->port;

	if (!port->queue_count)
		return NULL;
	return port->queue[hash & (port->queue_count - 1)];
}

enum ornic_cmd_status ethport_cmd_query(struct card *card, struct cmd *cmd)
{
	struct ornic_query_port_out *out = cmd->out;

	memcpy(out->mac, card->mac, MAC_LEN);
	out->link = card->port.link;
	out->speed = htole32(ETHPORT_SPEED_MBPS);
	out->max_mtu = htole32(ETHPORT_MTU_MAX);
	out->mtu = htole32(card->port.mtu);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status ethport_cmd_modify(struct card *card, struct cmd *cmd)
{
	const struct ornic_modify_port_in *in = cmd->in;
	struct ethport *port = &card->port;
	uint32_t mask = le32toh(in->mask);
	uint32_t mtu = le32toh(in->mtu);

	if (mask & ~(ORNIC_PORT_MTU | ORNIC_PORT_MAC | ORNIC_PORT_UP) ||
	    in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	if (mask & ORNIC_PORT_MTU &&
	    (mtu < ETHPORT_MTU_MIN || mtu > ETHPORT_MTU_MAX))
		return ORNIC_CMD_BAD_PARAM;
	if (mask & ORNIC_PORT_MAC && (in->mac[0] & ETHPORT_MULTICAST ||
				      cmd_is_zero(in->mac, MAC_LEN)))
		return ORNIC_CMD_BAD_PARAM;
	if (mask & ORNIC_PORT_UP && in->up > 1)
		return ORNIC_CMD_BAD_PARAM;
	if (mask & ORNIC_PORT_MTU)
		port->mtu = mtu;
	if (mask & ORNIC_PORT_MAC)
		memcpy(port->mac, in->mac, MAC_LEN);
	if (mask & ORNIC_PORT_UP)
		port->up = in->up;
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status ethport_cmd_set_rx_filter(struct card *card,
						struct cmd *cmd)
{
	const struct ornic_rx_filter_in *in = cmd->in;
	struct ethport *port = &card->port;
	uint32_t flags = le32toh(in->flags);
	uint32_t count = le32toh(in->count);
	uint32_t i;

	if (flags & ~(ORNIC_RX_PROMISC | ORNIC_RX_ALLMULTI) ||
	    count > ORNIC_RX_MACS_MAX)
		return ORNIC_CMD_BAD_PARAM;
	if (cmd->in_len < sizeof(*in) + count * sizeof(in->macs[0]))
		return ORNIC_CMD_BAD_SIZE;
	for (i = 0; i < count; i++)
		if (!CMD_RSVD_ZERO(in->macs[i].rsvd))
			return ORNIC_CMD_BAD_PARAM;
	port->filter = flags;
	port->mac_count = count;
	for (i = 0; i < count; i++)
		memcpy(port->macs[i], in->macs[i].mac, MAC_LEN);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status ethport_cmd_set_rx_queues(struct card *card,
						struct cmd *cmd)
{
	const struct ornic_rx_queues_in *in = cmd->in;
	struct ethport *port = &card->port;
	struct qp *qps[ETHPORT_QUEUES_MAX];
	uint32_t count = le32toh(in->count);
	uint32_t hash = le32toh(in->hash);
	uint32_t i;

	if (count > ETHPORT_QUEUES_MAX || count & (count - 1) ||
	    hash & ~card->rx_hash_types)
		return ORNIC_CMD_BAD_PARAM;
	for (i = 0; i < count; i++) {
		qps[i] = qp_find(card, le32toh(in->qpn[i]));
		if (!qps[i] || qps[i]->base.type != ORNIC_QPT_RAW_PACKET ||
		    !receiver_has_rq(&qps[i]->base))
			return ORNIC_CMD_BAD_OBJECT;
	}
	ethport_set_queues(card, qps, count);
	port->hash = hash;
	memcpy(port->key, in->key, RSS_KEY_LEN);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status ethport_cmd_set_gid(struct card *card, struct cmd *cmd)
{
	return gid_set(&card->gids, cmd->in);
}
