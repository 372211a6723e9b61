#include "service/answers/pattern_answer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advise/caveats.h"
#include "advise/pattern.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "service/answers/question.h"
#include "service/convert/placement.h"
#include "service/limits.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::service {
namespace {

// The domain's fields as the API has them: "messages[7].source" is "sources[7]", all others are the
// header's.
absl::Status WithMessagesField(const absl::Status& status) {
  const std::string field = domain::FieldOf(status);
  absl::string_view index = field;
  if (!absl::ConsumePrefix(&index, "messages[")) return InField(status, "header.");
  const size_t end = index.find("].");
  if (end == absl::string_view::npos) return status;
  const absl::string_view name = index.substr(end + 2);
  absl::string_view rule = status.message();
  rule.remove_prefix(field.size() + 2);
  const std::string list = name == "bytes" ? "block_bytes" : absl::StrCat(name, "s");
  return domain::InvalidField(absl::StrCat(list, "[", index.substr(0, end), "]"), rule);
}

int64_t LargestRank(const std::vector<model::Transfer>& messages) {
  int64_t largest = 0;
  for (const model::Transfer& message : messages) {
    largest = std::max({largest, message.source, message.destination});
  }
  return largest;
}

}  // namespace

absl::Status StreamedPattern::Reserve(int64_t count) {
  if (count > strategy::kMaxPatternMessages - counted_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a pattern has at most ", strategy::kMaxPatternMessages, " messages; sum some of them up"));
  }
  const std::lock_guard lock(all_->mutex);
  if (!all_->held.Take(caller_, count)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "open patterns hold ", all_->held.held(), " of ", all_->held.limit(), " messages, ",
        all_->held.HeldBy(caller_), " of ", caller_, "; try again later"));
  }
  counted_ += count;
  return absl::OkStatus();
}

absl::Status StreamedPattern::Add(const v1::EvaluatePatternRequest& request) {
  if (has_header_ == request.has_header()) {
    return domain::InvalidField("header", has_header_ ? "stands in the first request only"
                                                      : "must be in the first request");
  }
  if (request.has_header()) {
    has_header_ = true;
    header_ = request.header();
    header_.DiscardUnknownFields();
    const size_t header_bytes = header_.SpaceUsedLong();
    if (header_bytes > kMaxPatternHeaderBytes) {
      return domain::InvalidField(
          "header", absl::StrCat("takes ", header_bytes, " bytes of memory; the most is ",
                                 kMaxPatternHeaderBytes));
    }
  }
  const int count = request.sources_size();
  const std::pair<absl::string_view, int> others[] = {{"destinations", request.destinations_size()},
                                                      {"block_bytes", request.block_bytes_size()}};
  for (const auto& [name, size] : others) {
    if (size == count) continue;
    return domain::InvalidField(
        name, absl::StrCat("as many as sources, ", count, ", are needed; there are ", size));
  }
  if (count > 0 && !header_.pattern().empty()) {
    return domain::InvalidField("sources", "a named pattern has messages of its own");
  }
  if (absl::Status reserved = Reserve(count); !reserved.ok()) return reserved;
  for (int i = 0; i < count; ++i) {
    const std::tuple<absl::string_view, int64_t, int64_t> numbers[] = {
        {"sources", request.sources(i), strategy::kMaxPatternRanks - 1},
        {"destinations", request.destinations(i), strategy::kMaxPatternRanks - 1},
        {"block_bytes", request.block_bytes(i), domain::kMaxBlockBytes}};
    for (const auto& [name, number, greatest] : numbers) {
      if (number >= 0 && number <= greatest) continue;
      return domain::InvalidField(absl::StrCat(name, "[", messages_.size(), "]"),
                                  absl::StrCat(number, " is not between 0 and ", greatest));
    }
    messages_.push_back(
        {request.sources(i), request.destinations(i), static_cast<double>(request.block_bytes(i))});
  }
  return absl::OkStatus();
}

absl::Status StreamedPattern::Answer(std::shared_ptr<const daemon::Snapshot> snapshot,
                                     NodeFinder finder, const domain::IsCancelled& is_cancelled,
                                     v1::EvaluatePatternResponse* response) {
  if (!has_header_) return domain::InvalidField("header", "must be in the first request");
  const auto machine = MachineToAsk(std::move(snapshot), header_.machine(), header_.what_if());
  if (!machine.ok()) return InField(machine.status(), "header.");
  if (header_.routes_size() > kMaxRoutes) {
    return domain::InvalidField(
        "header.routes",
        absl::StrCat("at most ", kMaxRoutes, "; there are ", header_.routes_size()));
  }
  if (header_.ranks() == 0 && !header_.pattern().empty()) {
    return domain::InvalidField("header.ranks", "is required with a named pattern");
  }
  advise::PatternQuestion question;
  question.scenario.ranks = header_.ranks() != 0 ? header_.ranks() : LargestRank(messages_) + 1;
  question.scenario.ppn = header_.ppn() == 0 ? (*machine)->cores_per_node : header_.ppn();
  question.scenario.placement = ToPlacement(header_.placement());
  question.routes.assign(header_.routes().begin(), header_.routes().end());
  question.model = header_.model();
  if (!header_.pattern().empty()) {
    auto named = strategy::MessagesOf(header_.pattern(), question.scenario.ranks,
                                      static_cast<double>(header_.block_bytes()));
    if (!named.ok()) return InField(named.status(), "header.");
    if (absl::Status reserved = Reserve(static_cast<int64_t>(named->size())); !reserved.ok()) {
      return reserved;
    }
    messages_ = *std::move(named);
  }
  question.messages = messages_;
  // Other numbers of ranks are refused below.
  if (absl::Status valid = strategy::Validate(question.scenario); !valid.ok()) {
    return WithMessagesField(valid);
  }
  const absl::StatusOr<std::optional<advise::NodesInUse>> nodes =
      finder.Find(header_.machine(), header_.node_list(), question.scenario.node_count(),
                  header_.assume_idle_switches());
  if (!nodes.ok()) return InField(nodes.status(), "header.");
  if (nodes->has_value()) {
    question.nodes = &**nodes;
    FromNodesInUse(**nodes, response->mutable_nodes_in_use());
  }
  const auto answer = advise::EvaluatePattern(**machine, question, is_cancelled);
  if (!answer.ok()) return WithMessagesField(answer.status());
  for (const advise::Prediction& prediction : answer->predictions) {
    FromPrediction(prediction, response->add_predictions());
  }
  AddCaveats(advise::CaveatsOf(**machine,
                               {.ppn = question.scenario.ppn, .ranks = question.scenario.ranks}),
             response);
  response->set_message_count(static_cast<int64_t>(messages_.size()));
  response->set_volume_bytes(answer->volume_bytes);
  response->set_pair_count(static_cast<int64_t>(answer->pairs_count));
  response->set_max_sends(static_cast<int64_t>(answer->busiest.sends_count));
  response->set_max_receives(static_cast<int64_t>(answer->busiest.receives_count));
  response->set_max_out_bytes(answer->busiest.out_bytes);
  response->set_max_in_bytes(answer->busiest.in_bytes);
  response->set_profile_revision((*machine)->revision);
  return absl::OkStatus();
}

}  // namespace cox::service
