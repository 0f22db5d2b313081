#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# wrong_usage.sh RUNNER FOLDER: the runner answers wrong usage with a sentence on stderr and exit code 2.
runner=$1
folder=$2
failed=0

refuses() {
  text=$("$runner" "$@" 2>&1 >/dev/null)
  code=$?
  case $text in
    spk_case_runner:*) ;;
    *) code="$code, without a sentence" ;;
  esac
  if [ "$code" != 2 ]; then
    echo "spk_case_runner $*: exit code $code but must be 2"
    failed=1
  fi
}

refuses
refuses no-such-folder
refuses "$folder" --backend
refuses "$folder" --backend tpu
refuses "$folder" --fast
refuses "$folder" "$folder"
exit $failed
