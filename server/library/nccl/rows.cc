#include "library/nccl/rows.h"

#include <utility>

#include "domain/collective.h"

namespace cox::library {

absl::string_view NcclName(domain::Collective collective) {
  using domain::Collective;
  constexpr std::pair<Collective, absl::string_view> kNames[] = {
      {Collective::kBcast, "broadcast"},     {Collective::kReduce, "reduce"},
      {Collective::kAllgather, "allgather"}, {Collective::kReduceScatterBlock, "reducescatter"},
      {Collective::kAllreduce, "allreduce"},
  };
  for (const auto& [known, name] : kNames) {
    if (known == collective) return name;
  }
  return "";
}

NcclChoice SplitNcclName(absl::string_view native_name) {
  const size_t at = native_name.rfind('_');
  if (at == absl::string_view::npos) return {native_name, ""};
  return {native_name.substr(0, at), native_name.substr(at + 1)};
}

}  // namespace cox::library
