#include "cli/validate/question.h"

#include <cox/v1/advice.pb.h>

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/exit_code.h"
#include "cli/methods.h"

namespace cox::cli {
namespace {

// A request stays below a megabyte.
constexpr int kMessagesPerRequest = 30'000;

struct Question {
  std::string verb;
  std::map<std::string, std::string, std::less<>> words;
  std::vector<v1::WhatIf> what_if;

  std::string Word(absl::string_view key) const {
    const auto found = words.find(key);
    return found == words.end() ? "" : found->second;
  }
  int64_t Number(absl::string_view key) const {
    int64_t number = 0;
    return absl::SimpleAtoi(Word(key), &number) ? number : 0;
  }
};

Question Parse(const std::string& text) {
  Question question;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (question.verb.empty()) {
      question.verb = std::string(word);
      continue;
    }
    const size_t last = word.rfind('=');
    absl::string_view changed = word.substr(0, last);
    double value = 0;
    if (absl::ConsumePrefix(&changed, "if:") && absl::SimpleAtod(word.substr(last + 1), &value)) {
      v1::WhatIf& change = question.what_if.emplace_back();
      change.set_parameter(std::string(changed));
      change.set_value(value);
      continue;
    }
    // A knob of a kernel or a pattern has an equals sign of its own.
    const std::pair<std::string, std::string> pair = absl::StrSplit(word, absl::MaxSplits('=', 1));
    question.words.insert(pair);
  }
  return question;
}

template <class Request>
void SetCommon(const Question& question, Request* request) {
  request->set_machine(question.Word("m"));
  request->set_ranks(question.Number("p"));
  request->set_model(question.Word("model"));
  for (const v1::WhatIf& change : question.what_if) *request->add_what_if() = change;
}

template <class Response>
absl::StatusOr<double> CostIn(const Response& response) {
  if (response.predictions_size() != 1) return absl::InternalError("not one prediction");
  const v1::Prediction& prediction = response.predictions(0);
  return prediction.units() > 0 ? prediction.units() : prediction.time_s();
}

absl::StatusOr<double> AskPredict(const Question& question, Connection& connection) {
  v1::PredictRequest request;
  SetCommon(question, &request);
  request.set_collective(question.Word("c"));
  request.set_strategy(question.Word("s"));
  request.set_ppn(question.Number("ppn"));
  request.set_block_bytes(question.Number("b"));
  v1::PredictResponse response;
  absl::Status status = connection.Call(kPredict, request, response);
  if (!status.ok()) return status;
  return CostIn(response);
}

absl::StatusOr<double> AskKernel(const Question& question, Connection& connection) {
  v1::EvaluateKernelRequest request;
  SetCommon(question, &request);
  request.set_kernel(question.Word("k"));
  request.set_size(question.Number("n"));
  v1::EvaluateKernelResponse response;
  absl::Status status = connection.Call(kEvaluateKernel, request, response);
  if (!status.ok()) return status;
  return CostIn(response);
}

using Requests = std::vector<v1::EvaluatePatternRequest>;

void AddMessage(int64_t source, int64_t destination, int64_t bytes, Requests* requests) {
  if (source == destination) return;
  if (requests->size() == 1 || requests->back().sources_size() == kMessagesPerRequest) {
    requests->emplace_back();
  }
  v1::EvaluatePatternRequest& request = requests->back();
  request.add_sources(source);
  request.add_destinations(destination);
  request.add_block_bytes(bytes);
}

// The messages of "to=SxD" or "degree=D".
void AddMessages(const Question& question, Requests* requests) {
  const int64_t bytes = question.Number("b");
  const int64_t ranks = question.Number("p");
  int64_t senders = ranks;
  int64_t receivers = question.Number("degree");
  const bool is_ring = receivers > 0;
  if (!is_ring) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(question.Word("to"), 'x');
    if (!absl::SimpleAtoi(sides.first, &senders) || !absl::SimpleAtoi(sides.second, &receivers)) {
      return;
    }
  }
  for (int64_t source = 0; source < senders; ++source) {
    for (int64_t i = 0; i < receivers; ++i) {
      AddMessage(source, is_ring ? (source + i + 1) % ranks : i, bytes, requests);
    }
  }
}

absl::StatusOr<double> AskPattern(const Question& question, Connection& connection) {
  Requests requests(1);
  v1::PatternHeader& header = *requests[0].mutable_header();
  SetCommon(question, &header);
  header.set_ppn(question.Number("ppn"));
  if (const std::string route = question.Word("route"); !route.empty()) header.add_routes(route);
  if (question.verb == "pattern") {
    header.set_pattern(question.Word("pattern"));
    header.set_block_bytes(question.Number("b"));
  } else {
    AddMessages(question, &requests);
  }
  v1::EvaluatePatternResponse response;
  absl::Status status = connection.CallWithStream(kEvaluatePattern, requests, response);
  if (!status.ok()) return status;
  return CostIn(response);
}

constexpr std::pair<absl::string_view, absl::StatusOr<double> (*)(const Question&, Connection&)>
    kVerbs[] = {
        {"predict", AskPredict},
        {"kernel", AskKernel},
        {"pattern", AskPattern},
        {"messages", AskPattern},
};

}  // namespace

absl::StatusOr<double> Ask(const std::string& question, Connection& connection) {
  const Question parsed = Parse(question);
  for (const auto& [verb, ask] : kVerbs) {
    if (verb != parsed.verb) continue;
    absl::StatusOr<double> cost = ask(parsed, connection);
    if (cost.ok()) return cost;
    return WithMessage(cost.status(),
                       absl::StrCat("\"", question, "\": ", cost.status().message()));
  }
  return absl::InvalidArgumentError(absl::StrCat("\"", question, "\": unknown verb"));
}

}  // namespace cox::cli
