#include "strategy/algorithms/halving_exchange.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cox::strategy {
namespace {

int BitsOf(const Fold& fold) { return std::countr_zero(static_cast<uint64_t>(fold.active)); }

}  // namespace

int64_t PlaceIn(const Fold& fold, int64_t rank) {
  if (rank >= 2 * fold.folded) return rank - fold.folded;
  return rank % 2 == fold.offset ? rank / 2 : -1;
}

int64_t ReversedBits(const Fold& fold, int64_t v) {
  const int bits = BitsOf(fold);
  if (bits == 0) return 0;
  // Neighbours change places: bits, pairs, fours, then bytes.
  auto all = static_cast<uint64_t>(v);
  for (const auto& [mask, by] : {std::pair{uint64_t{0x5555555555555555}, 1},
                                 {uint64_t{0x3333333333333333}, 2},
                                 {uint64_t{0x0f0f0f0f0f0f0f0f}, 4}}) {
    all = (all >> by & mask) | (all & mask) << by;
  }
  return static_cast<int64_t>(__builtin_bswap64(all) >> (64 - bits));
}

HalvingExchange::HalvingExchange(const Fold& fold, const Step& step)
    : fold_(fold),
      order_(step.order),
      distance_(step.order == HalvingOrder::kFarFirst ? fold.active >> (step.index + 1)
                                                      : int64_t{1} << step.index),
      half_(fold.active >> (step.index + 1)) {}

void HalvingExchange::Sends(int64_t rank, Peers* out) const {
  const int64_t v = PlaceIn(fold_, rank);
  if (v < 0) return;
  const int64_t partner = PartnerOf(v);
  out->AddOne(fold_.RankOf(partner), BlocksFor(partner));
}

void HalvingExchange::Receives(int64_t rank, Peers* out) const {
  const int64_t v = PlaceIn(fold_, rank);
  if (v >= 0) out->AddOne(fold_.RankOf(PartnerOf(v)), BlocksFor(v));
}

// Each half is kept by as many ranks as it has virtual blocks.
Exchange::Totals HalvingExchange::totals() const {
  const auto active = static_cast<double>(fold_.active);
  return {active, static_cast<double>(half_) * (active + static_cast<double>(fold_.folded))};
}

void HalvingExchange::Notable(RankList* out) const {
  out->Add(fold_.RankOf(0));
  out->Add(fold_.RankOf(PartnerOf(0)));
}

int64_t HalvingExchange::FirstKept(int64_t v) const {
  // half_ is a power of two.
  return (order_ == HalvingOrder::kFarFirst ? v : ReversedBits(fold_, v)) & -half_;
}

double HalvingExchange::BlocksFrom(int64_t first) const {
  return static_cast<double>(half_ + std::clamp<int64_t>(fold_.folded - first, 0, half_));
}

void MirrorExchange::Sends(int64_t rank, Peers* out) const {
  const int64_t v = PlaceIn(fold_, rank);
  if (v < 0) return;
  const int64_t owner = ReversedBits(fold_, v);
  if (owner != v) out->AddOne(fold_.RankOf(owner), 1);
  if (owner < fold_.folded) out->AddOne(fold_.RankOf(owner) - 1, 1);
}

void MirrorExchange::Receives(int64_t rank, Peers* out) const {
  const int64_t v = PlaceIn(fold_, rank);
  const int64_t holder = ReversedBits(fold_, v < 0 ? rank / 2 : v);
  if (holder != v) out->AddOne(fold_.RankOf(holder), 1);
}

Exchange::Totals MirrorExchange::totals() const {
  const int64_t palindromes = int64_t{1} << ((BitsOf(fold_) + 1) / 2);
  const auto messages = static_cast<double>(fold_.active - palindromes + fold_.folded);
  return {messages, messages};
}

void MirrorExchange::Notable(RankList* out) const {
  const int64_t second = std::min<int64_t>(1, fold_.active - 1);
  for (int64_t v : {int64_t{0}, second, ReversedBits(fold_, second)}) out->Add(fold_.RankOf(v));
  out->Add(0);
}

}  // namespace cox::strategy
