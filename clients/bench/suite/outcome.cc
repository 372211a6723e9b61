#include "bench/suite/outcome.h"

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace cox::bench {
namespace {

using Fields = std::map<std::string, std::string>;

absl::Status Read(const Fields& fields, const std::string& name, double* value) {
  const auto found = fields.find(name);
  if (found != fields.end() && absl::SimpleAtod(found->second, value)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the example's output has no ", name));
}

// An object, or an array, that is missing where it should be is an empty one.
const nlohmann::json& Member(const nlohmann::json& object, const char* name) {
  static const auto* const kNothing = new nlohmann::json();
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? *kNothing : *found;
}

double Number(const nlohmann::json& value) { return value.is_number() ? value.get<double>() : 0; }
std::string Text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

double ComputeTime(const nlohmann::json& prediction) {
  double time_s = 0;
  for (const nlohmann::json& term : Member(prediction, "terms")) {
    if (Text(Member(term, "name")) == "compute") time_s += Number(Member(term, "time_s"));
  }
  return time_s;
}

}  // namespace

absl::StatusOr<std::vector<Measurement>> ParseMeasurements(absl::string_view text) {
  std::vector<Measurement> all;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.substr(0, 8) != "program=") continue;
    Fields fields;
    for (const absl::string_view word : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
      fields.insert(absl::StrSplit(word, absl::MaxSplits('=', 1)));
    }
    Measurement measurement;
    double exchanges = 0;
    absl::Status status = Read(fields, "time_s", &measurement.time_s);
    status.Update(Read(fields, "communication_s", &measurement.communication_s));
    status.Update(Read(fields, "work_s", &measurement.work_s));
    status.Update(Read(fields, "exchange_s", &measurement.exchange_s));
    status.Update(Read(fields, "exchanges", &exchanges));
    if (!status.ok()) return status;
    measurement.exchanges = static_cast<int64_t>(exchanges);
    measurement.algorithm = fields["algorithm"];
    if (fields["right"] != "yes") {
      return absl::FailedPreconditionError(
          absl::StrCat(fields["program"], " by ", measurement.algorithm, ": the result is wrong"));
    }
    all.push_back(std::move(measurement));
  }
  if (all.empty()) return absl::InvalidArgumentError("the example printed no result");
  return all;
}

absl::StatusOr<Forecast> ParseForecast(absl::string_view json, bool is_kernel) {
  const nlohmann::json document = nlohmann::json::parse(json, nullptr, false);
  const nlohmann::json& responses = Member(document, "responses");
  if (!responses.is_array() || responses.size() != 1) {
    return absl::InvalidArgumentError("cox answered without one response");
  }
  const nlohmann::json& answer = responses.front();
  const nlohmann::json& predictions = Member(answer, "predictions");
  if (!predictions.is_array())
    return absl::InvalidArgumentError("cox answered without predictions");
  Forecast forecast;
  forecast.operations = Number(Member(answer, "operation_count"));
  for (const nlohmann::json& prediction : predictions) {
    const double time_s = Number(Member(prediction, "time_s"));
    if (time_s == 0 && Number(Member(prediction, "units")) > 0) continue;
    const std::string route = is_kernel ? "" : Text(Member(prediction, "strategy"));
    forecast.communication_s[route][Text(Member(prediction, "model"))] =
        time_s - ComputeTime(prediction);
  }
  return forecast;
}

bool Compare(const Outcome& outcome, const Measurement& measurement, const std::string& model,
             Comparison* comparison) {
  const bool is_kernel = !outcome.experiment.kernel.empty();
  const auto& routes = outcome.forecast.communication_s;
  const auto models = routes.find(is_kernel ? "" : measurement.algorithm);
  if (models == routes.end()) return false;
  const auto predicted = models->second.find(model);
  if (predicted == models->second.end()) return false;
  if (!is_kernel) {
    if (measurement.exchanges < 1) return false;
    comparison->measured_s = measurement.exchange_s / static_cast<double>(measurement.exchanges);
    comparison->predicted_s = predicted->second;
    return true;
  }
  const bool whole = !outcome.experiment.communication_only;
  comparison->measured_s = whole ? measurement.time_s : measurement.communication_s;
  comparison->predicted_s = predicted->second + (whole ? measurement.work_s : 0);
  return true;
}

}  // namespace cox::bench
