// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Negotiation between card and host */
#include <string.h>

#include "base/feature.h"
#include "base/state.h"
#include "card/negotiate.h"
#include "card/query.h"

#define NEGOTIATE_PAGE_SHIFT_MIN 12
#define NEGOTIATE_PAGE_SHIFT_MAX 31

static bool negotiate_has_objects(const struct card *card)
{
	return card->uctxs.count || card->mrs.count || card->eqs.count ||
	       card->cqs.count || card->qps.count || card->srqs.count ||
	       card->xrcds.count || card->rwq_tables.count ||
	       card->flows.count || card->counters.count ||
	       card->comp_cntrs.count;
}

/* Printable characters, then zeros, at least one ([ORNIC-NEG-2]) */
static bool negotiate_is_name(const char *name, size_t size)
{
	size_t len = strnlen(name, size), i;

	for (i = 0; i < len; i++)
		if (name[i] < ' ' || name[i] > '~')
			return false;
	return len < size && cmd_is_zero(name + len, size - len);
}

/* A guest must not fill a disk */
static void negotiate_log(struct card *card, uint32_t version)
{
	if (card->hosts >= STATS_LOG_MAX)
		return;
	card->hosts++;
	env_log(card->env, ENV_LOG_DEBUG, "host: %s, version %u.%u",
		card->host.name, ORNIC_GET(ORNIC_VERSION_MAJOR, version),
		ORNIC_GET(ORNIC_VERSION_MINOR, version));
}

void negotiate_reset(struct card *card)
{
	memset(&card->host, 0, sizeof(card->host));
	card->host.version = card->version & ORNIC_VERSION_MAJOR;
	card->host.send_ops = query_send_ops(card, 0);
	card_set_plain_ops(card);
}

enum ornic_cmd_status negotiate_cmd_set_host(struct card *card,
					     struct cmd *cmd)
{
	const struct ornic_set_host_in *in = cmd->in;
	struct ornic_set_host_out *out = cmd->out;
	uint64_t features = le64toh(in->features);
	uint32_t version = le32toh(in->version);
	struct card_host *host = &card->host;

	if (!CMD_RSVD_ZERO(in->rsvd) ||
	    in->page_shift < NEGOTIATE_PAGE_SHIFT_MIN ||
	    in->page_shift > NEGOTIATE_PAGE_SHIFT_MAX ||
	    !negotiate_is_name(in->name, sizeof(in->name)) ||
	    feature_close(features) != features)
		return ORNIC_CMD_BAD_PARAM;
	if ((version ^ card->version) & ORNIC_VERSION_MAJOR ||
	    features & ~card->features)
		return ORNIC_CMD_NOT_SUPPORTED;
	if (negotiate_has_objects(card))
		return ORNIC_CMD_BAD_STATE;
	host->told = true;
	host->version = version < card->version ? version : card->version;
	host->page_shift = in->page_shift;
	host->features = features;
	host->send_ops = query_send_ops(card, features);
	card_set_plain_ops(card);
	memcpy(host->name, in->name, sizeof(host->name));
	negotiate_log(card, version);
	out->version = htole32(host->version);
	out->features = htole64(features);
	return ORNIC_CMD_OK;
}
