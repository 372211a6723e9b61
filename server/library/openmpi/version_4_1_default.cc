#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#include "domain/collective.h"
#include "domain/limits.h"
#include "library/algorithms.h"
#include "library/default_choice.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using domain::Collective;
using domain::kMaxBlockBytes;
using strategy::Scenario;

constexpr absl::string_view kOmpi = "openmpi-4.1";
constexpr absl::string_view kOmpiSource =
    "Open MPI v4.1.4, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c";
constexpr absl::string_view kBasicSource = "Open MPI v4.1.4, ompi/mca/coll/basic";

// The first row with more ranks and more bytes than the call decides. The bytes are
// Scenario::block_bytes, except for reduce_scatter, which counts the blocks of all ranks. (In a
// rules file alltoall and allgather count them too.) allgatherv takes the mean block.
// tests/e2e/shim/default_decision compares every row with the library itself.
struct DefaultRow {
  int64_t ranks_below;
  int64_t bytes_below;
  int native_id;
};

constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
constexpr int64_t kK = int64_t{1} << 10;
constexpr int64_t kM = int64_t{1} << 20;

// clang-format off
constexpr DefaultRow kAlltoall[] = {
    {3, 2, 2}, {3, 4, 5}, {3, 16, 2}, {3, 64, 5}, {3, 256, 2}, {3, 4 * kK, 5}, {3, 32 * kK, 2}, {3, 256 * kK, 4}, {3, kM, 5}, {3, kAny, 2},
    {8, 8 * kK, 4}, {8, 16 * kK, 1}, {8, 64 * kK, 4}, {8, 512 * kK, 1}, {8, kM, 2}, {8, kAny, 1},
    {16, 256 * kK, 4}, {16, kAny, 1},
    {32, 4, 4}, {32, 512, 3}, {32, 8 * kK, 4}, {32, 32 * kK, 1}, {32, 256 * kK, 4}, {32, 512 * kK, 1}, {32, kAny, 4},
    {64, 512, 3}, {64, 512 * kK, 1}, {64, kAny, 4},
    {128, kK, 3}, {128, 2 * kK, 1}, {128, 4 * kK, 4}, {128, 256 * kK, 1}, {128, kAny, 2},
    {256, kK, 3}, {256, 2 * kK, 4}, {256, 256 * kK, 1}, {256, kAny, 2},
    {512, kK, 3}, {512, 8 * kK, 4}, {512, 32 * kK, 1}, {512, kAny, 2},
    {1024, 512, 3}, {1024, 8 * kK, 4}, {1024, 16 * kK, 1}, {1024, 128 * kK, 4}, {1024, 256 * kK, 1}, {1024, kAny, 2},
    {2048, 512, 3}, {2048, kK, 4}, {2048, 2 * kK, 1}, {2048, 16 * kK, 4}, {2048, 256 * kK, 1}, {2048, kAny, 4},
    {4096, kK, 3}, {4096, 4 * kK, 4}, {4096, 8 * kK, 1}, {4096, 128 * kK, 4}, {4096, kAny, 1},
    {kAny, 2 * kK, 3}, {kAny, 8 * kK, 4}, {kAny, 16 * kK, 1}, {kAny, 32 * kK, 4}, {kAny, 64 * kK, 1}, {kAny, kAny, 4},
};

