#include "strategy/algorithms/halving_exchange.h"

#include <algorithm>
#include <bit>

namespace cox::strategy {
namespace {

int BitsOf(const Fold& fold) { return std::countr_zero(static_cast<uint64_t>(fold.active)); }

}  // namespace

int64_t PlaceIn(const Fold& fold, int64_t rank) {
  if (rank >= 2 * fold.folded) return rank - fold.folded;
  return rank % 2 == fold.offset ? rank / 2 : -1;
}

int64_t ReversedBits(const Fold& fold, int64_t v) {
  int64_t reversed = 0;
  for (int64_t bit = 1; bit < fold.active; bit *= 2) {
    if ((v & bit) != 0) reversed |= fold.active / 2 / bit;
  }
  return reversed;
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
  if (order_ == HalvingOrder::kFarFirst) return v / half_ * half_;
  return ReversedBits(fold_, v) / half_ * half_;
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
