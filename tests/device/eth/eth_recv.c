// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Frames written to the WQEs of a QP or a WQ */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/state.h"
#include "eth/csum.h"
#include "eth/eth.h"
#include "eth/eth_recv.h"
#include "queues/receiver.h"
#include "queues/sge.h"

/* The pieces of a frame, one more where the tag is cut out, and the FCS */
#define ETH_RECV_PIECES (FRAME_IOV_MAX + 4)

_Static_assert(FRAME_HDR_MAX >= ETH_MACS_LEN + HEADERS_VLAN_LEN,
	       "a tag is found in the header");

/**
 * struct eth_data - data to write for a frame
 * @iov: pieces, in order
 * @count: number of pieces in @iov
 * @len: bytes
 * @fcs: FCS, as on the wire
 */
struct eth_data {
	struct iovec iov[ETH_RECV_PIECES];
	int count;
	uint64_t len;
	uint8_t fcs[ETH_FCS_LEN];
};

/* Append a part of the frame */
static void eth_data_add(struct eth_data *data, const struct frame *frame,
			 uint64_t offset, uint64_t len)
{
	/* Cannot fail: the part is inside the frame, and @iov has room */
	data->count += frame_iov(frame, offset, len, data->iov + data->count,
				 ETH_RECV_PIECES - data->count);
	data->len += len;
}

/* IEEE 802.3 3.2.9: the CRC-32 of the whole frame, lowest byte first */
static void eth_data_add_fcs(struct eth_data *data, const struct frame *frame)
{
	struct eth_data whole = {};
	uint32_t crc = crc32(0, NULL, 0);
	int i;

	eth_data_add(&whole, frame, 0, frame_len(frame));
	for (i = 0; i < whole.count; i++)
		crc = crc32_z(crc, whole.iov[i].iov_base, whole.iov[i].iov_len);
	for (i = 0; i < ETH_FCS_LEN; i++)
		data->fcs[i] = crc >> 8 * i;
	data->iov[data->count++] = (struct iovec){ data->fcs, ETH_FCS_LEN };
	data->len += ETH_FCS_LEN;
}

static void eth_data_make(struct eth_data *data, const struct frame *frame,
			  const struct headers *headers, uint32_t rx_flags)
{
	uint64_t len = frame_len(frame);

	data->count = 0;
	data->len = 0;
	if (rx_flags & ORNIC_WQ_CVLAN_STRIPPING && headers->tagged) {
		eth_data_add(data, frame, 0, ETH_MACS_LEN);
		eth_data_add(data, frame, ETH_MACS_LEN + HEADERS_VLAN_LEN,
			     len - ETH_MACS_LEN - HEADERS_VLAN_LEN);
	} else {
		eth_data_add(data, frame, 0, len);
	}
	if (rx_flags & ORNIC_WQ_SCATTER_FCS)
		eth_data_add_fcs(data, frame);
}

/* Fill up the line of the last byte with zeros, but not beyond its SGE ([ORNIC-ETH-3]) */
static int eth_recv_pad(struct receiver *receiver, const struct recv_wqe *wqe, uint64_t len)
{
	static const uint8_t zeros[ETH_LINE];
	const struct sge *sge = wqe->sge;
	uint64_t used = len;
	uint64_t pad;
	struct iovec iov;

	while (used > sge->length)
		used -= sge++->length;
	pad = -(sge->addr + used) % ETH_LINE;
	if (pad > sge->length - used)
		pad = sge->length - used;
	if (!pad)
		return 0;
	iov.iov_base = (void *)(uintptr_t)zeros;
	iov.iov_len = pad;
	return sge_write_wqe(receiver, wqe, len, &iov, 1);
}

static void eth_recv_tell(const struct receiver *receiver, const struct frame *frame,
			  const struct headers *headers, struct ornic_cqe *cqe,
			  struct ornic_cqe_ext *ext)
{
	if (receiver->rx_flags & ORNIC_WQ_CVLAN_STRIPPING && headers->tagged) {
		ext->vlan_tci = htole16(headers->vlan_tci);
		ext->flags |= htole16(ORNIC_CQE_EXT_VLAN);
	}
	if (!headers->l4 || !csum_ip_ok(frame, headers) || !csum_l4_ok(frame, headers))
		return;
	ext->flags |= htole16(ORNIC_CQE_EXT_L4_CSUM_OK);
	if (headers->l3 == 4)
		cqe->qpn |= htole32(ORNIC_PREP(ORNIC_CQE_FLAGS,
					       ORNIC_WC_IP_CSUM_OK));
}

static void eth_recv_fail(struct receiver *receiver, const struct recv_wqe *wqe,
			  enum ornic_wc_status status)
{
	receiver_fail(receiver, wqe->wr_id, status);
	receiver->ops->failed(receiver);
}

enum eth_result eth_receive(struct receiver *receiver, const struct frame *frame,
		 const struct headers *headers, struct ornic_cqe_ext *ext)
{
	struct ornic_cqe cqe = { .opcode = htole32(ORNIC_WC_RECV) };
	struct card *card = receiver->card;
	struct eth_data data;
	struct recv_wqe wqe;
	int ret;

	ret = receiver_take(receiver, &wqe);
	if (ret == -EAGAIN)
		return ETH_NO_WQE;
	if (ret == -EINVAL) {
		eth_recv_fail(receiver, &wqe, ORNIC_WC_LOC_QP_OP_ERR);
		return ETH_DROPPED;
	}
	if (ret) {
		PORT_STAT_INC(card, rx_dropped_no_wqe);
		receiver->ops->lost(receiver);
		return ETH_DROPPED;
	}
	eth_data_make(&data, frame, headers, receiver->rx_flags);
	if (data.len > wqe.length) {
		/* The WQE stays for the next frame ([ORNIC-RQ-5]) */
		receiver->rq.next--;
		PORT_STAT_INC(card, rx_dropped_malformed);
		return ETH_DROPPED;
	}
	if (sge_write_wqe(receiver, &wqe, 0, data.iov, data.count) ||
	    (receiver->rx_flags & ORNIC_WQ_PAD_END &&
	     eth_recv_pad(receiver, &wqe, data.len))) {
		eth_recv_fail(receiver, &wqe, ORNIC_WC_LOC_PROT_ERR);
		return ETH_DROPPED;
	}
	cqe.byte_len = htole32(data.len);
	eth_recv_tell(receiver, frame, headers, &cqe, ext);
	receiver_complete(receiver, &cqe, wqe.wr_id, ext, false);
	return ETH_RECEIVED;
}

bool eth_valid(const struct card *card, const struct frame *frame)
{
	return !(frame->flags & FRAME_LOCAL) &&
	       frame_len(frame) <= card->port.mtu + ETH_OVERHEAD;
}
