#include "strategy/library_map.h"

namespace cox::strategy {
namespace {

constexpr Collective kAlltoall = Collective::kAlltoall;
constexpr Collective kBcast = Collective::kBcast;
constexpr Collective kAllreduce = Collective::kAllreduce;
constexpr Collective kAllgather = Collective::kAllgather;
constexpr Collective kReduce = Collective::kReduce;
constexpr Collective kBarrier = Collective::kBarrier;
constexpr Collective kReduceScatter = Collective::kReduceScatter;
constexpr Collective kReduceScatterBlock = Collective::kReduceScatterBlock;
constexpr Collective kScan = Collective::kScan;
constexpr Collective kExscan = Collective::kExscan;

constexpr absl::string_view kOmpi = "openmpi-4.1";
constexpr absl::string_view kOmpiSource = "Open MPI v4.1.4, ompi/mca/coll/tuned and coll/base";
constexpr absl::string_view kMpich = "mpich-4.0";
constexpr absl::string_view kMpichSource = "MPICH v4.0.2, src/mpi/coll";

constexpr absl::string_view kLibraryNames[] = {kOmpi, kMpich};

// What stands behind some rows of Open MPI:
// - allgather linear, allreduce nonoverlapping, reduce_scatter non-overlapping and
//   reduce_scatter_block basic_linear call the communicator's own gather, reduce, bcast and
//   scatter, each with its own choice; the strategies take binomial trees for them;
// - chain has the fanout that the library's variable has unless it is set; tuning files say it too;
// - segmented_ring without a segment size (the only form a rules file of ours asks for) is ring;
// - ring and segmented_ring, and reduce's chain, pipeline, binary and binomial, and
//   reduce_scatter's recursive_halving and ring, run for any operation, with wrong results where it
//   does not commute;
// - knomial has the radix that the library's variable has unless it is set;
// - split_binary_tree of less than two elements is a chain with a fanout of 1: pipeline;
// - linear_sync takes its window from a variable that rules cannot set; without one it is linear.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr LibraryAlgorithm kOpenMpi[] = {
    {kOmpi, kAllgather, "linear", 1, "allgather/gather-bcast", kNone, "", true, kOmpiSource},
    {kOmpi, kAllgather, "bruck", 2, "allgather/bruck", kNone, "", true, kOmpiSource},
    {kOmpi, kAllgather, "recursive_doubling", 3, "allgather/recursive-doubling", kPowerOfTwoRanks, "bruck", true, kOmpiSource},
    {kOmpi, kAllgather, "ring", 4, "allgather/ring", kNone, "", true, kOmpiSource},
    {kOmpi, kAllgather, "neighbor", 5, "allgather/neighbor-exchange", kEvenRanks, "ring", true, kOmpiSource},
    {kOmpi, kAllgather, "two_proc", 6, "allgather/ring", kTwoRanks, "", true, kOmpiSource},

    {kOmpi, kAllreduce, "basic_linear", 1, "allreduce/linear", kNone, "", true, kOmpiSource},
    {kOmpi, kAllreduce, "nonoverlapping", 2, "allreduce/reduce-bcast", kNone, "", true, kOmpiSource},
    {kOmpi, kAllreduce, "recursive_doubling", 3, "allreduce/recursive-doubling", kNone, "", true, kOmpiSource},
    {kOmpi, kAllreduce, "ring", 4, "allreduce/ring", kElementsAtLeastRanks, "recursive_doubling", false, kOmpiSource},
    {kOmpi, kAllreduce, "segmented_ring", 5, "allreduce/ring", kElementsAtLeastRanks, "ring", false, kOmpiSource},
    {kOmpi, kAllreduce, "rabenseifner", 6, "allreduce/rabenseifner", kElementsAtLeastPowerOfTwo | kCommutative, "basic_linear", true, kOmpiSource},

    {kOmpi, kAlltoall, "linear", 1, "alltoall/linear", kNone, "", true, kOmpiSource},
    {kOmpi, kAlltoall, "pairwise", 2, "alltoall/pairwise", kNone, "", true, kOmpiSource},
    {kOmpi, kAlltoall, "modified_bruck", 3, "alltoall/bruck", kNone, "", true, kOmpiSource},
    {kOmpi, kAlltoall, "linear_sync", 4, "alltoall/linear", kNone, "", true, kOmpiSource},
    {kOmpi, kAlltoall, "two_proc", 5, "alltoall/linear", kTwoRanks, "", true, kOmpiSource},

