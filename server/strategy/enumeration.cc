#include "strategy/enumeration.h"

#include <algorithm>

namespace cox::strategy {
namespace {

// Whether no rank is both a source and a destination.
bool IsDisjoint(const std::vector<Message>& messages) {
  std::vector<int64_t> sources;
  sources.reserve(messages.size());
  for (const Message& message : messages) sources.push_back(message.source);
  std::sort(sources.begin(), sources.end());
  return std::none_of(messages.begin(), messages.end(), [&](const Message& message) {
    return std::binary_search(sources.begin(), sources.end(), message.destination);
  });
}

}  // namespace

Enumeration::Likeness Enumeration::LikenessOfStep() const {
  Likeness likeness;
  for (const Message& message : step_) {
    const bool in_node = nodes_.Of(message.source) == nodes_.Of(message.destination);
    bool& has = in_node ? likeness.has_node : likeness.has_network;
    double& max_bytes = in_node ? likeness.node_max_bytes : likeness.network_max_bytes;
    has = true;
    max_bytes = std::max(max_bytes, message.bytes);
  }
  likeness.disjoint = IsDisjoint(step_);
  return likeness;
}

void Enumeration::Emit() {
  for (Message message : step_) {
    message.phase = phase_;
    message.repetition = repetition_;
    sink_(message);
  }
  ++repetition_;
}

void Enumeration::EndStep(int64_t times) {
  if (step_.empty()) return;
  const Likeness likeness = LikenessOfStep();
  if (!can_continue_ || !(likeness == last_)) {
    ++phase_;
    repetition_ = 0;
  }
  last_ = likeness;
  can_continue_ = true;
  for (int64_t i = 0; i < times; ++i) Emit();
  step_.clear();
}

void Enumeration::EndPhase() {
  if (step_.empty()) return;
  ++phase_;
  repetition_ = 0;
  Emit();
  can_continue_ = false;
  step_.clear();
}

}  // namespace cox::strategy
