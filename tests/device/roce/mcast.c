// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Multicast groups */
#include <stdlib.h>
#include <string.h>

#include "base/be.h"
#include "base/state.h"
#include "queues/qp.h"
#include "roce/mcast.h"

#define MCAST_MAC_LEN 6

/* Return: true for the address of a group */
static bool mcast_gid_valid(const uint8_t *gid)
{
	/* 224.0.0.0/4, ff00::/8 */
	return gid_is_ipv4(gid) ? gid[12] >> 4 == 0xe : gid[0] == 0xff;
}

static void mcast_mac(uint8_t *mac, const uint8_t *gid)
{
	if (gid_is_ipv4(gid)) {
		memcpy(mac, "\x01\x00\x5e", 3);
		mac[3] = gid[13] & 0x7f;
		memcpy(mac + 4, gid + 14, 2);
	} else {
		memcpy(mac, "\x33\x33", 2);
		memcpy(mac + 2, gid + 12, 4);
	}
}

static struct list_head *mcast_bucket(struct card *card, const uint8_t *mac)
{
	/* Fibonacci hashing, as gid_hash(), of the bytes that differ */
	return &card->mcast.bucket[be_get32(mac + 2) * 0x9e3779b1u >>
				   (32 - MCAST_HASH_BITS)];
}

void mcast_init(struct card *card)
{
	unsigned int i;

	for (i = 0; i < MCAST_HASH_SIZE; i++)
		list_init(&card->mcast.bucket[i]);
	card->mcast.count = 0;
}

bool mcast_accepts(struct card *card, const uint8_t *dmac)
{
	const struct list_head *pos, *bucket;

	if (!card->mcast.count || !(dmac[0] & 1))
		return false;
	bucket = mcast_bucket(card, dmac);
	list_for_each(pos, bucket)
		if (!memcmp(list_entry(pos, struct mcast_group, node)->mac,
			    dmac, MCAST_MAC_LEN))
			return true;
	return false;
}

struct mcast_group *mcast_find(struct card *card, const uint8_t *gid,
			       const uint8_t *dmac)
{
	const struct list_head *pos, *bucket = mcast_bucket(card, dmac);
	struct mcast_group *group;

	list_for_each(pos, bucket) {
		group = list_entry(pos, struct mcast_group, node);
		if (!memcmp(group->gid, gid, GID_LEN) &&
		    !memcmp(group->mac, dmac, MCAST_MAC_LEN))
			return group;
	}
	return NULL;
}

static struct mcast_member *mcast_member(const struct mcast_group *group,
					 const struct qp *qp)
{
	struct mcast_member *member;
	const struct list_head *pos;

	list_for_each(pos, &group->members) {
		member = list_entry(pos, struct mcast_member, node);
		if (member->qp == qp)
			return member;
	}
	return NULL;
}

static struct mcast_group *mcast_create(struct card *card, const uint8_t *gid)
{
	unsigned int room = MCAST_BUCKET_MAX;
	struct list_head *bucket, *pos;
	struct mcast_group *group;
	uint8_t mac[MAC_LEN];

	mcast_mac(mac, gid);
	bucket = mcast_bucket(card, mac);
	list_for_each(pos, bucket)
		room--;
	if (card->mcast.count == MCAST_GROUPS_MAX || !room)
		return NULL;
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	memcpy(group->gid, gid, GID_LEN);
	memcpy(group->mac, mac, MAC_LEN);
	list_init(&group->members);
	list_add_tail(&group->node, bucket);
	card->mcast.count++;
	return group;
}

/* Free a group without members */
static void mcast_put(struct card *card, struct mcast_group *group)
{
	if (group->count)
		return;
	list_del_init(&group->node);
	card->mcast.count--;
	free(group);
}

static int mcast_add(struct mcast_group *group, struct qp *qp)
{
	struct mcast_member *member;

	if (group->count == MCAST_QPS_MAX)
		return -1;
	member = calloc(1, sizeof(*member));
	if (!member)
		return -1;
	member->qp = qp;
	obj_get(&qp->base.obj);
	list_add_tail(&member->node, &group->members);
	group->count++;
	return 0;
}

static void mcast_remove(struct mcast_group *group, struct mcast_member *member)
{
	list_del_init(&member->node);
	obj_put(&member->qp->base.obj);
	group->count--;
	free(member);
}

void mcast_clear(struct card *card, struct obj_walk *walk)
{
	struct list_head *bucket;
	struct mcast_group *group;

	for (; walk->index < MCAST_HASH_SIZE; walk->index++) {
		bucket = &card->mcast.bucket[walk->index];
		while (!list_empty(bucket)) {
			if (!walk->left)
				return;
			group = list_first_entry(bucket, struct mcast_group,
						 node);
			obj_walk_spend(walk, 1 + group->count);
			while (group->count)
				mcast_remove(group,
					     list_first_entry(&group->members,
							      struct mcast_member,
							      node));
			mcast_put(card, group);
		}
	}
}

/* ---- commands ---- */

/* Checks of both commands. @group is NULL when the group does not exist. */
static enum ornic_cmd_status mcast_resolve(struct card *card,
					   const struct ornic_mcast_in *in,
					   struct qp **qp,
					   struct mcast_group **group)
{
	uint8_t mac[MCAST_MAC_LEN];

	if (in->rsvd || !mcast_gid_valid(in->gid))
		return ORNIC_CMD_BAD_PARAM;
	*qp = qp_find(card, le32toh(in->qpn));
	if (!*qp || (*qp)->base.type != ORNIC_QPT_UD)
		return ORNIC_CMD_BAD_OBJECT;
	mcast_mac(mac, in->gid);
	*group = mcast_find(card, in->gid, mac);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status mcast_cmd_attach(struct card *card, struct cmd *cmd)
{
	const struct ornic_mcast_in *in = cmd->in;
	enum ornic_cmd_status status;
	struct mcast_group *group;
	struct qp *qp;

	status = mcast_resolve(card, in, &qp, &group);
	if (status)
		return status;
	if (!group)
		group = mcast_create(card, in->gid);
	if (!group)
		return ORNIC_CMD_NO_RESOURCES;
	if (!mcast_member(group, qp) && mcast_add(group, qp)) {
		mcast_put(card, group);
		return ORNIC_CMD_NO_RESOURCES;
	}
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status mcast_cmd_detach(struct card *card, struct cmd *cmd)
{
	struct mcast_member *member = NULL;
	enum ornic_cmd_status status;
	struct mcast_group *group;
	struct qp *qp;

	status = mcast_resolve(card, cmd->in, &qp, &group);
	if (status)
		return status;
	if (group)
		member = mcast_member(group, qp);
	if (!member)
		return ORNIC_CMD_BAD_OBJECT;
	mcast_remove(group, member);
	mcast_put(card, group);
	return ORNIC_CMD_OK;
}
