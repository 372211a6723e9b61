#include "cli/files/pattern_file.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/files/record_file.h"
#include "cli/files/row_parser.h"
#include "console/numbers.h"

namespace cox::cli {
namespace {

// A request stays below a megabyte: three numbers of at most ten bytes each.
constexpr int kRowsPerRequest = 30'000;

enum Column : size_t { kSource, kDestination, kBytes };
constexpr ColumnSpec kColumns[] = {{"src", true}, {"dst", true}, {"bytes", true}};

int64_t RankIn(Column column, int64_t ranks, RowParser* row) {
  const int64_t rank = row->Integer(column, 0, kMaxPatternRanks - 1);
  if (rank >= ranks) {
    row->Fail(column, absl::StrCat("is rank ", rank, " of a pattern of ", ranks,
                                   " ranks: ranks begin at 0"));
  }
  return rank;
}

}  // namespace

absl::StatusOr<std::string> ReadPatternFile(const std::string& path, int64_t ranks,
                                            std::vector<v1::EvaluatePatternRequest>* requests) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file = RecordFile::Open(path, kColumns);
  if (!file.ok()) return file.status();
  v1::EvaluatePatternRequest* request = nullptr;
  int64_t rows = 0;
  while ((*file)->Next()) {
    if (++rows > kMaxPatternRows) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", (*file)->line(), ": more than ",
                                                     kMaxPatternRows,
                                                     " messages; sum some of them up"));
    }
    if (request == nullptr || request->sources_size() == kRowsPerRequest) {
      request = &requests->emplace_back();
    }
    RowParser row(**file);
    request->add_sources(RankIn(kSource, ranks, &row));
    request->add_destinations(RankIn(kDestination, ranks, &row));
    request->add_block_bytes(row.Integer(kBytes, 0, console::kMaxBytes));
    if (!row.ok()) return row.status();
  }
  if (rows == 0) return absl::InvalidArgumentError(absl::StrCat(path, ": has no messages"));
  return (*file)->IgnoredNote();
}

}  // namespace cox::cli
