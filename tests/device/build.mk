# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Rules to compile the sources of the card, for the card itself and the unit
# tests. The includer sets TOP before; SAN and O are optional. SETTINGS are more
# variables like SAN, see settings.mk.

DEVICE := $(TOP)/tests/device
# ccache makes dependencies relative to where the card is built
VPATH := $(DEVICE)

include $(DEVICE)/settings.mk
include $(DEVICE)/sources.mk
include $(TOP)/scripts/package/version.mk

O ?= $(TOP)/build/device$(if $(filter-out 0,$(SAN)),-san)
override O := $(abspath $(O))

ifeq ($(origin CC),default)
CC := $(if $(shell command -v ccache),ccache )gcc
endif
PKG_CONFIG ?= pkg-config
DEVICE_PKGS := json-c libpcap libseccomp zlib

CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
	    -Wmissing-prototypes -Wold-style-definition -Wpointer-arith \
	    -Wcast-align -Wwrite-strings -Wformat=2 -Wundef -Wvla
ifneq ($(filter-out 0,$(SAN)),)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all \
	    -fno-omit-frame-pointer
endif
ifneq ($(SANITIZE)$(filter -fsanitize% --coverage,$(CFLAGS)),)
$(O)/process/sandbox.o: DEVICE_DEFINES := -DDEVICE_INSTRUMENTED
endif
$(foreach dir,$(O) $(O)/work,$(dir)/process/options.o $(dir)/process/report.o): \
	DEVICE_DEFINES := -DORNIC_RELEASE='"$(ORNIC_RELEASE)"'

ALL_CPPFLAGS = -D_GNU_SOURCE -I$(DEVICE) -I$(TOP)/kernel/include \
	       $(DEVICE_CFLAGS) $(DEVICE_DEFINES) $(CPPFLAGS)
ALL_CFLAGS = -std=gnu11 $(WARNINGS) $(SANITIZE) $(CFLAGS)
ALL_LDFLAGS = $(SANITIZE) $(LDFLAGS)
ALL_LDLIBS = $(DEVICE_LIBS) $(LDLIBS)
DEVICE_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(DEVICE_PKGS))
DEVICE_LIBS := $(shell $(PKG_CONFIG) --libs $(DEVICE_PKGS))

Q := $(if $(V),,@)

$(O)/%.o: $(DEVICE)/%.c $(DEVICE)/build.mk
	@mkdir -p $(@D)
	@echo "  CC      $(@:$(O)/%=%)"
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MT $@ -c -o $@ $<

-include $(wildcard $(O)/*/*.d)
