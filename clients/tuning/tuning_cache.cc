#include "tuning/tuning_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "files/file_io.h"
#include "library/fingerprint.h"

namespace cox::tuning {
namespace {

namespace fs = std::filesystem;

// Makes a text safe for a file's name.
std::string Plain(absl::string_view text) {
  constexpr size_t kMaxPart = 64;
  std::string plain(text.substr(0, kMaxPart));
  std::replace_if(
      plain.begin(), plain.end(),
      [](char c) { return !absl::ascii_isalnum(c) && c != '.' && c != '-' && c != '_'; }, '-');
  return plain;
}

constexpr absl::string_view NameOf(Question question) {
  switch (question) {
    case Question::kVariables:
      return "";
    case Question::kFile:
      return "-file";
    case Question::kDecisions:
      return "-decisions";
  }
  return "";
}

std::string Stem(const TuningKey& key) {
  return absl::StrCat(Plain(key.machine), "-", key.shape.nodes, "x", key.shape.ppn, "-",
                      Plain(key.library), key.assume.commutative ? "-commutative" : "",
                      key.assume.elements_at_least_ranks ? "-elements" : "",
                      key.assume.same_counts ? "-counts" : "", NameOf(key.question),
                      key.second_library.empty() ? "" : "-with-", Plain(key.second_library));
}

std::optional<absl::Time> ChangeTime(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return absl::TimeFromTimespec(info.st_mtim);
}

bool IsYoungerThan(const std::string& path, absl::Duration age) {
  const std::optional<absl::Time> at = ChangeTime(path);
  // A time in the future comes from a wrong clock.
  return at.has_value() && *at <= absl::Now() + absl::Seconds(1) && absl::Now() - *at < age;
}

constexpr absl::string_view kAnswerSuffix = ".answer";
constexpr absl::string_view kTextSuffix = ".conf";
constexpr absl::string_view kQuietSuffix = ".quiet";

// Takes the last part of a name, and the `mark` before it, off the name's end.
absl::string_view TakeLast(absl::string_view& name, char mark) {
  const size_t at = name.rfind(mark);
  if (at == absl::string_view::npos) return "";
  const absl::string_view part = name.substr(at + 1);
  name = name.substr(0, at);
  return part;
}

bool IsFingerprint(absl::string_view text) {
  return text.size() == library::Fingerprint("").size() &&
         std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
}

bool IsNumber(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// Whether a cache writes files with this name. A folder that somebody has named may hold others.
bool IsNameOfCache(absl::string_view name) {
  // A process that was killed leaves the file that would have replaced another.
  if (absl::string_view whole = name; IsFingerprint(TakeLast(whole, '.'))) name = whole;
  if (absl::ConsumeSuffix(&name, kAnswerSuffix)) return IsFingerprint(TakeLast(name, '-'));
  if (absl::ConsumeSuffix(&name, kQuietSuffix)) {
    return IsNumber(TakeLast(name, '-')) && IsFingerprint(TakeLast(name, '-'));
  }
  if (!absl::ConsumeSuffix(&name, kTextSuffix)) return false;
  const bool has_fingerprint = IsFingerprint(TakeLast(name, '-'));
  absl::string_view revision = TakeLast(name, '-');
  return has_fingerprint && absl::ConsumePrefix(&revision, "r") && IsNumber(revision);
}

int64_t ToMs(double time_s) { return std::llround(time_s * 1e3); }

// Slurm's plugin does not take other files. Older versions of cox wrote them where the umask is
// 002.
bool OnlyOwnerWrites(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void Touch(const std::string& path) { utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

}  // namespace

std::string TuningCache::DefaultFolder(const Environment& environment) {
  const char* cache = environment("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return absl::StrCat(cache, "/coxswain/tuning");
  const char* home = environment("HOME");
  if (home != nullptr && home[0] == '/') return absl::StrCat(home, "/.cache/coxswain/tuning");
  return "";
}

std::string TuningCache::AnswerPath(const TuningKey& key) const {
  return absl::StrCat(folder_, "/", Stem(key), "-", library::Fingerprint(key.server),
                      kAnswerSuffix);
}

std::string TuningCache::QuietPrefix(const std::string& server) const {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  return absl::StrCat(Plain(host.data()), "-", library::Fingerprint(server), "-");
}

std::optional<TuningCache::Entry> TuningCache::Load(const TuningKey& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = AnswerPath(key);
  const std::optional<absl::Time> confirmed = ChangeTime(path);
  if (!confirmed.has_value() || !IsYoungerThan(path, kMaxAge)) return std::nullopt;
  absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok() || content->empty()) return std::nullopt;
  return Entry{*std::move(content), *confirmed};
}

absl::Status TuningCache::Store(const TuningKey& key, const std::string& answer) const {
  return Write(AnswerPath(key), answer);
}

void TuningCache::Confirm(const TuningKey& key) const { Touch(AnswerPath(key)); }

absl::StatusOr<std::string> TuningCache::TextFile(const TuningKey& key, int64_t profile_revision,
                                                  const std::string& text) const {
  std::string path = absl::StrCat(folder_, "/", Stem(key), "-r", profile_revision, "-",
                                  library::Fingerprint(text), kTextSuffix);
  // A power loss may have emptied it.
  if (const auto held = ReadFile(path); held.ok() && *held == text && OnlyOwnerWrites(path)) {
    Touch(path);
    return path;
  }
  if (absl::Status status = Write(path, text); !status.ok()) return status;
  return path;
}

std::vector<TuningCache::Slow> TuningCache::SlowAnswers(const std::string& server) const {
  std::vector<Slow> rows;
  const std::string prefix = QuietPrefix(server);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename();
    absl::string_view limit_ms = name;
    Slow row;
    row.path = entry.path();
    const std::optional<absl::Time> at = ChangeTime(row.path);
    // After twice the longest pause a slow answer starts a new row.
    const bool is_row = absl::ConsumePrefix(&limit_ms, prefix) &&
                        absl::ConsumeSuffix(&limit_ms, kQuietSuffix) &&
                        absl::SimpleAtoi(limit_ms, &row.limit_ms) && at.has_value() &&
                        IsYoungerThan(row.path, 2 * kMostPause);
    if (!is_row) continue;
    const absl::StatusOr<std::string> content = ReadFile(row.path);
    if (!content.ok() || !absl::SimpleAtoi(*content, &row.count) || row.count < 1) continue;
    row.at = *at;
    rows.push_back(std::move(row));
  }
  return rows;
}

bool TuningCache::IsQuiet(const std::string& server, double limit_s) const {
  const int64_t limit_ms = ToMs(limit_s);
  for (const Slow& slow : SlowAnswers(server)) {
    if (limit_ms > slow.limit_ms) continue;
    absl::Duration pause = kFirstPause;
    for (int i = 1; i < slow.count && pause < kMostPause; ++i) pause *= kPauseGrowth;
    if (absl::Now() - slow.at < std::min(pause, kMostPause)) return true;
  }
  return false;
}

void TuningCache::NoteSlow(const std::string& server, double limit_s) const {
  const int64_t limit_ms = ToMs(limit_s);
  int count = 1;
  for (const Slow& slow : SlowAnswers(server)) {
    if (slow.limit_ms == limit_ms) count = slow.count + 1;
  }
  // Without the file the next job only waits again.
  Write(absl::StrCat(folder_, "/", QuietPrefix(server), limit_ms, kQuietSuffix),
        absl::StrCat(count))
      .IgnoreError();
}

void TuningCache::NoteAnswered(const std::string& server) const {
  std::error_code error;
  for (const Slow& slow : SlowAnswers(server)) fs::remove(slow.path, error);
}

absl::Status TuningCache::Write(const std::string& path, absl::string_view content) const {
  if (folder_.empty()) {
    return absl::FailedPreconditionError(
        "no cache folder: HOME and XDG_CACHE_HOME are not set to absolute paths");
  }
  std::error_code error;
  if (!fs::is_directory(folder_, error)) {
    fs::create_directories(folder_, error);
    if (error) return absl::UnknownError(absl::StrCat(folder_, ": ", error.message()));
    // Its files decide what jobs load, so only the user may write here.
    fs::permissions(folder_, fs::perms::owner_all, error);
  }
  if (absl::Status status = ReplaceCached(path, content); !status.ok()) return status;
  Prune();
  return absl::OkStatus();
}

void TuningCache::Prune() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (!entry.is_regular_file(error) || entry.is_symlink(error) ||
        !IsNameOfCache(entry.path().filename().native())) {
      continue;
    }
    files.emplace_back(entry.last_write_time(error), entry.path());
  }
  if (files.size() <= kMaxFiles) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - kMaxFiles);
  for (const auto& [at, path] : files) fs::remove(path, error);
}

}  // namespace cox::tuning
