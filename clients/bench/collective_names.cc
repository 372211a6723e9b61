#include "bench/collective_names.h"

#include <algorithm>
#include <array>

namespace cox::bench {
namespace {

struct Card {
  const char* name;
  Collective collective;
  bool is_own;  // our own library has it, too
};

constexpr std::array<Card, 8> kCards = {{
    {"allgather", Collective::kAllgather, false},
    {"allreduce", Collective::kAllreduce, false},
    {"alltoall", Collective::kAlltoall, true},
    {"bcast", Collective::kBcast, true},
    {"gather", Collective::kGather, true},
    {"reduce", Collective::kReduce, false},
    {"reduce_scatter_block", Collective::kReduceScatterBlock, false},
    {"scatter", Collective::kScatter, true},
}};

}  // namespace

std::optional<Collective> FindCollective(absl::string_view name) {
  for (const Card& card : kCards) {
    if (name == card.name) return card.collective;
  }
  return std::nullopt;
}

std::vector<std::string> CollectiveNames() {
  std::vector<std::string> names;
  names.reserve(std::size(kCards));
  for (const Card& card : kCards) names.emplace_back(card.name);
  return names;
}

bool IsOwnCollective(Collective collective) {
  return std::any_of(kCards.begin(), kCards.end(), [collective](const Card& card) {
    return card.collective == collective && card.is_own;
  });
}

std::vector<std::string> OwnCollectiveNames() {
  std::vector<std::string> names;
  for (const Card& card : kCards) {
    if (card.is_own) names.emplace_back(card.name);
  }
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
