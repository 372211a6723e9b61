#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "library/formats.h"
#include "library/mpich/leaves.h"
#include "library/mpich/tree.h"

namespace cox::library {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A sound file with `body` instead of one collective's tests.
std::string With(const std::string& collective, const std::string& body) {
  const std::string text = *WriteMpichJson({}, {"mpich-4.0", 1, 1, {}}, {});
  const std::string key = "\"collective=" + collective + "\":{";
  const size_t start = text.find(key);
  EXPECT_NE(start, std::string::npos) << collective;
  const size_t next = text.find("\n \"collective=", start);
  const std::string end = next == std::string::npos ? "\n}\n" : "," + text.substr(next);
  return text.substr(0, start) + key + body + "}" + end;
}

std::vector<std::string> Findings(const std::string& collective, const std::string& body,
                                  const Assumptions& assume = {}) {
  return CheckMpichJson(With(collective, body), assume);
}

TEST(CheckMpichJsonTest, SoundFilesHaveNoFindings) {
  EXPECT_THAT(Findings("gatherv", R"("algorithm=MPIR_Gatherv_allcomm_linear":{})"), IsEmpty());
  EXPECT_THAT(Findings("iallreduce", R"("algorithm=MPIR_Iallreduce_intra_sched_naive":{})"),
              Contains(HasSubstr("comm_type=intra")));
  EXPECT_THAT(Findings("ibcast", R"("comm_type=intra":{
                 "algorithm=MPIR_Ibcast_intra_tsp_tree":{},"k=4":{},"tree_type=kary":{},
                 "chunk_size=0":{}},
                 "comm_type=inter":{"algorithm=MPIR_Ibcast_inter_sched_flat":{}})"),
              IsEmpty());
}

// The library's own text has only the ambiguous test as a finding.
TEST(CheckMpichJsonTest, TheBuiltInTreeHasOneFlawTwice) {
  const auto findings = CheckMpichJson(MpichTreeText(Mpich40Tree()), {});
  EXPECT_THAT(findings, SizeIs(2)) << absl::StrJoin(findings, "\n");
  EXPECT_THAT(findings, ::testing::Each(HasSubstr("acts as \"comm_size<=8\"")));
}

TEST(CheckMpichJsonTest, WholeFiles) {
  EXPECT_THAT(CheckMpichJson("", {}), Contains(HasSubstr("empty")));
  EXPECT_THAT(CheckMpichJson("{", {}), Contains(HasSubstr("aborts when it starts")));
  EXPECT_THAT(CheckMpichJson("{}", {}), Contains(HasSubstr("leads nowhere")));
  std::string text = *WriteMpichJson({}, {"mpich-4.0", 1, 1, {}}, {});
  text.resize((text.size() / 4096 + 1) * 4096, '\n');
  EXPECT_THAT(CheckMpichJson(text, {}), Contains(HasSubstr("whole pages")));
  text += "\n";
  EXPECT_THAT(CheckMpichJson(text, {}), IsEmpty());
  const auto only =
      CheckMpichJson(R"({"collective=gatherv":{"algorithm=MPIR_Gatherv_allcomm_linear":{}}})", {});
  EXPECT_THAT(only, SizeIs(MpichCollectives().size() - 1));
  EXPECT_THAT(only, Contains(HasSubstr("no collective=bcast")));
}

struct Flaw {
  const char* collective;
  const char* body;
  const char* finding;
};