constexpr DefaultRow kBcast[] = {
    {4, 32, 3}, {4, 256, 5}, {4, 512, 3}, {4, kK, 7}, {4, 32 * kK, 1}, {4, 128 * kK, 5}, {4, 256 * kK, 2}, {4, 512 * kK, 1}, {4, kM, 6}, {4, kAny, 5},
    {8, 64, 5}, {8, 128, 6}, {8, 2 * kK, 5}, {8, 8 * kK, 6}, {8, kM, 1}, {8, kAny, 2},
    {16, 8, 7}, {16, 64, 5}, {16, 4 * kK, 7}, {16, 16 * kK, 5}, {16, 32 * kK, 6}, {16, kAny, 1},
    {32, 4 * kK, 7}, {32, kM, 6}, {32, kAny, 8},
    {64, 2 * kK, 6}, {64, kAny, 7},
    {128, kAny, 7},
    {256, 2, 6}, {256, 16 * kK, 5}, {256, 32 * kK, 1}, {256, 64 * kK, 5}, {256, kAny, 7},
    {1024, 16 * kK, 7}, {1024, 32 * kK, 4}, {1024, kAny, 7},
    {2048, 512 * kK, 7}, {2048, kAny, 8},
    {4096, 256 * kK, 7}, {4096, kAny, 8},
    {kAny, 8 * kK, 7}, {kAny, 16 * kK, 5}, {kAny, 256 * kK, 7}, {kAny, kAny, 8},
};

constexpr DefaultRow kAllreduce[] = {
    {4, 8, 4}, {4, 4 * kK, 3}, {4, 8 * kK, 4}, {4, 16 * kK, 3}, {4, 64 * kK, 4}, {4, 256 * kK, 5}, {4, kAny, 6},
    {8, 16, 4}, {8, 8 * kK, 3}, {8, kAny, 6},
    {16, 8 * kK, 3}, {16, kAny, 6},
    {32, 64, 5}, {32, 4 * kK, 3}, {32, kAny, 6},
    {64, 128, 5}, {64, kAny, 6},
    {128, 256 * kK, 3}, {128, kAny, 6},
    {256, 128 * kK, 2}, {256, 256 * kK, 3}, {256, kAny, 6},
    {512, 4 * kK, 2}, {512, kAny, 6},
    {2048, 2 * kK, 2}, {2048, 16 * kK, 3}, {2048, kAny, 6},
    {4096, 2 * kK, 2}, {4096, 4 * kK, 5}, {4096, 16 * kK, 3}, {4096, kAny, 6},
    {kAny, 2 * kK, 2}, {kAny, 16 * kK, 5}, {kAny, 32 * kK, 3}, {kAny, kAny, 6},
};

constexpr DefaultRow kAllreduceNotCommutative[] = {
    {4, 128 * kK, 3}, {4, kAny, 1},
    {8, kAny, 3},
    {16, kM, 3}, {16, kAny, 2},
    {128, kAny, 3},
    {256, 128 * kK, 2}, {256, 512 * kK, 3}, {256, kAny, 2},
    {512, 4 * kK, 2}, {512, 512 * kK, 3}, {512, kAny, 2},
    {kAny, 2 * kK, 2}, {kAny, kAny, 3},
};

constexpr DefaultRow kAllgather[] = {
    {3, kAny, 6},
    {32, kAny, 3},
    {64, kK, 3}, {64, 64 * kK, 5}, {64, kAny, 4},
    {128, 512, 3}, {128, 64 * kK, 5}, {128, kAny, 4},
    {256, 512, 3}, {256, 128 * kK, 5}, {256, 512 * kK, 4}, {256, kM, 5}, {256, kAny, 4},
    {512, 32, 3}, {512, 128, 2}, {512, kK, 3}, {512, 128 * kK, 5}, {512, 512 * kK, 4}, {512, kM, 5}, {512, kAny, 4},
    {1024, 64, 3}, {1024, 256, 2}, {1024, 2 * kK, 3}, {1024, kAny, 5},
    {2048, 4, 3}, {2048, 8, 2}, {2048, 16, 3}, {2048, 32, 2}, {2048, 256, 3}, {2048, 512, 2}, {2048, 4 * kK, 3}, {2048, kAny, 5},
    {4096, 32, 2}, {4096, 128, 3}, {4096, 512, 2}, {4096, 4 * kK, 3}, {4096, kAny, 5},
    {kAny, 2, 3}, {kAny, 8, 2}, {kAny, 16, 3}, {kAny, 512, 2}, {kAny, 4 * kK, 3}, {kAny, kAny, 5},
};

