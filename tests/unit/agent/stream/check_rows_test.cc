#include "agent/stream/check_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agent/steering/decisions.h"
#include "agent/stream/wire/decisions_wire.h"
#include "agent/timing/collectives.h"
#include "cox/v1/advice.pb.h"
#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/run_time_number.h"

namespace cox::agent {
namespace {

// 256 ranks: a square, a fourth power, a power of two, more than any algorithm needs.
SteeredJob Job(const std::string& library = "openmpi-4.1", int64_t ranks = 256) {
  return {.library = library,
          .ranks = ranks,
          .ppn = 8,
          .assume = {.commutative = true, .elements_at_least_ranks = true, .same_counts = true},
          .use_coxcoll = true};
}

int NumberOf(const SteeredJob& job, const DecisionRow& row) {
  const CheckedRows checked = CheckRows(job, {row});
  EXPECT_EQ(checked.refused_count,
            checked.decisions.empty() || checked.decisions[0].number == 0 ? 1 : 0);
  return checked.decisions.empty() ? 0 : checked.decisions[0].number;
}

TEST(CheckRowsTest, RowsBecomeNumbers) {
  const std::vector<DecisionRow> rows = {{"bcast", 0, "default"},
                                         {"bcast", 1024, "pipeline"},
                                         {"bcast", 4096, "no such"},
                                         {"no such", 0, "ring"}};
  const auto decisions = CheckRows(Job(), rows).decisions;
  ASSERT_EQ(decisions.size(), 3);
  const int numbers[] = {0, 3, 0};
  for (size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_EQ(decisions[i].collective, static_cast<int32_t>(domain::Collective::kBcast));
    EXPECT_EQ(decisions[i].block_bytes, rows[i].from_block_bytes);
    EXPECT_EQ(decisions[i].number, numbers[i]);
  }
}

TEST(CheckRowsTest, RowsOfCoxcollHaveNumbersAndNames) {
  const std::vector<DecisionRow> rows = {{"alltoall", 0, "mesh2d", "coxcoll"},
                                         {"alltoall", 64, "windowed?window=16", "coxcoll"},
                                         {"alltoall", 128, "pairwise"},
                                         // Counts differ from rank to rank.
                                         {"alltoallv", 0, "direct", "coxcoll"},
                                         {"alltoall", 256, "pairwise", "another"}};
  const auto number_of = [](const std::string& name) {
    return library::CoxcollNumber(domain::Collective::kAlltoall, name);
  };
  const auto decisions = CheckRows(Job(), rows).decisions;
  ASSERT_EQ(decisions.size(), rows.size());
  const char* const names[] = {"mesh2d", "windowed?window=16", "", "", ""};
  const int numbers[] = {number_of("mesh2d"), number_of("windowed?window=16"), 2, 0, 0};
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_STREQ(decisions[i].name, names[i]);
    EXPECT_EQ(decisions[i].number, numbers[i]);
  }
}

TEST(CheckRowsTest, EveryRowOfCoxcollFitsIntoTheTable) {
  int count = 0;
  for (const library::Algorithm& row : library::AlgorithmsOf(library::kCoxcoll)) {
    const std::string collective(domain::CollectiveName(row.collective));
    const auto read =
        CheckRows(Job("mpich-4.0"), {{collective, 64, std::string(row.native_name), "coxcoll"}})
            .decisions;
    ASSERT_EQ(read.size(), 1) << row.native_name;
    if (!CanBeReplaced(static_cast<domain::Collective>(read[0].collective))) continue;
    ++count;
    Decisions table;
    table.Add(read[0].collective, read[0].block_bytes, read[0].number, read[0].name);
    const auto place = static_cast<domain::Collective>(read[0].collective);
    ASSERT_TRUE(table.HasCoxcoll()) << row.native_name;
    EXPECT_EQ(table.NameOf(place, table.Find(place, 64)), row.native_name);
  }
  EXPECT_GT(count, 0);
}

TEST(CheckRowsTest, RefusesWhatTheLibraryHasNot) {
  EXPECT_EQ(NumberOf(Job(), {"bcast", 0, "/tmp/evil.so"}), 0);
  EXPECT_EQ(NumberOf(Job(), {"bcast", 0, "3"}), 0);
  EXPECT_EQ(NumberOf(Job(), {"bcast", 0, "pipeline", "mpich-4.0"}), 0);
  EXPECT_EQ(NumberOf(Job(), {"bcast", -1, "pipeline"}), 0);
  EXPECT_EQ(NumberOf(Job("nothing"), {"bcast", 0, "pipeline"}), 0);
  EXPECT_NE(NumberOf(Job(), {"bcast", 0, "pipeline"}), 0);
}

TEST(CheckRowsTest, RefusesWhatWouldFailOnThatManyRanks) {
  // Open MPI answers a barrier of two_proc on other ranks with an error.
  EXPECT_NE(NumberOf(Job("openmpi-4.1", 2), {"barrier", 0, "two_proc"}), 0);
  EXPECT_EQ(NumberOf(Job("openmpi-4.1", 3), {"barrier", 0, "two_proc"}), 0);
  // MPICH aborts the job.
  EXPECT_NE(NumberOf(Job("mpich-4.0", 8), {"reduce_scatter", 0, "noncommutative"}), 0);
  EXPECT_EQ(NumberOf(Job("mpich-4.0", 6), {"reduce_scatter", 0, "noncommutative"}), 0);
  EXPECT_EQ(NumberOf(Job("openmpi-4.1", 3), {"alltoall", 0, "windowed?window=16", "coxcoll"}), 0);
}

TEST(CheckRowsTest, RefusesWhatThisJobDoesNotPromise) {
  SteeredJob job = Job();
  EXPECT_NE(NumberOf(job, {"bcast", 0, "split_binary_tree"}), 0);
  job.assume.same_counts = false;
  EXPECT_EQ(NumberOf(job, {"bcast", 0, "split_binary_tree"}), 0);
  EXPECT_EQ(NumberOf(job, {"alltoall", 0, "modified_bruck"}), 0);
  EXPECT_EQ(NumberOf(job, {"gather", 0, "binomial"}), 0);
  EXPECT_EQ(NumberOf(job, {"allgather", 0, "linear"}), 0);
  job.assume.same_counts = true;
  EXPECT_NE(NumberOf(job, {"alltoall", 0, "modified_bruck"}), 0);
  EXPECT_NE(NumberOf(job, {"gather", 0, "binomial"}), 0);
  EXPECT_NE(NumberOf(job, {"allgather", 0, "linear"}), 0);
  job = Job();
  job.use_coxcoll = false;
  EXPECT_EQ(NumberOf(job, {"alltoall", 0, "direct", "coxcoll"}), 0);
}

// Whatever a row says, its number is one of the table's.
TEST(CheckRowsTest, EveryNumberIsInTheTable) {
  for (const char* library : {"openmpi-4.1", "mpich-4.0"}) {
    int count = 0;
    for (const library::Algorithm& row : library::AlgorithmsOf(library)) {
      const std::string collective(domain::CollectiveName(row.collective));
      const CheckedRows checked =
          CheckRows(Job(library), {{collective, 0, std::string(row.native_name)}});
      if (checked.decisions.empty() || checked.decisions[0].number == 0) continue;
      ++count;
      const library::Algorithm* found =
          library::FindRunTimeNumber(library, row.collective, checked.decisions[0].number);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->native_name, row.native_name);
    }
    EXPECT_GT(count, 20) << library;
  }
}

