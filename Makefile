# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Entry points for users. The work is in scripts/; Kbuild lists the sources of the modules.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Start time to which all progress lines of this make are relative
ifndef ORNIC_T0
ORNIC_T0 := $(shell date +%s)
endif
export ORNIC_T0

PREFIX ?= /usr/local
KERNEL ?= stock
RDMA_CORE ?= 56.1
TARGET ?= guest
SECONDS ?= 60
HOURS ?= 8
# Of the command line only
T :=
STEP :=

S := scripts
# Runs a Python module of the lab in the root tree
LAB := $(S)/inroot env PYTHONPATH=$(CURDIR)/scripts python3 -m
# The same in the tree that has scripts/tree/packages-demo.list only
DEMO_LAB := $(S)/inroot -d env PYTHONPATH=$(CURDIR)/scripts python3 -m
# The same in the full tree, which has scripts/tree/packages-full.list, too
FULL_LAB := $(S)/inroot -f env PYTHONPATH=$(CURDIR)/scripts python3 -m
# The same with scripts/tree/packages-long.list
LONG_LAB := $(S)/inroot -l env PYTHONPATH=$(CURDIR)/scripts python3 -m

help:
	@echo "ORNIC: an open RDMA NIC, its driver, its provider, and a software card for QEMU."
	@echo
	@echo "  make demo          two virtual machines with a card each run the usual RDMA programs"
	@echo "  make shell         the same machines, and you are root in one of them"
	@echo "  make check         each feature once, end to end, and all tests that need no virtual"
	@echo "                     machine   [T=a directory, a file or a test below tests/]"
	@echo "  make check-quick   those that need no virtual machine"
	@echo "  make check-debug   the drivers in a kernel with KASAN, lockdep and kmemleak   [T=]"
	@echo "  make check-full    all other combinations, programs, kernel consumers, rdma-core 65.0,"
	@echo "                     valgrind, static checks inside Linux 7.3   [T=]"
	@echo "  make check-long    sweeps in steps; says when each passed the last time   [STEP=one of them]"
	@echo "  make fuzz          random inputs by libFuzzer for the card or libornic; new inputs stay in"
	@echo "                     build/fuzz/   [TARGET=guest|packet|vfio|control|provider|flow SECONDS=60]"
	@echo "  make soak          a mixed load for hours, until the first failure  [HOURS=8]"
	@echo "  make bench         ORNIC against rdma_rxe: table and plots in Documentation/"
	@echo "  make vectors       writes the appendices of the hardware interface that tests make"
	@echo "  make static        sparse, checkpatch, W=1 with gcc and clang, build inside Linux 7.3"
	@echo "  make upstream-check  what maintainers of Linux and rdma-core ask, as a table; builds inside"
	@echo "                     Linux 7.3 for other processors, coccicheck, htmldocs"
	@echo "  make series        patches for Linux and rdma-core as mailboxes in build/series/, and a build"
	@echo "                     after each"
	@echo "  make style         remarks on style, which refuse nothing"
	@echo
	@echo "  make lab           the root tree, in which most other targets run"
	@echo "  make modules       ornic.ko, ornic_rdma.ko       [KERNEL=stock|debug|kcsan]"
	@echo "  make provider      libornic inside rdma-core     [RDMA_CORE=56.1|65.0]"
	@echo "  make device        ornic-device, the software card"
	@echo "  make bundle        ornic-run with all that it needs on any x86-64 Linux, in build/bundle/,"
	@echo "                     as a directory, a tarball and an OCI image"
	@echo "  make deb           Debian packages in build/deb/, Documentation/install.rst says how to use"
	@echo "                     them; make rpm makes RPMs in build/rpm/"
	@echo "  make install       the three parts above          [DESTDIR= PREFIX=$(PREFIX)]"
	@echo "  make clean         removes build/"
	@echo "  make distclean     removes the lab's cache, too"
	@echo
	@echo "Everything is built and run in a Debian 13 root tree in \$$ORNIC_CACHE (/var/cache/ornic),"
	@echo "so the machine needs root, 2 GB of disk (check 4, check-full 10, check-long 15) and a Debian"
	@echo "mirror, but no RDMA hardware."

