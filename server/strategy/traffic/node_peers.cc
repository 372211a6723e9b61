#include "strategy/traffic/node_peers.h"

#include <algorithm>

namespace cox::strategy {
namespace {

void Take(double messages, double blocks, OneWay* way) {
  if (messages <= 0) return;
  way->messages += messages;
  way->blocks += messages * blocks;
  way->max_blocks = std::max(way->max_blocks, blocks);
}

// Terms of the run in [from, to).
int64_t TermsWithin(const PeerRun& run, int64_t from, int64_t to) {
  const int64_t end = run.first + (run.terms - 1) * run.step + 1;
  if (run.first >= to || end <= from) return 0;
  if (run.step == 1) return std::min(end, to) - std::max(run.first, from);
  const auto below = [&run](int64_t end) {
    if (end <= run.first) return int64_t{0};
    return std::min((end - run.first - 1) / run.step + 1, run.terms);
  };
  return below(to) - below(from);
}

}  // namespace

OneWay ByLevel::any() const {
  return {node.messages + network.messages, node.blocks + network.blocks,
          std::max(node.max_blocks, network.max_blocks)};
}

const Stride& NodePeers::StrideOf(int64_t step) {
  for (const Stride& stride : strides_) {
    if (stride.step() == step) return stride;
  }
  Stride& stride = strides_[next_];
  next_ = (next_ + 1) % strides_.size();
  stride = Stride(step, nodes_.count);
  return stride;
}

int64_t NodePeers::CountIn(int64_t node, const PeerRun& run) {
  if (!nodes_.cyclic) {
    return TermsWithin(run, node * nodes_.ppn, std::min((node + 1) * nodes_.ppn, nodes_.ranks));
  }
  if (run.terms == 1) return nodes_.Of(run.first) == node ? 1 : 0;
  return StrideOf(run.step).CountAt(node, {run.first, run.terms});
}

ByLevel NodePeers::Divide(int64_t node, const Peers& peers) {
  ByLevel ways;
  for (const PeerRun& run : peers) {
    const int64_t here = CountIn(node, run);
    Take(static_cast<double>(here), run.blocks, &ways.node);
    Take(static_cast<double>(run.terms - here), run.blocks, &ways.network);
  }
  return ways;
}

}  // namespace cox::strategy