// A daemon that sends rubbish, at every place of an answer.
TEST(CheckRowsTest, DamagedAnswersSelectOnlyWhatTheTableHas) {
  v1::GetDecisionsResponse answer;
  answer.set_etag("e");
  for (const char* algorithm : {"default", "pipeline", "binomial"}) {
    auto* row = answer.add_decisions();
    row->set_collective("bcast");
    row->set_from_block_bytes(answer.decisions_size() * 64);
    row->set_algorithm(algorithm);
  }
  const std::string sent = answer.SerializeAsString();
  int readable = 0;
  for (size_t place = 0; place < sent.size(); ++place) {
    for (int value = 0; value < 256; value += 5) {
      std::string damaged = sent;
      damaged[place] = static_cast<char>(value);
      const auto read = DecodeDecisionsResponse(damaged);
      if (!read.has_value()) continue;
      ++readable;
      for (const CoxStreamDecision& decision : CheckRows(Job(), read->rows).decisions) {
        ASSERT_GE(decision.block_bytes, 0);
        ASSERT_TRUE(decision.number == 0 ||
                    library::FindRunTimeNumber("openmpi-4.1",
                                               static_cast<domain::Collective>(decision.collective),
                                               decision.number) != nullptr);
      }
    }
    DecodeDecisionsResponse(sent.substr(0, place));
  }
  EXPECT_GT(readable, 0);
}

}  // namespace
}  // namespace cox::agent