lab:
	@$(S)/tree/root-tree

modules:
	@$(S)/build modules $(KERNEL)

provider:
	@$(S)/build provider $(RDMA_CORE)

device:
	@$(S)/build device

demo: modules provider device
	@$(DEMO_LAB) lab.demo

shell: modules provider device
	@$(LAB) lab.shell

bench: modules provider device
	@$(FULL_LAB) lab.bench

# T=PLACE of the command line; see lab.check
check: modules provider device
	@$(S)/build device-san
	@$(LAB) lab.check $(T)

check-quick: modules provider device
	@$(S)/build device-san
	@$(LAB) lab.check --quick

check-debug: modules provider device
	@$(S)/build modules debug
	@$(S)/build device-san
	@$(FULL_LAB) lab.check --debug $(T)

check-full: modules provider device
	@$(S)/build modules debug
	@$(S)/build provider 65.0
	@$(S)/build device-san
	@$(if $(T),,$(S)/static prepare)
	@$(FULL_LAB) lab.check --full $(T)

# COMMANDS, if STEP is empty or NAME: $(call for_step,NAME,COMMANDS)
for_step = $(if $(filter-out $(1),$(STEP)),,$(2))

check-long: modules provider device
	@$(S)/build modules debug
	@$(S)/build provider 65.0
	@$(S)/build device-san
	@$(call for_step,kcsan,$(S)/build modules kcsan)
	@$(call for_step,selftests,$(S)/build selftests)
	@$(call for_step,packages first-steps kernels-% namespaces containers processors-%,\
		$(S)/build deb)
	@$(call for_step,packages,$(S)/build rpm)
	@$(call for_step,first-steps kernels-7.3 namespaces containers processors-%,\
		$(S)/build installed stock)
	@$(call for_step,kernels-6.12,$(S)/build installed 6.12)
	@$(call for_step,kernels-7.2,$(S)/build installed 7.2)
	@$(call for_step,packages first-steps,$(S)/tree/root-tree user >/dev/null)
	@$(call for_step,processors-arm64,$(S)/cross arm64)
	@$(call for_step,processors-s390x,$(S)/cross s390x)
	@$(call for_step,upstream,$(S)/static prepare)
	@$(LONG_LAB) lab.check --long $(STEP)

fuzz: $(filter provider,$(TARGET))
	@$(LONG_LAB) lab.fuzz "$(TARGET)" "$(SECONDS)"

soak: modules provider device
	@$(FULL_LAB) lab.soak "$(HOURS)"

vectors:
	@$(S)/inroot make -C tests/unit vectors

static:
	@$(S)/static prepare
	@$(S)/inroot $(S)/static gate
	@$(S)/inroot -f $(S)/static full

upstream-check:
	@$(S)/static prepare
	@$(S)/inroot -l $(S)/static upstream

series:
	@$(S)/static prepare
	@$(LAB) series mail linux "$$($(S)/upstream/source linux)" build/series
	@$(LAB) series mail rdma-core "$$($(S)/upstream/source rdma-core-65.0)" build/series
	@$(S)/inroot -f $(S)/static series

style:
	@$(S)/inroot $(S)/static style

bundle: modules provider device
	@$(S)/build bundle

deb:
	@$(S)/build deb

rpm: deb
	@$(S)/build rpm

install: modules provider device
	@$(S)/install "$(DESTDIR)" "$(PREFIX)"

clean:
	rm -rf build

distclean: clean
	@$(S)/tree/clean-cache

.PHONY: help lab modules provider device demo shell bench check check-quick check-debug check-full \
	check-long fuzz soak vectors static upstream-check series style bundle deb rpm install \
	clean distclean