    {kOmpi, kBcast, "basic_linear", 1, "bcast/linear", kNone, "", true, kOmpiSource},
    {kOmpi, kBcast, "chain", 2, "bcast/chain?fanout=4", kNone, "", true, kOmpiSource},
    {kOmpi, kBcast, "pipeline", 3, "bcast/pipeline", kNone, "", true, kOmpiSource},
    {kOmpi, kBcast, "split_binary_tree", 4, "bcast/split-binary", kTwoElements, "pipeline", true, kOmpiSource},
    {kOmpi, kBcast, "binary_tree", 5, "bcast/binary", kNone, "", true, kOmpiSource},
    {kOmpi, kBcast, "binomial", 6, "bcast/binomial", kNone, "", true, kOmpiSource},
    {kOmpi, kBcast, "knomial", 7, "bcast/knomial?radix=4", kNone, "", true, kOmpiSource},
    {kOmpi, kBcast, "scatter_allgather", 8, "bcast/scatter-allgather", kElementsAtLeastRanks, "basic_linear", true, kOmpiSource},
    {kOmpi, kBcast, "scatter_allgather_ring", 9, "bcast/scatter-ring-allgather", kElementsAtLeastRanks, "basic_linear", true, kOmpiSource},

    {kOmpi, kBarrier, "linear", 1, "barrier/linear", kNone, "", true, kOmpiSource},
    {kOmpi, kBarrier, "double_ring", 2, "barrier/double-ring", kNone, "", true, kOmpiSource},
    {kOmpi, kBarrier, "recursive_doubling", 3, "barrier/recursive-doubling", kNone, "", true, kOmpiSource},
    {kOmpi, kBarrier, "bruck", 4, "barrier/dissemination", kNone, "", true, kOmpiSource},
    {kOmpi, kBarrier, "two_proc", 5, "barrier/dissemination", kTwoRanks, "", true, kOmpiSource},
    {kOmpi, kBarrier, "tree", 6, "barrier/tree", kNone, "", true, kOmpiSource},

    {kOmpi, kReduce, "linear", 1, "reduce/linear", kNone, "", true, kOmpiSource},
    {kOmpi, kReduce, "chain", 2, "reduce/chain?fanout=4", kNone, "", false, kOmpiSource},
    {kOmpi, kReduce, "pipeline", 3, "reduce/pipeline", kNone, "", false, kOmpiSource},
    {kOmpi, kReduce, "binary", 4, "reduce/binary", kNone, "", false, kOmpiSource},
    {kOmpi, kReduce, "binomial", 5, "reduce/binomial", kNone, "", false, kOmpiSource},
    {kOmpi, kReduce, "in-order_binary", 6, "reduce/in-order-binary", kNone, "", true, kOmpiSource},
    {kOmpi, kReduce, "rabenseifner", 7, "reduce/rabenseifner", kElementsAtLeastPowerOfTwo | kCommutative, "linear", true, kOmpiSource},

    {kOmpi, kReduceScatter, "non-overlapping", 1, "reduce_scatter/reduce-scatterv", kNone, "", true, kOmpiSource},
    {kOmpi, kReduceScatter, "recursive_halving", 2, "reduce_scatter/recursive-halving", kNone, "", false, kOmpiSource},
    {kOmpi, kReduceScatter, "ring", 3, "reduce_scatter/ring", kNone, "", false, kOmpiSource},
    {kOmpi, kReduceScatter, "butterfly", 4, "reduce_scatter/butterfly", kNone, "", true, kOmpiSource},

