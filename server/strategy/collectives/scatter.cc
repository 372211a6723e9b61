#include "domain/collective.h"
#include "strategy/algorithms/rooted/levels.h"
#include "strategy/algorithms/rooted/part_leaders.h"
#include "strategy/algorithms/rooted/uneven_halves.h"
#include "strategy/collectives/algorithms.h"

namespace cox::strategy {
namespace {

constexpr Algorithm kAlgorithms[] = {
    {domain::Collective::kScatter, "linear", "the root sends to every rank at once", "",
     "Open MPI v4.1.4, coll/base: scatter_intra_basic_linear", AlwaysApplies,
     BuildDirected<Direction::kFromRoot, BuildLinearBlocks>,
     EnumerateDirected<Direction::kFromRoot, EnumerateLinearBlocks>},
    {domain::Collective::kScatter, "binomial",
     "binomial tree, farthest child first, each message all that its subtree gets", "",
     "MPICH v4.0.2, src/mpi/coll: scatter_intra_binomial", AlwaysApplies,
     BuildDirected<Direction::kFromRoot, BuildBinomialBlocks>,
     EnumerateDirected<Direction::kFromRoot, EnumerateBinomialBlocks>},
    {domain::Collective::kScatter, "1-lev-our-br", "everything to everybody down a binomial tree",
     "", kHambrusch, AlwaysApplies, BuildDirected<Direction::kFromRoot, BuildOurBroadcast>,
     EnumerateDirected<Direction::kFromRoot, EnumerateOurBroadcast>},
    {domain::Collective::kScatter, "1-lev-sys-br",
     "everything to everybody by a library's broadcast: a scatter, then a ring", "", kHambrusch,
     AlwaysApplies, BuildSystemBroadcast, EnumerateSystemBroadcast},
    {domain::Collective::kScatter, "2-lev",
     "to a leader of each of `fanout` parts of any size, then to the ranks of the parts", "fanout",
     kHambrusch, PartLeadersApply, BuildPartLeaders<Direction::kFromRoot>,
     EnumeratePartLeaders<Direction::kFromRoot>},
    {domain::Collective::kScatter, "2-lev-rec",
     "along the root's column of a square of ranks, then along the rows", "", kHambrusch,
     NeedsSquareRanks, BuildDirected<Direction::kFromRoot, BuildTwoLevels>,
     EnumerateDirected<Direction::kFromRoot, EnumerateTwoLevels>},
    {domain::Collective::kScatter, "3-lev-sq",
     "to a leader of each square of sqrt(p) ranks, then 2-lev-rec in the squares", "", kHambrusch,
     NeedsFourthPowerRanks, BuildDirected<Direction::kFromRoot, BuildThreeLevels>,
     EnumerateDirected<Direction::kFromRoot, EnumerateThreeLevels>},
    {domain::Collective::kScatter, "logp-lev-sq",
     "one message to the other half, then the same in both halves", "", kHambrusch,
     NeedsPowerOfTwoRanks, BuildDirected<Direction::kFromRoot, BuildHalving>,
     EnumerateDirected<Direction::kFromRoot, EnumerateHalving>},
    {domain::Collective::kScatter, "logp-lev-rec",
     "logp-lev-sq where a leader keeps 3/4 of its part, or `gamma` per mille", "gamma", kHambrusch,
     UnevenHalvesApply, BuildUnevenHalves<Direction::kFromRoot>,
     EnumerateUnevenHalves<Direction::kFromRoot>},
};

}  // namespace

absl::Span<const Algorithm> ScatterAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
