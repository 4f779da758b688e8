// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Paths of connected QPs: is a packet from the peer? */
#include <endian.h>
#include <string.h>

#include "eth/headers.h"
#include "queues/qp.h"
#include "roce/packet.h"
#include "roce/path.h"

bool path_valid(const struct card *card, const struct ornic_av *av)
{
	const struct gid_entry *src = gid_get(&card->gids, le16toh(av->sgid_index));

	return src && src->ipv4 == gid_is_ipv4(av->dgid);
}

/* IBTA 9.6.1.2, A17.5 */
bool path_accept(const struct qp *qp, const struct packet *pkt,
		 const struct headers *headers, unsigned int sgid_index)
{
	const struct card *card = qp->base.card;
	const struct ornic_av *av = &qp->attr.av;
	const struct gid_entry *mine, *to;
	uint8_t from[GID_LEN];

	headers_gid(pkt->frame, headers, true, from);
	if (memcmp(from, av->dgid, GID_LEN))
		return false;
	if (le16toh(av->sgid_index) == sgid_index)
		return true;
	/* The same GID and VLAN may be in the table twice */
	mine = gid_get(&card->gids, le16toh(av->sgid_index));
	to = gid_get(&card->gids, sgid_index);
	return mine && to && mine->vlan_id == to->vlan_id &&
	       !memcmp(mine->gid, to->gid, GID_LEN);
}
