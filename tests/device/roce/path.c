// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Paths of a connected QP: source checks and migration */
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

/* Do source and destination match the path @av (IBTA 9.6.1.2, A17.5)? */
static bool path_matches(const struct card *card, const struct ornic_av *av,
			 const uint8_t *from, unsigned int sgid_index)
{
	const struct gid_entry *mine, *to;

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

/* Swap the paths: the peer may still send on the former one */
static void path_migrate(struct qp *qp)
{
	struct qp_attr *attr = &qp->attr;
	struct ornic_av av = attr->av;
	uint8_t timeout = attr->timeout;

	attr->av = attr->alt_av;
	attr->alt_av = av;
	attr->timeout = attr->alt_timeout;
	attr->alt_timeout = timeout;
	attr->mig_state = ORNIC_MIG_MIGRATED;
	eq_async(qp->base.card, &qp->base.events, ORNIC_EVENT_QP_PATH_MIG);
}

static void path_migrate_failed(struct qp *qp)
{
	if (qp->attr.mig_failed)
		return;
	qp->attr.mig_failed = true;
	eq_async(qp->base.card, &qp->base.events, ORNIC_EVENT_QP_PATH_MIG_ERR);
}

bool path_accept(struct qp *qp, const struct packet *pkt,
		 const struct headers *headers, unsigned int sgid_index)
{
	struct qp_attr *attr = &qp->attr;
	uint8_t from[GID_LEN];
	bool alt;

	headers_gid(pkt->frame, headers, true, from);
	if (!attr->alt_loaded)
		return path_matches(qp->base.card, &attr->av, from, sgid_index);
	alt = path_matches(qp->base.card, &attr->alt_av, from, sgid_index);
	if (attr->mig_state == ORNIC_MIG_ARMED && pkt->migrated) {
		/* The peer migrated. Follow it only to the alternate path. */
		if (alt)
			path_migrate(qp);
		else
			path_migrate_failed(qp);
		return alt;
	}
	if (path_matches(qp->base.card, &attr->av, from, sgid_index)) {
		if (attr->mig_state == ORNIC_MIG_REARM && !pkt->migrated)
			attr->mig_state = ORNIC_MIG_ARMED;
		return true;
	}
	/* A peer that has not migrated yet sends on the former path */
	return alt && !pkt->migrated;
}

bool path_fail_over(struct qp *qp)
{
	if (qp->attr.mig_state != ORNIC_MIG_ARMED)
		return false;
	if (!path_valid(qp->base.card, &qp->attr.alt_av)) {
		path_migrate_failed(qp);
		return false;
	}
	path_migrate(qp);
	return true;
}

void path_set_state(struct qp *qp, enum ornic_mig_state state)
{
	struct qp_attr *attr = &qp->attr;

	attr->mig_failed = false;
	if (state == ORNIC_MIG_MIGRATED && attr->mig_state == ORNIC_MIG_ARMED)
		path_migrate(qp);
	attr->mig_state = state;
}
