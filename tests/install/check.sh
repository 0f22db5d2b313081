#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# check.sh BUILD_FOLDER SCRATCH: installs the build, moves the tree, then uses it as a stranger would, by find_package
# and by pkg-config.
set -eu
build=$(CDPATH='' cd -- "$1" && pwd)
scratch=$2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

rm -rf "$scratch"
mkdir -p "$scratch"
scratch=$(CDPATH='' cd -- "$scratch" && pwd)
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mv "$scratch/first" "$scratch/moved"
if grep -rIl -e "$scratch" -e "$build" "$scratch/moved"; then
  echo "the files above hold the folder of this build" >&2
  exit 1
fi

cmake -S "$here/outside" -B "$scratch/by_cmake" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/moved"
cmake --build "$scratch/by_cmake"
"$scratch/by_cmake/outside"
"$scratch/by_cmake/host_runtime"
"$scratch/by_cmake/cusparse"

pc=$(find "$scratch/moved" -name spk.pc)
libraries=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are words
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror "$here/outside/outside.c" -o "$scratch/by_pkg_config" \
  $(pkg-config --cflags --libs spk_io spk)
LD_LIBRARY_PATH=$libraries "$scratch/by_pkg_config"
# shellcheck disable=SC2046
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror "$here/outside/host_runtime.c" -o "$scratch/host_runtime" \
  $(pkg-config --cflags --libs spk_host_runtime)
LD_LIBRARY_PATH=$libraries "$scratch/host_runtime"
# shellcheck disable=SC2046
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror "$here/outside/cusparse.c" -o "$scratch/cusparse" \
  $(pkg-config --cflags --libs spk_cusparse spk_host_runtime)
LD_LIBRARY_PATH=$libraries "$scratch/cusparse"

# The installed tool finds the library beside it.
tool=$scratch/moved/bin/spk
[ ! -e "$tool" ] || "$tool" info
