// The checkers read any text, not only ours.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/openmpi/rules.h"
#include "library/shell_exports.h"
#include "library/tuning_format.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

constexpr int64_t kRanks = 2;

// One algorithm for short messages and another for long ones, for each collective that has two.
std::string Text(const TuningFormat& format) {
  std::vector<DecisionTable> tables;
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    DecisionTable table;
    table.collective = std::string(domain::CollectiveName(static_cast<domain::Collective>(i)));
    for (const Algorithm& row : AlgorithmsOf(format.library)) {
      if (row.collective != static_cast<domain::Collective>(i) || row.needs != kNone) continue;
      DecisionRow decision;
      decision.block_bytes = table.rows.empty() ? 0 : 100;
      decision.algorithm = std::string(row.native_name);
      decision.native_id = row.native_id;
      if (table.rows.size() < 2) table.rows.push_back(decision);
    }
    if (!table.rows.empty()) tables.push_back(table);
  }
  const TunedJob job = {std::string(format.library), 1, kRanks, kUsualCalls};
  const auto text = WriteTuning(tables, job, format, {});
  EXPECT_TRUE(text.ok()) << format.library << " " << format.name << ": " << text.status();
  return text.ok() ? *text : "";
}

// Changes one byte. The checker must survive; whether it has a finding depends on the byte.
TEST(CheckAnyTextTest, ABytesChangeIsReadToTheEnd) {
  constexpr char kBytes[] = {'\0', '\n', ' ', '0', '9', '#', '\'', '"', ',',
                             ';',  ':',  '@', '{', '-', '[', '=',  'x', '\xff'};
  for (const TuningFormat& format : TuningFormats()) {
    const std::string text = Text(format);
    // Some texts are long: a bounded number of places, spread over all of it.
    const size_t step = text.size() / 100 + 1;
    for (size_t at = 0; at < text.size(); at += step) {
      for (const char byte : kBytes) {
        std::string changed = text;
        changed[at] = byte;
        for (const std::string& finding : format.check(changed, {})) {
          ASSERT_FALSE(finding.empty()) << format.library << " " << format.name << " at " << at;
        }
      }
    }
  }
}

// A rules file counts its rows, so the checker notices a cut anywhere before the last number.
TEST(CheckAnyTextTest, ACutRulesFileIsFound) {
  for (const char* library : {"openmpi-4.1", "openmpi-5.0"}) {
    const TuningFormat& format = **FindTuningFormat(library, "rules");
    const std::string text = Text(format);
    const int64_t whole = ParseOpenMpiRules(text)->number_count;
    int cuts_with_fewer_numbers = 0;
    for (size_t length = 0; length < text.size(); ++length) {
      const std::string cut = text.substr(0, length);
      const auto rules = ParseOpenMpiRules(cut);
      if (rules.ok() && rules->number_count == whole) continue;
      ++cuts_with_fewer_numbers;
      EXPECT_FALSE(format.check(cut, kUsualCalls).empty()) << library << " after " << length;
    }
    EXPECT_GT(cuts_with_fewer_numbers, 1000);
  }
}

// A text rendered for another shell has the same settings.
TEST(CheckAnyTextTest, EveryShellsTextHasEverySetting) {
  for (const TuningFormat& format : TuningFormats()) {
    if (format.name != "env") continue;
    const std::string text = Text(format);
    for (const std::string& shell : ShellNames()) {
      const auto rendered = RenderForShell(text, shell);
      ASSERT_TRUE(rendered.ok()) << format.library << ": " << rendered.status();
      for (const ShellExport& setting : ReadShellExports(text).exports) {
        EXPECT_NE(rendered->find(setting.name), std::string::npos) << format.library;
        EXPECT_NE(rendered->find(setting.value), std::string::npos) << format.library;
      }
    }
  }
}

}  // namespace
}  // namespace cox::library
