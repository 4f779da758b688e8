# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Sources of libornic and of the fakes under it, their flags, and the rule for the ABI header. The
# includer sets TOP before; ABI_DIR and RDMA_CORE are optional. tests/fuzz uses the same flags and
# the same header, so ccache has the objects that are in both.

PROVIDER := $(TOP)/user-provider
RDMA_CORE ?= $(TOP)/build/rdma-core-56.1/build
ABI_DIR ?= $(TOP)/build/provider
ABI := $(ABI_DIR)/kernel-abi/ornic-abi.h

PROVIDER_SRCS := ah.c check.c clock.c comp_cntr.c counters.c cq.c cq_ex.c doorbell.c flow.c mr.c \
		 mw.c num.c ornic.c pd.c poll.c qp.c rwq_table.c slab.c srq.c uctx.c wq.c wr.c wr_ex.c \
		 xrcd.c
FAKE_SRCS := fake_kernel.c fake_queues.c fake_flow.c fake_device.c fake_mmio.c

PROVIDER_CPPFLAGS = -I$(PROVIDER) -I$(TOP)/tests/provider -I$(TOP)/kernel/include \
		    -I$(TOP)/include/uapi -I$(ABI_DIR) -isystem $(RDMA_CORE)/include \
		    -I$(RDMA_CORE)/../src/ -D_GNU_SOURCE \
		    $(shell $(TOP)/scripts/package/rdma-core-probe $(RDMA_CORE)/../src)
# Flags with which rdma-core compiles a provider
PROVIDER_CFLAGS := -std=gnu11 -fPIC -Wall -Wextra -Werror -Wno-unused-parameter \
		   -Wno-sign-compare -Wshadow -Wmissing-prototypes

$(ABI): $(TOP)/include/uapi/rdma/ornic-abi.h
	@mkdir -p $(@D)
	$(Q)python3 $(RDMA_CORE)/../src/buildlib/make_abi_structs.py $< $@
