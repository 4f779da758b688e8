# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Sources of the software card, one per line, by room. scripts/house/rooms has the
# map of the rooms. tests/unit uses the same lists.

# The environment of a card
EDGE_SRCS := \
	env/env.c \
	env/frame.c \
	env/log.c \
	env/mem.c \
	env/number.c \
	env/reaper.c \
	env/rng.c \
	env/timer.c \
	loop/fault.c \
	loop/irqfd.c \
	loop/loop.c \
	loop/share.c \
	loop/sock.c \
	loop/spin.c \
	loop/switch.c

# The program around the cards
MAIN_SRCS := \
	ports/capture.c \
	ports/port_dgram.c \
	ports/port_fd.c \
	ports/port_tap.c \
	host/pci.c \
	host/vfio_user.c \
	host/vfio_user_cmd.c \
	process/cards.c \
	process/control.c \
	process/main.c \
	process/options.c \
	process/remover.c \
	process/report.c \
	process/sandbox.c \
	process/slot.c \
	process/stream.c \
	process/tracer.c

# A card, which knows neither sockets nor QEMU
CORE_SRCS := \
	base/arena.c \
	base/bounce.c \
	base/buf.c \
	base/cmd.c \
	base/errlog.c \
	base/feature.c \
	base/gid.c \
	base/guest.c \
	base/irq.c \
	base/lie.c \
	base/lie_entry.c \
	base/limit.c \
	base/obj.c \
	base/run.c \
	base/stats.c \
	base/trace.c \
	base/watch.c \
	objects/comp_cntr.c \
	objects/counters.c \
	objects/cq.c \
	objects/cq_modify.c \
	objects/eq.c \
	objects/mr.c \
	objects/mw.c \
	objects/rq.c \
	objects/srq.c \
	objects/uctx.c \
	objects/xrcd.c \
	queues/pace.c \
	queues/qp.c \
	queues/receiver.c \
	queues/sge.c \
	queues/sq.c \
	eth/csum.c \
	eth/delay.c \
	eth/eth_recv.c \
	eth/eth_rx.c \
	eth/eth_tx.c \
	eth/ethport.c \
	eth/flow.c \
	eth/flow_field.c \
	eth/headers.c \
	eth/rss.c \
	eth/rwq_table.c \
	eth/tso.c \
	eth/tx.c \
	eth/wq.c \
	roce/ack.c \
	roce/comp.c \
	roce/icrc.c \
	roce/mcast.c \
	roce/opcode.c \
	roce/packet.c \
	roce/path.c \
	roce/record.c \
	roce/req.c \
	roce/resp.c \
	roce/roce.c \
	roce/roce_rx.c \
	roce/trace_packet.c \
	roce/ud.c \
	roce/xrc.c \
	card/admin.c \
	card/card.c \
	card/doorbell.c \
	card/effects.c \
	card/lie_later.c \
	card/negotiate.c \
	card/push.c \
	card/qp_cmd.c \
	card/qp_modify.c \
	card/qp_run.c \
	card/query.c \
	card/regs.c \
	card/reset.c \
	card/rx.c

DEVICE_SRCS := $(EDGE_SRCS) $(MAIN_SRCS) $(CORE_SRCS)
