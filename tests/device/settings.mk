# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Refuses SAN and the includer's SETTINGS in the environment: a log does not
# show that a variable of the environment has changed the tests. fixtures.py of
# the lab has the variables that `make check` refuses.

$(foreach name,SAN $(SETTINGS),$(if $(filter environment%,$(origin $(name))),\
	$(error $(name) is in the environment: unset it, or give it to make as an argument)))
