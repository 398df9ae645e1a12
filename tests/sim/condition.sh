# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# condition.sh - profiles as they are, or under a condition; for tests/sim/*.sh.
#
#	under_condition CONDITION FOLDER PROFILE.json...
#
# quiet: each profile as it is; noisy: with the standard disturbance of noisy.jq
# on top; virtual, virtual-4k: as a guest sees it (virtual.jq), backed by host
# pages of 2 MiB or 4 KiB. The changed profiles keep their names, in FOLDER.

changed_into() {	# folder, jq's options --, profile...
	local folder=$1 options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	for profile; do
		jq "${options[@]}" "$profile" >"$folder/$(basename "$profile")" ||
			return 1
	done
}

under_condition() {
	local condition=$1 folder=$2

	shift 2
	case $condition in
	quiet) cp "$@" "$folder" ;;
	noisy) changed_into "$folder" -f tests/sim/noisy.jq -- "$@" ;;
	virtual) changed_into "$folder" --argjson host 2097152 \
		-f tests/sim/virtual.jq -- "$@" ;;
	virtual-4k) changed_into "$folder" --argjson host 4096 \
		-f tests/sim/virtual.jq -- "$@" ;;
	*)
		echo "sim: PROBE_PHYS_CONDITION=$condition: not quiet, noisy, virtual or virtual-4k" >&2
		return 2
		;;
	esac
}
