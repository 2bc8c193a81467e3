#!/usr/bin/env bash
# Runs the jobs of the first table of docs/performance.md, with the installed peers, as
# `cargo xtask bench all` does.
#
#   ./bench-all.sh --device cuda --runs 25     options that all benchmarks have are passed on
set -u
cd "$(dirname "$0")" || exit 2
case "${1:-}" in
    --help | -h)
        sed -n '2,5s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
esac
[ ! -f programs.tar.xz ] || ./run-tests.sh --unpack || exit 2

arguments=("$@")
status=0

# Runs a benchmark with the options of a job and those of the caller, except for the device of a job
# that has its own.
job() {
    local fixed given=() skip=false option
    read -ra fixed <<<"$2"
    for option in "${arguments[@]+"${arguments[@]}"}"; do
        if $skip; then
            skip=false
        elif [ "$option" = --device ] && [[ " $2 " == *" --device "* ]]; then
            skip=true
        else
            given+=("$option")
        fi
    done
    printf '\n%s %s\n' "$1" "$2"
    "benches/ferrovox-$1" "${given[@]+"${given[@]}"}" "${fixed[@]}" || status=1
}

@JOBS@
exit "$status"
