#include "service/answers/scenario_answers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advise/caveats.h"
#include "advise/explain.h"
#include "advise/grid.h"
#include "advise/predict.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "domain/parse_collective.h"
#include "domain/shape.h"
#include "service/answers/question.h"
#include "service/convert/checks.h"
#include "service/convert/placement.h"
#include "service/convert/profile.h"

namespace cox::service {
namespace {

// Explain's default range of sizes.
constexpr int64_t kExplainedFrom = 1;
constexpr int64_t kExplainedTo = int64_t{16} << 20;

void FromExplanation(const advise::Explanation& explanation, v1::ExplainResponse* response) {
  response->set_model(std::string(explanation.model->id()));
  for (const advise::Prediction& prediction : explanation.predictions) {
    FromPrediction(prediction, response->add_predictions());
  }
  for (const advise::BestRange& range : explanation.ranges.ranges) {
    v1::BestRange* out = response->add_ranges();
    out->set_from_block_bytes(range.from);
    out->set_strategy(explanation.strategies[range.curve]);
    out->set_time_s(range.amount);
    out->set_previous_time_s(range.previous_amount);
  }
  response->set_ranges_through_block_bytes(explanation.ranges.through);
  for (const std::string& reason : explanation.not_applicable) {
    response->add_not_applicable(reason);
  }
  FromParameters(explanation.parameters.parameters, response->mutable_parameters());
}

absl::StatusOr<domain::Shape> ToShape(const v1::Topology& topology) {
  const absl::StatusOr<domain::Topology> kind = domain::ParseTopology(topology.kind());
  if (!kind.ok()) return kind.status();
  for (int i = 0; i < topology.dims_size(); ++i) {
    absl::Status checked =
        InRange(absl::StrCat("topology.dims[", i, "]"), topology.dims(i), 1, domain::kMaxRanks);
    if (!checked.ok()) return checked;
  }
  return domain::Shape{.topology = *kind, .dims = {topology.dims().begin(), topology.dims().end()}};
}

// Nobody timed a changed machine, so timings are no better than its prices.
std::vector<std::string> CaveatsOf(const advise::MachineView& machine,
                                   const strategy::Scenario& scenario, bool is_changed) {
  std::vector<std::string> caveats =
      advise::CaveatsOf(machine, {.ppn = scenario.ppn, .ranks = scenario.ranks});
  if (is_changed) return caveats;
  std::optional<std::string> of_price =
      advise::CaveatOfPrice(machine, domain::CollectiveName(scenario.collective));
  if (of_price) caveats.push_back(*std::move(of_price));
  return caveats;
}

}  // namespace

absl::Status AnswerPredict(std::shared_ptr<const daemon::Snapshot> snapshot,
                           const v1::PredictRequest& request, NodeFinder finder,
                           const domain::IsCancelled& is_cancelled, v1::PredictResponse* response) {
  const auto machine = MachineToAsk(std::move(snapshot), request.machine(), request.what_if());
  if (!machine.ok()) return machine.status();
  const auto scenario = ToScenario(**machine, request);
  if (!scenario.ok()) return scenario.status();
  const absl::StatusOr<std::optional<advise::NodesInUse>> nodes =
      finder.Find(request.machine(), request.node_list(), scenario->node_count(),
                  request.assume_idle_switches());
  if (!nodes.ok()) return nodes.status();
  if (nodes->has_value()) {
    domain::CallerWatch caller(is_cancelled, 1);
    if (caller.IsGone()) return caller.status();
  }
  absl::StatusOr<std::vector<advise::Prediction>> predictions =
      advise::Predict(**machine, *scenario, request.strategy(), request.model(),
                      nodes->has_value() ? &**nodes : nullptr);
  if (!predictions.ok()) return predictions.status();
  std::stable_sort(predictions->begin(), predictions->end(),
                   [](const advise::Prediction& a, const advise::Prediction& b) {
                     if (a.model != b.model) return a.model < b.model;
                     return advise::Amount(a.cost) < advise::Amount(b.cost);
                   });
  for (const advise::Prediction& prediction : *predictions) {
    FromPrediction(prediction, response->add_predictions());
  }
  AddCaveats(CaveatsOf(**machine, *scenario, request.what_if_size() > 0), response);
  if (nodes->has_value()) FromNodesInUse(**nodes, response->mutable_nodes_in_use());
  response->set_profile_revision((*machine)->revision);
  return absl::OkStatus();
}

absl::Status AnswerExplain(std::shared_ptr<const daemon::Snapshot> snapshot,
                           const v1::ExplainRequest& request, NodeFinder finder,
                           const domain::IsCancelled& is_cancelled, v1::ExplainResponse* response) {
  const v1::PredictRequest& asked = request.scenario();
  const auto machine = MachineToAsk(std::move(snapshot), asked.machine(), asked.what_if());
  if (!machine.ok()) return InField(machine.status(), "scenario.");
  const auto scenario = ToScenario(**machine, asked);
  if (!scenario.ok()) return InField(scenario.status(), "scenario.");
  const absl::StatusOr<std::optional<advise::NodesInUse>> nodes = finder.Find(
      asked.machine(), asked.node_list(), scenario->node_count(), asked.assume_idle_switches());
  if (!nodes.ok()) return InField(nodes.status(), "scenario.");
  advise::ExplainQuestion question;
  question.nodes = nodes->has_value() ? &**nodes : nullptr;
  question.scenario = *scenario;
  question.strategy = asked.strategy();
  question.model = asked.model();
  question.min_block_bytes = request.min_block_bytes();
  question.max_block_bytes = request.max_block_bytes();
  if (request.min_block_bytes() == 0 && request.max_block_bytes() == 0) {
    question.min_block_bytes = kExplainedFrom;
    question.max_block_bytes = kExplainedTo;
  }
  const auto explanation = advise::Explain(**machine, question, is_cancelled);
  if (!explanation.ok()) {
    const bool is_range = absl::EndsWith(domain::FieldOf(explanation.status()), "_block_bytes");
    return is_range ? explanation.status() : InField(explanation.status(), "scenario.");
  }
  FromExplanation(*explanation, response);
  if (nodes->has_value()) FromNodesInUse(**nodes, response->mutable_nodes_in_use());
  AddCaveats(CaveatsOf(**machine, *scenario, asked.what_if_size() > 0), response);
  response->set_profile_revision((*machine)->revision);
  return absl::OkStatus();
}

absl::Status AnswerBatchEvaluate(std::shared_ptr<const daemon::Snapshot> snapshot,
                                 const v1::BatchEvaluateRequest& request,
                                 const domain::IsCancelled& is_cancelled,
                                 v1::BatchEvaluateResponse* response) {
  const auto machine = MachineToAsk(std::move(snapshot), request.machine(), request.what_if());
  if (!machine.ok()) return machine.status();
  const auto collective = domain::ParseCollective(request.collective());
  if (!collective.ok()) return collective.status();
  advise::GridQuestion question;
  question.scenario.collective = *collective;
  question.scenario.ppn = request.ppn() == 0 ? (*machine)->cores_per_node : request.ppn();
  question.scenario.type_bytes = request.type_bytes() == 0 ? 4 : request.type_bytes();
  question.scenario.placement = ToPlacement(request.placement());
  question.strategies.assign(request.strategies().begin(), request.strategies().end());
  question.model = request.model();
  question.ranks = request.ranks();
  question.block_bytes = request.block_bytes();
  if (request.has_topology()) {
    absl::StatusOr<domain::Shape> shape = ToShape(request.topology());
    if (!shape.ok()) return shape.status();
    question.shape = *std::move(shape);
  }
  const auto grid = advise::EvaluateGrid(**machine, question, is_cancelled);
  if (!grid.ok()) return grid.status();
  for (const std::string& strategy : grid->strategies) response->add_strategies(strategy);
  response->mutable_time_s()->Add(grid->amounts.begin(), grid->amounts.end());
  response->set_model(std::string(grid->model->id()));
  response->set_profile_revision((*machine)->revision);
  return absl::OkStatus();
}

}  // namespace cox::service
