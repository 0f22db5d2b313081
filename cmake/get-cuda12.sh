#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# get-cuda12.sh PREFIX: lays out compiler, headers and static runtime of CUDA 12.4 below PREFIX, from the packages of
# Debian 13. CUDA 13 no longer compiles for Volta (SM 7.0). Nothing is installed: apt works on lists of its own here, so
# the system's own stay as they are. Needs 1.3 GB beside PREFIX while it runs, 0.3 GB in PREFIX after it.
# The toolkit is NVIDIA's, under its own licence; it is no part of spk.
set -eu

prefix=$1
work=$prefix.unpacking
[ ! -x "$prefix/bin/nvcc" ] || exit 0

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Codename: bookworm' | head -n 1)
[ -n "$mirror" ] || {
  echo "get-cuda12.sh: no package source of Debian 12 is set up, so none is known for Debian 13" >&2
  exit 1
}
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts" "$work/packages" "$work/root"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keyring arch=amd64] $mirror trixie main non-free" >"$work/debian13.list"
# apt's own unprivileged user may be unable to enter the folders above PREFIX.
cat >"$work/apt.conf" <<END
Dir::State::Lists "$work/lists";
Dir::State::Status "/dev/null";
Dir::Cache "$work/cache";
Dir::Etc::SourceList "$work/debian13.list";
Dir::Etc::SourceParts "$work/parts";
APT::Sandbox::User "$(id -un)";
APT::Architecture "amd64";
Acquire::Languages "none";
Acquire::Retries "3";
END
apt12() { APT_CONFIG=$work/apt.conf apt-get -q "$@"; }
apt12 update
set -- nvidia-cuda-toolkit nvidia-cuda-dev libnvvm4 libcudart12 libcu++-dev libcub-dev libthrust-dev
(cd "$work/packages" && apt12 download "$@")

# Filtered as it streams by: nearly all of nvidia-cuda-dev are static libraries that nothing here links.
unpack() { # PACKAGE PATTERN...
  package=$1
  shift
  echo "unpacking $package"
  dpkg-deb --fsys-tarfile "$work/packages/$package"_*.deb | tar -x -C "$work/root" --wildcards "$@"
}
lib=./usr/lib/x86_64-linux-gnu
set -- ./usr/bin/bin2c ./usr/bin/cudafe++ ./usr/bin/fatbinary ./usr/bin/nvlink ./usr/bin/ptxas ./usr/bin/cuobjdump \
  ./usr/bin/nvdisasm './usr/lib/nvidia-cuda-toolkit/bin/*' './usr/lib/nvidia-cuda-toolkit/libdevice/*'
unpack nvidia-cuda-toolkit "$@"
unpack nvidia-cuda-dev './usr/include/*' "$lib/libcudart*" "$lib/libcudadevrt.a" "$lib/libculibos.a" "$lib/stubs/*"
unpack libnvvm4 "$lib/*"
unpack libcudart12 "$lib/*"
for headers in libcu++-dev libcub-dev libthrust-dev; do unpack "$headers" './usr/include/*'; done

# The layout of NVIDIA's own packages, which nvcc and CMake know; Debian's nvcc.profile names absolute places.
rm -rf "$prefix"
mkdir -p "$prefix/nvvm/bin" "$prefix/nvvm/lib64"
mv "$work/root/usr/bin" "$prefix/bin"
mv "$work/root/usr/include" "$prefix/include"
mv "$work/root/$lib" "$prefix/lib64"
toolkit=$work/root/usr/lib/nvidia-cuda-toolkit
mv "$toolkit/libdevice" "$prefix/nvvm/libdevice"
mv "$toolkit/bin/cicc" "$prefix/nvvm/bin/"
mv "$toolkit/bin/crt" "$prefix/bin/crt"
mv "$prefix"/lib64/libnvvm.so* "$prefix/nvvm/lib64/"
cat >"$prefix/bin/nvcc.profile" <<'END'
TOP              = $(_HERE_)/..
CICC_PATH        = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
LD_LIBRARY_PATH += $(TOP)/nvvm/lib64:$(TOP)/lib64:
PATH            += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES        +=  "-I$(TOP)/include" $(_SPACE_)
LIBRARIES        =+ $(_SPACE_) "-L$(TOP)/lib64/stubs" "-L$(TOP)/lib64"
END
# Last, because its presence says that all is there.
mv "$toolkit/bin/nvcc" "$prefix/bin/nvcc"
rm -rf "$work"
