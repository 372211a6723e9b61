#include "agent/stream/algorithm_labels.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "agent/timing/collectives.h"
#include "domain/collective.h"
#include "library/openmpi/rules.h"
#include "library/run_time_number.h"
#include "library/tuning_format.h"

namespace cox::agent {
namespace {

class AlgorithmLabelsTest : public testing::Test {
 protected:
  AlgorithmLabelsTest() {
    char folder[] = "/tmp/cox-labels-test-XXXXXX";
    folder_ = mkdtemp(folder);
    variables_["HOME"] = folder_;
    // No file of this machine's.
    variables_["OPAL_PREFIX"] = folder_;
  }
  ~AlgorithmLabelsTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ + "/" + name).parent_path());
    std::ofstream(folder_ + "/" + name) << text;
  }

  std::unique_ptr<AlgorithmLabels> Read(const std::string& library) const {
    return ReadAlgorithmLabels(library, folder_, [this](const char* name) -> const char* {
      const auto found = variables_.find(name);
      return found != variables_.end() ? found->second.c_str() : nullptr;
    });
  }
  std::string OpenMpi(domain::Collective collective, int64_t ranks, int64_t block_bytes,
                      int64_t type_bytes = 1) const {
    return Read("openmpi-4.1")
        ->Of({static_cast<int32_t>(collective), ranks, ranks, block_bytes, type_bytes});
  }
  std::string Mpich(domain::Collective collective, int64_t ranks, int64_t block_bytes) const {
    return Read("mpich-4.0")->Of({static_cast<int32_t>(collective), ranks, ranks, block_bytes, 1});
  }
  void Tuned(const std::string& name, const std::string& value) {
    variables_["OMPI_MCA_coll_tuned_" + name] = value;
  }

  std::string folder_;
  std::map<std::string, std::string> variables_;
};

TEST_F(AlgorithmLabelsTest, DefaultWhereNothingIsSet) {
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "default");
  EXPECT_EQ(Mpich(domain::Collective::kAlltoall, 4, 64), "default");
  EXPECT_EQ(Read("other-1.0")->Of({0, 4, 4, 64, 1}), "default");
}

TEST_F(AlgorithmLabelsTest, OpenMpiForcesByNumberAndByName) {
  Tuned("use_dynamic_rules", "1");
  Tuned("alltoall_algorithm", "3");
  Tuned("bcast_algorithm", "binomial");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "modified_bruck");
  EXPECT_EQ(OpenMpi(domain::Collective::kBcast, 4, 64), "binomial");
  EXPECT_EQ(OpenMpi(domain::Collective::kAllreduce, 4, 64), "default");
}

TEST_F(AlgorithmLabelsTest, OpenMpiForcesNothingWithoutItsMasterSwitch) {
  Tuned("alltoall_algorithm", "3");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "default");
  for (const char* off : {"0", "on", "True", "TRUE", "Yes", "T", "1k", "0x1", ""}) {
    Tuned("use_dynamic_rules", off);
    EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "default") << off;
  }
  for (const char* on : {"true", "t", "yes", "y", "enabled", "2", "-1", "010"}) {
    Tuned("use_dynamic_rules", on);
    EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "modified_bruck") << on;
  }
}

TEST_F(AlgorithmLabelsTest, OpenMpiForcesNothingWithoutItsComponent) {
  Tuned("use_dynamic_rules", "1");
  Tuned("alltoall_algorithm", "3");
  for (const char* without : {"^tuned", "basic,self", "^han,tuned"}) {
    variables_["OMPI_MCA_coll"] = without;
    EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "default") << without;
  }
  for (const char* with : {"^han", "basic,tuned,self", ""}) {
    variables_["OMPI_MCA_coll"] = with;
    EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "modified_bruck") << with;
  }
}

TEST_F(AlgorithmLabelsTest, OpenMpiIgnoresWhatItDoesNotKnow) {
  Tuned("use_dynamic_rules", "1");
  for (const char* value : {"99", "fastest", "ignore", "0", ""}) {
    Tuned("alltoall_algorithm", value);
    EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "default") << value;
  }
}