    {kOmpi, kReduceScatterBlock, "basic_linear", 1, "reduce_scatter_block/reduce-scatter", kNone, "", true, kOmpiSource},
    {kOmpi, kReduceScatterBlock, "recursive_doubling", 2, "reduce_scatter_block/recursive-doubling", kNone, "", true, kOmpiSource},
    {kOmpi, kReduceScatterBlock, "recursive_halving", 3, "reduce_scatter_block/recursive-halving", kCommutative, "basic_linear", true, kOmpiSource},
    {kOmpi, kReduceScatterBlock, "butterfly", 4, "reduce_scatter_block/butterfly", kNone, "", true, kOmpiSource},

    {kOmpi, kScan, "linear", 1, "scan/linear", kNone, "", true, kOmpiSource},
    {kOmpi, kScan, "recursive_doubling", 2, "scan/recursive-doubling", kNone, "", true, kOmpiSource},

    {kOmpi, kExscan, "linear", 1, "exscan/linear", kNone, "", true, kOmpiSource},
    {kOmpi, kExscan, "recursive_doubling", 2, "exscan/recursive-doubling", kNone, "", true, kOmpiSource},
};

// MPICH takes names. "nb" runs a nonblocking algorithm of its own choice, "smp" a hierarchy of others;
// an algorithm that does not fit silently becomes the automatic choice, which is no row of this table.
// Where the number of ranks is no power of two, reduce_scatter_gather begins with whole vectors from
// every second of the ranks too many, where the strategy exchanges halves.
// "scattered" has a window of MPIR_CVAR_ALLTOALL_THROTTLE, 32 unless set.
constexpr LibraryAlgorithm kMpich40[] = {
    {kMpich, kAllgather, "brucks", -1, "allgather/bruck", kNone, "", true, kMpichSource},
    {kMpich, kAllgather, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kAllgather, "recursive_doubling", -1, "allgather/recursive-doubling", kPowerOfTwoRanks, "", true, kMpichSource},
    {kMpich, kAllgather, "ring", -1, "allgather/ring", kNone, "", true, kMpichSource},

    {kMpich, kAllreduce, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kAllreduce, "smp", -1, "", kCommutative, "", true, kMpichSource},
    {kMpich, kAllreduce, "recursive_doubling", -1, "allreduce/recursive-doubling", kNone, "", true, kMpichSource},
    {kMpich, kAllreduce, "reduce_scatter_allgather", -1, "allreduce/rabenseifner", kElementsAtLeastPowerOfTwo | kCommutative, "", true, kMpichSource},

    {kMpich, kAlltoall, "brucks", -1, "alltoall/bruck", kNone, "", true, kMpichSource},
    {kMpich, kAlltoall, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kAlltoall, "pairwise", -1, "alltoall/pairwise", kNone, "", true, kMpichSource},
    {kMpich, kAlltoall, "pairwise_sendrecv_replace", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kAlltoall, "scattered", -1, "alltoall/windowed?window=32", kNone, "", true, kMpichSource},

    {kMpich, kBcast, "binomial", -1, "bcast/binomial-far", kNone, "", true, kMpichSource},
    {kMpich, kBcast, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kBcast, "smp", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kBcast, "scatter_recursive_doubling_allgather", -1, "bcast/scatter-allgather", kNone, "", true, kMpichSource},
    {kMpich, kBcast, "scatter_ring_allgather", -1, "bcast/scatter-ring-allgather", kNone, "", true, kMpichSource},

    {kMpich, kBarrier, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kBarrier, "smp", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kBarrier, "dissemination", -1, "barrier/dissemination", kNone, "", true, kMpichSource},

    {kMpich, kReduce, "binomial", -1, "reduce/binomial", kNone, "", true, kMpichSource},
    {kMpich, kReduce, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kReduce, "smp", -1, "", kCommutative, "", true, kMpichSource},
    {kMpich, kReduce, "reduce_scatter_gather", -1, "reduce/rabenseifner", kElementsAtLeastPowerOfTwo | kCommutative, "", true, kMpichSource},

    {kMpich, kReduceScatter, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kReduceScatter, "noncommutative", -1, "reduce_scatter/noncommutative", kPowerOfTwoRanks, "", true, kMpichSource},
    {kMpich, kReduceScatter, "pairwise", -1, "reduce_scatter/pairwise", kCommutative, "", true, kMpichSource},
    {kMpich, kReduceScatter, "recursive_doubling", -1, "reduce_scatter/recursive-doubling", kNone, "", true, kMpichSource},
    {kMpich, kReduceScatter, "recursive_halving", -1, "reduce_scatter/recursive-halving", kCommutative, "", true, kMpichSource},

    {kMpich, kReduceScatterBlock, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kReduceScatterBlock, "noncommutative", -1, "reduce_scatter_block/noncommutative", kPowerOfTwoRanks, "", true, kMpichSource},
    {kMpich, kReduceScatterBlock, "pairwise", -1, "reduce_scatter_block/pairwise", kCommutative, "", true, kMpichSource},
    {kMpich, kReduceScatterBlock, "recursive_doubling", -1, "reduce_scatter_block/recursive-doubling", kNone, "", true, kMpichSource},
    {kMpich, kReduceScatterBlock, "recursive_halving", -1, "reduce_scatter_block/recursive-halving", kCommutative, "", true, kMpichSource},

    {kMpich, kScan, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kScan, "smp", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kScan, "recursive_doubling", -1, "scan/recursive-doubling", kNone, "", true, kMpichSource},

    {kMpich, kExscan, "nb", -1, "", kNone, "", true, kMpichSource},
    {kMpich, kExscan, "recursive_doubling", -1, "exscan/recursive-doubling", kNone, "", true, kMpichSource},
};
// clang-format on

int64_t LargestPowerOfTwo(int64_t not_above) {
  int64_t power = 1;
  while (power <= not_above / 2) power *= 2;
  return power;
}

bool Meets(uint32_t needs, const Scenario& scenario, bool commutative) {
  const int64_t ranks = scenario.ranks;
  const int64_t elements = scenario.element_count();
  if ((needs & kPowerOfTwoRanks) != 0 && LargestPowerOfTwo(ranks) != ranks) return false;
  if ((needs & kEvenRanks) != 0 && ranks % 2 != 0) return false;
  if ((needs & kTwoRanks) != 0 && ranks != 2) return false;
  if ((needs & kElementsAtLeastRanks) != 0 && elements < ranks) return false;
  if ((needs & kElementsAtLeastPowerOfTwo) != 0 && elements < LargestPowerOfTwo(ranks))
    return false;
  if ((needs & kTwoElements) != 0 && elements < 2) return false;
  return (needs & kCommutative) == 0 || commutative;
}

template <typename Matches>
const LibraryAlgorithm* FindRow(absl::string_view library, Collective collective,
                                const Matches& matches) {
  for (const LibraryAlgorithm& row : LibraryAlgorithms(library)) {
    if (row.collective == collective && matches(row)) return &row;
  }
  return nullptr;
}

}  // namespace

