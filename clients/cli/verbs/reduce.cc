// cox reduce: a graph of communication blocks as one block of the hyperbolic model.
#include <cox/v1/model.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/verbs/verbs.h"
#include "console/table.h"
#include "console/units.h"
#include "files/file_io.h"

namespace cox::cli {
namespace {

struct ReduceOptions {
  std::string file;
  std::string long_file;  // "": short and long messages take the same ways
  std::vector<int64_t> block_bytes;
};

// The line in which a text is not JSON; 0 if it is JSON.
int64_t LineOfJsonError(const std::string& text) {
  try {
    if (!nlohmann::json::parse(text).is_discarded()) return 0;
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    return 1 + std::count(text.begin(), end, '\n');
  }
  return 0;
}

absl::Status ReadGraph(const std::string& file, v1::BlockGraph* graph) {
  const absl::StatusOr<std::string> text = ReadFile(file);
  if (!text.ok()) return text.status();
  const auto parsed = google::protobuf::util::JsonStringToMessage(*text, graph);
  if (parsed.ok() && graph->ByteSizeLong() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": has no block: give a_s and b_s_per_byte, or parts"));
  }
  if (parsed.ok()) return absl::OkStatus();
  const int64_t line = LineOfJsonError(*text);
  // Further lines show where.
  std::string message(parsed.message());
  if (absl::StartsWith(message, ": ")) message.erase(0, 2);
  return absl::InvalidArgumentError(
      absl::StrCat(file, line > 0 ? absl::StrCat(":", line, ": is not JSON: ") : ": ",
                   message.substr(0, message.find('\n')), "; see `cox reduce --help`"));
}

absl::Status Reduce(Session& session, const ReduceOptions& options) {
  v1::ReduceBlocksRequest request;
  absl::Status read = ReadGraph(options.file, request.mutable_graph());
  if (read.ok() && !options.long_file.empty()) {
    read = ReadGraph(options.long_file, request.mutable_long_graph());
  }
  if (!read.ok()) return read;
  for (const int64_t bytes : options.block_bytes) request.add_block_bytes(bytes);
  v1::ReduceBlocksResponse response;
  absl::Status status = session.connection().Call(kReduceBlocks, request, response);
  if (!status.ok()) return WithMessage(status, absl::StrCat(options.file, ": ", status.message()));
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  if (response.steps_size() > 0) {
    console::Table steps({{"RULE", console::Align::kRight},
                          {"a", console::Align::kRight},
                          {"b", console::Align::kRight},
                          {"STEP"}});
    for (const v1::ReductionStep& step : response.steps()) {
      steps.Add({absl::StrCat(step.rule()), console::FormatTime(step.a_s()),
                 console::FormatQuantity(step.b_s_per_byte(), "s/byte"), step.text()});
    }
    steps.Print(session.out());
    session.out() << '\n';
  }
  session.out() << "one block: a = " << console::FormatTime(response.a_s())
                << ", b = " << console::FormatQuantity(response.b_s_per_byte(), "s/byte")
                << ", T(x) = a^2 / (a + b x) + b x\n";
  if (response.time_s_size() == 0) return absl::OkStatus();
  if (response.time_s_size() != request.block_bytes_size()) {
    return absl::InternalError(absl::StrCat("coxd answered ", response.time_s_size(), " times of ",
                                            request.block_bytes_size(), " sizes"));
  }
  session.out() << '\n';
  console::Table times({{"BYTES", console::Align::kRight}, {"TIME", console::Align::kRight}});
  for (int i = 0; i < response.time_s_size(); ++i) {
    times.Add(
        {console::FormatBytes(request.block_bytes(i)), console::FormatTime(response.time_s(i))});
  }
  times.Print(session.out());
  return absl::OkStatus();
}

}  // namespace

void AddReduceVerb(Verb app) {
  Verb verb = app.Sub(
      "reduce", "Reduce a graph of communication blocks to one block of the hyperbolic model");
  verb.Footer(
      "Example:\n"
      "  cox reduce --file path.json -b 0,1k,64k\n"
      "The file is JSON, a BlockGraph of the API. A block has a_s (seconds of the shortest\n"
      "message) and b_s_per_byte (of long ones). KIND_SERIAL, KIND_PARALLEL and\n"
      "KIND_CONCURRENT have parts:\n"
      "  {\"kind\": \"KIND_SERIAL\", \"dependent\": true, \"parts\": [\n"
      "    {\"name\": \"send\", \"a_s\": 40e-6, \"b_s_per_byte\": 20e-9},\n"
      "    {\"name\": \"wire\", \"a_s\": 10e-6, \"b_s_per_byte\": 80e-9}]}\n"
      "If long messages take other ways, --long-file has their graph. The reduced block then\n"
      "has the a_s of --file and the b_s_per_byte of --long-file.");
  auto options = std::make_shared<ReduceOptions>();
  verb.Text("--file", options->file, "The graph").Type("FILE").Required();
  verb.Text("--long-file", options->long_file, "The graph of long messages, if it is another one")
      .Type("FILE");
  AddBytesOption(verb, options->block_bytes)
      .Describe("Sizes to give the time of the reduced block for: a number or a sweep");
  verb.Do([options](Session& session) { return Reduce(session, *options); });
}

}  // namespace cox::cli
