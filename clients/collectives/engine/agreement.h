// A choice that needs the maximum over all ranks of some numbers, found by one small non-blocking
// reduction. All ranks get the same numbers and so make the same choice.
#ifndef COX_COLLECTIVES_ENGINE_AGREEMENT_H_
#define COX_COLLECTIVES_ENGINE_AGREEMENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/engine/operation.h"

namespace cox::collectives {

struct Chosen {
  std::unique_ptr<Protocol> protocol;
  std::string algorithm;  // as FormatAlgorithm() writes it
};

// Calls `choose` once with the maximum of each number of `own`. All ranks pass equally many
// numbers.
std::unique_ptr<Protocol> MakeAgreement(
    std::vector<int64_t> own, std::function<Chosen(const std::vector<int64_t>& largest)> choose);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_AGREEMENT_H_
