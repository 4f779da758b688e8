/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive side scaling */
#ifndef ORNIC_RSS_H
#define ORNIC_RSS_H

#include <linux/types.h>

struct ornic_netdev;
struct ornic_queue;

#define ORNIC_RSS_ENTRIES	128	/* as many as SET_RX_QUEUES takes */
#define ORNIC_RSS_KEY_LEN	40

/**
 * struct ornic_rss - how received frames are spread over the queues
 * @entries:	entries of @table in use, a power of two
 * @hash:	ORNIC_HASH_*, the fields that are hashed
 * @table:	index of the queue for each hash value
 * @key:	Toeplitz key
 */
struct ornic_rss {
	u32 entries;
	u32 hash;
	u32 table[ORNIC_RSS_ENTRIES];
	u8 key[ORNIC_RSS_KEY_LEN];
};

void ornic_rss_init_table(struct ornic_rss *rss, u32 num_queues);
int ornic_rss_cmd(struct ornic_netdev *nd, struct ornic_queue *const *queues,
		  const struct ornic_rss *rss, u32 count);
int ornic_rss_apply(struct ornic_netdev *nd);

#endif /* ORNIC_RSS_H */
