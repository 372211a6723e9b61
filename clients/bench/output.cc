#include "bench/output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace cox::bench {
namespace {

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

absl::Status SystemError(const std::string& path, int error) {
  const std::string reason = std::strerror(error);
  return absl::UnavailableError(absl::StrCat("--output: cannot write ", path, ": ", reason));
}

// True for a device or a pipe: it can only be written to, and a rename onto it would replace it.
bool IsSpecial(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return std::filesystem::is_character_file(status) || std::filesystem::is_fifo(status) ||
         std::filesystem::is_block_file(status) || std::filesystem::is_socket(status);
}

const char* HeaderOf(Options::Mode mode) {
  switch (mode) {
    case Options::Mode::kPointToPoint:
      return "machine,kind,level,pattern,pairs,block_bytes,time_s,ranks,messages,senders";
    case Options::Mode::kBlocks:
      return "machine,library,network,kind,n,block_bytes,time_s";
    default:
      return "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,run,count,"
             "statistic,stddev_s,at,type_bytes";
  }
}

}  // namespace

Output::~Output() {
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  if (!part_path_.empty()) std::remove(part_path_.c_str());
}

absl::Status Output::Open() {
  file_ = stdout;
  if (!options_.output.empty()) {
    if (!IsSpecial(options_.output)) part_path_ = options_.output + ".part";
    const std::string& path = part_path_.empty() ? options_.output : part_path_;
    file_ = std::fopen(path.c_str(), "w");
    if (file_ == nullptr) return SystemError(path, errno);
  }
  absl::FPrintF(file_, "%s\n", HeaderOf(options_.mode));
  return absl::OkStatus();
}

void Output::Write(const PairRow& row, const std::vector<double>& times_s) {
  WriteSample({Kind::kPingPong, row.level, 2 * row.pairs, 1, row.pairs, row.block_bytes}, row.pairs,
              times_s);
}

void Output::Write(const PatternCell& cell, const std::vector<double>& times_s) {
  // All ranks of a node take part in a pattern: the nearest meaning of "pairs".
  WriteSample(cell, cell.level == "node" ? std::max<int64_t>(1, cell.ranks / 2) : 1, times_s);
}

void Output::WriteSample(const PatternCell& cell, int64_t pairs,
                         const std::vector<double>& times_s) {
  for (const double time_s : Shown(times_s)) {
    if (!(time_s > 0)) continue;  // noise hid the overhead in this sample
    absl::FPrintF(file_, "%s,%s,%s,%s:%s,%d,%d,%.6g,%d,%d,%d\n", options_.machine,
                  KindName(cell.kind), cell.level,
                  cell.kind == Kind::kPingPong ? "pairwise" : "pattern", options_.library, pairs,
                  cell.block_bytes, time_s, cell.ranks, cell.messages, cell.senders);
  }
  Flush();
}

std::vector<double> Output::Shown(const std::vector<double>& times_s) const {
  return options_.raw ? times_s : std::vector<double>{Summarise(times_s).median_s};
}

void Output::Write(const BlockCell& cell, const std::vector<double>& times_s) {
  for (const double time_s : Shown(times_s)) {
    absl::FPrintF(file_, "%s,%s,%s,%s,%d,%d,%.6g\n", options_.machine, options_.library,
                  NetworkName(options_.network), KindName(cell.pattern.kind), cell.n,
                  cell.pattern.block_bytes, time_s);
  }
  Flush();
}

void Output::Write(const CollectiveRow& row, const std::vector<double>& times_s) {
  const std::string scenario = absl::StrFormat(
      "%s,%s,%s,%s,%d,%d,%d,%d", options_.machine, options_.library, row.collective,
      options_.AlgorithmOf(row.collective), row.nodes, row.ppn, row.ranks, row.block_bytes);
  const std::string at = Now();
  if (options_.raw) {
    for (size_t i = 0; i < times_s.size(); ++i) {
      absl::FPrintF(file_, "%s,%.6g,%s/%d,1,sample,0,%s,%d\n", scenario, times_s[i], options_.run,
                    i, at, row.type_bytes);
    }
  } else {
    const Summary summary = Summarise(times_s);
    absl::FPrintF(file_, "%s,%.6g,%s,%d,median,%.3g,%s,%d\n", scenario, summary.median_s,
                  options_.run, summary.count, summary.stddev_s, at, row.type_bytes);
  }
  Flush();
}

void Output::Flush() {
  if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
}

absl::Status Output::Close() {
  Flush();
  std::FILE* file = file_;
  file_ = nullptr;
  if (file == stdout) {
    return error_ == 0 ? absl::OkStatus() : SystemError("standard output", error_);
  }
  if (std::fclose(file) != 0 && error_ == 0) error_ = errno;
  const bool renames = !part_path_.empty();
  if (renames && error_ == 0 && std::rename(part_path_.c_str(), options_.output.c_str()) != 0) {
    error_ = errno;
  }
  if (error_ == 0) return absl::OkStatus();
  if (renames) std::remove(part_path_.c_str());
  return SystemError(options_.output, error_);
}

}  // namespace cox::bench
