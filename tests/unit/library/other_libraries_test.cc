// The texts for Intel MPI, Cray MPICH, UCC and NCCL: writers and checkers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/formats.h"
#include "library/libraries.h"
#include "library/message_ranges.h"
#include "library/nccl/rows.h"
#include "library/tuning_format.h"

namespace cox::library {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

DecisionRow MakeRow(int64_t block_bytes, const std::string& algorithm, int native_id = -1) {
  DecisionRow row;
  row.block_bytes = block_bytes;
  row.algorithm = algorithm;
  row.native_id = algorithm == "default" ? 0 : native_id;
  return row;
}

std::string Written(const std::string& library, const std::vector<DecisionTable>& tables,
                    const std::vector<std::string>& header_lines = {}) {
  const TunedJob job = {library, 4, 8, kUsualCalls};
  const auto format = FindTuningFormat(library, "");
  EXPECT_TRUE(format.ok()) << format.status();
  const auto text = WriteTuning(tables, job, **format, header_lines);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

TEST(RangesOfTest, ConvertsMergesAndEnds) {
  const DecisionTable table = {"allgather",
                               {MakeRow(0, "a"), MakeRow(10, "a"), MakeRow(20, "default"),
                                MakeRow(30, "b"), MakeRow(100, "c")}};
  const auto ranges = RangesOf(table, 8, 500);
  ASSERT_EQ(ranges.size(), 2);
  EXPECT_EQ(ranges[0].first_bytes, 0);
  EXPECT_EQ(ranges[0].last_bytes, 159);
  EXPECT_EQ(ranges[0].algorithm, "a");
  EXPECT_EQ(ranges[1].first_bytes, 240);
  EXPECT_EQ(ranges[1].last_bytes, 500) << "c begins beyond the limit";
  EXPECT_THAT(RangesOf({"bcast", {MakeRow(0, "default")}}, 1, 500), IsEmpty());
}

TEST(OtherLibrariesTest, NothingToChangeSetsNothing) {
  for (const Library& library : Libraries()) {
    std::vector<DecisionTable> tables;
    for (int i = 0; i < domain::kCollectiveCount; ++i) {
      const auto collective = static_cast<domain::Collective>(i);
      if (!Lists(library.name, collective)) continue;
      tables.push_back({std::string(domain::CollectiveName(collective)), {MakeRow(0, "default")}});
    }
    for (const TuningFormat& format : TuningFormats()) {
      if (format.library != library.name || format.name != "env") continue;
      const TunedJob job = {std::string(library.name), 4, 8, {}};
      const auto text = WriteTuning(tables, job, format, {"line"});
      ASSERT_TRUE(text.ok()) << text.status();
      EXPECT_THAT(*text, Not(HasSubstr("_algorithm="))) << library.name;
      EXPECT_THAT(*text, Not(HasSubstr("ALGORITHM="))) << library.name;
      EXPECT_THAT(*text, HasSubstr("# line\n")) << library.name;
    }
  }
}

// Every algorithm of every library can be written in every form, alone and for a range of sizes.
TEST(OtherLibrariesTest, EveryRowCanBeWritten) {
  for (const TuningFormat& format : TuningFormats()) {
    for (const Algorithm& row : AlgorithmsOf(format.library)) {
      // 16 is a square and a fourth power.
      const int64_t nodes = (row.needs & (kSquareRanks | kFourthPowerRanks)) != 0 ? 16 : 2;
      const TunedJob job = {std::string(format.library), nodes, 1, kUsualCalls};
      const std::string collective(domain::CollectiveName(row.collective));
      const std::string name(row.native_name);
      for (const auto& rows :
           {std::vector<DecisionRow>{MakeRow(0, name, row.native_id)},
            std::vector<DecisionRow>{MakeRow(0, "default"), MakeRow(64, name, row.native_id)},
            std::vector<DecisionRow>{MakeRow(0, name, row.native_id), MakeRow(64, "default")}}) {
        // MPI_IN_PLACE is the program's decision.
        if ((row.needs & kInPlace) != 0) continue;
        const auto text = WriteTuning({{{collective, rows}}}, job, format, {});
        EXPECT_TRUE(text.ok()) << format.library << " " << format.name << " " << collective << " "
                               << name << ": " << text.status();
      }
    }
  }
}

TEST(IntelMpiTest, RangesAreInclusiveAndOfThisJobOnly) {
  const std::string text = Written(
      "intelmpi-2019",
      {{"allreduce", {MakeRow(0, "recursive_doubling", 1), MakeRow(2048, "rabenseifner", 2)}},
       {"alltoall", {MakeRow(0, "default"), MakeRow(100, "pairwise", 3), MakeRow(200, "default")}},
       {"alltoallv", {MakeRow(0, "plum", 2), MakeRow(9, "isend_irecv_waitall", 1)}},
       {"barrier", {MakeRow(0, "dissemination", 1)}}},
      {"machine m"});
  EXPECT_THAT(text, HasSubstr("# machine m\n"));
  EXPECT_THAT(text, HasSubstr("export I_MPI_ADJUST_ALLREDUCE="
                              "'1:0-2047@32-32;2:2048-2147483647@32-32'\n"));
  EXPECT_THAT(text, HasSubstr("export I_MPI_ADJUST_ALLTOALL=3:100-199@32-32\n"));
  EXPECT_THAT(text, HasSubstr("export I_MPI_ADJUST_BARRIER=1:0-2147483647@32-32\n"));
  EXPECT_THAT(text, HasSubstr("# alltoallv: 2 choices by size; "));
  EXPECT_THAT(CheckIntelMpi(text, kUsualCalls), IsEmpty());
}

TEST(IntelMpiTest, EachFinding) {
  const struct {
    const char* line;
    const char* finding;  // "": sound
  } kCases[] = {
      {"I_MPI_ADJUST_BCAST=3", ""},
      {"I_MPI_ADJUST_BCAST='1:0-100;3'", ""},
      {"I_MPI_ADJUST_BCAST='1:0-100@2-8,200@4;3:101-199'", ""},
      {"I_MPI_ADJUST_BCAST='1:0-100@2-8;3:0-100@9-16'", ""},
      {"I_MPI_ADJUST_REDUCE=17:5", ""},
      {"I_MPI_ADJUST_IALLREDUCE=2", ""},
      {"I_MPI_ADJUST_ALLREDUCE_KN_RADIX=4", ""},
      {"I_MPI_FABRICS=shm", ""},
      {"I_MPI_ADJUST_BCAST=15", "version 2019 has no algorithm 15"},
      {"I_MPI_ADJUST_BCAST=ring", "is not an algorithm's number"},
      {"I_MPI_ADJUST_BCAST='1;2'", "selects everything"},
      {"I_MPI_ADJUST_BCAST='1:0-100;2:100-200'", "overlaps \"0-100\""},
      {"I_MPI_ADJUST_BCAST='1:0-100@2-8;2:50@8-9'", "overlaps"},
      {"I_MPI_ADJUST_BCAST='1:0-100,100'", "overlaps"},
      {"I_MPI_ADJUST_BCAST=1:100-0", "can never match"},
      {"I_MPI_ADJUST_BCAST=1:0-100@8-2", "can never match"},
      {"I_MPI_ADJUST_BCAST=1:0-100@0", "can never match"},
      {"I_MPI_ADJUST_BCAST=1:0-1k", "is not of the form l, l-m"},
      {"I_MPI_ADJUST_BCAST=1:0-1-2", "is not of the form l, l-m"},
      {"I_MPI_ADJUST_BCAST='1: 0-1'", "blanks"},
      {"I_MPI_ADJUST_BCAST=", "is not an algorithm's number"},
      {"I_MPI_ADJUST_BROADCAST=1", "unknown operation"},
      {"I_MPI_ADJUST_ALLREDUCE=8", "do not commute"},
      {"ADJUST_BCAST=1", "begin with I_MPI_"},
  };
  for (const auto& each : kCases) {
    const auto findings = CheckIntelMpi(std::string("export ") + each.line, {});
    if (each.finding[0] == '\0') {
      EXPECT_THAT(findings, IsEmpty()) << each.line;
    } else {
      EXPECT_THAT(findings, ElementsAre(HasSubstr(each.finding))) << each.line;
    }
  }
  EXPECT_THAT(CheckIntelMpi("export I_MPI_ADJUST_ALLREDUCE=8", kUsualCalls), IsEmpty());
}

TEST(UccTest, SizesAreWhatUccCompares) {
  const std::string text = Written(
      "ucc-1", {{"allgather", {MakeRow(0, "bruck"), MakeRow(64, "default"), MakeRow(128, "ring")}},
                {"allreduce", {MakeRow(0, "default"), MakeRow(4096, "sra_knomial")}},
                {"reduce_scatter_block", {MakeRow(0, "ring"), MakeRow(10, "knomial")}},
                {"alltoallv", {MakeRow(0, "pairwise"), MakeRow(10, "hybrid")}}});
  EXPECT_THAT(text, HasSubstr("# alltoallv: 2 choices by size; "));
  EXPECT_THAT(text, EndsWith("export UCC_TL_UCP_TUNE='"
                             "allgather:0-2048:host:[32-32]:inf:@bruck#"
                             "allgather:4096-inf:host:[32-32]:inf:@ring#"
                             "allreduce:4096-inf:host:[32-32]:inf:@sra_knomial#"
                             "reduce_scatter:0-10:host:[32-32]:inf:@ring#"
                             "reduce_scatter:10-inf:host:[32-32]:inf:@knomial'\n"));
}

TEST(UccTest, EachFinding) {
  const struct {
    const char* value;
    const char* finding;  // "": sound
  } kCases[] = {
      {"inf", ""},
      {"allreduce:0-4k:@0#allreduce:4k-inf:@1", ""},
      {"allreduce,bcast:0-4K,8kb-1M:host,cuda:[2-8,16]:10", ""},
      {"alltoallv:@hybrid", ""},
      {"allreduce:0-4k:host:@ring#allreduce:0-4k:cuda:@ring", ""},
      {"allreduce:0-4k:[2-8]:@ring#allreduce:0-4k:[9-inf]:@ring", ""},
      {"allreduce:0", ""},
      {"allreduce", "without a score or an @algorithm"},
      {"allreduce:0-4k", "without a score or an @algorithm"},
      {"alreduce:@ring", "is not a collective"},
      {"allreduce:0-4x:@ring", "is not a collective, memory type"},
      {"allreduce:4k:@ring", "is not a collective, memory type"},
      {"allreduce:bcast:@ring", "the second one of its kind"},
      {"allreduce:[2-8:@ring", "is not a collective, memory type"},
      {"allreduce:[8-2]:@ring", "team sizes is empty"},
      {"allreduce:@rings", "\"rings\" is not an algorithm of allreduce"},
      {"allreduce:0:@ring", "disables the algorithm"},
      {"allreduce:4k-4096:@ring", "can never match"},
      {"alltoallv:4k-inf:@hybrid", "can never match"},
      {"allreduce:0-4097:@ring#allreduce:4k-inf:@dbt", "overlaps \"allreduce:0-4097:@ring\""},
      {"allreduce:@ring#inf", "overlaps"},
      {"allreduce:@ring#", "is not a collective"},
  };
  for (const auto& each : kCases) {
    const std::string text = std::string("export UCC_TL_UCP_TUNE='") + each.value + "'";
    const auto findings = CheckUcc(text, {});
    if (each.finding[0] == '\0') {
      EXPECT_THAT(findings, IsEmpty()) << each.value;
    } else {
      EXPECT_THAT(findings, ElementsAre(HasSubstr(each.finding))) << each.value;
    }
  }
  EXPECT_THAT(CheckUcc("export UCC_CL_HIER_TUNE=allreduce:@rab\nexport UCC_LOG_LEVEL=info", {}),
              IsEmpty());
  EXPECT_THAT(CheckUcc("export UCC_TL_UPC_TUNE=inf", {}),
              ElementsAre(HasSubstr("no such component")));
  EXPECT_THAT(CheckUcc("export TL_UCP_TUNE=inf", {}), ElementsAre(HasSubstr("begin with UCC_")));
}

TEST(UccTest, AValueThatNoProgramCanHave) {
  std::string value = "bcast:0-1:@dbt";
  for (int i = 1; value.size() < (128 << 10); ++i) {
    value += "#bcast:" + std::to_string(i) + "-" + std::to_string(i + 1) + ":@dbt";
  }
  EXPECT_THAT(CheckUcc("export UCC_TL_UCP_TUNE='" + value + "'", {}),
              ElementsAre(HasSubstr("longer than 128 KiB")));
}

TEST(NcclTest, SizesAreWhatNcclCompares) {
  const std::string text = Written(
      "nccl-2",
      {{"allgather", {MakeRow(0, "ring_ll"), MakeRow(64, "pat_simple")}},
       {"allreduce",
        {MakeRow(0, "tree_ll128"), MakeRow(1000, "default"), MakeRow(5000, "nvls_tree_simple")}},
       {"bcast", {MakeRow(0, "default")}},
       {"reduce_scatter_block", {MakeRow(0, "default"), MakeRow(3, "ring_simple")}}},
      {std::string(400, 'x')});
  EXPECT_THAT(text, HasSubstr("allgather,0,2047,ring,ll,-1,4,32\n"
                              "allgather,2048,9223372036854775807,pat,simple,-1,4,32\n"
                              "allreduce,0,999,tree,ll128,-1,4,32\n"
                              "allreduce,5000,9223372036854775807,nvls_tree,simple,-1,4,32\n"));
  EXPECT_THAT(text, HasSubstr("reducescatter,96,9223372036854775807,ring,simple,-1,4,32\n"));
  EXPECT_THAT(text, Not(HasSubstr("broadcast")));
}

TEST(NcclTest, EachFinding) {
  const struct {
    const char* line;
    const char* finding;  // "": sound
  } kCases[] = {
      {"", ""},
      {"# comment", ""},
      {"allreduce,0,65536,tree,simple,2,1,-1", ""},
      {"allreduce, 0, 65536, tree, simple, 2, 1, -1, -1, 1", ""},
      {"allreduce,0,65536,tree,simple,2,1,-1,-1,0", ""},
      {"collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks",
       "silently becomes allreduce"},
      {"Allreduce,0,65536,tree,simple,2,1,-1", "silently becomes allreduce"},
      {"allreduce,0,65536,treee,simple,2,1,-1", "silently becomes ring"},
      {"allreduce,0,65536,tree,LL,2,1,-1", "silently becomes simple"},
      {"allreduce,0,65536,tree,ll,2,1", "has 7 fields"},
      {"allreduce,0,65536,tree,ll,2,1,1,1,1,1", "has 11 fields"},
      {"allreduce,0,65536,tree,ll,,1,1,1", "an empty field is skipped"},
      {"allreduce,0,64k,tree,ll,2,1,-1", "drops what follows the digits"},
      {"allreduce,9,8,tree,ll,2,1,-1", "can never match"},
      {"allreduce,0,8,tree,ll,0,1,-1", "channels is 0"},
      {"allreduce,0,8,tree,ll,-1,0,-1", "nNodes is 0"},
      {"allreduce,0,8,tree,ll,-1,one,-1", "must be -1 or"},
      {"broadcast,0,32768,tree,simple,-1,1,-1", "cannot use tree with simple for broadcast"},
      {"allgather,0,32768,pat,ll,-1,1,-1", "cannot use pat with ll"},
  };
  for (const auto& each : kCases) {
    const auto findings = CheckNcclRows(std::string("# first\n") + each.line + "\n", {});
    if (each.finding[0] == '\0') {
      EXPECT_THAT(findings, IsEmpty()) << each.line;
    } else {
      EXPECT_THAT(findings, ElementsAre(HasSubstr(each.finding))) << each.line;
      EXPECT_THAT(findings, ElementsAre(HasSubstr("line 2: "))) << each.line;
    }
  }
  EXPECT_THAT(CheckNcclRows("# " + std::string(300, 'x'), {}),
              ElementsAre(HasSubstr("is longer than 254 bytes")));
}

TEST(NcclTest, TheFirstRowThatMatchesCounts) {
  const std::string any = "allreduce,0,1000,ring,ll,-1,-1,-1\n";
  EXPECT_THAT(CheckNcclRows(any + "allreduce,10,1000,tree,ll,-1,2,16\n", {}),
              ElementsAre(HasSubstr("line 2: can never match: line 1 comes first")));
  EXPECT_THAT(CheckNcclRows("allreduce,10,1000,tree,ll,-1,2,16\n" + any, {}), IsEmpty());
  EXPECT_THAT(CheckNcclRows(any + "allreduce,10,1001,tree,ll,-1,2,16\n", {}), IsEmpty());
  EXPECT_THAT(CheckNcclRows(any + "reduce,10,1000,ring,ll,-1,2,16\n", {}), IsEmpty());
}

TEST(NcclTest, NamesAreAnAlgorithmAndAProtocol) {
  for (const Algorithm& row : AlgorithmsOf("nccl-2")) {
    EXPECT_NE(NcclName(row.collective), "") << row.native_name;
    EXPECT_FALSE(SplitNcclName(row.native_name).algorithm.empty());
    EXPECT_FALSE(SplitNcclName(row.native_name).protocol.empty());
  }
  EXPECT_EQ(NcclName(domain::Collective::kAlltoall), "");
}

TEST(CrayMpichTest, OnlySwitches) {
  const std::string text = Written("cray-mpich-8.1", {{"allreduce", {MakeRow(0, "no_smp")}},
                                                      {"reduce", {MakeRow(0, "default")}},
                                                      {"alltoall", {MakeRow(0, "brucks")}}});
  EXPECT_THAT(text, HasSubstr("export MPICH_ALLREDUCE_NO_SMP=1\n"));
  EXPECT_THAT(text, HasSubstr("# alltoall: no switch chooses brucks\n"));
  EXPECT_THAT(text, Not(HasSubstr("REDUCE_NO_SMP=1\nexport")));
  EXPECT_THAT(CheckCrayMpich("export MPICH_ALLREDUCE_MAX_SMP_SIZE=1024", {}), IsEmpty());
  EXPECT_THAT(CheckCrayMpich("export MPICH_ALLREDUCE_MAX_SMP_SIZE=1k", {}),
              ElementsAre(HasSubstr("must be a decimal number")));
  EXPECT_THAT(CheckCrayMpich("export MPICH_REDUCE_NO_SMP=yes", {}),
              ElementsAre(HasSubstr("must be 0 or 1")));
  EXPECT_THAT(CheckCrayMpich("export MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=brucks", {}),
              ElementsAre(HasSubstr("documents no choice of algorithms")));
  EXPECT_THAT(CheckCrayMpich("export I_MPI_ADJUST_BCAST=1", {}),
              ElementsAre(HasSubstr("begin with MPICH_")));
}

}  // namespace
}  // namespace cox::library
