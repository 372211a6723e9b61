// A choice that needs what only all ranks together know: the largest of each of some numbers, by
// one small non-blocking reduction. All ranks get the same numbers, and so choose the same.
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
  std::string algorithm;  // its written form
};

// `choose` gets the largest of each number of `own`, of which all ranks have as many; called once.
std::unique_ptr<Protocol> MakeAgreement(
    std::vector<int64_t> own, std::function<Chosen(const std::vector<int64_t>& largest)> choose);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_AGREEMENT_H_
