#!/usr/bin/env bash
# notes.sh FILE EXPECTED: what `readelf -n` finds under the owner `spinhost`, one note a line as TYPE|field|field|…|, is
# EXPECTED. The order of notes is free, so lines are sorted.
set -euo pipefail

notes() {
    local owner size kind bytes text
    readelf -nW "$1" | sed -nE 's/^  (spinhost)\s+(0x[0-9a-f]+)\s+(.*)\s+description data:(( [0-9a-f]{2})*) *$/\1;\2;\3;\4/p' |
        while IFS=';' read -r owner size kind bytes; do
            case $kind in # readelf has names of its own for the first two types
            NT_VERSION*) kind=1 ;;
            NT_ARCH*) kind=2 ;;
            *"(0x0000000"*) kind=${kind#*"(0x0000000"} kind=${kind%%")"*} ;;
            esac
            ((size * 3 == ${#bytes})) || echo "$owner: size $size, but ${#bytes} characters of data"
            [[ $bytes == *" 00" ]] || echo "$owner: a descriptor that does not end with NUL"
            text=${bytes// 00/ 7c}
            printf '%s|%b\n' "$kind" "${text// /\\x}"
        done | LC_ALL=C sort
}

diff -u "$2" <(notes "$1") >&2

section=$(readelf -SW "$1" | grep -F .note.spinhost)
[[ $section =~ NOTE.*[[:space:]]4$ ]] || { echo "$1: not a note section aligned to 4: $section" >&2; exit 1; }
