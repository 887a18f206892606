#!/bin/sh
# Runs a C or C++ compiler with instrumentation. INROAD_CLANG is the compiler,
# INROAD_FLAGS are the flags to add, INROAD_ENGINE is the harness that replaces
# libFuzzer, and INROAD_STUBS is linked last.
links=yes engine=
for arg do
  shift
  case $arg in
  -c | -S | -E | -M | -MM | -fsyntax-only) links= ;;
  -fsanitize=*)
    rest=
    IFS=,
    for name in ${arg#-fsanitize=}; do
      case $name in
      fuzzer) engine=yes ;;
      fuzzer-no-link) ;;
      *) rest=${rest:+$rest,}$name ;;
      esac
    done
    unset IFS
    test -n "$rest" || continue
    arg=-fsanitize=$rest
    ;;
  -fsanitize-coverage=* | -fprofile-instr-generate | -fcoverage-mapping) continue ;;
  esac
  set -- "$@" "$arg"
done
test $# -gt 0 || set -- --help
if test -n "$links"; then
  test -z "$engine" || set -- "$@" "$INROAD_ENGINE"
  set -- "$@" "$INROAD_STUBS"
fi
IFS=' '
exec "$INROAD_CLANG" "$@" $INROAD_FLAGS
