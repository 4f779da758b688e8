# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Unit tests, one program and one file per noun.

# Linked with the edges only.
UNIT_EDGE_TESTS :=

# Linked with edges and core.
UNIT_CORE_TESTS :=
