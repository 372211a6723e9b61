#include "advise/tuning/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "advise/placement/network.h"
#include "advise/recommend.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/openmpi/rules.h"
#include "library/tuning_format.h"
#include "machines.h"

namespace cox::advise {
namespace {

TuningQuestion EightNodes() {
  TuningQuestion question;
  question.job = {"openmpi-4.1", 8, 4, {}};
  return question;
}

// The default takes three times as long as the structure of each collective's good algorithms.
MachinePointer SlowDefaults() {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  AddDefault("allreduce", "recursive_doubling", 3, &cells);
  AddDefault("allgather", "ring", 3, &cells);
  AddDefault("bcast", "binomial", 3, &cells);
  return MachineWith(cells);
}

TEST(DecisionTablesTest, RowsAscendFromZeroAndNeighboursDiffer) {
  const auto tables = BuildDecisionTables(*SlowDefaults(), EightNodes());
  ASSERT_TRUE(tables.ok()) << tables.status();
  std::set<std::string> expected;
  for (const auto& row : library::AlgorithmsOf("openmpi-4.1")) {
    expected.insert(std::string(domain::CollectiveName(row.collective)));
  }
  ASSERT_EQ(tables->size(), expected.size());
  bool any_choice = false;
  for (const library::DecisionTable& table : *tables) {
    ASSERT_FALSE(table.rows.empty());
    EXPECT_EQ(table.rows.front().block_bytes, 0);
    for (size_t i = 0; i < table.rows.size(); ++i) {
      any_choice |= table.rows[i].algorithm != "default";
      EXPECT_EQ(table.rows[i].native_id == 0, table.rows[i].algorithm == "default");
      if (i == 0) continue;
      EXPECT_GT(table.rows[i].block_bytes, table.rows[i - 1].block_bytes);
      EXPECT_NE(table.rows[i].algorithm, table.rows[i - 1].algorithm);
    }
  }
  EXPECT_TRUE(any_choice);
}

TEST(DecisionTablesTest, EachRowIsTheRecommendationAtItsSizeAndTheOneBeforeItsOwn) {
  const MachinePointer machine = SlowDefaults();
  TuningQuestion job = EightNodes();
  job.job.assume.commutative = job.job.assume.same_counts = true;
  const auto tables = BuildDecisionTables(*machine, job);
  ASSERT_TRUE(tables.ok());
  int boundaries = 0;
  for (const library::DecisionTable& table : *tables) {
    Question question = Ask(table.collective, 0);
    question.type_bytes = 8;
    question.assume = job.job.assume;
    for (size_t i = 0; i < table.rows.size(); ++i) {
      question.block_bytes = table.rows[i].block_bytes;
      EXPECT_EQ(Recommend(*machine, question, false).chosen.algorithm, table.rows[i].algorithm);
      if (i == 0) continue;
      question.block_bytes = table.rows[i].block_bytes - 1;
      EXPECT_EQ(Recommend(*machine, question, false).chosen.algorithm, table.rows[i - 1].algorithm);
      ++boundaries;
    }
  }
  EXPECT_GT(boundaries, 0);
}

// Eight of 40 nodes at five switches, two nodes for each up-link.
NodesInUse EightOf(const char* list) {
  const double taper = 2;
  const auto network = Network::Parse(
      "SwitchName=s0 Nodes=n[1-8]\nSwitchName=s1 Nodes=n[9-16]\nSwitchName=s2 Nodes=n[17-24]\n"
      "SwitchName=s3 Nodes=n[25-32]\nSwitchName=s4 Nodes=n[33-40]\nSwitchName=t Switches=s[0-4]\n",
      {&taper, 1});
  EXPECT_TRUE(network.ok()) << network.status();
  auto nodes = (*network)->Find(list, 8);
  EXPECT_TRUE(nodes.ok()) << nodes.status();
  return *std::move(nodes);
}

// One switch has no narrow link. On five switches, ranks beside each other share the up-links.
TEST(DecisionTablesTest, EachRowIsTheRecommendationOnTheJobsNodes) {
  const MachinePointer machine = SlowDefaults();
  std::vector<std::string> rows;
  for (const char* const list : {"n[1-8]", "n[1,9,17,25,33,2,10,18]"}) {
    const NodesInUse nodes = EightOf(list);
    TuningQuestion job = EightNodes();
    job.collectives = {"allreduce", "allgather"};
    job.job.assume.commutative = true;
    job.nodes_in_use = &nodes;
    const auto tables = BuildDecisionTables(*machine, job);
    ASSERT_TRUE(tables.ok()) << tables.status();
    rows.emplace_back();
    for (const library::DecisionTable& table : *tables) {
      Question question = Ask(table.collective, 0);
      question.type_bytes = 8;
      question.assume = job.job.assume;
      question.nodes_in_use = &nodes;
      for (const library::DecisionRow& row : table.rows) {
        question.block_bytes = row.block_bytes;
        const Answer answer = Recommend(*machine, question, false);
        EXPECT_EQ(row.algorithm, answer.chosen.algorithm) << list;
        EXPECT_EQ(row.predicted_time_s, answer.chosen.predicted_time_s) << list;
        rows.back() += row.algorithm + " " + std::to_string(row.block_bytes) + "\n";
      }
    }
  }
  EXPECT_NE(rows[0], rows[1]);
}

TEST(DecisionTablesTest, NothingKnownLeavesAllToTheLibrary) {
  const auto tables = BuildDecisionTables(*MachineWith({}, {}), EightNodes());
  ASSERT_TRUE(tables.ok());
  for (const library::DecisionTable& table : *tables) {
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(table.rows[0].algorithm, "default");
    EXPECT_EQ(table.rows[0].native_id, 0);
  }
}

TEST(DecisionTablesTest, UnsafeAlgorithmsOnlyWhenAllowed) {
  std::vector<learn::Cell> cells;
  AddDefault("allreduce", "ring", 5, &cells);
  AddPriced("allreduce", "ring", 0.1, &cells);
  const MachinePointer machine = MachineWith(cells);
  TuningQuestion question = EightNodes();
  question.collectives = {"allreduce"};
  const auto uses_ring = [&] {
    const auto tables = BuildDecisionTables(*machine, question);
    EXPECT_TRUE(tables.ok());
    for (const library::DecisionRow& row : tables->front().rows) {
      if (row.algorithm == "ring" || row.algorithm == "segmented_ring") return true;
    }
    return false;
  };
  EXPECT_FALSE(uses_ring());
  question.job.assume.commutative = true;
  EXPECT_TRUE(uses_ring());
}

TEST(DecisionTablesTest, WhatWouldBeAnotherAlgorithmOnlyWhenPromised) {
  std::vector<learn::Cell> cells;
  AddDefault("allreduce", "rabenseifner", 5, &cells);
  AddPriced("allreduce", "rabenseifner", 0.1, &cells);
  const MachinePointer machine = MachineWith(cells);
  TuningQuestion question = EightNodes();
  question.collectives = {"allreduce"};
  const auto uses_rabenseifner = [&] {
    const auto tables = BuildDecisionTables(*machine, question);
    EXPECT_TRUE(tables.ok());
    return std::any_of(tables->front().rows.begin(), tables->front().rows.end(),
                       [](const auto& row) { return row.algorithm == "rabenseifner"; });
  };
  EXPECT_FALSE(uses_rabenseifner()) << "linear for an operation that does not commute";
  question.job.assume.commutative = true;
  EXPECT_TRUE(uses_rabenseifner());
}

TEST(DecisionTablesTest, WhatCutsByEachRanksCountCallByCallOnlyWherePromised) {
  std::vector<learn::Cell> cells;
  AddDefault("bcast", "binomial", 5, &cells);
  AddPriced("bcast", "binomial", 1, &cells);
  AddPriced("bcast", "scatter_allgather", 0.1, &cells);
  const MachinePointer machine = MachineWith(cells);
  TuningQuestion question = EightNodes();
  question.collectives = {"bcast"};
  question.job.assume.elements_at_least_ranks = true;
  const auto largest_uses = [&] {
    const auto tables = BuildDecisionTables(*machine, question);
    EXPECT_TRUE(tables.ok());
    return tables->front().rows.back().algorithm;
  };
  EXPECT_EQ(largest_uses(), "scatter_allgather");
  question.by_call = true;
  EXPECT_EQ(largest_uses(), "binomial") << "the best of the others";
  question.job.assume.same_counts = true;
  EXPECT_EQ(largest_uses(), "scatter_allgather");
}

TEST(DecisionTablesTest, ItEndsWheneverTheCallerGoes) {
  const MachinePointer machine = SlowDefaults();
  TuningQuestion question = EightNodes();
  question.job.assume.commutative = true;
  bool was_cancelled = true;
  for (int last = 1; was_cancelled; ++last) {
    int asked = 0;
    const auto tables = BuildDecisionTables(*machine, question, [&] { return ++asked > last; });
    was_cancelled = !tables.ok();
    EXPECT_EQ(tables.status().code(),
              was_cancelled ? absl::StatusCode::kCancelled : absl::StatusCode::kOk);
    EXPECT_GE(asked, last);
  }
}

// A thread for each part, all at the same time.
void OnThreads(size_t count, size_t step, const std::function<void(size_t, size_t)>& work) {
  std::vector<std::thread> threads;
  for (size_t begin = 0; begin < count; begin += step) {
    threads.emplace_back(work, begin, std::min(count, begin + step));
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(DecisionTablesTest, ThreadsThatShareTheWorkMakeTheSameTables) {
  const MachinePointer machine = SlowDefaults();
  const auto one_by_one = BuildDecisionTables(*machine, EightNodes());
  const auto shared = BuildDecisionTables(*machine, EightNodes(), {}, OnThreads);
  ASSERT_TRUE(one_by_one.ok() && shared.ok());
  ASSERT_EQ(shared->size(), one_by_one->size());
  EXPECT_GT(shared->size(), 10U);
  const auto described = [](const library::DecisionTable& table) {
    std::vector<std::tuple<std::string, int64_t, std::string, double, double>> rows;
    for (const library::DecisionRow& row : table.rows) {
      rows.emplace_back(table.collective, row.block_bytes, row.algorithm, row.predicted_time_s,
                        row.default_time_s);
    }
    return rows;
  };
  for (size_t i = 0; i < shared->size(); ++i) {
    EXPECT_EQ(described((*shared)[i]), described((*one_by_one)[i]));
  }
}

TEST(DecisionTablesTest, ThreadsThatShareTheWorkEndWhenTheCallerGoes) {
  std::atomic<int> asked = 0;
  const auto is_gone = [&asked] { return ++asked > 3; };
  const auto tables = BuildDecisionTables(*SlowDefaults(), EightNodes(), is_gone, OnThreads);
  EXPECT_EQ(tables.status().code(), absl::StatusCode::kCancelled);
}

TEST(DecisionTablesTest, WhatIsWrongForTwoTypesOnlyWherePromised) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 5, &cells);
  AddPriced("alltoall", "pairwise", 1, &cells);
  AddPriced("alltoall", "modified_bruck", 0.1, &cells);
  const MachinePointer machine = MachineWith(cells);
  TuningQuestion question = EightNodes();
  question.collectives = {"alltoall"};
  const auto uses_bruck = [&] {
    const auto tables = BuildDecisionTables(*machine, question);
    EXPECT_TRUE(tables.ok());
    return std::any_of(tables->front().rows.begin(), tables->front().rows.end(),
                       [](const auto& row) { return row.algorithm == "modified_bruck"; });
  };
  for (const bool by_call : {false, true}) {
    question.by_call = by_call;
    question.job.assume.same_counts = false;
    EXPECT_FALSE(uses_bruck());
    question.job.assume.same_counts = true;
    EXPECT_TRUE(uses_bruck());
  }
}

TEST(DecisionTablesTest, OnlyTheCollectivesAskedFor) {
  TuningQuestion question = EightNodes();
  question.collectives = {"bcast", "alltoall"};
  const auto tables = BuildDecisionTables(*MachineWith({}), question);
  ASSERT_TRUE(tables.ok());
  ASSERT_EQ(tables->size(), 2U);
  EXPECT_EQ((*tables)[0].collective, "bcast");
  EXPECT_EQ((*tables)[1].collective, "alltoall");
}

TEST(DecisionTablesTest, OneRankAndVeryManyRanksHaveTables) {
  TuningQuestion question = EightNodes();
  question.job.nodes = 1;
  question.job.ppn = 1;
  const auto one = BuildDecisionTables(*SlowDefaults(), question);
  ASSERT_TRUE(one.ok());
  for (const library::DecisionTable& table : *one)
    EXPECT_EQ(table.rows.front().algorithm, "default");
  question.job.nodes = 1 << 20;
  question.job.ppn = 1 << 10;
  EXPECT_TRUE(BuildDecisionTables(*SlowDefaults(), question).ok());
}

// The library's choice for a call under a rules file; 0: its default.
int64_t Obeyed(const std::string& text, domain::Collective collective, int64_t ranks,
               int64_t block_bytes) {
  const auto rules = library::ParseOpenMpiRules(text);
  EXPECT_TRUE(rules.ok()) << rules.status();
  if (!rules.ok()) return -1;
  const auto rule = rules->Find(
      library::OpenMpiCollectiveId(collective), ranks,
      static_cast<int64_t>(library::OpenMpiMessageBytes(collective, ranks, block_bytes)));
  return rule.has_value() ? rule->algorithm : 0;
}

TEST(DecisionTablesTest, WhatIsDecidedIsSoundForEveryShape) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 4, &cells);
  AddDefault("allreduce", "ring", 4, &cells);
  AddDefault("allgather", "ring", 4, &cells);
  AddDefault("bcast", "binomial", 4, &cells);
  const MachinePointer machine = MachineWith(cells);
  const library::TuningFormat& format = **library::FindTuningFormat("openmpi-4.1", "rules");
  int with_rules = 0;
  for (int64_t nodes : {1, 2, 3, 7, 8, 16, 1000, 1 << 20}) {
    for (int64_t ppn : {1, 2, 3, 4}) {
      for (bool commutative : {false, true}) {
        TuningQuestion question;
        question.job = {"openmpi-4.1", nodes, ppn, {.commutative = commutative}};
        const auto tables = BuildDecisionTables(*machine, question);
        ASSERT_TRUE(tables.ok());
        const auto text = library::WriteTuning(*tables, question.job, format, {});
        ASSERT_TRUE(text.ok()) << nodes << " x " << ppn << ": " << text.status();
        // The library runs every row of every table.
        for (const library::DecisionTable& table : *tables) {
          const auto collective = *domain::ParseCollective(table.collective);
          const bool cannot_be_said =
              table.rows.size() > 1 && !library::WhyOneOpenMpiRow(collective).empty();
          if (nodes * ppn < 2 || cannot_be_said) continue;
          for (const library::DecisionRow& row : table.rows) {
            EXPECT_EQ(Obeyed(*text, collective, nodes * ppn, row.block_bytes), row.native_id);
            with_rules += row.native_id != 0 ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(with_rules, 20);
}

TEST(DecisionTablesTest, SaysWhatIsWrongWithTheQuestion) {
  const MachinePointer machine = MachineWith({});
  const auto status_of = [&](auto spoil) {
    TuningQuestion question = EightNodes();
    spoil(question);
    return BuildDecisionTables(*machine, question).status();
  };
  EXPECT_EQ(status_of([](TuningQuestion& q) { q.job.library = "no-such"; }).code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(domain::FieldOf(status_of([](TuningQuestion& q) { q.job.nodes = 0; })), "nodes");
  EXPECT_EQ(domain::FieldOf(status_of([](TuningQuestion& q) { q.job.ppn = -1; })), "ppn");
  EXPECT_EQ(domain::FieldOf(status_of(
                [](TuningQuestion& q) { q.job.nodes = std::numeric_limits<int64_t>::max(); })),
            "nodes");
  EXPECT_EQ(domain::FieldOf(status_of([](TuningQuestion& q) {
              q.job.nodes = domain::kMaxRanks;
              q.job.ppn = 2;
            })),
            "ppn");
  EXPECT_EQ(domain::FieldOf(status_of([](TuningQuestion& q) { q.collectives = {"transpose"}; })),
            "collectives[0]");
  EXPECT_EQ(domain::FieldOf(status_of([](TuningQuestion& q) {
              q.collectives = {"bcast", "bcast"};
            })),
            "collectives[1]");
}

}  // namespace
}  // namespace cox::advise
