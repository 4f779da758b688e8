# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Unit tests, one program and one file per noun

# Linked with the whole program except main(): cards with real clients
UNIT_MAIN_TESTS := \
	slot_test.c \
	control_test.c \
	port_test.c \
	turn_test.c

# Linked with the whole program except main(), and the clock of work.c
UNIT_WORK_TESTS := \
	neighbour_command_test.c \
	neighbour_memory_test.c \
	neighbour_message_test.c \
	neighbour_qp_test.c \
	neighbour_wire_test.c

# Shared by the tests with that clock
UNIT_WORK_SRCS := \
	client.c \
	host.c \
	neighbour.c \
	neighbour_check.c \
	pair.c \
	pair_wr.c \
	work.c

# Shared by the same programs as benchmarks
UNIT_BENCH_SRCS := \
	client.c \
	host.c \
	neighbour.c \
	neighbour_bench.c \
	pair.c \
	pair_wr.c

# Linked with the edges only
UNIT_EDGE_TESTS := \
	frame_test.c \
	irqfd_test.c \
	log_test.c \
	loop_test.c \
	mem_test.c \
	pci_test.c \
	share_test.c \
	spin_test.c \
	switch_test.c \
	timer_test.c

# Linked with the edges and the core
UNIT_CORE_TESTS := \
	ack_test.c \
	admin_test.c \
	answer_test.c \
	appendix_traces_test.c \
	appendix_vectors_test.c \
	arena_test.c \
	arm_test.c \
	atomic_test.c \
	buf_test.c \
	build_test.c \
	cmd_test.c \
	cq_db_test.c \
	cq_test.c \
	delay_test.c \
	doorbell_test.c \
	entry_test.c \
	eq_test.c \
	errlog_test.c \
	eth_rx_test.c \
	eth_test.c \
	extension_test.c \
	flow_field_test.c \
	flow_key_test.c \
	flush_test.c \
	fuzz_test.c \
	gid_test.c \
	headers_test.c \
	index_test.c \
	isolation_test.c \
	lie_test.c \
	loopback_test.c \
	mcast_test.c \
	mr_test.c \
	mw_test.c \
	negotiate_test.c \
	obj_test.c \
	order_test.c \
	overrun_test.c \
	pace_test.c \
	packet_test.c \
	path_test.c \
	pause_test.c \
	psn_test.c \
	qp_test.c \
	rc_error_test.c \
	rc_test.c \
	rc_wire_test.c \
	reg_test.c \
	regs_test.c \
	reset_test.c \
	room_test.c \
	rq_test.c \
	rss_test.c \
	flow_test.c \
	spoof_test.c \
	sq_test.c \
	sqd_test.c \
	srq_test.c \
	states_test.c \
	submission_test.c \
	tenant_test.c \
	tso_test.c \
	uc_test.c \
	uctx_test.c \
	ud_test.c \
	vector_test.c \
	wire_test.c \
	wq_states_test.c \
	wq_test.c \
	xrc_test.c

# Shared by the core tests: a host for the card, and helpers
UNIT_CORE_SRCS := \
	fuzz_eth.c \
	fuzz_step.c \
	fuzz_wqe.c \
	host.c \
	kit.c \
	pair.c \
	pair_wr.c \
	raw.c \
	table.c \
	wqk.c

# Shared by the core tests that make appendices of the hardware interface
UNIT_APPENDIX_SRCS := \
	appendix.c \
	appendix_layout.c \
	appendix_pair.c \
	appendix_wire.c
