// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RAW_PACKET engine: receive into QPs and WQs */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "core.h"
#include "csum.h"
#include "eth.h"
#include "qp.h"
#include "rss.h"

/* The pieces of a frame, one more where the tag is cut out, and the FCS */
#define ETH_RX_PIECES (FRAME_IOV_MAX + 4)

_Static_assert(FRAME_HDR_MAX >= ETH_MACS_LEN + FLOW_VLAN_LEN,
	       "a tag is found in the header");

/**
 * struct eth_data - data to write for a frame
 * @iov: pieces, in order
 * @count: number of pieces in @iov
 * @len: bytes
 * @fcs: FCS, as on the wire
 */
struct eth_data {
	struct iovec iov[ETH_RX_PIECES];
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
				 ETH_RX_PIECES - data->count);
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
			  const struct flow *flow, uint32_t rx_flags)
{
	uint64_t len = frame_len(frame);

	data->count = 0;
	data->len = 0;
	if (rx_flags & ORNIC_WQ_CVLAN_STRIPPING && flow->tagged) {
		eth_data_add(data, frame, 0, ETH_MACS_LEN);
		eth_data_add(data, frame, ETH_MACS_LEN + FLOW_VLAN_LEN,
			     len - ETH_MACS_LEN - FLOW_VLAN_LEN);
	} else {
		eth_data_add(data, frame, 0, len);
	}
	if (rx_flags & ORNIC_WQ_SCATTER_FCS)
		eth_data_add_fcs(data, frame);
}

/* Fill up the line of the last byte with zeros, but not beyond its SGE ([ORNIC-ETH-3]) */
static int eth_rx_pad(struct qp *qp, const struct recv_wqe *wqe, uint64_t len)
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
	return rq_write(qp, wqe, len, &iov, 1);
}

static void eth_rx_tell(const struct qp *qp, const struct frame *frame,
			const struct flow *flow, struct ornic_cqe *cqe,
			struct ornic_cqe_ext *ext)
{
	if (qp->rx_flags & ORNIC_WQ_CVLAN_STRIPPING && flow->tagged) {
		ext->vlan_tci = htole16(flow->vlan_tci);
		ext->flags |= htole16(ORNIC_CQE_EXT_VLAN);
	}
	if (!flow->l4 || !csum_ip_ok(frame, flow) || !csum_l4_ok(frame, flow))
		return;
	ext->flags |= htole16(ORNIC_CQE_EXT_L4_CSUM_OK);
	if (flow->l3 == 4)
		cqe->qpn |= htole32(ORNIC_PREP(ORNIC_CQE_FLAGS,
					       ORNIC_WC_IP_CSUM_OK));
}

/* A QP reports the failure by its completion, a WQ also by an event */
static void eth_rx_fail(struct qp *qp, const struct recv_wqe *wqe,
			enum ornic_wc_status status)
{
	rq_fail(qp, wqe->wr_id, status);
	if (qp_is_wq(qp))
		qp_fatal(qp);
	else
		qp_error(qp);
}

bool eth_receive(struct qp *qp, const struct frame *frame,
		 const struct flow *flow, struct ornic_cqe_ext *ext)
{
	struct ornic_cqe cqe = { .opcode = htole32(ORNIC_WC_RECV) };
	struct nic *nic = qp->nic;
	struct eth_data data;
	struct recv_wqe wqe;
	int ret;

	ret = rq_take(qp, &wqe);
	if (ret == -EAGAIN)
		return false;
	if (ret == -EINVAL) {
		eth_rx_fail(qp, &wqe, ORNIC_WC_LOC_QP_OP_ERR);
		return true;
	}
	if (ret) {
		PORT_STAT_INC(nic, rx_dropped_no_wqe);
		qp_fatal(qp);
		return true;
	}
	eth_data_make(&data, frame, flow, qp->rx_flags);
	if (data.len > wqe.length) {
		/* The WQE stays for the next frame ([ORNIC-RQ-4]) */
		qp->rq.next--;
		PORT_STAT_INC(nic, rx_dropped_malformed);
		return true;
	}
	if (rq_write(qp, &wqe, 0, data.iov, data.count) ||
	    (qp->rx_flags & ORNIC_WQ_PAD_END &&
	     eth_rx_pad(qp, &wqe, data.len))) {
		eth_rx_fail(qp, &wqe, ORNIC_WC_LOC_PROT_ERR);
		return true;
	}
	cqe.byte_len = htole32(data.len);
	eth_rx_tell(qp, frame, flow, &cqe, ext);
	rq_complete(qp, &cqe, wqe.wr_id, ext, false);
	if (qp->delay)
		qp->delay->told = false;
	return true;
}

/* @ext: completion data known before the frame reaches the queue */
static void eth_rx_queue(struct qp *qp, const struct frame *frame,
			 const struct flow *flow, struct ornic_cqe_ext *ext)
{
	/* Frames that wait go first */
	bool waits = qp->delay && qp->delay->count && delay_run(qp);

	if (qp_receives(qp) && !waits && eth_receive(qp, frame, flow, ext))
		return;
	if (qp_receives(qp) && qp->delay)
		delay_add(qp, frame, ext);
	else
		PORT_STAT_INC(qp->nic, rx_dropped_no_wqe);
}

static void eth_tell_hash(struct ornic_cqe_ext *ext, uint32_t hash)
{
	ext->rss_hash = htole32(hash);
	ext->flags |= htole16(ORNIC_CQE_EXT_RSS);
}

bool eth_valid(const struct nic *nic, const struct frame *frame)
{
	return !(frame->flags & FRAME_LOCAL) &&
	       frame_len(frame) <= nic->port.mtu + ETH_OVERHEAD;
}

void eth_deliver(struct qp *qp, const struct frame *frame,
		 const struct flow *flow, uint32_t tag)
{
	struct ornic_cqe_ext ext = { .flow_tag = htole32(tag) };
	uint32_t hash;

	if (qp->rwq) {
		if (rss_hash_fields(frame, qp->rx_hash.fields, qp->rx_hash.key,
				    &hash))
			eth_tell_hash(&ext, hash);
		qp = rwq_get(qp->rwq, hash);
	}
	eth_rx_queue(qp, frame, flow, &ext);
}

void eth_rx(struct nic *nic, const struct frame *frame, const struct flow *flow)
{
	struct ornic_cqe_ext ext = {};
	uint32_t hash;
	struct qp *qp;

	if (rss_hash(frame, flow, nic->port.hash, nic->port.key, &hash))
		eth_tell_hash(&ext, hash);
	qp = ethport_queue(nic, hash);
	if (qp)
		eth_rx_queue(qp, frame, flow, &ext);
	else
		PORT_STAT_INC(nic, rx_dropped_no_wqe);
}
