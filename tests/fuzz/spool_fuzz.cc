// The agent's spool. The input is a file that lies there already, and the texts of a batch. What is
// appended can be read as CSV, and the file keeps its bound.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "agent/stream/observation.h"
#include "agent/stream/spool.h"
#include "console/csv.h"
#include "expect.h"
#include "folder.h"

using cox::fuzz::Expect;

namespace {

constexpr int64_t kMostBytes = 1'500;

cox::agent::Batch BatchWith(const std::string& text) {
  cox::agent::Batch batch;
  batch.job = text;
  batch.source = text;
  cox::agent::Observation row;
  row.machine = "m";
  row.library = text;
  row.collective = "bcast";
  row.algorithm = text;
  row.nodes = row.ppn = row.ranks = row.count = 1;
  row.time_s = 1e-6;
  batch.observations.assign(3, row);
  return batch;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const cox::fuzz::Folder kFolder;
  if (size == 0) return 0;
  const size_t text_bytes = data[0] % 64;
  const absl::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string text(rest.substr(0, text_bytes));
  const absl::string_view before = rest.substr(text.size());
  const std::string path = kFolder.File("spool.csv");
  std::filesystem::remove(path);
  if (!before.empty()) kFolder.Write("spool.csv", before);
  int64_t lost = 0;
  {
    cox::agent::Spool spool(path, kMostBytes);
    lost = spool.Append(BatchWith(text));
    Expect(lost >= 0 && lost <= 3, "a wrong count of what is lost");
    Expect(lost == 0 || !spool.problem().empty(), "a loss without a reason");
  }
  const auto bytes = std::filesystem::exists(path) ? std::filesystem::file_size(path) : 0;
  Expect(bytes <= std::max<uint64_t>(kMostBytes, before.size()), "the spool is too long");
  Expect(lost < 3 || bytes == before.size() || before.empty(), "a refused file was changed");
  // Into a new file all goes, and it is read as it was written.
  if (!before.empty() || lost > 0 || absl::StrContains(text, '\0')) return 0;
  std::ifstream in(path);
  cox::console::CsvReader reader(&in);
  cox::console::CsvRecord record;
  int records = 0;
  size_t columns = 0;
  while (reader.Next(record)) {
    Expect(record.error.ok(), "a row that cannot be read");
    if (records++ == 0) columns = record.fields.size();
    Expect(record.fields.size() == columns, "a row of another width");
  }
  Expect(records == 4, "a row is missing");
  return 0;
}
