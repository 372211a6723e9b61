#include "cli/files/interchange.h"

#include <cox/v1/advice.pb.h>
#include <cox/v1/calibration.pb.h>
#include <cox/v1/observation.pb.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/files/row_parser.h"
#include "cli/output/json_output.h"
#include "cli/resource_names.h"
#include "console/csv.h"
#include "console/numbers.h"
#include "domain/limits.h"

namespace cox::cli {
namespace {

using google::protobuf::util::TimeUtil;

// The API's bounds on names.
constexpr size_t kMaxWordBytes = 64;
constexpr size_t kMaxLabelBytes = 128;
constexpr size_t kMaxNodeListBytes = 1 << 16;
constexpr int kMaxCandidates = 256;

namespace observation {
enum Column : size_t {
  kMachine,
  kLibrary,
  kCollective,
  kAlgorithm,
  kNodes,
  kPpn,
  kRanks,
  kBlockBytes,
  kTime,
  kRun,
  kCount,
  kStatistic,
  kStddev,
  kAt,
  kTypeBytes,
  kKind,
  kJob,
  kSource
};
constexpr ColumnSpec kColumns[] = {
    {"machine", true},   {"library", true}, {"collective", true},  {"algorithm", true},
    {"nodes", true},     {"ppn", true},     {"ranks", true},       {"block_bytes", true},
    {"time_s", true},    {"run", false},    {"count", false},      {"statistic", false},
    {"stddev_s", false}, {"at", false},     {"type_bytes", false}, {"kind", false},
    {"job", false},      {"source", false}};

// Values of `kind`.
constexpr std::pair<absl::string_view, v1::Measurement> kKinds[] = {
    {"", v1::MEASUREMENT_UNSPECIFIED},
    {"benchmark", v1::MEASUREMENT_BENCHMARK},
    {"job", v1::MEASUREMENT_JOB}};
}  // namespace observation

namespace sample {
enum Column : size_t {
  kMachine,
  kKind,
  kLevel,
  kPattern,
  kPairs,
  kBlockBytes,
  kTime,
  kRanks,
  kMessages,
  kSenders
};
constexpr ColumnSpec kColumns[] = {{"machine", true},  {"kind", true},   {"level", true},
                                   {"pattern", false}, {"pairs", false}, {"block_bytes", true},
                                   {"time_s", true},   {"ranks", false}, {"messages", false},
                                   {"senders", false}};
}  // namespace sample

namespace question {
enum Column : size_t {
  kMachine,
  kLibrary,
  kCollective,
  kNodes,
  kPpn,
  kRanks,
  kBlockBytes,
  kCandidates,
  kTypeBytes,
  kNodeList
};
constexpr ColumnSpec kColumns[] = {
    {"machine", true},     {"library", true},   {"collective", true},  {"nodes", true},
    {"ppn", true},         {"ranks", true},     {"block_bytes", true}, {"candidates", false},
    {"type_bytes", false}, {"node_list", false}};
}  // namespace question

namespace candidate {
enum Column : size_t {
  kMachine,
  kLibrary,
  kCollective,
  kAlgorithm,
  kNodes,
  kPpn,
  kRanks,
  kBlockBytes,
  kTypeBytes
};
constexpr ColumnSpec kColumns[] = {
    {"machine", true},   {"library", true},     {"collective", true},
    {"algorithm", true}, {"nodes", true},       {"ppn", true},
    {"ranks", true},     {"block_bytes", true}, {"type_bytes", false}};
}  // namespace candidate

// The ranks fit on the nodes: nodes and ppn are below 2^31, so their product is below 2^62.
void CheckShape(RowParser& row, size_t column, int64_t nodes, int64_t ppn, int64_t ranks) {
  if (ranks > nodes * ppn) {
    row.Fail(column, absl::StrCat("is ", ranks, ", but nodes x ppn is ", nodes * ppn));
  }
}

}  // namespace

absl::Span<const ColumnSpec> ObservationColumns() { return observation::kColumns; }
absl::Span<const ColumnSpec> SampleColumns() { return sample::kColumns; }
absl::Span<const ColumnSpec> QuestionColumns() { return question::kColumns; }
absl::Span<const ColumnSpec> CandidateColumns() { return candidate::kColumns; }

absl::Status ParseObservation(const RecordFile& file, v1::Observation& observation) {
  using namespace observation;  // NOLINT: the columns of this file's own namespace
  RowParser row(file);
  observation.Clear();
  observation.set_machine(row.Machine(kMachine));
  observation.set_library(row.Text(kLibrary, kMaxWordBytes));
  observation.set_collective(row.Text(kCollective, kMaxWordBytes));
  observation.set_algorithm(row.Text(kAlgorithm, kMaxLabelBytes));
  observation.set_nodes(row.Integer(kNodes, 1, console::kMaxCount));
  observation.set_ppn(row.Integer(kPpn, 1, console::kMaxCount));
  observation.set_ranks(row.Integer(kRanks, 1, console::kMaxCount));
  CheckShape(row, kRanks, observation.nodes(), observation.ppn(), observation.ranks());
  observation.set_block_bytes(row.Integer(kBlockBytes, 0, console::kMaxBytes));
  observation.set_time_s(row.Positive(kTime));
  observation.set_run(row.OptionalText(kRun, kMaxLabelBytes));
  observation.set_count(row.IntegerOr(kCount, 1, domain::kMaxTimingCount, 0));
  observation.set_statistic(row.OptionalText(kStatistic, kMaxWordBytes));
  const std::string& statistic = observation.statistic();
  if (!statistic.empty() && statistic != "mean" && statistic != "median" && statistic != "min") {
    row.Fail(kStatistic, absl::StrCat("is '", statistic, "', must be mean, median or min"));
  }
  observation.set_stddev_s(row.NonNegativeOrZero(kStddev));
  const std::string at = row.OptionalText(kAt, kMaxWordBytes);
  const bool is_time = at.empty() || (TimeUtil::FromString(at, observation.mutable_at()) &&
                                      observation.at().seconds() >= 0);
  if (row.ok() && !is_time) {
    row.Fail(kAt,
             absl::StrCat("is '", at, "', must be a time like 2026-11-20T08:00:00Z, after 1969"));
  }
  observation.set_type_bytes(row.IntegerOr(kTypeBytes, 1, console::kMaxCount, 0));
  const std::string kind = row.OptionalText(kKind, kMaxWordBytes);
  const auto* known = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const auto& one) { return one.first == kind; });
  if (known == std::end(kKinds)) {
    row.Fail(kKind, absl::StrCat("is '", kind, "', must be benchmark or job"));
  } else {
    observation.set_measurement(known->second);
  }
  observation.set_job(row.OptionalText(kJob, kMaxLabelBytes));
  observation.set_source(row.OptionalText(kSource, kMaxLabelBytes));
  return row.status();
}

