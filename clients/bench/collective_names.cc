#include "bench/collective_names.h"

#include <array>
#include <utility>

namespace cox::bench {
namespace {

constexpr std::array<std::pair<const char*, Collective>, 8> kNames = {{
    {"allgather", Collective::kAllgather},
    {"allreduce", Collective::kAllreduce},
    {"alltoall", Collective::kAlltoall},
    {"bcast", Collective::kBcast},
    {"gather", Collective::kGather},
    {"reduce", Collective::kReduce},
    {"reduce_scatter_block", Collective::kReduceScatterBlock},
    {"scatter", Collective::kScatter},
}};

}  // namespace

std::optional<Collective> FindCollective(absl::string_view name) {
  for (const auto& [known, collective] : kNames) {
    if (name == known) return collective;
  }
  return std::nullopt;
}

std::vector<std::string> CollectiveNames() {
  std::vector<std::string> names;
  names.reserve(std::size(kNames));
  for (const auto& [name, collective] : kNames) names.emplace_back(name);
  return names;
}

int64_t TypeBytes(Collective collective) {
  switch (collective) {
    case Collective::kAllreduce:
    case Collective::kReduce:
    case Collective::kReduceScatterBlock:
      return sizeof(float);
    default:
      return 1;
  }
}

BufferBytes BuffersOf(Collective collective, int64_t block_bytes, int64_t rank_count) {
  const int64_t all_bytes = block_bytes * rank_count;
  switch (collective) {
    case Collective::kAllgather:
    case Collective::kGather:
      return {block_bytes, all_bytes};
    case Collective::kAlltoall:
      return {all_bytes, all_bytes};
    case Collective::kReduceScatterBlock:
    case Collective::kScatter:
      return {all_bytes, block_bytes};
    case Collective::kAllreduce:
    case Collective::kReduce:
      return {block_bytes, block_bytes};
    case Collective::kBcast:
      return {0, block_bytes};
  }
  return {};
}

}  // namespace cox::bench
