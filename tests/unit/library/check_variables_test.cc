#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "library/formats.h"

namespace cox::library {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kOn[] = "export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n";

struct Case {
  const char* line;
  const char* finding;  // "": sound
};

TEST(CheckOpenMpiVariablesTest, EachVariable) {
  const Case kCases[] = {
      {"OMPI_MCA_coll_tuned_alltoall_algorithm=pairwise", ""},
      {"OMPI_MCA_coll_tuned_alltoall_algorithm=2", ""},
      {"OMPI_MCA_coll_tuned_alltoall_algorithm=0", ""},
      {"OMPI_MCA_coll_tuned_alltoall_algorithm=0x2", ""},
      {"OMPI_MCA_coll_tuned_alltoall_algorithm=02", "octal"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm=010", "octal"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm=08", "octal"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm=3k", "is not an algorithm"},
      {"OMPI_MCA_coll_tuned_allgatherv_algorithm=default", ""},
      {"OMPI_MCA_coll_tuned_allgatherv_algorithm=1", ""},
      {"OMPI_MCA_coll_tuned_allgatherv_algorithm=gather_bcast", "Known are default, bruck, "},
      {"OMPI_MCA_coll_tuned_allgather_algorithm=default", "is not an algorithm"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=8192", ""},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_chain_fanout=4", ""},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_knomial_radix=2", ""},
      {"OMPI_MCA_coll_tuned_scatter_algorithm_max_requests=0", ""},
      {"OMPI_MCA_coll_tuned_init_chain_fanout=4", ""},
      {"OMPI_MCA_coll_tuned_init_chain_fanout=0", "from 1 to"},
      {"OMPI_MCA_coll_tuned_init_tree_fanout=4", "never read"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_count=4", "cannot be set"},
      {"OMPI_MCA_btl=self,vader", ""},
      {"OMPI_MCA_coll_tuned_dynamic_rules_filename=/etc/rules", ""},
      {"OMPI_MCA_coll_tuned_dynamic_rules_filename=rules", "write an absolute path"},
      {"OMPI_MCA_coll_tuned_alltoall_algorithm=6", "\"6\" is not an algorithm of this collective"},
      {"OMPI_MCA_coll_tuned_alltoall_algorithm=pairwize", "linear, pairwise, modified_bruck"},
      {"OMPI_MCA_coll_tuned_alltoall_algorithm=two_proc", "more than two ranks"},
      {"OMPI_MCA_coll_tuned_allgather_algorithm=7", "is not an algorithm"},
      {"OMPI_MCA_coll_tuned_allreduce_algorithm=ring", "do not commute"},
      {"OMPI_MCA_coll_tuned_reduce_algorithm=5", "do not commute"},
      {"OMPI_MCA_coll_tuned_altoall_algorithm=2", "has no algorithms for \"altoall\""},
      {"OMPI_MCA_coll_tuned_alltoallw_algorithm=1", "has no algorithms for"},
      {"OMPI_MCA_coll_tuned_alltoall_algoritm=2", "no such variable"},
      {"OMPI_MCA_coll_tuned_alltoall_small_msg=100", "never read"},
      {"OMPI_MCA_coll_tuned_scatter_min_procs=100", "never read"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_tree_fanout=2", "no algorithm reads it"},
      {"OMPI_MCA_coll_tuned_barrier_algorithm_segmentsize=2", "no such variable"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_max_requests=2", "no such variable"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=8k", ""},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=64K", ""},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=2047m", ""},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=1G", ""},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=2147483647", ""},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=2147483648", "to 2147483647"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=2g", "to 2147483647"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=9223372036854775807g", "to 2147483647"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=8t", "must be a decimal number"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize='8 k'", "must be a decimal number"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=k", "must be a decimal number"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=-1", "must be a decimal number"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=010k", "octal"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=08", "octal"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_chain_fanout=0", "from 1 to"},
      {"OMPI_MCA_coll_tuned_bcast_algorithm_knomial_radix=1", "from 2 to"},
      {"coll_tuned_alltoall_algorithm=2", "begin with OMPI_MCA_"},
      {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=brucks", "begin with OMPI_MCA_"},
  };
  for (const Case& each : kCases) {
    const std::string text = std::string(kOn) + "export " + each.line + "\n";
    const auto findings = CheckOpenMpiVariables(text, {});
    if (each.finding[0] == '\0') {
      EXPECT_THAT(findings, IsEmpty()) << each.line;
    } else {
      EXPECT_THAT(findings, ElementsAre(HasSubstr(each.finding))) << each.line;
      EXPECT_THAT(findings, ElementsAre(HasSubstr("line 2: "))) << each.line;
    }
  }
}

TEST(CheckOpenMpiVariablesTest, APromiseMakesReductionsSound) {
  const std::string text =
      std::string(kOn) + "export OMPI_MCA_coll_tuned_allreduce_algorithm=segmented_ring\n";
  EXPECT_THAT(CheckOpenMpiVariables(text, kUsualCalls), IsEmpty());
  EXPECT_THAT(CheckOpenMpiVariables(text, {}), Contains(HasSubstr("--assume commutative")));
}

TEST(CheckOpenMpiVariablesTest, NothingHappensWithoutTheSwitch) {
  for (const char* setting : {"OMPI_MCA_coll_tuned_alltoall_algorithm=2",
                              "OMPI_MCA_coll_tuned_dynamic_rules_filename=/rules"}) {
    const std::string text = std::string("export ") + setting + "\n";
    const std::string to = text + "export OMPI_MCA_coll_tuned_use_dynamic_rules=";
    EXPECT_THAT(CheckOpenMpiVariables(text, {}),
                ElementsAre(HasSubstr("silently ignores everything else; export it")));
    for (const char* off : {"0", "on", "TRUE", "True", "Yes", "T", "Enabled", "0x1", "1k", "'1 '",
                            "no", "00", "''"}) {
      EXPECT_THAT(CheckOpenMpiVariables(to + off + "\n", {}),
                  ElementsAre(HasSubstr("silently ignores everything else; export it")))
          << to << off;
    }
    for (const char* on : {"1", "true", "t", "yes", "y", "enabled", "2", "010", "-1", "' 1'"}) {
      EXPECT_THAT(CheckOpenMpiVariables(to + on + "\n", {}), IsEmpty()) << to << on;
    }
  }
  EXPECT_THAT(CheckOpenMpiVariables("", {}), IsEmpty());
}

TEST(CheckOpenMpiVariablesTest, Version5HasSparbitAndHan) {
  const std::string text =
      std::string(kOn) + "export OMPI_MCA_coll_tuned_allgather_algorithm=sparbit\n";
  EXPECT_THAT(CheckOpenMpi50Variables(text, {}),
              ElementsAre(HasSubstr("OMPI_MCA_coll_han_priority=0")));
  EXPECT_THAT(CheckOpenMpi50Variables(text + "export OMPI_MCA_coll_han_priority=0\n", {}),
              IsEmpty());
  EXPECT_THAT(CheckOpenMpi50Variables(text + "export OMPI_MCA_coll_han_priority=35\n", {}),
              ElementsAre(HasSubstr("OMPI_MCA_coll_han_priority=0")));
}

TEST(CheckMpichVariablesTest, EachVariable) {
  const Case kCases[] = {
      {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=brucks", ""},
      {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=auto", ""},
      {"MPICH_BCAST_INTRA_ALGORITHM=binomial", ""},
      {"MPIR_PARAM_BCAST_INTRA_ALGORITHM=binomial", ""},
      {"MPIR_PARAM_BCAST_INTRA_ALGORITHM=bruck", "makes MPI_Init abort"},
      {"MPIR_CVAR_IBCAST_INTRA_ALGORITHM=tsp_tree", ""},
      {"MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM=mpir", ""},
      {"MPIR_CVAR_COLLECTIVE_FALLBACK=print", ""},
      {"MPIR_CVAR_ALLTOALL_THROTTLE=8", ""},
      {"MPIR_CVAR_NOLOCAL=1", ""},
      {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=bruck", "makes MPI_Init abort; write auto, brucks, nb"},
      {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=ring", "makes MPI_Init abort"},
      {"MPIR_CVAR_BARRIER_INTRA_ALGORITHM=osu_tree", "makes MPI_Init abort"},
      {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=pairwise_sendrecv_replace", "MPI_IN_PLACE only"},
      {"MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM=noncommutative", "aborts jobs"},
      {"MPIR_CVAR_ALTOALL_INTRA_ALGORITHM=brucks", "no such variable"},
      {"MPIR_CVAR_BCAST_SHORT_MSG_SIZE=1", "no longer steers"},
      {"MPICH_ALLREDUCE_SHORT_MSG_SIZE=1", "no longer steers"},
      {"MPIR_CVAR_COLLECTIVE_FALLBACK=loud", "makes MPI_Init abort"},
      {"MPIR_CVAR_ALLTOALL_THROTTLE=many", "must be a decimal number"},
      {"MVP_ALLTOALL_INTRA_ALGORITHM=brucks", "does not read it"},
      {"OMPI_MCA_coll_tuned_use_dynamic_rules=1", "does not read it"},
  };
  for (const Case& each : kCases) {
    const auto findings = CheckMpichVariables(std::string("export ") + each.line, {});
    if (each.finding[0] == '\0') {
      EXPECT_THAT(findings, IsEmpty()) << each.line;
    } else {
      EXPECT_THAT(findings, ElementsAre(HasSubstr(each.finding))) << each.line;
    }
  }
}

TEST(CheckMpichVariablesTest, MvapichHasMoreNames) {
  for (const char* line :
       {"MVP_ALLTOALL_INTRA_ALGORITHM=brucks", "MPIR_PARAM_BCAST_INTRA_ALGORITHM=binomial",
        "MPIR_CVAR_BARRIER_INTRA_ALGORITHM=k_dissemination",
        "MVP_ALLREDUCE_INTRA_ALGORITHM=osu_two_level"}) {
    EXPECT_THAT(CheckMvapichVariables(std::string("export ") + line, {}), IsEmpty()) << line;
  }
  EXPECT_THAT(CheckMvapichVariables("export MVP_ALLTOALL_INTRA_ALGORITHM=bruck", {}),
              ElementsAre(HasSubstr("unknown")));
}

}  // namespace
}  // namespace cox::library