std::string ObservationHeader() {
  return absl::StrCat(absl::StrJoin(observation::kColumns, ",",
                                    [](std::string* out, const ColumnSpec& column) {
                                      absl::StrAppend(out, column.name);
                                    }),
                      "\n");
}

std::string ObservationRow(const v1::Observation& observation) {
  const auto* kind =
      std::find_if(std::begin(observation::kKinds), std::end(observation::kKinds),
                   [&](const auto& one) { return one.second == observation.measurement(); });
  const auto or_empty = [](int64_t value) { return value == 0 ? "" : absl::StrCat(value); };
  const std::array<std::string, std::size(observation::kColumns)> fields = {
      console::CsvField(BareMachine(observation.machine())),
      console::CsvField(observation.library()),
      console::CsvField(observation.collective()),
      console::CsvField(observation.algorithm()),
      absl::StrCat(observation.nodes()),
      absl::StrCat(observation.ppn()),
      absl::StrCat(observation.ranks()),
      absl::StrCat(observation.block_bytes()),
      console::FormatDouble(observation.time_s()),
      console::CsvField(observation.run()),
      or_empty(observation.count()),
      console::CsvField(observation.statistic()),
      observation.stddev_s() == 0 ? "" : console::FormatDouble(observation.stddev_s()),
      observation.has_at() ? TimeUtil::ToString(observation.at()) : "",
      or_empty(observation.type_bytes()),
      std::string(kind == std::end(observation::kKinds) ? absl::string_view() : kind->first),
      console::CsvField(observation.job()),
      console::CsvField(observation.source())};
  return absl::StrCat(absl::StrJoin(fields, ","), "\n");
}

absl::Status ParseSample(const RecordFile& file, absl::string_view machine, v1::Sample& sample) {
  using namespace sample;  // NOLINT: the columns of this file's own namespace
  RowParser row(file);
  sample.Clear();
  const std::string named = row.Machine(kMachine);
  if (row.ok() && named != machine) {
    row.Fail(kMachine,
             absl::StrCat("is '", named, "', but it is '", machine, "' that is being calibrated"));
  }
  sample.set_kind(row.Text(kKind, kMaxWordBytes));
  sample.set_level(row.Text(kLevel, kMaxWordBytes));
  const std::string& level = sample.level();
  if (row.ok() && level != "self" && level != "node" && level != "socket" && level != "network") {
    row.Fail(kLevel, absl::StrCat("is '", level, "', must be self, node, socket or network"));
  }
  sample.set_pattern(row.OptionalText(kPattern, kMaxLabelBytes));
  sample.set_pairs(row.IntegerOr(kPairs, 1, console::kMaxCount, 0));
  sample.set_block_bytes(row.Integer(kBlockBytes, 0, console::kMaxBytes));
  sample.set_time_s(row.Positive(kTime));
  sample.set_ranks(row.IntegerOr(kRanks, 0, console::kMaxCount, 0));
  sample.set_messages(row.IntegerOr(kMessages, 0, console::kMaxCount, 0));
  sample.set_senders(row.IntegerOr(kSenders, 0, console::kMaxCount, 0));
  return row.status();
}

