#compdef ornicctl
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Completion of ornicctl for zsh, by the function for bash, which is in the same share/

autoload -U +X bashcompinit && bashcompinit
mapfile() {
	COMPREPLY=("${(@f)$(cat)}")
}
. "${${(%):-%x}:A:h:h:h}/bash-completion/completions/ornicctl"
_bash_complete -F _ornicctl
