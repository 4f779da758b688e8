# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The target `provider`: libornic over the fakes of tests/provider. It has no
# code of the card, and the flags with which rdma-core compiles a provider.

include $(TOP)/tests/provider/sources.mk

PROVIDER_OBJS := $(patsubst %.c,$(O)/fuzz/libornic/%.o,$(PROVIDER_SRCS) \
						       $(FAKE_SRCS) provider.c)

$(O)/fuzz/provider: $(PROVIDER_OBJS) $(O)/fuzz/target.o \
	$(DRIVER:%.c=$(O)/fuzz/%.o)
	@echo "  LD      fuzz/$(notdir $@)"
	$(Q)$(CC) $(ALL_LDFLAGS) $(LIBFUZZER) -o $@ $^ -lcmocka

# verbs_init_and_alloc_context() of rdma-core takes the address of a member of
# NULL; AddressSanitizer sees accesses by way of NULL, too
PROVIDER_CLANG := -w -fno-sanitize=null,object-size

define PROVIDER_CC
	@mkdir -p $(@D)
	@echo "  CC      fuzz/libornic/$(notdir $@)"
	$(Q)$(CC) $(PROVIDER_CPPFLAGS) $(CPPFLAGS) $(PROVIDER_CFLAGS) $(CFLAGS) \
		$(SANITIZE) $(if $(KIND),$(PROVIDER_CLANG)) -MMD -MP -MT $@ -c -o $@ $<
endef

$(O)/fuzz/libornic/provider.o: CPPFLAGS += -I$(FUZZ)
$(O)/fuzz/libornic/provider.o: $(FUZZ)/provider.c $(ABI) $(FUZZ)/provider.mk
	$(PROVIDER_CC)

$(O)/fuzz/libornic/%.o: $(PROVIDER)/%.c $(ABI) $(FUZZ)/provider.mk
	$(PROVIDER_CC)

$(O)/fuzz/libornic/%.o: $(TOP)/tests/provider/%.c $(ABI) $(FUZZ)/provider.mk
	$(PROVIDER_CC)

-include $(wildcard $(O)/fuzz/libornic/*.d)
