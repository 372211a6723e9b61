#include "domain/collective.h"
#include "strategy/algorithms/rooted/gather_linear_sync.h"
#include "strategy/algorithms/rooted/gather_windowed.h"
#include "strategy/algorithms/rooted/levels.h"
#include "strategy/algorithms/rooted/part_leaders.h"
#include "strategy/algorithms/rooted/uneven_halves.h"
#include "strategy/collectives/algorithms.h"

namespace cox::strategy {
namespace {

constexpr Algorithm kAlgorithms[] = {
    {domain::Collective::kGather, "linear", "every rank sends to the root at once", "",
     "Open MPI v4.1.4, coll/base: gather_intra_basic_linear", AlwaysApplies,
     BuildDirected<Direction::kToRoot, BuildLinearBlocks>,
     EnumerateDirected<Direction::kToRoot, EnumerateLinearBlocks>},
    {domain::Collective::kGather, "binomial",
     "binomial tree, nearest child first, each message all of its subtree", "",
     "MPICH v4.0.2, src/mpi/coll: gather_intra_binomial", AlwaysApplies,
     BuildDirected<Direction::kToRoot, BuildBinomialBlocks>,
     EnumerateDirected<Direction::kToRoot, EnumerateBinomialBlocks>},
    {domain::Collective::kGather, "linear-sync", "the root asks one rank after another", "",
     "Open MPI v4.1.4, coll/base: gather_intra_linear_sync", AlwaysApplies, BuildGatherLinearSync,
     EnumerateGatherLinearSync},
    {domain::Collective::kGather, "windowed",
     "linear with a window of senders, passed on by signals", "window",
     "A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on "
     "cluster, 1999, Algorithm 1",
     AlwaysApplies, BuildGatherWindowed, EnumerateGatherWindowed},
    {domain::Collective::kGather, "1-lev-our-br",
     "up a binomial tree, every message as long as everything", "", kHambrusch, AlwaysApplies,
     BuildDirected<Direction::kToRoot, BuildOurBroadcast>,
     EnumerateDirected<Direction::kToRoot, EnumerateOurBroadcast>},
    {domain::Collective::kGather, "2-lev",
     "from the ranks of `fanout` parts of any size to their leaders, then to the root", "fanout",
     kHambrusch, PartLeadersApply, BuildPartLeaders<Direction::kToRoot>,
     EnumeratePartLeaders<Direction::kToRoot>},
    {domain::Collective::kGather, "2-lev-rec",
     "along the rows of a square of ranks, then along the root's column", "", kHambrusch,
     NeedsSquareRanks, BuildDirected<Direction::kToRoot, BuildTwoLevels>,
     EnumerateDirected<Direction::kToRoot, EnumerateTwoLevels>},
    {domain::Collective::kGather, "3-lev-sq",
     "2-lev-rec in squares of sqrt(p) ranks, then from their leaders", "", kHambrusch,
     NeedsFourthPowerRanks, BuildDirected<Direction::kToRoot, BuildThreeLevels>,
     EnumerateDirected<Direction::kToRoot, EnumerateThreeLevels>},
    {domain::Collective::kGather, "logp-lev-sq",
     "the same in both halves, then one message from the other half", "", kHambrusch,
     NeedsPowerOfTwoRanks, BuildDirected<Direction::kToRoot, BuildHalving>,
     EnumerateDirected<Direction::kToRoot, EnumerateHalving>},
    {domain::Collective::kGather, "logp-lev-rec",
     "logp-lev-sq where 3/4 of a part, or `gamma` per mille, are its leader's own", "gamma",
     kHambrusch, UnevenHalvesApply, BuildUnevenHalves<Direction::kToRoot>,
     EnumerateUnevenHalves<Direction::kToRoot>},
};

}  // namespace

absl::Span<const Algorithm> GatherAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
