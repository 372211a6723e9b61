// What agents reported while a network changed under a job (tests/e2e/fabric/record_shift.py), sent
// to a daemon once more in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "daemon.h"

namespace cox {
namespace {

struct Row {
  v1::Observation observation;
  std::string job;
  bool is_before = false;
};

std::vector<Row> ReadRecorded(const std::string& name) {
  std::ifstream file(absl::StrCat(COX_RECORDED, "/", name, ".csv"));
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = absl::StrSplit(line, ',');
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = absl::StrSplit(line, ',');
    if (fields.size() != names.size()) {
      ADD_FAILURE() << line;
      break;
    }
    std::map<std::string, std::string> row;
    for (size_t i = 0; i < names.size(); ++i) row[names[i]] = fields[i];
    const auto number = [&row](const char* field) {
      double value = 0;
      EXPECT_TRUE(absl::SimpleAtod(row[field], &value)) << field << " " << row[field];
      return value;
    };
    const auto whole = [&number](const char* field) { return static_cast<int64_t>(number(field)); };
    Row read;
    read.job = row["job"];  // JOB@NODE
    read.is_before = row["phase"] == "before";
    v1::Observation& observation = read.observation;
    observation.set_machine(row["machine"]);
    observation.set_library(row["library"]);
    observation.set_collective(row["collective"]);
    observation.set_algorithm(row["algorithm"]);
    observation.set_nodes(whole("nodes"));
    observation.set_ppn(whole("ppn"));
    observation.set_ranks(whole("ranks"));
    observation.set_block_bytes(whole("block_bytes"));
    observation.set_time_s(number("time_s"));
    observation.set_count(whole("count"));
    observation.set_statistic(row["statistic"]);
    observation.set_type_bytes(whole("type_bytes"));
    rows.push_back(std::move(read));
  }
  return rows;
}

class Replay {
 public:
  explicit Replay(const std::string& name) : rows(ReadRecorded(name)) {
    before = static_cast<size_t>(
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.is_before; }));
    daemon.Register("fabric", 8, 1);
  }

  // Sends the next batch: what one node reported at once.
  void SendBatch() {
    v1::ReportObservationsRequest request;
    request.set_job(rows[sent].job);
    request.set_source(rows[sent].job);
    request.set_sequence(static_cast<int64_t>(sent));
    request.set_await_learning(true);
    while (sent < rows.size() && rows[sent].job == request.job()) {
      *request.add_observations() = rows[sent++].observation;
    }
    v1::ReportObservationsResponse response;
    const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations,
                                     daemon.Observations(), request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  std::vector<v1::Drift> Drifts() const {
    v1::ListDriftsRequest request;
    request.set_parent("machines/fabric");
    v1::ListDriftsResponse response;
    const grpc::Status status =
        Call(&v1::ObservationService::Stub::ListDrifts, daemon.Observations(), request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return {response.drifts().begin(), response.drifts().end()};
  }

  // Of the cells (of a collective; "": of all) that were observed from row `from` on:
  // |prediction / median - 1|, in the middle.
  double MedianError(size_t from, const std::string& collective = "") const {
    std::map<std::string, std::vector<const v1::Observation*>> cells;
    for (size_t i = from; i < rows.size(); ++i) {
      const v1::Observation& observation = rows[i].observation;
      if (!collective.empty() && observation.collective() != collective) continue;
      cells[absl::StrCat(observation.collective(), " ", observation.algorithm(), " ",
                         observation.block_bytes())]
          .push_back(&observation);
    }
    const auto advice = daemon.Advice();
    std::vector<double> errors;
    for (auto& [name, observed] : cells) {
      const auto middle = observed.begin() + static_cast<std::ptrdiff_t>(observed.size() / 2);
      std::nth_element(observed.begin(), middle, observed.end(),
                       [](const auto* a, const auto* b) { return a->time_s() < b->time_s(); });
      const double error = PredictedTime(advice, **middle) / (*middle)->time_s() - 1;
      errors.push_back(std::abs(error));
    }
    EXPECT_GE(errors.size(), 2u);
    std::sort(errors.begin(), errors.end());
    return errors[errors.size() / 2];
  }

  Daemon daemon;
  std::vector<Row> rows;
  size_t before = 0;
  size_t sent = 0;
};

TEST(RecordedDriftTest, ALinkAtHalfItsRateIsNoticedWithin200AndMendedWithin500) {
  Replay replay("rate_halved");
  ASSERT_GT(replay.before, 300u);
  const size_t mended_by = std::min(replay.before + 500, replay.rows.size());
  ASSERT_GT(mended_by, replay.before + 450);
  while (replay.sent < replay.before) replay.SendBatch();
  EXPECT_TRUE(replay.Drifts().empty());
  // The change is real: the coming times are far from the predictions.
  EXPECT_GT(replay.MedianError(replay.before + 300), 0.3);
  while (replay.sent < replay.rows.size() && replay.Drifts().empty()) replay.SendBatch();
  const size_t noticed_after = replay.sent - replay.before;
  RecordProperty("noticed_after", static_cast<int>(noticed_after));
  const std::vector<v1::Drift> drifts = replay.Drifts();
  ASSERT_EQ(drifts.size(), 1u);
  EXPECT_LE(noticed_after, 200u);
  EXPECT_EQ(drifts.front().level(), "network");
  EXPECT_GT(drifts.front().factor(), 1.4);
  EXPECT_LT(drifts.front().factor(), 2.6);
  while (replay.sent < mended_by) replay.SendBatch();
  RecordProperty("drifts", static_cast<int>(replay.Drifts().size()));
  // Of what the drift is about: other collectives, of which fewer observations came, may follow
  // later.
  const double error = replay.MedianError(replay.before + 300, drifts.front().collective());
  RecordProperty("median_error", std::to_string(error));
  EXPECT_LT(error, 0.1);
}

TEST(RecordedDriftTest, ANoisyNeighbourIsNone) {
  Replay replay("neighbour");
  ASSERT_GT(replay.rows.size(), replay.before + 500);
  while (replay.sent < replay.rows.size()) {
    replay.SendBatch();
    ASSERT_TRUE(replay.Drifts().empty())
        << "after observation " << replay.sent << " of " << replay.rows.size();
  }
  EXPECT_LT(replay.MedianError(replay.before), 0.1);
}

}  // namespace
}  // namespace cox
