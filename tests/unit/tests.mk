# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Shared sources of the unit tests, and the rule to compile a test. tests/fuzz uses the same. The
# includer has included build.mk of the card before.
#
# Each file *_test.c is a test. It is in the folder of the room of tests/device that it tests; lib/
# has what many tests use, neighbour/ the tests of two clients of which one attacks, and appendix/
# those that make the appendices of the hardware interface.

UNIT_CPPFLAGS := -I$(UNIT)/lib

# A host for the card, and helpers
UNIT_CORE_SRCS := \
	lib/fuzz_eth.c \
	lib/fuzz_step.c \
	lib/fuzz_wqe.c \
	lib/host.c \
	lib/kit.c \
	lib/pair.c \
	lib/pair_wr.c \
	lib/raw.c \
	lib/rxq.c \
	lib/table.c

# Shared by the tests that make appendices of the hardware interface
UNIT_APPENDIX_SRCS := \
	appendix/appendix.c \
	appendix/appendix_pair.c \
	appendix/appendix_wire.c

# Shared by the tests in neighbour/, whose clock is work_clock.c
UNIT_WORK_SRCS := \
	lib/client.c \
	lib/host.c \
	lib/pair.c \
	lib/pair_wr.c \
	lib/work_clock.c \
	neighbour/neighbour.c \
	neighbour/neighbour_check.c

# Shared by the same programs as benchmarks
UNIT_BENCH_SRCS := \
	lib/client.c \
	lib/host.c \
	lib/pair.c \
	lib/pair_wr.c \
	neighbour/neighbour.c \
	neighbour/neighbour_bench.c

$(O)/unit/%.o: $(UNIT)/%.c $(UNIT)/tests.mk
	@mkdir -p $(@D)
	@echo "  CC      $(@:$(O)/%=%)"
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MT $@ -c -o $@ $<

# Functions of a table have its parameters, as in Linux and rdma-core
$(O)/unit/%.o $(O)/work/unit/%.o: WARNINGS += -Wno-unused-parameter

# A test runs once, so optimizing it costs more than it saves. The flags keep gcc's warnings.
ifneq ($(filter-out 0,$(SAN)),)
ifeq ($(findstring clang,$(CC)),)
$(O)/unit/%.o: CFLAGS := -O1 -ftree-vrp -fstrict-aliasing -g
endif
endif

# Tests that read a document
$(O)/unit/appendix/appendix.o $(O)/unit/lib/table.o $(O)/unit/eth/vector_test.o: \
	CPPFLAGS += -DDOCUMENTS='"$(TOP)/Documentation"'

-include $(wildcard $(O)/unit/*.d $(O)/unit/*/*.d)
