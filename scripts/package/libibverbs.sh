# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# What the builds of the provider know of rdma-core: libibverbs loads only providers that have its
# private ABI in their name. Sourced by the lab's scripts and by scripts/package/provider.

# source_pabi SOURCE: prints the private ABI of a source of rdma-core
source_pabi() {
	sed -n 's/^set(IBVERBS_PABI_VERSION "\(.*\)").*/\1/p' "$1/CMakeLists.txt"
}

# source_version SOURCE: prints the version of a source of rdma-core
source_version() {
	sed -n 's/^set(PACKAGE_VERSION "\(.*\)").*/\1/p' "$1/CMakeLists.txt"
}

# installed_libibverbs: prints the path of the library that programs of this machine load, if any
installed_libibverbs() {
	ldconfig -p 2>/dev/null | awk '$1 == "libibverbs.so.1" { print $NF; exit }'
}

# library_pabi LIBRARY: prints the private ABI of a libibverbs
library_pabi() {
	grep -ao 'IBVERBS_PRIVATE_[0-9]*' "$1" | head -n 1 | tr -dc 0-9
}

# library_version LIBRARY: prints the version of rdma-core that ends the file name of a libibverbs
library_version() {
	realpath "$1" | sed -n 's/.*\.so\.1\.[0-9]*\.//p'
}

# add_provider SOURCE TOP: links the directory of our provider into a copy of rdma-core's source and
# adds a line to its CMakeLists.txt, beside that of rxe, which each release has
add_provider() {
	sed -i '/^add_subdirectory(providers\/rxe)/a add_subdirectory(providers/ornic)' \
		"$1/CMakeLists.txt"
	rm -rf "$1/providers/ornic"
	ln -s "$2/user-provider" "$1/providers/ornic"
}
