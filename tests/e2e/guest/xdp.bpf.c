// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * An XDP program that executes the action in a frame. Frames with the Ethernet type for local
 * experiments have an action after the header, followed by its argument; all others go to the
 * network stack.
 */
#include <linux/bpf.h>

#define SEC(name)	__attribute__((section(name), used))
#define ETHERTYPE	0x88b5
#define ETH_HLEN	14
#define ETH_ALEN	6
#define GROWTH		64

/* The first ones as in enum xdp_action; the tests have the same names */
enum action {
	ABORTED,
	DROP,
	PASS,
	TX,
	REDIRECT,	/* to the interface with this index */
	GROW,		/* GROWTH bytes more at the end, then PASS */
	SHRINK,		/* the argument is the number of bytes to remove at the end, then PASS */
	PUSH,		/* another header in front, then PASS */
	NONSENSE,
};

static long (*bpf_redirect)(__u32 ifindex, __u64 flags) = (void *)BPF_FUNC_redirect;
static long (*bpf_xdp_adjust_tail)(struct xdp_md *ctx, int delta) =
	(void *)BPF_FUNC_xdp_adjust_tail;
static long (*bpf_xdp_adjust_head)(struct xdp_md *ctx, int delta) =
	(void *)BPF_FUNC_xdp_adjust_head;

static __u8 *frame(struct xdp_md *ctx, unsigned int len)
{
	__u8 *data = (void *)(long)ctx->data;

	return data + len <= (__u8 *)(long)ctx->data_end ? data : 0;
}

/* Swap the addresses, so that the frame returns to its sender */
static int turn_round(__u8 *data)
{
	unsigned int i;

	for (i = 0; i < ETH_ALEN; i++) {
		__u8 byte = data[i];

		data[i] = data[ETH_ALEN + i];
		data[ETH_ALEN + i] = byte;
	}
	return XDP_TX;
}

/* Add another header, which is a copy of the existing one */
static int push_header(struct xdp_md *ctx)
{
	__u8 header[ETH_HLEN], *data = frame(ctx, ETH_HLEN);
	unsigned int i;

	if (!data)
		return XDP_ABORTED;
	for (i = 0; i < ETH_HLEN; i++)
		header[i] = data[i];

	if (bpf_xdp_adjust_head(ctx, -ETH_HLEN))
		return XDP_ABORTED;
	data = frame(ctx, ETH_HLEN);
	if (!data)
		return XDP_ABORTED;
	for (i = 0; i < ETH_HLEN; i++)
		data[i] = header[i];
	return XDP_PASS;
}

SEC("xdp")
int obey(struct xdp_md *ctx)
{
	__u8 *data = frame(ctx, ETH_HLEN + 2);

	if (!data || data[12] != ETHERTYPE >> 8 || data[13] != (ETHERTYPE & 0xff))
		return XDP_PASS;

	switch (data[ETH_HLEN]) {
	case ABORTED:
		return XDP_ABORTED;
	case DROP:
		return XDP_DROP;
	case TX:
		return turn_round(data);
	case REDIRECT:
		return bpf_redirect(data[ETH_HLEN + 1], 0);
	case GROW:
		return bpf_xdp_adjust_tail(ctx, GROWTH) ? XDP_ABORTED : XDP_PASS;
	case SHRINK:
		return bpf_xdp_adjust_tail(ctx, -(int)data[ETH_HLEN + 1]) ? XDP_ABORTED : XDP_PASS;
	case PUSH:
		return push_header(ctx);
	case NONSENSE:
		return 77;
	default:
		return XDP_PASS;
	}
}

char license_text[] SEC("license") = "Dual BSD/GPL";