absl::Status ParseQuestion(const RecordFile& file, v1::RecommendRequest& question) {
  using namespace question;  // NOLINT: the columns of this file's own namespace
  RowParser row(file);
  question.Clear();
  question.set_machine(row.Machine(kMachine));
  question.set_library(row.Text(kLibrary, kMaxWordBytes));
  question.set_collective(row.Text(kCollective, kMaxWordBytes));
  question.set_nodes(row.Integer(kNodes, 1, console::kMaxCount));
  question.set_ppn(row.Integer(kPpn, 1, console::kMaxCount));
  question.set_ranks(row.Integer(kRanks, 1, console::kMaxCount));
  CheckShape(row, kRanks, question.nodes(), question.ppn(), question.ranks());
  question.set_block_bytes(row.Integer(kBlockBytes, 0, console::kMaxBytes));
  for (absl::string_view name : absl::StrSplit(file.Get(kCandidates), ';', absl::SkipEmpty())) {
    question.add_candidates(std::string(absl::StripAsciiWhitespace(name)));
  }
  if (question.candidates_size() > kMaxCandidates) {
    row.Fail(kCandidates, absl::StrCat("names ", question.candidates_size(),
                                       " algorithms, at most ", kMaxCandidates, " are allowed"));
  }
  question.set_type_bytes(row.IntegerOr(kTypeBytes, 1, console::kMaxCount, 0));
  question.set_node_list(row.OptionalText(kNodeList, kMaxNodeListBytes));
  return row.status();
}

absl::Status ParseCandidate(const RecordFile& file, absl::string_view machine,
                            absl::string_view library, v1::MeasurementCandidate& candidate) {
  using namespace candidate;  // NOLINT: the columns of this file's own namespace
  RowParser row(file);
  candidate.Clear();
  if (const std::string named = row.Machine(kMachine); row.ok() && named != machine) {
    row.Fail(kMachine, absl::StrCat("is '", named, "', but '", machine, "' is asked about"));
  }
  if (const std::string named = row.Text(kLibrary, kMaxWordBytes); row.ok() && named != library) {
    row.Fail(kLibrary, absl::StrCat("is '", named, "', but '", library, "' is asked about"));
  }
  candidate.set_collective(row.Text(kCollective, kMaxWordBytes));
  candidate.set_algorithm(row.Text(kAlgorithm, kMaxLabelBytes));
  candidate.set_nodes(row.Integer(kNodes, 1, console::kMaxCount));
  candidate.set_ppn(row.Integer(kPpn, 1, console::kMaxCount));
  candidate.set_ranks(row.Integer(kRanks, 1, console::kMaxCount));
  CheckShape(row, kRanks, candidate.nodes(), candidate.ppn(), candidate.ranks());
  candidate.set_block_bytes(row.Integer(kBlockBytes, 0, console::kMaxBytes));
  candidate.set_type_bytes(row.IntegerOr(kTypeBytes, 1, console::kMaxCount, 0));
  return row.status();
}

void AppendBatchAnswer(const v1::RecommendResponse& answer, std::string& out) {
  const auto time = [](bool known, double time_s) {
    return known && std::isfinite(time_s) ? console::FormatDouble(time_s) : std::string("null");
  };
  const bool answered = answer.error().empty();
  absl::StrAppend(&out, "{\"algorithm\":", answered ? JsonString(answer.algorithm()) : "null",
                  ",\"native_id\":");
  absl::StrAppend(&out, answer.has_native_id() ? absl::StrCat(answer.native_id()) : "null",
                  ",\"strategy\":", JsonString(answer.strategy()), ",\"predicted_time_s\":",
                  time(answer.has_predicted_time_s(), answer.predicted_time_s()),
                  ",\"interval_s\":[");
  for (int i = 0; i < answer.interval_s_size(); ++i) {
    absl::StrAppend(&out, i > 0 ? "," : "", time(true, answer.interval_s(i)));
  }
  absl::StrAppend(
      &out, "],\"default_time_s\":", time(answer.has_default_time_s(), answer.default_time_s()),
      ",\"model\":", JsonString(answer.model()),
      ",\"reason\":", JsonString(answered ? answer.reason() : answer.error()), ",\"evidence\":[",
      absl::StrJoin(answer.evidence(), ",",
                    [](std::string* text, int evidence) {
                      absl::StrAppend(
                          text, JsonString(v1::Evidence_Name(static_cast<v1::Evidence>(evidence))));
                    }),
      "],\"caveats\":[",
      absl::StrJoin(answer.caveats(), ",",
                    [](std::string* text, const std::string& caveat) {
                      absl::StrAppend(text, JsonString(caveat));
                    }),
      "]");
  if (answer.alternatives_size() > 0) {
    absl::StrAppend(&out, ",\"alternatives\":[",
                    absl::StrJoin(answer.alternatives(), ",",
                                  [](std::string* text, const v1::Alternative& alternative) {
                                    AppendJson(alternative, *text);
                                  }),
                    "]");
  }
  out += '}';
}

}  // namespace cox::cli
