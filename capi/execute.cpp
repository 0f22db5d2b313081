// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "capi/execute.hpp"

#include <cstdio>

namespace spk::capi {

void note_verdict(spk_handle& handle, spk_operation_kind_t operation, const Verdict& verdict) {
  spk_check_report_t& report = handle.check_report;
  report = {};
  report.operation = operation;
  report.entries = verdict.entries;
  report.worst = verdict.worst;
  report.batch = verdict.batch;
  report.row = verdict.row;
  report.col = verdict.col;
  report.got[0] = verdict.got.re;
  report.got[1] = verdict.got.im;
  report.want[0] = verdict.want.re;
  report.want[1] = verdict.want.im;
  report.bound = verdict.bound;
  char text[400];
  std::snprintf(text, sizeof text,
                "%lld entries, worst error is %.3g of its bound %.3g at batch %lld row %lld column %lld: %.9g%+.9gi "
                "against %.9g%+.9gi",
                static_cast<long long>(verdict.entries), verdict.worst, verdict.bound,
                static_cast<long long>(verdict.batch), static_cast<long long>(verdict.row),
                static_cast<long long>(verdict.col), verdict.got.re, verdict.got.im, verdict.want.re, verdict.want.im);
  if (log::wants(SPK_LOG_CHECK)) log::write(SPK_LOG_CHECK, text);
  if (!(verdict.worst <= 1)) throw Error(SPK_STATUS_INTERNAL_ERROR, "shadow check: %s", text);
}

}  // namespace spk::capi
