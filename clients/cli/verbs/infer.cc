// cox infer: the communication blocks of a machine from times of whole patterns.
#include <cox/v1/model.pb.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/files/record_file.h"
#include "cli/files/row_parser.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/verbs/verbs.h"
#include "console/numbers.h"
#include "console/table.h"
#include "console/units.h"

namespace cox::cli {
namespace {

using Pattern = v1::PatternTime;
using Request = v1::InferBlocksRequest;

struct Options {
  std::string file;
  std::string network;
  int64_t channels = 0;
  bool exact = false;
};

constexpr std::pair<const char*, Pattern::Pattern> kPatterns[] = {
    {"ping-pong", Pattern::PATTERN_PING_PONG},
    {"all-to-all", Pattern::PATTERN_ALL_TO_ALL},
    {"pairs", Pattern::PATTERN_PAIRS},
    {"pairs-across", Pattern::PATTERN_PAIRS_ACROSS},
};
constexpr std::pair<const char*, Request::Network> kNetworks[] = {
    {"shared-medium", Request::NETWORK_SHARED_MEDIUM},
    {"multistage", Request::NETWORK_MULTISTAGE},
    {"mesh-row", Request::NETWORK_MESH_ROW},
};

enum Column : size_t { kPattern, kN, kBytes, kTime };
constexpr ColumnSpec kColumns[] = {
    {"pattern", true}, {"n", false}, {"block_bytes", true}, {"time_s", true}};
constexpr size_t kMaxWordBytes = 64;
constexpr int64_t kMaxN = int64_t{1} << 24;

absl::Status ReadTimes(const std::string& path, Session& session, Request* request) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file = RecordFile::Open(path, kColumns);
  if (!file.ok()) return file.status();
  while ((*file)->Next()) {
    RowParser row(**file);
    const std::string name = row.Text(kPattern, kMaxWordBytes);
    const auto* found = std::find_if(std::begin(kPatterns), std::end(kPatterns),
                                     [&](const auto& entry) { return entry.first == name; });
    if (found == std::end(kPatterns)) {
      row.Fail(kPattern, "must be ping-pong, all-to-all, pairs or pairs-across");
    }
    v1::PatternTime& time = *request->add_times();
    time.set_n(row.IntegerOr(kN, 1, kMaxN, 2));
    time.set_block_bytes(row.Integer(kBytes, 0, console::kMaxBytes));
    time.set_time_s(row.Positive(kTime));
    if (!row.ok()) return row.status();
    time.set_pattern(found->second);
  }
  if (const std::string note = (*file)->IgnoredNote(); !note.empty()) session.Note(note);
  return absl::OkStatus();
}

absl::Status Infer(Session& session, const Options& options) {
  Request request;
  absl::Status status = ReadTimes(options.file, session, &request);
  if (!status.ok()) return status;
  for (const auto& [name, network] : kNetworks) {
    if (options.network == name) request.set_network(network);
  }
  request.set_channels(options.channels);
  request.set_exact(options.exact);
  v1::InferBlocksResponse response;
  status = session.connection().Call(kInferBlocks, request, response);
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat(options.file, ": ", status.message()));
  }
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  console::Table table({{"PARAMETER"}, {"VALUE", console::Align::kRight}, {"RELATION"}});
  for (const v1::InferredParameter& parameter : response.parameters()) {
    table.Add({parameter.name(), console::FormatQuantity(parameter.value(), parameter.unit()),
               parameter.relation()});
  }
  table.Print(session.out());
  if (response.stopped_at_n() > 0) {
    session.out() << "\na larger n than " << response.stopped_at_n()
                  << " changes the estimate by less than 5 %\n";
  }
  return absl::OkStatus();
}

}  // namespace

void AddInferVerb(Verb app) {
  Verb verb = app.Sub("infer", "Infer communication blocks from times of whole patterns");
  verb.Footer(
      "Example:\n"
      "  cox infer --file times.csv --network shared-medium\n"
      "The file has the columns pattern,n,block_bytes,time_s. A pattern is ping-pong (half a\n"
      "round trip), all-to-all among n ranks, n disjoint pairs, or pairs-across two frames. Each\n"
      "needs times of messages of at most 64 bytes and of at least 65536 bytes.");
  auto options = std::make_shared<Options>();
  verb.Text("--file", options->file, "The times: CSV").Type("FILE").Required();
  verb.Text("--network", options->network, "How the ranks are joined")
      .OneOf({"shared-medium", "multistage", "mesh-row"})
      .Required();
  AddCount(verb, "--channels", options->channels, 1, kMaxN,
           "Of a multistage network: channels between two frames (default 1)");
  verb.Flag("--exact", options->exact,
            "Of a shared medium: solve for the wire instead of the paper's estimate");
  verb.Do([options](Session& session) { return Infer(session, *options); },
          [options](const GlobalOptions&) {
            if (options->channels > 0 && options->network != "multistage") {
              return UsageError("--channels needs --network multistage");
            }
            if (options->exact && options->network != "shared-medium") {
              return UsageError("--exact needs --network shared-medium");
            }
            return absl::OkStatus();
          });
}

}  // namespace cox::cli
