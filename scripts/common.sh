# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Shared code of the lab's scripts: help, paths, progress messages, cache entries and their locks.
# Sourced, never executed.

# A script with -h or --help as its first argument prints the comment at its head, and does nothing
case ${1:-} in
-h | --help)
	sed -n '/^# usage: /,/^$/s/^# \{0,1\}//p' "$0"
	exit
	;;
esac

# usage: prints the first paragraph of the comment at the script's head, and exits
usage() {
	sed -n '/^# usage: /,/^#$/s/^# //p' "$0" >&2
	exit 1
}

ORNIC_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
ORNIC_CACHE=${ORNIC_CACHE:-/var/cache/ornic}
export ORNIC_TOP ORNIC_CACHE
. "$ORNIC_TOP/scripts/package/libibverbs.sh"

# Start time of the make target, for the progress lines of all scripts that it runs
ORNIC_T0=${ORNIC_T0:-$(date +%s)}
export ORNIC_T0

# say WORDS...: prints a progress line with the elapsed time to stderr (stdout carries results)
say() {
	local t=$(($(date +%s) - ORNIC_T0))

	printf '[%3d:%02d] %s\n' $((t / 60)) $((t % 60)) "$*" >&2
}

die() {
	say "error: $*"
	exit 1
}

# content_key: prints a short hash of stdin, for the name of a cache entry
content_key() {
	sha256sum | cut -c1-12
}

# lock_cache NAME: serializes the processes that make NAME. A process that had to wait finds NAME
# made. The lock is held until the script ends.
lock_cache() {
	mkdir -p "$ORNIC_CACHE/locks"
	exec {ORNIC_LOCK}>"$ORNIC_CACHE/locks/$1"
	if ! flock -n "$ORNIC_LOCK"; then
		say "waiting for another process that is making $1"
		flock "$ORNIC_LOCK"
	fi
}

# free_mb DIRECTORY: prints the free space
free_mb() {
	df -BM --output=avail "$1" | tr -dc 0-9
}

# need_space GB: exits if the cache has less free space
need_space() {
	local free

	mkdir -p "$ORNIC_CACHE"
	free=$(free_mb "$ORNIC_CACHE")
	[ "$free" -ge $(($1 * 1000)) ] || die "needs $1 GB free in $ORNIC_CACHE, has" \
		"$((free / 1000)).$((free / 100 % 10)) GB: free some, or set ORNIC_CACHE=DIRECTORY"
}

# run_logged LOG COMMAND...: sends the output to LOG; on failure prints the end of LOG and exits
run_logged() {
	local log=$1
	shift
	mkdir -p "$(dirname "$log")"
	if ! "$@" >"$log" 2>&1 </dev/null; then
		tail -n 25 "$log" >&2
		if [ "$(free_mb "${log%/*}")" -lt 10 ] || grep -q "No space left" "$log"; then
			die "no space left, see $log: free some, and give the same command again"
		elif grep -q "Failed to fetch" "$log"; then
			die "the Debian mirror does not answer, see $log: give the same command" \
				"again, or set ORNIC_MIRROR=URL"
		fi
		die "$1 failed, see $log"
	fi
}

# need_packages COMMAND:PACKAGE...: installs each PACKAGE on the host whose COMMAND is missing
need_packages() {
	local pair missing=()

	for pair in "$@"; do
		type -P "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
	done
	[ ${#missing[@]} -eq 0 ] && return
	say "installing on this machine: ${missing[*]}"
	apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		"${missing[@]}" >&2 || die "install on this machine: ${missing[*]}"
}

# prepare_rdma_core VERSION DIR: copies the upstream source of rdma-core to DIR/src and adds our
# provider to it
prepare_rdma_core() {
	local version=$1 dir=$2 source

	source=$("$ORNIC_TOP/scripts/upstream/source" "rdma-core-$version")
	if [ ! -d "$dir/src" ]; then
		rm -rf "$dir/src.tmp"
		mkdir -p "$dir"
		cp -a "$source" "$dir/src.tmp"
		add_provider "$dir/src.tmp" "$ORNIC_TOP"
		mv "$dir/src.tmp" "$dir/src"
	fi
}
