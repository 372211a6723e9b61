#include "learn/calibrate/sample_kinds.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/shape.h"
#include "model/extent.h"

namespace cox::learn {
namespace {

// The busiest rank's messages out and in; all messages.
struct Counts {
  double sends = 0;
  double receives = 0;
  double pairs = 0;
  double messages = 0;
  double sharing = 1;  // pairs that leave a node at once
};

double MessagesOf(const Sample& sample) {
  return static_cast<double>(std::max<int64_t>(1, sample.messages));
}

// The network that a prediction for these ranks has. Ping-pongs use two nodes, other kinds a node
// for each rank.
model::Extent ExtentOf(const Sample& sample, const domain::Shape& shape, bool between_nodes) {
  const auto ranks = static_cast<int64_t>(RanksOf(sample));
  const int64_t apart = sample.kind == "pingpong" ? 2 : ranks;
  model::Extent extent = model::ExtentOf(shape, between_nodes ? apart : 1);
  extent.processors_count = static_cast<double>(ranks);
  return extent;
}

model::Phase& AddPhase(const Sample& sample, const domain::Shape& shape, const Counts& counts,
                       model::Schedule* schedule) {
  const bool between_nodes = sample.level == domain::Level::kNetwork;
  schedule->Clear(ExtentOf(sample, shape, between_nodes));
  model::Phase& phase = schedule->Add();
  const auto bytes = static_cast<double>(sample.block_bytes);
  model::LevelTraffic traffic;
  traffic.sends_count = counts.sends;
  traffic.receives_count = counts.receives;
  traffic.out_bytes = counts.sends * bytes;
  traffic.in_bytes = counts.receives * bytes;
  traffic.max_message_bytes = bytes;
  traffic.pairs_count = counts.pairs;
  traffic.messages_count = counts.messages;
  traffic.volume_bytes = counts.messages * bytes;
  if (between_nodes) {
    traffic.node_out_bytes = counts.sharing * traffic.out_bytes;
    traffic.node_in_bytes = counts.sharing * traffic.in_bytes;
  }
  phase.traffic.any = traffic;
  (between_nodes ? phase.traffic.network : phase.traffic.node) = traffic;
  return phase;
}

// `pairs` at once between two nodes (or within one): half of the ranks send, the others receive.
void BuildPingPong(const Sample& sample, const domain::Shape& shape, model::Schedule* schedule) {
  const auto pairs = static_cast<double>(sample.pairs);
  AddPhase(sample, shape, {1, 1, pairs, pairs, pairs}, schedule).traffic.disjoint = true;
}

void BuildTrain(const Sample& sample, const domain::Shape& shape, model::Schedule* schedule) {
  const double messages = MessagesOf(sample);
  AddPhase(sample, shape, {messages, messages, 1, messages}, schedule).traffic.disjoint = true;
}

void BuildConverging(const Sample& sample, const domain::Shape& shape, model::Schedule* schedule) {
  const double messages = MessagesOf(sample);
  const double senders = SendersOf(sample);
  AddPhase(sample, shape, {messages / senders, messages, senders, messages}, schedule)
      .traffic.disjoint = true;
}

void BuildRelation(const Sample& sample, const domain::Shape& shape, model::Schedule* schedule) {
  const double h = MessagesOf(sample);
  const double senders = SendersOf(sample);
  AddPhase(sample, shape, {h, std::min(h, senders), senders * h, senders * h}, schedule)
      .ends_in_barrier = true;
}

void BuildScatter(const Sample& sample, const domain::Shape& shape, model::Schedule* schedule) {
  const double h = MessagesOf(sample);
  model::Phase& phase = AddPhase(sample, shape, {h, 1, h, h}, schedule);
  phase.traffic.disjoint = true;
  phase.ends_in_barrier = true;
}

void BuildPermutation(const Sample& sample, const domain::Shape& shape, model::Schedule* schedule) {
  const double senders = SendersOf(sample);
  AddPhase(sample, shape, {1, 1, senders, senders}, schedule).traffic.disjoint =
      2 * senders <= RanksOf(sample);
}

void BuildBarrier(const Sample& sample, const domain::Shape& shape, model::Schedule* schedule) {
  AddPhase(sample, shape, {}, schedule).ends_in_barrier = true;
}

void BuildCopy(const Sample& sample, const domain::Shape& /*shape*/, model::Schedule* schedule) {
  schedule->Clear();
  schedule->Add().work.copied_bytes = static_cast<double>(sample.block_bytes);
}

void BuildReduction(const Sample& sample, const domain::Shape& /*shape*/,
                    model::Schedule* schedule) {
  schedule->Clear();
  schedule->Add().work.reduced_bytes = static_cast<double>(sample.block_bytes);
}

constexpr SampleKind kKinds[] = {
    {"pingpong", BuildPingPong, false},
    {"gap", BuildTrain, true},
    {"overhead_send", nullptr, false},
    {"overhead_recv", nullptr, false},
    {"notice", nullptr, false},
    {"converge", BuildConverging, true},
    {"flood", nullptr, true},
    {"h_relation", BuildRelation, true},
    {"scatter", BuildScatter, true},
    {"permutation", BuildPermutation, true},
    {"block_permutation", BuildPermutation, true},
    {"barrier", BuildBarrier, false},
    {"copy", BuildCopy, false},
    {"reduce", BuildReduction, false},
};

}  // namespace

const SampleKind* FindSampleKind(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const SampleKind& kind) { return kind.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}

std::string SampleKindNames() {
  return absl::StrJoin(kKinds, ", ", [](std::string* out, const SampleKind& kind) {
    absl::StrAppend(out, kind.name);
  });
}

absl::Status CheckSample(const Sample& sample, absl::string_view prefix) {
  const auto invalid = [&](absl::string_view field, absl::string_view rule) {
    return domain::InvalidField(absl::StrCat(prefix, field), rule);
  };
  const SampleKind* kind = FindSampleKind(sample.kind);
  if (kind == nullptr) {
    return invalid(
        "kind", absl::StrCat("unknown kind \"", sample.kind, "\"; there are: ", SampleKindNames()));
  }
  if (sample.pairs < 1 || sample.pairs > (int64_t{1} << 31)) {
    return invalid("pairs", absl::StrCat("must be 1 to 2^31, not ", sample.pairs));
  }
  if (sample.block_bytes < 0 || sample.block_bytes > (int64_t{1} << 62)) {
    return invalid("block_bytes", absl::StrCat("must be 0 to 2^62, not ", sample.block_bytes));
  }
  if (!std::isfinite(sample.time_s) || sample.time_s <= 0) {
    return invalid("time_s", absl::StrCat("must be finite and above 0, not ", sample.time_s));
  }
  const int64_t least = kind->needs_counts ? 1 : 0;
  for (const auto& [field, count] :
       {std::pair("ranks", sample.ranks), std::pair("messages", sample.messages),
        std::pair("senders", sample.senders)}) {
    if (count < least || count > (int64_t{1} << 31)) {
      return invalid(field, absl::StrCat("must be ", least, " to 2^31 for kind ", sample.kind,
                                         ", not ", count));
    }
  }
  return absl::OkStatus();
}

double RanksOf(const Sample& sample) {
  return static_cast<double>(sample.ranks > 0 ? sample.ranks : 2 * sample.pairs);
}

double SendersOf(const Sample& sample) {
  return sample.senders > 0 ? static_cast<double>(sample.senders) : RanksOf(sample) / 2;
}

}  // namespace cox::learn
