#!/usr/bin/env bash
# matrix.sh COMPILER LANGUAGE HEADERS LOADER: builds macros.c in every way that could lose or move a note, and checks each build as a
# host would. LANGUAGE is c11 or c++17.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
compiler=$1 language=$2 headers=$3 loader=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=("-std=$language" -x "${language%%[0-9]*}" -Wall -Wextra -pedantic -Werror -I "$headers")
for header in "$headers"/spinhost/*.h; do
    "$compiler" "${flags[@]}" -fsyntax-only -include "$header" /dev/null
done

build() {
    echo "$compiler $language $*"
    "$compiler" "${flags[@]}" "$@" -shared -fPIC -Wl,-z,defs "$here/macros.c" "$here/macros_second.c" -o "$work/macros.so"
    "$here/notes.sh" "$work/macros.so" "$here/expected/macros.txt"
    "$loader" "$work/macros.so"
}
build -O0 -g
build -O2 -fvisibility=hidden
build -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections -fvisibility=hidden
if "$compiler" --version | grep -q clang; then
    build -O3 -flto -fuse-ld=lld -Wl,--gc-sections
else
    build -O3 -flto -Wl,--gc-sections
fi

for source in "$here"/refused/*.c; do
    reason=$(sed -n 's|^// Refused because of: ||p' "$source")
    if said=$(LC_ALL=C "$compiler" "${flags[@]}" -shared -fPIC "$source" "$here/macros.c" -o "$work/refused.so" 2>&1); then
        echo "$source was accepted" >&2
        exit 1
    fi
    grep -qE -- "$reason" <<<"$said" || { printf '%s: no word of "%s" in:\n%s\n' "$source" "$reason" "$said" >&2; exit 1; }
done
