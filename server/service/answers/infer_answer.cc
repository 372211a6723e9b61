#include "service/answers/infer_answer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "model/analysis/block_inference.h"
#include "strategy/scenario.h"

namespace cox::service {
namespace {

using Pattern = v1::PatternTime::Pattern;

constexpr int kMaxTimes = 100'000;
constexpr int64_t kMaxN = int64_t{1} << 24;

absl::Status CheckTime(const v1::PatternTime& time, const std::string& prefix) {
  if (time.pattern() <= v1::PatternTime::PATTERN_UNSPECIFIED ||
      time.pattern() > v1::PatternTime::PATTERN_PAIRS_ACROSS) {
    return domain::InvalidField(prefix + "pattern", "is required");
  }
  if (time.pattern() != v1::PatternTime::PATTERN_PING_PONG && (time.n() < 1 || time.n() > kMaxN)) {
    return domain::InvalidField(prefix + "n",
                                absl::StrCat(time.n(), " is not between 1 and ", kMaxN));
  }
  if (time.block_bytes() < 0 || time.block_bytes() > domain::kMaxBlockBytes) {
    return domain::InvalidField(
        prefix + "block_bytes",
        absl::StrCat(time.block_bytes(), " is not between 0 and ", domain::kMaxBlockBytes));
  }
  if (std::isfinite(time.time_s()) && time.time_s() > 0) return absl::OkStatus();
  return domain::InvalidField(prefix + "time_s",
                              absl::StrCat(time.time_s(), " is not a finite number > 0"));
}

absl::Status Check(const v1::InferBlocksRequest& request) {
  if (request.channels() < 0 || request.channels() > kMaxN) {
    return domain::InvalidField("channels",
                                absl::StrCat(request.channels(), " is not between 0 and ", kMaxN));
  }
  if (request.times_size() > kMaxTimes) {
    return domain::InvalidField(
        "times", absl::StrCat("at most ", kMaxTimes, "; there are ", request.times_size()));
  }
  for (int i = 0; i < request.times_size(); ++i) {
    absl::Status status = CheckTime(request.times(i), absl::StrCat("times[", i, "]."));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<model::LimitSample> LimitsOf(const v1::InferBlocksRequest& request, Pattern pattern) {
  std::vector<model::PatternSeconds> times;
  for (const v1::PatternTime& time : request.times()) {
    if (time.pattern() != pattern) continue;
    const int64_t n = pattern == v1::PatternTime::PATTERN_PING_PONG ? 2 : time.n();
    times.push_back({n, static_cast<double>(time.block_bytes()), time.time_s()});
  }
  return model::LimitsOf(std::move(times));
}

absl::Status Missing(absl::string_view what) {
  return domain::InvalidField(
      "times", absl::StrCat("there must be ", what, " with messages of at most ",
                            model::kShortBytes, " bytes and of at least ", model::kLongBytes));
}

absl::StatusOr<model::Inference> Infer(const v1::InferBlocksRequest& request) {
  const auto round_trips = LimitsOf(request, v1::PatternTime::PATTERN_PING_PONG);
  const auto pairs = LimitsOf(request, v1::PatternTime::PATTERN_PAIRS);
  const model::LimitSample trip = round_trips.empty() ? model::LimitSample() : round_trips[0];
  switch (request.network()) {
    case v1::InferBlocksRequest::NETWORK_SHARED_MEDIUM: {
      if (!trip.a_s.has_value() || !trip.b_s_per_byte.has_value()) return Missing("ping-pongs");
      const auto estimator = request.exact() ? model::SharedMediumEstimator::kExact
                                             : model::SharedMediumEstimator::kPaper;
      return model::InferSharedMedium({*trip.a_s, *trip.b_s_per_byte},
                                      LimitsOf(request, v1::PatternTime::PATTERN_ALL_TO_ALL),
                                      estimator);
    }
    case v1::InferBlocksRequest::NETWORK_MULTISTAGE:
      if (!trip.a_s.has_value()) return Missing("ping-pongs");
      return model::InferMultistage(*trip.a_s, pairs,
                                    LimitsOf(request, v1::PatternTime::PATTERN_PAIRS_ACROSS),
                                    std::max<int64_t>(1, request.channels()));
    case v1::InferBlocksRequest::NETWORK_MESH_ROW:
      return model::InferMeshRow(pairs);
    default:
      return domain::InvalidField("network", "must be shared medium, multistage or mesh row");
  }
}

// The inference names its own arguments.
absl::Status WithTimesField(const absl::Status& status) {
  const std::string field = domain::FieldOf(status);
  if (field == "times" || field == "network") return status;
  return domain::InvalidField("times", status.message());
}

}  // namespace

absl::Status AnswerInferBlocks(const v1::InferBlocksRequest& request,
                               v1::InferBlocksResponse* response) {
  if (absl::Status valid = Check(request); !valid.ok()) return valid;
  const auto inference = Infer(request);
  if (!inference.ok()) return WithTimesField(inference.status());
  for (const model::InferredParameter& parameter : inference->parameters) {
    v1::InferredParameter* out = response->add_parameters();
    out->set_name(parameter.name);
    out->set_value(parameter.value);
    // A combination of start-ups begins with a factor or an a.
    out->set_unit(parameter.name[0] == 'b' ? "s/byte" : "s");
    out->set_relation(std::string(model::RelationName(parameter.relation)));
  }
  response->set_stopped_at_n(inference->stopped_at_n);
  return absl::OkStatus();
}

}  // namespace cox::service
