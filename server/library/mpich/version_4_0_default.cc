#include "library/algorithms.h"
#include "library/mpich/split.h"
#include "library/rows.h"

namespace cox::library {
namespace {

constexpr absl::string_view kMpich = "mpich-4.0";
constexpr absl::string_view kHierarchy = "smp";

}  // namespace

const Algorithm* Mpich40DefaultChoice(const strategy::Scenario& scenario,
                                      const Assumptions& assume) {
  switch (MpichSplitOf(scenario, assume.commutative)) {
    case MpichSplit::kOther:
      return nullptr;
    case MpichSplit::kHierarchy:
      return FindAlgorithm(kMpich, scenario.collective, kHierarchy);
    case MpichSplit::kWhole:
      break;
  }
  const MpichNode* leaf = SearchMpichTree(Mpich40Tree(), MpichCallOf(scenario, assume.commutative));
  if (leaf == nullptr) return nullptr;
  return FindAlgorithm(kMpich, scenario.collective,
                       MpichNativeName(leaf->algorithm, scenario.collective));
}

}  // namespace cox::library
