# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Completion of ornicctl for bash

# Prints the first column of a table of ornicctl, without its head
_ornicctl_column() {
	ornicctl "$@" 2>/dev/null | sed '1d; s/ .*//'
}

_ornicctl() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local commands="status ports list top stats qemu attach libvirt check link add remove"
	commands+=" capture trace wait"
	local where=() command="" arguments=0 words="" i

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-i | --instance | -s | --socket)
			[ -n "$command" ] || where=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]}")
			i=$((i + 1))
			;;
		-*) ;;
		*)
			if [ -n "$command" ]; then
				arguments=$((arguments + 1))
			else
				command=${COMP_WORDS[i]}
			fi
			;;
		esac
	done

	case $command,$before in
	,-i | ,--instance) words=$(_ornicctl_column list) ;;
	,-s | ,--socket | capture,-w | capture,--write | check,--qemu)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	stats,--format) words="text json prometheus" ;;
	,*) words="$commands request --instance --socket --help" ;;
	status,*) words="--json --rates --help" ;;
	top,*) words="--count --delay --qps --help" ;;
	stats,*) words="--format --qps --help" ;;
	capture,*) words="--write --count --bytes --help" ;;
	trace,*)
		mapfile -t COMPREPLY < <(compgen -f -W \
			"--seconds --guest --ring --limit --help" -- "$word")
		return
		;;
	check,*) words="--qemu --help" ;;
	link,*)
		words="up down"
		[ $arguments != 0 ] || words=$(_ornicctl_column "${where[@]}" status)
		;;
	attach,*)
		if [ $arguments != 0 ]; then
			mapfile -t COMPREPLY < <(compgen -f -W "--bus --help" -- "$word")
			return
		fi
		words="--bus --help $(_ornicctl_column "${where[@]}" status)"
		;;
	remove,*) words="--force --help $(_ornicctl_column "${where[@]}" status)" ;;
	add,*) words="socket= --help" ;;
	qemu,*) words="--memory --help $(_ornicctl_column "${where[@]}" status)" ;;
	libvirt,*) words="--help $(_ornicctl_column "${where[@]}" status)" ;;
	request,*)
		[ $arguments != 0 ] ||
			words="add capture fault help hold inject lie link qps remove stats trace"
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _ornicctl ornicctl
