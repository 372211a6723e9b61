// cox infer: the communication blocks of a machine from times of whole patterns.
#include <cox/v1/model.pb.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/exit_code.h"
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

struct InferOptions {
  std::string file;
  int64_t channels = 0;
  bool exact = false;
};

// The words of cox-bench blocks.
constexpr std::pair<const char*, Pattern::Pattern> kKinds[] = {
    {"pingpong", Pattern::PATTERN_PING_PONG},
    {"alltoall", Pattern::PATTERN_ALL_TO_ALL},
    {"pairs", Pattern::PATTERN_PAIRS},
    {"pairs_across", Pattern::PATTERN_PAIRS_ACROSS},
};
constexpr std::pair<const char*, Request::Network> kNetworks[] = {
    {"shared-medium", Request::NETWORK_SHARED_MEDIUM},
    {"multistage", Request::NETWORK_MULTISTAGE},
    {"mesh-row", Request::NETWORK_MESH_ROW},
};

// Where the times were measured is for people.
enum Column : size_t { kMachine, kLibrary, kNetwork, kKind, kN, kBytes, kTime };
constexpr ColumnSpec kColumns[] = {{"machine", false}, {"library", false}, {"network", true},
                                   {"kind", true},     {"n", true},        {"block_bytes", true},
                                   {"time_s", true}};
constexpr size_t kMaxWordBytes = 64;
constexpr int64_t kMaxN = int64_t{1} << 24;

// The value of the word in a table; fails the row with the table's words if it has no such word.
template <typename Value, size_t kWords>
Value WordOf(const std::pair<const char*, Value> (&words)[kWords], Column column, RowParser* row) {
  const std::string text = row->Text(column, kMaxWordBytes);
  std::vector<std::string> known;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    known.emplace_back(word);
  }
  row->Fail(column, absl::StrCat("must be one of ", absl::StrJoin(known, ", ")));
  return {};
}

absl::Status ReadTimes(const std::string& path, Session& session, Request* request) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file = RecordFile::Open(path, kColumns);
  if (!file.ok()) return file.status();
  while ((*file)->Next()) {
    RowParser row(**file);
    const Request::Network network = WordOf(kNetworks, kNetwork, &row);
    if (request->times_size() > 0 && network != request->network()) {
      row.Fail(kNetwork, "must be the same in all rows");
    }
    request->set_network(network);
    v1::PatternTime& time = *request->add_times();
    time.set_pattern(WordOf(kKinds, kKind, &row));
    time.set_n(row.Integer(kN, 1, kMaxN));
    time.set_block_bytes(row.Integer(kBytes, 0, console::kMaxBytes));
    time.set_time_s(row.Positive(kTime));
    if (!row.ok()) return row.status();
  }
  if (const std::string note = (*file)->IgnoredNote(); !note.empty()) session.Note(note);
  if (request->times_size() > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": has no times"));
}

// Options that only one network has.
absl::Status CheckNetwork(const InferOptions& options, Request::Network network) {
  if (options.channels > 0 && network != Request::NETWORK_MULTISTAGE) {
    return absl::InvalidArgumentError(
        absl::StrCat("--channels: the network in ", options.file, " is not multistage"));
  }
  if (options.exact && network != Request::NETWORK_SHARED_MEDIUM) {
    return absl::InvalidArgumentError(
        absl::StrCat("--exact: the network in ", options.file, " is not shared-medium"));
  }
  return absl::OkStatus();
}

absl::Status Infer(Session& session, const InferOptions& options) {
  Request request;
  absl::Status status = ReadTimes(options.file, session, &request);
  if (status.ok()) status = CheckNetwork(options, request.network());
  if (!status.ok()) return status;
  request.set_channels(options.channels);
  request.set_exact(options.exact);
  v1::InferBlocksResponse response;
  status = session.connection().Call(kInferBlocks, request, response);
  if (!status.ok()) {
    return WithMessage(status, absl::StrCat(options.file, ": ", status.message()));
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
      "  mpirun -np 8 cox-bench blocks --network shared-medium -o times.csv\n"
      "  cox infer --file times.csv\n"
      "The file has the columns network,kind,n,block_bytes,time_s. A network is shared-medium,\n"
      "multistage or mesh-row. A kind is pingpong (half a round trip), alltoall among n ranks, n\n"
      "disjoint pairs, or n pairs_across two frames. Each needs times of messages of at most 64\n"
      "bytes and of at least 65536 bytes.");
  auto options = std::make_shared<InferOptions>();
  verb.Text("--file", options->file, "The times: CSV").Type("FILE").Required();
  AddCount(verb, "--channels", options->channels, 1, kMaxN,
           "Of a multistage network: channels between two frames (default 1)");
  verb.Flag("--exact", options->exact,
            "Of a shared medium: solve for the wire instead of the paper's estimate");
  verb.Do([options](Session& session) { return Infer(session, *options); });
}

}  // namespace cox::cli
