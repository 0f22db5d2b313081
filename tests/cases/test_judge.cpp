// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors

// The judge of case files itself: wrong answers and wrong cases must fail, and say why.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "cases/cases.hpp"
#include "cases/numbers.hpp"

namespace spk::cases {
namespace {

// A good spmm, in which `from` is replaced by `to`.
Result judged(const std::string& from = "", const std::string& to = "", const std::string& rel = "0") {
  std::string text = R"({"schema": 1, "id": "T", "kind": "scalars", "priority": 1, "op": "spmm", "backend": ["cpu"],
    "source": "", "symptom": "", "note": "", "dtype": "f32", "tol": {"rel": REL, "abs": 0}, "m": 2, "n": 1, "k": 2,
    "format": "csr", "index_base": 0, "offset_type": "i32", "index_type": "i32", "row_offsets": [0, 1, 2],
    "col_indices": [1, 0], "values": [2, 3], "nnz": 2, "a_rows": 2, "a_cols": 2, "opA": "N", "opB": "N",
    "layoutB": "row", "ldb": 1, "B": [10, 100], "layoutC": "row", "ldc": 2, "C_in": [7, 8, 9, 6], "alpha": 1,
    "beta": 0, "expected": {"C": [200, "pad", 30, "pad"]}, "expected_error": null})";
  text.replace(text.find("REL"), 3, rel);
  if (!from.empty()) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  return run_text(text, "T.json", {SPK_BACKEND_REFERENCE, ""});
}

void expect(const Result& result, Verdict verdict, const std::string& part) {
  EXPECT_EQ(result.verdict, verdict) << to_line(result);
  EXPECT_NE(result.reason.find(part), std::string::npos) << to_line(result);
}

TEST(Judge, PassesARightAnswer) { expect(judged(), Verdict::pass, ""); }

TEST(Judge, FailsAWrongNumber) { expect(judged("[200, ", "[201, "), Verdict::fail, "C[0] = 200 but must be 201"); }

TEST(Judge, AllowsTheToleranceAndNoMore) {
  expect(judged("[200, ", "[200.1, ", "0.001"), Verdict::pass, "");
  expect(judged("[200, ", "[200.3, ", "0.001"), Verdict::fail, "C[0] = 200 but must be 200.3");
}

TEST(Judge, FailsAWrittenPlaceThatWasToStay) {
  expect(judged(R"([200, "pad", 30)", R"(["pad", "pad", 30)"), Verdict::fail, "C[0] is padding but was written");
}

TEST(Judge, FailsASuccessThatWasToBeAnError) {
  expect(judged(R"("expected": {"C": [200, "pad", 30, "pad"]}, "expected_error": null)",
                R"("expected": null, "expected_error": ["invalid_value"])"),
         Verdict::fail, "succeeded but must answer invalid_value");
}

TEST(Judge, FailsAnErrorThatWasToBeASuccess) {
  expect(judged(R"("ldb": 1)", R"("ldb": 0)"), Verdict::fail, "answered invalid_value (spk_dnmat_create");
}

TEST(Judge, FailsFieldsThatItDoesNotKnow) {
  expect(judged(R"("ldb": 1)", R"("ldb": 1, "ldq": 4)"), Verdict::fail, "unknown field ldq");
  expect(judged(R"({"C": [)", R"({"D": [1], "C": [)"), Verdict::fail, "unknown field D");
}

TEST(Judge, FailsFieldsThatAreMissingOrMalformed) {
  expect(judged(R"("k": 2,)", ""), Verdict::fail, "field k is missing");
  expect(judged(R"("opA": "N")", R"("opA": "Q")"), Verdict::fail, R"(opA = "Q" but must be N, T or C)");
  expect(judged("[10, 100]", R"([10, "abc"])"), Verdict::fail, "B: \"abc\" is no number");
  expect(judged("[10, 100]", R"({"gen": "cosine", "n": 2})"), Verdict::fail, "gen = \"cosine\"");
  expect(judged("\"schema\": 1", "\"schema\": 2"), Verdict::fail, "schema = 2 but must be 1");
  expect(judged("{\"schema\"", "{{"), Verdict::fail, "parse error");
}

TEST(Judge, SkipsWhatHasNoEntryPoint) {
  expect(judged(R"("op": "spmm")", R"("op": "prune")"), Verdict::skip, "entry point does not exist");
  expect(judged(R"(["cpu"])", R"(["cuda"])"), Verdict::skip, "no sense");
}

TEST(Numbers, RoundToHalfAsTheFormatSays) {
  EXPECT_EQ(round_to(SPK_R_16F, {2049, 0}).real(), 2048);  // a tie goes to even
  EXPECT_EQ(round_to(SPK_R_16F, {2051, 0}).real(), 2052);
  EXPECT_EQ(round_to(SPK_R_16F, {65519.99, 0}).real(), 65504);
  EXPECT_TRUE(std::isinf(round_to(SPK_R_16F, {65520, 0}).real()));
  EXPECT_EQ(round_to(SPK_R_16F, {0x1p-25, 0}).real(), 0);
  EXPECT_EQ(round_to(SPK_R_16F, {0x1.8p-25, 0}).real(), 0x1p-24);
  EXPECT_EQ(round_to(SPK_R_16BF, {257, 0}).real(), 256);
}

TEST(Numbers, ComeBackFromEveryHalfCode) {
  for (const spk_value_type_t type : {SPK_R_16F, SPK_R_16BF}) {
    for (std::uint32_t code = 0; code <= 0xffff; ++code) {
      const auto bits = static_cast<std::uint16_t>(code);
      const Number value = load(type, &bits);
      if (std::isnan(value.real())) continue;
      std::uint16_t back = 0;
      store(type, &back, value);
      ASSERT_EQ(back, bits) << name_of(type);
    }
  }
}

}  // namespace
}  // namespace spk::cases
