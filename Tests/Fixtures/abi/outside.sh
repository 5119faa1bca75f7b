#!/usr/bin/env bash
# outside.sh CMAKE BUILD LOADER: installs the package into a temporary folder and builds plugins against that copy alone.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
cmake=$1 build=$2 loader=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/first place" >/dev/null
mv "$work/first place" "$work/installed here" # an installed copy may move
cp -r "$here/outside" "$work/project"
cd "$work"

echo "find_package"
"$cmake" -G Ninja -S project -B project/build -DCMAKE_PREFIX_PATH="$work/installed here" >/dev/null
"$cmake" --build project/build
for plugin in hello counting shouting; do
    if readelf -sW "project/build/$plugin.so" | grep -w UNIQUE; then
        echo "$plugin.so has unique symbols" >&2
        exit 1
    fi
done
"$loader" project/build

echo "pkg-config"
flags=$(PKG_CONFIG_PATH="$work/installed here/share/pkgconfig" pkg-config --cflags spinhost)
eval "cc -shared -fPIC $flags project/hello.c -o hello.so"
cmp <(readelf -p .note.spinhost hello.so) <(readelf -p .note.spinhost project/build/hello.so)
