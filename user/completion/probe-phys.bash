# SPDX-License-Identifier: GPL-2.0
# bash completion for probe-phys(8)

# The command on the line so far, empty when there is none yet.
_probe_phys_command()
{
	local i

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-m | -c | -d | -s | --machine | --cpu | --decide-by | --only | --seed | \
			-p | --prefetchers | -o | -M | --method | -D | --decision | \
			-t | --time-limit)
			# The value is the next word, which bash may have
			# split off with an equals sign.
			[ "${COMP_WORDS[i + 1]:-}" = '=' ] && ((i++))
			((i++)) ;;
		-*) ;;
		*)
			echo "${COMP_WORDS[i]}"
			return ;;
		esac
	done
}

_probe_phys_cpus()
{
	local cpu

	for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
		echo "${cpu##*/cpu}"
	done
}

_probe_phys_roles()
{
	local role

	for role in cycles loads l1d_miss l2_miss l3_miss dtlb_miss stlb_miss \
		itlb_miss l1i_miss instructions l1d_write_miss l2_write_miss \
		l3_write_miss; do
		echo "$role="
	done
}

# Values of the option $1, or failure when it takes none that are known.
_probe_phys_values()
{
	case $1 in
	-m | --machine) echo auto module hugepage sim: ;;
	-d | --decide-by) echo auto counters time ;;
	-p | --prefetchers) echo off on ;;
	-M | --method)
		case $(_probe_phys_command) in
		compare) echo xray amp cooper-sandoval breaking-cache saavedra ;;
		*) echo xray amp xray,amp ;;
		esac ;;
	-D | --decision) echo sequential amp ;;
	-o | --only) echo l1 caches tlbs registers ;;
	-c | --cpu) _probe_phys_cpus ;;
	-e | --event) _probe_phys_roles ;;
	-s | -n | --seed | --count | --seconds | -t | --time-limit) ;;
	-l | --level | --levels) echo 1 2 3 ;;
	-L | --load) echo none shared ;;
	-P | --picture | --patience | -b | --load-bytes | -f | --footprint) ;;
	*) return 1 ;;
	esac
}

_probe_phys()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local words

	# --machine=mod comes as three words.
	if [ "$before" = '=' ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	elif [ "$word" = '=' ]; then
		word=
	fi
	if ! words=$(_probe_phys_values "$before"); then
		case $(_probe_phys_command) in
		'') words='measure info buffers monitor counters policy query verify compare effective profile --machine --json --cpu
			--decide-by --method --decision --only --prefetchers --time-limit --seed --help --usage --version' ;;
		monitor) words='--json --count --seconds --help --usage' ;;
		profile) words='check generate --json --svg --seed --help --usage' ;;
		policy) words='--json --level --levels --help --usage' ;;
		query) words='--json --level --help --usage' ;;
		compare) words='--json --method --picture --help --usage' ;;
		effective) words='--json --level --load --load-bytes --footprint --patience --help --usage' ;;
		verify) words='--json --pairs --help --usage' ;;
		counters) words='--json --event --help --usage' ;;
		info | buffers) words='--json --help --usage' ;;
		*) words='--help --usage' ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _probe_phys probe-phys
