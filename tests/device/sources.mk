# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Sources of the software card, one per line, in the order of STYLE's rings:
# edges (sockets, memory, time, wire), front (registers, commands), objects,
# engines. tests/unit takes its pieces from the same lists.

# What the core is given by its surroundings.
EDGE_SRCS := \
	env.c \
	frame.c \
	log.c \
	loop.c \
	mem.c \
	switch.c \
	timer.c

# The program around it.
MAIN_SRCS :=

# Knows neither sockets nor QEMU.
CORE_SRCS :=

DEVICE_SRCS := $(EDGE_SRCS) $(MAIN_SRCS) $(CORE_SRCS)
