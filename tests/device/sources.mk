# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Sources of the software card, one per line, by layer: edges (memory, time,
# wire), the program, the core (registers and commands, objects, engines).
# tests/unit uses the same lists.

# The environment of the core
EDGE_SRCS := \
	env.c \
	fault.c \
	frame.c \
	irqfd.c \
	log.c \
	loop.c \
	mem.c \
	rng.c \
	share.c \
	switch.c \
	timer.c

# The program around the core
MAIN_SRCS := \
	capture.c \
	card.c \
	control.c \
	main.c \
	options.c \
	pci.c \
	port_dgram.c \
	port_fd.c \
	port_tap.c \
	remover.c \
	report.c \
	sandbox.c \
	sock.c \
	vfio_user.c \
	vfio_user_cmd.c

# The core, which knows neither sockets nor QEMU
CORE_SRCS := \
	cmd.c \
	counters.c \
	doorbell.c \
	lie.c \
	nic.c \
	query.c \
	regs.c \
	reset.c \
	stats.c \
	bounce.c \
	buf.c \
	cq.c \
	cq_modify.c \
	eq.c \
	ethport.c \
	gid.c \
	guest.c \
	mcast.c \
	mr.c \
	mw.c \
	obj.c \
	pd.c \
	uctx.c \
	csum.c \
	eth.c \
	eth_rx.c \
	flow.c \
	flow_key.c \
	rss.c \
	rule.c \
	ack.c \
	comp.c \
	delay.c \
	icrc.c \
	opcode.c \
	pace.c \
	packet.c \
	path.c \
	qp.c \
	qp_modify.c \
	req.c \
	resp.c \
	roce.c \
	rq.c \
	sge.c \
	sq.c \
	srq.c \
	tso.c \
	rwq.c \
	ud.c \
	wq.c \
	xrcd.c

DEVICE_SRCS := $(EDGE_SRCS) $(MAIN_SRCS) $(CORE_SRCS)
