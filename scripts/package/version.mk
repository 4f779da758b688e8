# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Version of a release: the same for card, modules, provider and packages. Documentation/install.rst
# has the policy, and says which other versions there are.

ORNIC_RELEASE ?= 0.1