TEST_F(AlgorithmLabelsTest, OpenMpiReadsNumbersInTheBaseThatTheyBeginWith) {
  Tuned("use_dynamic_rules", "1");
  const std::pair<const char*, const char*> kForced[] = {
      {"010", "scatter_allgather"},
      {"0x6", "binomial"},
      {"06", "binomial"},
      {" 6", "binomial"},
      {"08", "default"},
      {"6k", "default"},
      {"00", "default"},
      {"-1", "default"},
  };
  for (const auto& [number, label] : kForced) {
    Tuned("bcast_algorithm", number);
    EXPECT_EQ(OpenMpi(domain::Collective::kBcast, 4, 64), label) << number;
  }
}

TEST_F(AlgorithmLabelsTest, OpenMpiCallsAnAlgorithmOfAllgathervDefault) {
  Tuned("use_dynamic_rules", "1");
  for (const char* forced : {"default", "1"}) {
    Tuned("allgatherv_algorithm", forced);
    EXPECT_EQ(OpenMpi(domain::Collective::kAllgatherv, 4, 64), "gather_bcast") << forced;
  }
  // Our name is none of the library's: it makes its own choice.
  Tuned("allgatherv_algorithm", "gather_bcast");
  EXPECT_EQ(OpenMpi(domain::Collective::kAllgatherv, 4, 64), "default");
}

TEST_F(AlgorithmLabelsTest, OpenMpiFallsBackSilently) {
  Tuned("use_dynamic_rules", "1");
  Tuned("allgather_algorithm", "recursive_doubling");
  EXPECT_EQ(OpenMpi(domain::Collective::kAllgather, 8, 64), "recursive_doubling");
  EXPECT_EQ(OpenMpi(domain::Collective::kAllgather, 6, 64), "bruck");
  Tuned("allreduce_algorithm", "4");
  EXPECT_EQ(OpenMpi(domain::Collective::kAllreduce, 8, 64, 8), "ring");
  EXPECT_EQ(OpenMpi(domain::Collective::kAllreduce, 9, 64, 8), "recursive_doubling");
}

TEST_F(AlgorithmLabelsTest, OneRankIsServedByAnotherComponent) {
  Tuned("use_dynamic_rules", "1");
  Tuned("alltoall_algorithm", "3");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 1, 64), "default");
}

constexpr char kRules[] =
    "3\n"
    "3 2\n"
    "  4 3\n  0 3 0 0\n  256 2 0 0\n  4096 0 0 0\n"
    "  8 1\n  0 1 0 0\n"
    "9 1 2 1 0 2 0 0  # gather\n"
    "14 1 2 2 0 1 0 0 17 2 0 0  # scan\n";

TEST_F(AlgorithmLabelsTest, OpenMpiRulesCompareInTheLibrarysUnits) {
  Write("rules.conf", kRules);
  Tuned("use_dynamic_rules", "1");
  Tuned("dynamic_rules_filename", "rules.conf");
  Tuned("alltoall_algorithm", "4");
  // alltoall: all blocks of a rank together.
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 63), "modified_bruck");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "pairwise");
  // "No opinion": the forced algorithm.
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 1024), "linear_sync");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 9, 1), "linear");
  // Below the first communicator size its first entry is used all the same.
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 3, 1), "modified_bruck");
}

TEST_F(AlgorithmLabelsTest, NumbersOfAFileBecomeNames) {
  Write("rules.conf", kRules);
  Tuned("use_dynamic_rules", "1");
  Tuned("dynamic_rules_filename", folder_ + "/rules.conf");
  EXPECT_EQ(OpenMpi(domain::Collective::kGather, 4, 100), "binomial");
  // scan: one element of all ranks.
  EXPECT_EQ(OpenMpi(domain::Collective::kScan, 4, 4000, 4), "linear");
  EXPECT_EQ(OpenMpi(domain::Collective::kScan, 4, 4000, 8), "recursive_doubling");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoallw, 4, 100), "default");
}

TEST_F(AlgorithmLabelsTest, ABrokenOrMissingRulesFileIsNoFile) {
  Tuned("use_dynamic_rules", "1");
  Tuned("dynamic_rules_filename", "rules.conf");
  Tuned("alltoall_algorithm", "4");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 1), "linear_sync");
  for (const char* broken : {"", "3 3 2 4", "1 3 1 4 1 16 2 0 0", "1 3 1 4 1 0 -2 0 0"}) {
    Write("rules.conf", broken);
    EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 1), "linear_sync") << broken;
  }
  Write("rules.conf", kRules + std::string(2 << 20, '\n'));
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "linear_sync") << "larger than 1 MiB";
}

