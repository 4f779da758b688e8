# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Shared sources of the unit tests, and the rule to compile a test. Each file *_test.c is a test.
# tests/fuzz uses the same. The includer has included build.mk of the card before.

# A host for the card, and helpers
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

# Shared by the tests that make appendices of the hardware interface
UNIT_APPENDIX_SRCS := \
	appendix.c \
	appendix_layout.c \
	appendix_pair.c \
	appendix_wire.c

# Shared by the tests with the clock of work.c, neighbour_*_test.c
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

$(O)/unit/%.o: $(UNIT)/%.c $(UNIT)/tests.mk
	@mkdir -p $(@D)
	@echo "  CC      unit/$(notdir $@)"
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MT $@ -c -o $@ $<

# Tests that read a document
$(O)/unit/appendix.o $(O)/unit/table.o $(O)/unit/vector_test.o: \
	CPPFLAGS += -DDOCUMENTS='"$(TOP)/Documentation"'

-include $(wildcard $(O)/unit/*.d)