constexpr DefaultRow kAllgatherv[] = {
    {3, 2 * kK, 3}, {3, 4 * kK, 5}, {3, 8 * kK, 3}, {3, kAny, 5},
    {8, 256, 1}, {8, 4 * kK, 4}, {8, 8 * kK, 3}, {8, 16 * kK, 4}, {8, 256 * kK, 2}, {8, kAny, 4},
    {16, kK, 1}, {16, kAny, 2},
    {32, 128, 1}, {32, 256 * kK, 2}, {32, kAny, 3},
    {64, 256, 1}, {64, 8 * kK, 2}, {64, kAny, 3},
    {128, 256, 1}, {128, 4 * kK, 2}, {128, kAny, 3},
    {256, kK, 2}, {256, 64 * kK, 4}, {256, kAny, 3},
    {512, kK, 2}, {512, kAny, 3},
    {1024, 512, 2}, {1024, kK, 1}, {1024, 4 * kK, 2}, {1024, kM, 4}, {1024, kAny, 3},
    {kAny, 4 * kK, 2}, {kAny, kAny, 4},
};

constexpr DefaultRow kGather[] = {
    {4, 2, 3}, {4, 4, 1}, {4, 32 * kK, 2}, {4, 64 * kK, 1}, {4, 128 * kK, 2}, {4, kAny, 3},
    {8, kK, 2}, {8, 8 * kK, 1}, {8, 32 * kK, 2}, {8, 256 * kK, 1}, {8, kAny, 3},
    {256, kAny, 2},
    {512, 2 * kK, 2}, {512, 8 * kK, 1}, {512, kAny, 2},
    {kAny, kAny, 2},
};

constexpr DefaultRow kScatter[] = {
    {4, 2, 3}, {4, 128 * kK, 1}, {4, 256 * kK, 3}, {4, kAny, 1},
    {8, 2 * kK, 2}, {8, 4 * kK, 1}, {8, 8 * kK, 2}, {8, 32 * kK, 1}, {8, kM, 3}, {8, kAny, 1},
    {16, 16 * kK, 2}, {16, kM, 3}, {16, kAny, 1},
    {32, 16 * kK, 2}, {32, 32 * kK, 1}, {32, kAny, 3},
    {64, 512, 2}, {64, 8 * kK, 3}, {64, 16 * kK, 2}, {64, kAny, 3},
    {kAny, 512, 2}, {kAny, kAny, 3},
};

constexpr DefaultRow kReduce[] = {
    {4, 8, 7}, {4, 16, 4}, {4, 32, 3}, {4, 256 * kK, 1}, {4, 512 * kK, 3}, {4, kM, 2}, {4, kAny, 3},
    {8, 4 * kK, 4}, {8, 64 * kK, 2}, {8, 256 * kK, 5}, {8, 512 * kK, 1}, {8, kM, 5}, {8, kAny, 1},
    {16, 8 * kK, 4}, {16, kAny, 5},
    {32, 4 * kK, 4}, {32, kAny, 5},
    {256, kAny, 5},
    {512, 8 * kK, 5}, {512, 16 * kK, 6}, {512, kAny, 5},
    {2048, kAny, 5},
    {4096, 512, 5}, {4096, kK, 6}, {4096, 8 * kK, 5}, {4096, 16 * kK, 6}, {4096, kAny, 5},
    {kAny, 16, 5}, {kAny, 32, 6}, {kAny, kK, 5}, {kAny, 2 * kK, 6}, {kAny, 8 * kK, 5}, {kAny, 16 * kK, 6}, {kAny, kAny, 5},
};

constexpr DefaultRow kReduceNotCommutative[] = {
    {4, 8, 6}, {4, kAny, 1},
    {8, kAny, 1},
    {16, kK, 6}, {16, 8 * kK, 1}, {16, 16 * kK, 6}, {16, 256 * kK, 1}, {16, kAny, 6},
    {128, kAny, 6},
    {256, 512, 6}, {256, kK, 1}, {256, kAny, 6},
    {kAny, kAny, 6},
};