absl::Span<const absl::string_view> Libraries() { return kLibraryNames; }

absl::Span<const LibraryAlgorithm> LibraryAlgorithms(absl::string_view library) {
  if (library == kOmpi) return kOpenMpi;
  if (library == kMpich) return kMpich40;
  return {};
}

bool Lists(absl::string_view library, Collective collective) {
  return FindRow(library, collective, [](const LibraryAlgorithm&) { return true; }) != nullptr;
}

const LibraryAlgorithm* FindLibraryAlgorithm(absl::string_view library, Collective collective,
                                             absl::string_view native_name) {
  return FindRow(library, collective,
                 [&](const LibraryAlgorithm& row) { return row.native_name == native_name; });
}

const LibraryAlgorithm* FindLibraryAlgorithm(absl::string_view library, Collective collective,
                                             int native_id) {
  if (native_id < 0) return nullptr;
  return FindRow(library, collective,
                 [&](const LibraryAlgorithm& row) { return row.native_id == native_id; });
}

const LibraryAlgorithm* Effective(const LibraryAlgorithm& row, const Scenario& scenario,
                                  bool commutative) {
  // No chain of fallbacks is longer than two; a circle in the table would be a bug of the table.
  const LibraryAlgorithm* running = &row;
  while (running != nullptr && !Meets(running->needs, scenario, commutative)) {
    if (running->fallback.empty()) return nullptr;
    running = FindLibraryAlgorithm(running->library, running->collective, running->fallback);
  }
  return running;
}

}  // namespace cox::strategy
