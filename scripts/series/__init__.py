# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Patch series for the trees of Linux and rdma-core, made from this tree by a recipe.

A patch adds names: files, functions, members, and so on. The state after a patch is the tree
without the names of all later patches, and without the code that mentions them (cut.py), so that a
change of the tree is a change of the series. The last state is the tree.
"""