// The library has read the pipe in MPI_Init, so nobody writes to it any more.
TEST_F(AlgorithmLabelsTest, APipeIsNoFile) {
  ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  Tuned("use_dynamic_rules", "1");
  Tuned("dynamic_rules_filename", "pipe");
  variables_["MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"] = "pipe";
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "default");
  EXPECT_EQ(Mpich(domain::Collective::kAlltoall, 4, 64), "selection_file");
}

TEST_F(AlgorithmLabelsTest, OpenMpi5ReadsRulesFilesOfVersion2) {
  Write("rules.conf", "rule-file-version-2\n1\n3\n1\n4 1\n0 3 0 0 0\n");
  Tuned("use_dynamic_rules", "1");
  Tuned("dynamic_rules_filename", "rules.conf");
  const Call call = {static_cast<int32_t>(domain::Collective::kAlltoall), 4, 4, 64, 1};
  EXPECT_EQ(Read("openmpi-5.0")->Of(call), "modified_bruck");
  EXPECT_EQ(Read("openmpi-4.1")->Of(call), "default") << "4.1.4 drops the file";
}

TEST_F(AlgorithmLabelsTest, OverflowOfTheLibrarysUnitIsTheLastRow) {
  Write("rules.conf", kRules);
  Tuned("use_dynamic_rules", "1");
  Tuned("dynamic_rules_filename", "rules.conf");
  Tuned("alltoall_algorithm", "4");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, int64_t{1} << 62), "linear_sync");
}

TEST_F(AlgorithmLabelsTest, OpenMpiParameterFilesCountBehindTheEnvironment) {
  Write(
      ".openmpi/mca-params.conf",
      "# mine\ncoll_tuned_use_dynamic_rules = 1\ncoll_tuned_alltoall_algorithm=pairwise # fast\n");
  Write("etc/openmpi-mca-params.conf",
        "coll_tuned_alltoall_algorithm = 1\ncoll_tuned_bcast_algorithm = 6\n");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "pairwise");
  EXPECT_EQ(OpenMpi(domain::Collective::kBcast, 4, 64), "binomial");
  Tuned("alltoall_algorithm", "3");
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "modified_bruck");
  variables_["OMPI_MCA_mca_base_param_files"] = folder_ + "/none";
  EXPECT_EQ(OpenMpi(domain::Collective::kAlltoall, 4, 64), "default");
}

TEST_F(AlgorithmLabelsTest, MpichForcesByVariable) {
  variables_["MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM"] = "brucks";
  variables_["MPICH_BCAST_INTRA_ALGORITHM"] = "binomial";
  variables_["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"] = "auto";
  variables_["MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM"] = "pairwise";
  EXPECT_EQ(Mpich(domain::Collective::kAlltoall, 4, 64), "brucks");
  EXPECT_EQ(Mpich(domain::Collective::kBcast, 4, 64), "binomial");
  EXPECT_EQ(Mpich(domain::Collective::kAllreduce, 4, 64), "default");
  EXPECT_EQ(Mpich(domain::Collective::kReduceScatterBlock, 4, 64), "pairwise");
}

TEST_F(AlgorithmLabelsTest, MpichTakesTheOfficialNameOverItsAliases) {
  const std::string variable = "BCAST_INTRA_ALGORITHM";
  variables_["MPICH_" + variable] = "binomial";
  variables_["MPIR_PARAM_" + variable] = "scatter_ring_allgather";
  EXPECT_EQ(Mpich(domain::Collective::kBcast, 4, 1 << 20), "scatter_ring_allgather");
  variables_["MPIR_CVAR_" + variable] = "binomial";
  EXPECT_EQ(Mpich(domain::Collective::kBcast, 4, 1 << 20), "binomial");
}

TEST_F(AlgorithmLabelsTest, MpichMakesItsOwnChoiceWhereTheForcedOneCannotRun) {
  variables_["MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM"] = "recursive_doubling";
  EXPECT_EQ(Mpich(domain::Collective::kAllgather, 4, 64), "recursive_doubling");
  EXPECT_EQ(Mpich(domain::Collective::kAllgather, 3, 64), "default");
}