constexpr DefaultRow kReduceScatter[] = {
    {4, 64 * kK, 3}, {4, 128 * kK, 4}, {4, kAny, 3},
    {8, 8, 1}, {8, 256 * kK, 2}, {8, kAny, 3},
    {32, 256 * kK, 2}, {32, kAny, 3},
    {64, 64, 1}, {64, 2 * kK, 2}, {64, 512 * kK, 4}, {64, kAny, 3},
    {128, 256, 1}, {128, 512, 2}, {128, 2 * kK, 4}, {128, 4 * kK, 2}, {128, kAny, 4},
    {256, 256, 1}, {256, 512, 2}, {256, kAny, 4},
    {512, 256, 1}, {512, kK, 2}, {512, kAny, 4},
    {1024, 512, 1}, {1024, 2 * kK, 2}, {1024, 8 * kK, 4}, {1024, 16 * kK, 2}, {1024, kAny, 4},
    {2048, 512, 1}, {2048, 4 * kK, 2}, {2048, 16 * kK, 4}, {2048, 32 * kK, 2}, {2048, kAny, 4},
    {4096, 512, 1}, {4096, 4 * kK, 2}, {4096, kAny, 4},
    {kAny, kK, 1}, {kAny, 8 * kK, 2}, {kAny, kAny, 4},
};

constexpr DefaultRow kReduceScatterBlock[] = {
    {4, 4, 2}, {4, 8, 4}, {4, 16, 3}, {4, 128, 4}, {4, 256, 3}, {4, 4 * kK, 4}, {4, 8 * kK, 3}, {4, 128 * kK, 4}, {4, kAny, 1},
    {8, 8, 3}, {8, 32, 2}, {8, 256, 4}, {8, 8 * kK, 3}, {8, 16 * kK, 4}, {8, kM, 3}, {8, kAny, 1},
    {16, 4, 1}, {16, 32, 3}, {16, 128, 4}, {16, 512 * kK, 3}, {16, 4 * kM, 1}, {16, kAny, 4},
    {32, 32, 1}, {32, 512 * kK, 3}, {32, 2 * kM, 1}, {32, 4 * kM, 3}, {32, kAny, 4},
    {kAny, 4, 3}, {kAny, 16, 1}, {kAny, 64 * kK, 4}, {kAny, 256 * kK, 1}, {kAny, kAny, 4},
};

// For both, where the operation does not commute.
constexpr DefaultRow kReduceScatterNotCommutative[] = {{kAny, kAny, 1}};

constexpr DefaultRow kBarrier[] = {
    {4, kAny, 3}, {8, kAny, 1}, {64, kAny, 3}, {256, kAny, 4}, {512, kAny, 6}, {1024, kAny, 4}, {4096, kAny, 6}, {kAny, kAny, 4},
};

constexpr DefaultRow kAlltoallv[] = {
    {4, kAny, 2}, {64, kAny, 1}, {128, kAny, 2}, {256, kAny, 1}, {1024, kAny, 2}, {kAny, kAny, 1},
};

// coll/basic runs unless a rule names another algorithm: both are linear.
constexpr DefaultRow kScan[] = {{kAny, kAny, 1}};

// coll/basic always runs: a rule has nothing to name.
constexpr DefaultRow kUntunable[] = {{kAny, kAny, -1}};

// The decision gives no fanout, so there is one chain, and no segment size. A row without a number
// cannot be forced.
constexpr Algorithm kVariants[] = {
    {kOmpi, Collective::kBcast, "chain", 2, "bcast/chain?fanout=1", kNone, "", true, kOmpiSource},
    {kOmpi, Collective::kReduce, "chain", 2, "reduce/chain?fanout=1", kNone, "", false, kOmpiSource},
    {kOmpi, Collective::kAlltoallw, "linear", -1, "alltoallw/linear", kNone, "", true, kBasicSource},
    {kOmpi, Collective::kScatterv, "linear", -1, "scatterv/linear", kNone, "", true, kBasicSource},
    {kOmpi, Collective::kGatherv, "linear", -1, "gatherv/linear", kNone, "", true, kBasicSource},
};
// clang-format on

