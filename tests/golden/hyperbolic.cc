// I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of architectures,
// 1996. Microseconds and bytes.
#include "checks.h"
#include "model/analysis/block_inference.h"
#include "model/analysis/blocks.h"
#include "pricing.h"

namespace cox::golden {
namespace {

using model::Block;
using model::LimitSample;
using model::MachineBlocks;
using model::NetworkKind;
using model::SharedMediumEstimator;

constexpr MachineBlocks kEthernet = {{750, 1.05}, {250, 0.95}};
constexpr MachineBlocks kFddi = {{380, 0.13}, {5, 0.11}};
// Only a_p + a_c = 120 us is known: all of it with the processor.
constexpr MachineBlocks kParagon = {{120, 0.031}, {0, 0.012}};
constexpr double kSp2ChannelB = 0.029;
constexpr double kSp2Channels = 8;  // between two frames

// Figure 1: a = 1, m = 0.5, packets of 2; the model's price of one message.
Quantity Hyperbola(double bytes) {
  const Block block = model::BlockOfPackets(1, 0.5, 2);
  model::Schedule schedule;
  model::Traffic& traffic = schedule.Add().traffic;
  traffic.any = {1, 1, bytes, bytes, bytes};
  static_cast<model::RankTraffic&>(traffic.network) = traffic.any;
  return {Price("hyperbolic", {{"a", block.a_s}, {"b", block.b_s_per_byte}}, schedule)};
}

// The paper's estimate of a_c from one all-to-all.
Quantity EthernetStartup(int64_t n) {
  const Block limit = model::AllToAllBlock(kEthernet, n);
  const std::vector<LimitSample> samples = {{n, limit.a_s, limit.b_s_per_byte}};
  return {model::InferSharedMedium(model::HalfRoundTrip(kEthernet), samples,
                                   SharedMediumEstimator::kPaper)
              ->Find("a_c")
              ->value};
}

Quantity Sp2ChannelFromFrames() {
  return {model::InferMultistage(124, {{7, {}, 0.029}}, {{14, {}, 0.049}}, 8)
              ->Find("b_l across frames")
              ->value};
}

Quantity Sp2AcrossFrames() {
  const MachineBlocks blocks = {{0, kSp2ChannelB}, {0, kSp2ChannelB / kSp2Channels}};
  return {model::PairsBlock(NetworkKind::kMultistage, blocks, 14).b_s_per_byte};
}

// The first number of pairs whose channel is slower than a processor.
Quantity ParagonPairs() {
  int64_t n = 1;
  while (model::PairsBlock(NetworkKind::kMeshRow, kParagon, n).b_s_per_byte <=
         kParagon.processor.b_s_per_byte) {
    ++n;
  }
  return {static_cast<double>(n)};
}

Block Exchange(NetworkKind kind, const MachineBlocks& blocks) {
  return *model::NeighbourExchange(kind, blocks, 8);
}

Quantity ChangeFromSevenToEight() {
  const double seven = EthernetStartup(7)[0];
  const double eight = EthernetStartup(8)[0];
  return {(seven - eight) / seven};
}

constexpr Computation kComputations[] = {
    {"H-1.0", [] { return Hyperbola(0); }},
    {"H-1.1", [] { return Hyperbola(1); }},
    {"H-1.2", [] { return Hyperbola(2); }},
    {"H-1.4", [] { return Hyperbola(4); }},
    {"H-1.10", [] { return Hyperbola(10); }},
    {"H-2", [] { return Quantity{model::PacketSeconds(1, 0.5, 2, 2)}; }},
    {"H-3", [] { return Quantity{model::AllToAllBlock(kEthernet, 8).a_s}; }},
    {"H-4", [] { return Quantity{model::AllToAllBlock(kEthernet, 8).b_s_per_byte}; }},
    {"H-6", [] { return Quantity{model::HalfRoundTrip(kEthernet).a_s}; }},
    {"H-7", Sp2ChannelFromFrames},
    {"H-8", Sp2AcrossFrames},
    // The literature's a_p = 40, a_c = 5 .. 35.
    {"H-9",
     [] {
       return Quantity{model::HalfRoundTrip({{40, 0.025}, {35, 0.0285}}).a_s};
     }},
    {"H-10", [] { return Quantity{model::PairsBlock(NetworkKind::kMeshRow, kParagon, 1).a_s}; }},
    {"H-11", ParagonPairs},
    {"H-12", [] { return Quantity{Exchange(NetworkKind::kSharedMedium, kEthernet).a_s}; }},
    {"H-13", [] { return Quantity{Exchange(NetworkKind::kSharedMedium, kEthernet).b_s_per_byte}; }},
    {"H-14", [] { return Quantity{Exchange(NetworkKind::kSharedMedium, kFddi).a_s}; }},
    {"H-15", [] { return Quantity{Exchange(NetworkKind::kMeshRow, kParagon).b_s_per_byte}; }},
    {"H-16", ChangeFromSevenToEight},
};

}  // namespace

absl::Span<const Computation> HyperbolicComputations() { return kComputations; }

}  // namespace cox::golden