TEST_F(AlgorithmLabelsTest, MpichSelectionFileThatCannotBeReadIsNotTheDefault) {
  variables_["MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"] = "/etc/tuned.json";
  variables_["MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM"] = "brucks";
  EXPECT_EQ(Mpich(domain::Collective::kAlltoall, 4, 64), "brucks");
  EXPECT_EQ(Mpich(domain::Collective::kBcast, 4, 64), "selection_file");
}

TEST_F(AlgorithmLabelsTest, MpichSelectionFileSaysWhatRuns) {
  library::DecisionRow brucks;
  brucks.algorithm = "brucks";
  brucks.native_id = -1;
  library::DecisionRow own = brucks;
  own.block_bytes = 100;
  own.algorithm = "default";
  own.native_id = 0;
  library::DecisionRow ring = brucks;
  ring.algorithm = "scatter_ring_allgather";
  const auto text = library::WriteTuning(
      {{"alltoall", {brucks, own}}, {"bcast", {ring}}}, {"mpich-4.0", 1, 4, {}},
      **library::FindTuningFormat("mpich-4.0", "json"), {"a header"});
  ASSERT_TRUE(text.ok()) << text.status();
  Write("tuned.json", *text);
  variables_["MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"] = "tuned.json";
  EXPECT_EQ(Mpich(domain::Collective::kAlltoall, 4, 99), "brucks");
  EXPECT_EQ(Mpich(domain::Collective::kAlltoall, 4, 100), "default") << "left to the library";
  EXPECT_EQ(Mpich(domain::Collective::kAlltoall, 5, 99), "default") << "of another size";
  EXPECT_EQ(Mpich(domain::Collective::kBcast, 4, 1 << 20), "scatter_ring_allgather");
  EXPECT_EQ(Mpich(domain::Collective::kAllreduce, 4, 64), "default");
  EXPECT_EQ(Mpich(domain::Collective::kAlltoall, 1, 99), "default");
  // On two nodes of four ranks a bcast is split into those of four and of two ranks.
  const auto labels = Read("mpich-4.0");
  EXPECT_EQ(labels->Of({static_cast<int32_t>(domain::Collective::kBcast), 8, 4, 64, 1}),
            "selection_file");
  EXPECT_EQ(labels->Of({static_cast<int32_t>(domain::Collective::kReduce), 8, 4, 64, 1}),
            "default");
  EXPECT_EQ(labels->Of({static_cast<int32_t>(domain::Collective::kAlltoall), 4, 1, 64, 1}),
            "brucks");
}

TEST_F(AlgorithmLabelsTest, RulesFilesKnowEveryCollective) {
  for (const char* name : domain::kCollectiveNames)
    EXPECT_GE(library::OpenMpiCollectiveId(name), 0) << name;
}

TEST_F(AlgorithmLabelsTest, WhatTheLibraryWasToldForACall) {
  const auto kBcast = static_cast<int32_t>(domain::Collective::kBcast);
  const auto kAllreduce = static_cast<int32_t>(domain::Collective::kAllreduce);
  EXPECT_EQ(Read("openmpi-4.1")->Of({kBcast, 4, 4, 1024, 1, 3}), "pipeline");
  EXPECT_EQ(Read("mpich-4.0")->Of({kBcast, 4, 4, 1024, 1, 1}), "binomial");
  // libcoxcoll's.
  const auto kAlltoall = static_cast<int32_t>(domain::Collective::kAlltoall);
  for (const char* name : {"mesh2d", "windowed?window=2"}) {
    const int number = library::CoxcollNumber(domain::Collective::kAlltoall, name);
    EXPECT_EQ(Read("openmpi-4.1")->Of({kAlltoall, 4, 4, 64, 1, number}), name);
    EXPECT_EQ(Read("mpich-4.0")->Of({kAlltoall, 4, 4, 64, 1, number}), name);
  }
  EXPECT_TRUE(RunsCoxcoll(18));
  EXPECT_FALSE(RunsCoxcoll(15));
  // With the library's silent fallbacks.
  EXPECT_EQ(Read("openmpi-4.1")->Of({kAllreduce, 4, 4, 16, 8, 4}), "recursive_doubling");
}

}  // namespace
}  // namespace cox::agent