// A collective's rows, and those for operations that do not commute where these differ.
struct Decision {
  Collective collective;
  absl::Span<const DefaultRow> rows;
  absl::Span<const DefaultRow> not_commutative = rows;
};

constexpr Decision kDecisions[] = {
    {Collective::kAlltoall, kAlltoall},
    {Collective::kBcast, kBcast},
    {Collective::kAllreduce, kAllreduce, kAllreduceNotCommutative},
    {Collective::kAllgather, kAllgather},
    {Collective::kScatter, kScatter},
    {Collective::kGather, kGather},
    {Collective::kReduce, kReduce, kReduceNotCommutative},
    {Collective::kBarrier, kBarrier},
    {Collective::kReduceScatter, kReduceScatter, kReduceScatterNotCommutative},
    {Collective::kReduceScatterBlock, kReduceScatterBlock, kReduceScatterNotCommutative},
    {Collective::kScan, kScan},
    {Collective::kExscan, kScan},
    {Collective::kAlltoallv, kAlltoallv},
    {Collective::kAlltoallw, kUntunable},
    {Collective::kAllgatherv, kAllgatherv},
    {Collective::kScatterv, kUntunable},
    {Collective::kGatherv, kUntunable},
};
static_assert(std::size(kDecisions) == domain::kCollectiveCount);

// Whether bounds ascend and every number of ranks has a row for every size, so that a search ends.
constexpr bool IsComplete(absl::Span<const DefaultRow> rows) {
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    const DefaultRow& row = rows[i];
    const DefaultRow& next = rows[i + 1];
    const bool ascends = row.bytes_below == kAny ? row.ranks_below < next.ranks_below
                                                 : row.ranks_below == next.ranks_below &&
                                                       row.bytes_below < next.bytes_below;
    if (!ascends) return false;
  }
  const DefaultRow& last = rows[rows.size() - 1];
  return last.ranks_below == kAny && last.bytes_below == kAny;
}
static_assert(std::all_of(std::begin(kDecisions), std::end(kDecisions), [](const Decision& d) {
  return IsComplete(d.rows) && IsComplete(d.not_commutative);
}));

absl::Span<const DefaultRow> RowsFor(Collective collective, bool commutative) {
  for (const Decision& decision : kDecisions) {
    if (decision.collective == collective) {
      return commutative ? decision.rows : decision.not_commutative;
    }
  }
  return {};
}

// The size that is compared with the rows' bytes.
int64_t ComparedBytes(const Scenario& scenario) {
  if (scenario.collective != Collective::kReduceScatter) return scenario.block_bytes;
  if (scenario.block_bytes > kMaxBlockBytes / scenario.ranks) return kMaxBlockBytes;
  return scenario.block_bytes * scenario.ranks;
}

}  // namespace

const Algorithm* OpenMpi41DefaultChoice(const Scenario& scenario, const Assumptions& assume) {
  const int64_t bytes = ComparedBytes(scenario);
  for (const DefaultRow& row : RowsFor(scenario.collective, assume.commutative)) {
    if (scenario.ranks >= row.ranks_below || bytes >= row.bytes_below) continue;
    const auto* variant =
        std::find_if(std::begin(kVariants), std::end(kVariants), [&](const Algorithm& own) {
          return own.collective == scenario.collective && own.native_id == row.native_id;
        });
    if (variant != std::end(kVariants)) return variant;
    return FindNativeAlgorithm(kOmpi, scenario.collective, row.native_id);
  }
  return nullptr;
}

absl::Span<const Algorithm> DefaultVariants() { return kVariants; }

}  // namespace cox::library
