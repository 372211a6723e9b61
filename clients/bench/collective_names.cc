#include "bench/collective_names.h"

#include <algorithm>
#include <array>

#include "domain/collective.h"

namespace cox::bench {
namespace {

struct Card {
  domain::Collective collective;
  bool has_coxcoll;  // libcoxcoll has it
};

// In alphabetical order.
constexpr std::array<Card, 8> kCards = {{
    {domain::Collective::kAllgather, false},
    {domain::Collective::kAllreduce, false},
    {domain::Collective::kAlltoall, true},
    {domain::Collective::kBcast, true},
    {domain::Collective::kGather, true},
    {domain::Collective::kReduce, false},
    {domain::Collective::kReduceScatterBlock, false},
    {domain::Collective::kScatter, true},
}};

}  // namespace

std::optional<domain::Collective> FindCollective(absl::string_view name) {
  for (const Card& card : kCards) {
    if (name == domain::CollectiveName(card.collective)) return card.collective;
  }
  return std::nullopt;
}

std::vector<std::string> CollectiveNames() {
  std::vector<std::string> names;
  names.reserve(std::size(kCards));
  for (const Card& card : kCards) names.emplace_back(domain::CollectiveName(card.collective));
  return names;
}

bool IsCoxcollCollective(domain::Collective collective) {
  return std::any_of(kCards.begin(), kCards.end(), [collective](const Card& card) {
    return card.collective == collective && card.has_coxcoll;
  });
}

std::vector<std::string> CoxcollCollectiveNames() {
  std::vector<std::string> names;
  for (const Card& card : kCards) {
    if (card.has_coxcoll) names.emplace_back(domain::CollectiveName(card.collective));
  }
  return names;
}

int64_t TypeBytes(domain::Collective collective) {
  switch (collective) {
    case domain::Collective::kAllreduce:
    case domain::Collective::kReduce:
    case domain::Collective::kReduceScatterBlock:
      return sizeof(float);
    default:
      return 1;
  }
}

BufferBytes BuffersOf(domain::Collective collective, int64_t block_bytes, int64_t rank_count) {
  const int64_t all_bytes = block_bytes * rank_count;
  switch (collective) {
    case domain::Collective::kAllgather:
    case domain::Collective::kGather:
      return {block_bytes, all_bytes};
    case domain::Collective::kAlltoall:
      return {all_bytes, all_bytes};
    case domain::Collective::kReduceScatterBlock:
    case domain::Collective::kScatter:
      return {all_bytes, block_bytes};
    case domain::Collective::kAllreduce:
    case domain::Collective::kReduce:
      return {block_bytes, block_bytes};
    case domain::Collective::kBcast:
      return {0, block_bytes};
    default:
      return {};
  }
}

}  // namespace cox::bench
