#include "calibrated_machine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "learn/calibrate/calibrate.h"
#include "learn/calibrate/sample_kinds.h"
#include "learn/fitted_models.h"
#include "model/models/models.h"

namespace cox::bench {
namespace {

using domain::Level;
using learn::Sample;

constexpr int64_t kRanks = 16;
constexpr int kTimingsOfEach = 3;

// From `above` bytes on a message takes start_s + bytes x byte_s.
struct Protocol {
  Level level;
  double above;
  double start_s;
  double byte_s;
};
constexpr Protocol kProtocols[] = {
    {Level::kNode, 0, 4e-7, 3e-10},        {Level::kNode, 512, 9e-7, 2e-10},
    {Level::kNode, 8192, 3e-6, 9e-11},     {Level::kNode, 262144, 6e-6, 1.6e-10},
    {Level::kNetwork, 0, 2e-6, 2e-9},      {Level::kNetwork, 1024, 4e-6, 9e-10},
    {Level::kNetwork, 16384, 2e-5, 4e-10}, {Level::kNetwork, 524288, 9e-5, 6e-10},
};
constexpr double kOverhead_s = 3e-7;
constexpr double kBarrier_s = 2e-5;
constexpr double kLocal_s = 1e-10;  // of each byte that is copied or reduced

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "the calibration of the bench's machine: %s\n", why.c_str());
  std::exit(1);
}

domain::Profile Truth() {
  domain::Profile profile;
  for (const Protocol& protocol : kProtocols) {
    for (const auto& [name, value] :
         {std::pair("alpha", protocol.start_s), std::pair("beta", protocol.byte_s)}) {
      domain::Parameter parameter;
      parameter.model = "hockney";
      parameter.level = protocol.level;
      parameter.name = name;
      parameter.value = value;
      parameter.above = protocol.above;
      profile.Set(std::move(parameter));
    }
  }
  return profile;
}

Sample Cell(const char* kind, Level level, int64_t block_bytes, int64_t ranks, int64_t messages,
            int64_t senders) {
  Sample sample;
  sample.kind = kind;
  sample.level = level;
  sample.block_bytes = block_bytes;
  sample.ranks = ranks;
  sample.messages = messages;
  sample.senders = senders;
  return sample;
}

// What cox-bench plans for 16 ranks, about.
std::vector<Sample> CellsOf(Level level) {
  std::vector<Sample> cells;
  for (int64_t bytes = 1; bytes <= 4 << 20; bytes *= 2) {
    for (const int64_t pairs : {1, 4}) {
      cells.push_back(Cell("pingpong", level, bytes, 2 * pairs, 1, pairs));
      cells.back().pairs = pairs;
    }
  }
  for (int64_t bytes = 4; bytes <= 1 << 20; bytes *= 8) {
    for (const int64_t train : {2, 8, 32}) {
      cells.push_back(Cell("gap", level, bytes, 2, train, 1));
    }
    for (const char* kind : {"overhead_send", "overhead_recv", "notice"}) {
      cells.push_back(Cell(kind, level, bytes, 2, 16, 1));
    }
    for (const int64_t senders : {2, 8, 15}) {
      cells.push_back(Cell("converge", level, bytes, senders + 1, 8 * senders, senders));
    }
    for (const int64_t h : {1, 4, 15}) {
      cells.push_back(Cell("h_relation", level, bytes, kRanks, h, kRanks));
      cells.push_back(Cell("h_relation", level, bytes, kRanks, h, kRanks / 2));
    }
    cells.push_back(Cell("scatter", level, bytes, kRanks, kRanks - 1, 1));
    cells.push_back(Cell("block_permutation", level, bytes, kRanks, 1, kRanks));
  }
  for (const int64_t senders : {1, 2, 4, 8, 16}) {
    cells.push_back(Cell("permutation", level, 4, kRanks, 1, senders));
  }
  cells.push_back(Cell("barrier", level, 0, kRanks, 0, 0));
  return cells;
}

std::vector<Sample> LocalCells() {
  std::vector<Sample> cells;
  for (int64_t bytes = 1024; bytes <= 1 << 20; bytes *= 4) {
    for (const char* kind : {"copy", "reduce"}) {
      cells.push_back(Cell(kind, Level::kSelf, bytes, 1, 1, 1));
    }
  }
  return cells;
}

// The whole patterns by the truth, each rank's messages one after the other.
std::vector<Sample> TimedSamples() {
  const auto truth = model::ValuesFor(model::Hockney(), Truth());
  if (!truth.ok()) Fail(std::string(truth.status().message()));
  std::vector<Sample> cells = LocalCells();
  for (const Level level : {Level::kNode, Level::kNetwork}) {
    const std::vector<Sample> of_level = CellsOf(level);
    cells.insert(cells.end(), of_level.begin(), of_level.end());
  }
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.02);
  auto schedule = std::make_unique<model::Schedule>();
  std::vector<Sample> samples;
  for (const Sample& cell : cells) {
    const learn::SampleKind* kind = learn::FindSampleKind(cell.kind);
    double time_s = kOverhead_s;
    if (cell.level == Level::kSelf) {
      time_s = kLocal_s * static_cast<double>(cell.block_bytes);
    } else if (kind->build != nullptr) {
      kind->build(cell, {}, schedule.get());
      time_s = model::Hockney().Price(*truth, *schedule).TotalSeconds();
      if ((*schedule)[schedule->size() - 1].ends_in_barrier) time_s += kBarrier_s;
    }
    for (int i = 0; i < kTimingsOfEach; ++i) {
      samples.push_back(cell);
      samples.back().time_s = time_s * std::exp(noise(random));
    }
  }
  return samples;
}

void CheckPieces(const domain::Profile& profile) {
  for (const Level level : {Level::kNode, Level::kNetwork}) {
    for (const char* name : {"alpha", "beta"}) {
      const auto pieces = std::count_if(profile.parameters.begin(), profile.parameters.end(),
                                        [&](const domain::Parameter& parameter) {
                                          return parameter.model == "hockney" &&
                                                 parameter.level == level && parameter.name == name;
                                        });
      if (pieces < 3) {
        Fail(absl::StrCat("only ", pieces, " pieces of hockney's ", name, " at level ",
                          domain::LevelName(level)));
      }
    }
  }
}

}  // namespace

domain::Profile CalibratedProfile() {
  absl::StatusOr<learn::Calibration> calibration = learn::Calibrate(TimedSamples());
  if (!calibration.ok()) Fail(std::string(calibration.status().message()));
  const domain::Profile& profile = calibration->profile;
  for (const model::Model* model : learn::FittedModels()) {
    const auto values = model::ValuesFor(*model, profile);
    if (!values.ok()) Fail(std::string(values.status().message()));
  }
  for (const char* name : {"unit_time", "compute_unit_time"}) {
    const domain::Parameter* time = profile.Find("c3", Level::kNetwork, name);
    if (time == nullptr || !(time->value > 0)) Fail(absl::StrCat("c3 has no ", name));
  }
  CheckPieces(profile);
  return std::move(calibration->profile);
}

}  // namespace cox::bench