constexpr Flaw kFlaws[] = {
    {"gatherv", R"("comm_sise<=3":{"algorithm=MPIR_Gatherv_allcomm_nb":{}})", "unknown key"},
    {"gatherv", R"("algorithm=MPIR_Gatherv_intra_star":{})", "unknown algorithm"},
    {"gatherv", R"("algorithm=MPIR_Gather_allcomm_nb":{})", "is not an algorithm of gatherv"},
    {"reduce", R"("algorithm=MPIR_Reduce_scatter_allcomm_nb":{})", "is not an algorithm of reduce"},
    {"gatherv", R"("comm_size<=3":{"algorithm=MPIR_Gatherv_allcomm_nb":{}})", "nothing follows"},
    {"gatherv", R"("is_multi_threaded=no":{"algorithm=MPIR_Gatherv_allcomm_nb":{}})",
     "meet nothing"},
    {"gatherv",
     R"("comm_size=any":{"algorithm=MPIR_Gatherv_allcomm_nb":{}},
        "comm_size=pow2":{"algorithm=MPIR_Gatherv_allcomm_nb":{}})",
     "follows \"comm_size=any\""},
    {"gatherv",
     R"("comm_size<=9":{"algorithm=MPIR_Gatherv_allcomm_nb":{}},
        "comm_size<=4":{"algorithm=MPIR_Gatherv_allcomm_linear":{}},
        "comm_size=any":{"algorithm=MPIR_Gatherv_allcomm_nb":{}})",
     "\"comm_size<=4\" can never match"},
    {"allgather",
     R"("avg_msg_size<=9":{"algorithm=MPIR_Allgather_allcomm_nb":{}},
        "avg_msg_size=any":{"algorithm=MPIR_Allgather_allcomm_nb":{}})",
     "not defined for allgather"},
    {"alltoall",
     R"("count<=9":{"algorithm=MPIR_Alltoall_allcomm_nb":{}},
        "count=any":{"algorithm=MPIR_Alltoall_allcomm_nb":{}})",
     "not defined for alltoall"},
    {"barrier", R"("is_commutative=yes":{"algorithm=MPIR_Barrier_allcomm_nb":{}})",
     "not defined for barrier"},
    {"gather",
     R"("total_msg_size<=9":{"algorithm=MPIR_Gather_allcomm_nb":{}},
        "total_msg_size=any":{"algorithm=MPIR_Gather_allcomm_nb":{}})",
     "compares elements"},
    {"alltoallv",
     R"("total_msg_size<=9":{"algorithm=MPIR_Alltoallv_allcomm_nb":{}},
        "total_msg_size=any":{"algorithm=MPIR_Alltoallv_allcomm_nb":{}})",
     "ranks may pick different"},
    {"bcast",
     R"("avg_msg_size<=4k":{"algorithm=MPIR_Bcast_allcomm_nb":{}},
        "avg_msg_size=any":{"algorithm=MPIR_Bcast_allcomm_nb":{}})",
     "reads the number as 4"},
    {"bcast",
     R"("avg_msg_size<=4294967297":{"algorithm=MPIR_Bcast_allcomm_nb":{}},
        "avg_msg_size=any":{"algorithm=MPIR_Bcast_allcomm_nb":{}})",
     "reads the number as 1"},
    {"bcast",
     R"("avg_msg_size<=1":{"comm_size<8":{"algorithm=MPIR_Bcast_allcomm_nb":{}},
                            "comm_size=any":{"algorithm=MPIR_Bcast_allcomm_nb":{}}},
        "avg_msg_size=any":{"algorithm=MPIR_Bcast_allcomm_nb":{}})",
     "acts as \"comm_size<=8\""},
    {"allgather",
     R"("comm_type=intra":{"algorithm=MPIR_Allgather_intra_recursive_doubling":{}},
        "comm_type=inter":{"algorithm=MPIR_Allgather_allcomm_nb":{}})",
     "needs a power of two of ranks"},
    {"alltoall",
     R"("comm_type=intra":{"algorithm=MPIR_Alltoall_intra_brucks":{}},
        "comm_type=inter":{"algorithm=MPIR_Alltoall_allcomm_nb":{}})",
     "needs calls that are not in place"},
    {"allreduce",
     R"("comm_type=intra":{"is_op_built_in=yes":{
          "algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather":{}},
          "is_op_built_in=no":{"algorithm=MPIR_Allreduce_allcomm_nb":{}}},
        "comm_type=inter":{"algorithm=MPIR_Allreduce_allcomm_nb":{}})",
     "needs elements >="},
    {"bcast",
     R"("comm_type=intra":{"algorithm=MPIR_Bcast_intra_smp":{}},
        "comm_type=inter":{"algorithm=MPIR_Bcast_allcomm_nb":{}})",
     "needs comm_hierarchy=parent"},
    {"bcast", R"("comm_type=inter":{"algorithm=MPIR_Bcast_intra_binomial":{}},
                 "comm_type=intra":{"algorithm=MPIR_Bcast_intra_binomial":{}})",
     "needs comm_type=intra"},
    {"bcast", R"("algorithm=MPIR_Bcast_allcomm_nb":{},"comm_size=any":{})", "is ignored"},
    {"bcast", R"("algorithm=MPIR_Bcast_allcomm_nb":{},"k=3":{})", "is ignored"},
    {"bcast",
     R"("comm_type=intra":{"algorithm=MPIR_Bcast_allcomm_nb":{}},
        "comm_type=intra":{"algorithm=MPIR_Bcast_allcomm_nb":{}},
        "comm_type=inter":{"algorithm=MPIR_Bcast_allcomm_nb":{}})",
     "a second time"},
};

TEST(CheckMpichJsonTest, EveryFlawIsFound) {
  for (const Flaw& flaw : kFlaws) {
    EXPECT_THAT(Findings(flaw.collective, flaw.body), Contains(HasSubstr(flaw.finding)))
        << flaw.body;
  }
}

TEST(CheckMpichJsonTest, TestsAboveAndBesideCollectives) {
  const std::string text = *WriteMpichJson({}, {"mpich-4.0", 1, 1, {}}, {});
  EXPECT_THAT(CheckMpichJson("{\"avg_msg_size=any\":" + text + "}", {}),
              Contains(HasSubstr("above the collective")));
  EXPECT_THAT(CheckMpichJson("{\"comm_size=any\":" + text.substr(text.find("\n{")) + "}", {}),
              IsEmpty());
  std::string beside = text;
  beside.insert(beside.rfind('}'), ",\"comm_size=any\":{\"algorithm=MPIR_Bcast_allcomm_nb\":{}}");
  EXPECT_THAT(CheckMpichJson(beside, {}), Contains(HasSubstr("beside collectives")));
}

TEST(CheckMpichJsonTest, APromiseTakesTheFindingAway) {
  const char* body = R"("comm_type=intra":{"algorithm=MPIR_Reduce_scatter_intra_pairwise":{}},
                        "comm_type=inter":{"algorithm=MPIR_Reduce_scatter_allcomm_nb":{}})";
  EXPECT_THAT(Findings("reduce_scatter", body), Contains(HasSubstr("needs a commutative")));
  EXPECT_THAT(Findings("reduce_scatter", body, kUsualCalls), IsEmpty());
}

}  // namespace
}  // namespace cox::library
