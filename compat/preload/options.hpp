// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

// What the environment asks for, and what is told at the end.
namespace spk::preload {

struct Options {
  bool is_off = false;       // forward everything
  bool takes_all = false;    // "force": every case that spk can do, measured or not
  bool logs = false;         // a line for every product
  bool counts = false;       // a line at exit
  double min_speedup = 1;    // SPK_CUSPARSE_MIN_SPEEDUP
  double min_products = -1;  // SPK_CUSPARSE_MIN_PRODUCTS; negative: what the host is known to need
};

// SPK_CUSPARSE = off | on | force | log | count, or several of them with commas; read at the first call.
const Options& options();

enum Counter { kSpmmHandled, kSpmmForwarded, kSddmmHandled, kSddmmForwarded, kFailedAndForwarded, kCounters };
void count(Counter counter);

}  // namespace spk::preload
