// How MPICH 4.0 splits a call before its selection tree decides, and the catalogue's names for the
// tree's. Pure, any thread; allocates nothing.
#ifndef COX_LIBRARY_MPICH_SPLIT_H_
#define COX_LIBRARY_MPICH_SPLIT_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "domain/collective.h"
#include "library/algorithm.h"
#include "library/decision_table.h"
#include "library/mpich/tree.h"
#include "strategy/scenario.h"

namespace cox::library {

// How the device layer (ch4) of MPICH 4.0.2 splits a call before the tree decides. Seen in the
// messages of jobs on one node, and on two by MPIR_CVAR_NUM_CLIQUES.
enum class MpichSplit : uint8_t {
  kWhole,      // the tree decides for all ranks
  kHierarchy,  // calls on the ranks of each node and on their leaders, as the row "smp" has them
  kOther,      // such calls that together have no row
};
// At least two ranks; `commutative`: the operation, of a reduction.
MpichSplit MpichSplitOf(const strategy::Scenario& scenario, bool commutative);

// Whether a job's calls on all ranks may be split, so that no choice for the job's size applies.
bool IsSplitByMpich(domain::Collective collective, const TunedJob& job);
inline constexpr absl::string_view kWhyMpichSplits =
    "the library splits it into calls on the ranks of each node and on their leaders, which no "
    "choice for this job's size meets";

// The scenario as the tree sees it for all ranks. Commutative operations count as predefined ones.
// A call without bytes is treated as the shortest message.
MpichCall MpichCallOf(const strategy::Scenario& scenario, bool commutative);

// "MPIR_Bcast_intra_binomial" of a bcast: "binomial".
absl::string_view MpichNativeName(absl::string_view algorithm, domain::Collective collective);

// What calls of the scenario run if `tree` replaces the built-in one: the algorithm's name in the
// catalogue, or "default" where the built-in tree chooses the same. nullopt where the call fails,
// or is split into calls for which the trees choose differently.
std::optional<absl::string_view> MpichNameUnder(const MpichTree& tree,
                                                const strategy::Scenario& scenario,
                                                const Assumptions& assume);

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_SPLIT_H_
