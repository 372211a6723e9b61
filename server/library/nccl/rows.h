// The words of NCCL's sample tuner. Pure, any thread.
#ifndef COX_LIBRARY_NCCL_ROWS_H_
#define COX_LIBRARY_NCCL_ROWS_H_

#include "absl/strings/string_view.h"
#include "domain/collective.h"
#include "strategy/scenario.h"

namespace cox::library {

// "allreduce", "reducescatter" ...; "" for a collective that NCCL does not have.
absl::string_view NcclName(domain::Collective collective);

// The two words behind a row's native name: "nvls_tree_simple" is "nvls_tree" and "simple".
struct NcclChoice {
  absl::string_view algorithm;
  absl::string_view protocol;
};
NcclChoice SplitNcclName(absl::string_view native_name);

}  // namespace cox::library

#endif  // COX_LIBRARY_NCCL_ROWS_H_
