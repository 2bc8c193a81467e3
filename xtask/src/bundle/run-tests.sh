#!/usr/bin/env bash
# Runs the test programs of this bundle and prints a summary. Requires the CUDA driver and xz (or python3).
#
#   ./run-tests.sh                             run all programs
#   ./run-tests.sh isosurface scan             run programs whose names contain one of these words
#   ./run-tests.sh --sanitizer memcheck        run each program under compute-sanitizer with this tool
#                                              (memcheck, racecheck, initcheck, synccheck)
#   ./run-tests.sh --bench                     also run the benchmarks, after the tests
#   ./run-tests.sh --unpack                    only unpack the programs
#
# Logs are in logs/. The last line is "N passed, N failed"; the exit status is 1 if anything failed.
set -u
cd "$(dirname "$0")" || exit 2

tool=""
bench=false
unpack=false
words=()
while [ $# -gt 0 ]; do
    case "$1" in
        --sanitizer)
            [ $# -ge 2 ] || { echo "--sanitizer needs a tool" >&2; exit 2; }
            tool="$2"
            shift
            ;;
        --bench) bench=true ;;
        --unpack) unpack=true ;;
        --help | -h)
            sed -n '2,11s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
        -*)
            echo "unknown option $1; see --help" >&2
            exit 2
            ;;
        *) words+=("$1") ;;
    esac
    shift
done

# unpack the programs
archive=programs.tar.xz
if [ -f "$archive" ]; then
    if command -v xz >/dev/null; then
        (set -o pipefail; xz --decompress --stdout "$archive" | tar -xf -)
    elif python3 -c 'import lzma' 2>/dev/null; then
        python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall()' "$archive"
    else
        echo "cannot unpack $archive: install xz (Debian, Ubuntu: apt-get install xz-utils)" >&2
        exit 2
    fi || { echo "unpacking $archive failed" >&2; exit 2; }
    rm "$archive"
fi
! $unpack || exit 0

export FERROVOX_BIN="$PWD/bin/ferrovox"
export FERROVOX_DATA="$PWD/data"
export FERROVOX_CORPUS="$PWD/fuzz/corpus"
export RUST_BACKTRACE=1
# a GPU host may lack programs that tests call
export FERROVOX_MISSING_PROGRAMS=skip

sanitizer=()
if [ -n "$tool" ]; then
    program="$(command -v compute-sanitizer || true)"
    for candidate in /usr/local/cuda*/bin/compute-sanitizer; do
        [ -z "$program" ] && [ -x "$candidate" ] && program="$candidate"
    done
    [ -n "$program" ] || { echo "compute-sanitizer is not installed" >&2; exit 2; }
    # accept programs that never use CUDA; run one test at a time, so that a finding has a single cause
    sanitizer=("$program" --tool "$tool" --error-exitcode 86 --require-cuda-init no --target-processes all)
    # make every allocation visible to the sanitizer, and run few random cases
    export FERROVOX_MEMORY_POOL=off
    export PROPTEST_CASES="${PROPTEST_CASES:-2}"
    # some tests provoke and check errors of driver functions; report only errors in kernels
    [ "$tool" != memcheck ] || sanitizer+=(--report-api-errors no)
fi

wanted() {
    [ ${#words[@]} -eq 0 ] && return 0
    local word
    for word in "${words[@]}"; do
        case "$1" in *"$word"*) return 0 ;; esac
    done
    return 1
}

# Prints the sum of "N WORD" in the result lines of a log.
count() {
    sed -n "s/^test result:.* \([0-9][0-9]*\) $2;.*/\1/p" "$1" | awk '{ sum += $1 } END { print sum + 0 }'
}

mkdir -p logs
"$FERROVOX_BIN" devices || true
passed=0
failed=0
failures=()
printf '\n%-44s %8s %8s %8s\n' program passed failed seconds
for program in tests/*; do
    name="$(basename "$program")"
    wanted "$name" || continue
    log="logs/$name${tool:+.$tool}.log"
    start=$SECONDS
    arguments=()
    # this test compares the list of cases with the sources, which the bundle does not contain
    [ "$name" != conformance-cases-cpu ] || arguments+=(--skip every_kernel_has_a_case)
    if [ "$tool" = racecheck ] && [ "$name" = ferrovox-tests-pipelines ]; then
        # racecheck instruments every shared-memory access
        for heavy in beyond_2_to_the_31 isosurface_parts::parts_of_a_volume_of_many_tiles_join isosurface_parts::integers; do
            printf '%-44s without %s: too slow under racecheck\n' "$name" "$heavy"
            arguments+=(--skip "$heavy")
        done
    fi
    # the sanitizer replaces the closed pipe of this test by a socket
    if [ -n "$tool" ] && [ "$name" = ferrovox-cli-cli ]; then
        arguments+=(--skip closed_pipe_is_not_an_error)
    fi
    if [ -n "$tool" ] && "$program" --list >/dev/null 2>&1 </dev/null; then
        arguments+=(--test-threads=1)
    fi
    "${sanitizer[@]+"${sanitizer[@]}"}" "$program" "${arguments[@]+"${arguments[@]}"}" >"$log" 2>&1 </dev/null
    status=$?
    # the program from outside the workspace must use a CUDA device if one is available
    if [ "$name" = scratch ] && "$FERROVOX_BIN" devices | grep -q '^cuda:' && ! grep -q '^cuda:' "$log"; then
        echo "no CUDA device was used, although one is available" >>"$log"
        status=1
    fi
    p=$(count "$log" passed)
    f=$(count "$log" failed)
    if [ "$status" -eq 0 ] && [ "$p" -eq 0 ]; then p=1; fi
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
    passed=$((passed + p))
    failed=$((failed + f))
    [ "$f" -eq 0 ] || failures+=("$log (exit status $status)")
    printf '%-44s %8s %8s %8s\n' "$name" "$p" "$f" $((SECONDS - start))
done

if $bench; then
    for program in benches/*; do
        [ -f "$program" ] && [ -x "$program" ] || continue
        printf '\n%s\n' "$(basename "$program")"
        "$program" --bench 2>&1 | tee "logs/$(basename "$program").log"
    done
fi

printf '\n'
for failure in "${failures[@]+"${failures[@]}"}"; do
    printf 'failed: %s\n' "$failure"
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
