// The answers of GetTuning on disk, for jobs that start while the daemon is away, and the files
// that those jobs read. Many processes may use one folder at once: files appear whole, under names
// that say what they hold, and are not changed. At most kMaxFiles are kept, those used last. Not
// thread-safe. What cannot be read counts as absent.
#ifndef COX_TUNING_TUNING_CACHE_H_
#define COX_TUNING_TUNING_CACHE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "library/algorithm.h"

namespace cox::tuning {

// Null where the variable is not set: getenv, or a test's own.
using Environment = std::function<const char*(const char*)>;

// nodes * ppn ranks, each node filled alike.
struct JobShape {
  int64_t nodes = 0;
  int64_t ppn = 0;
};

struct TuningKey {
  std::string server;
  std::string machine;
  std::string library;
  JobShape shape;
  library::Assumptions assume;
  bool as_file = false;  // the text is a file for the library, not variables
  // Of the job's time, for trials. Answers with trials are for one job and are not kept.
  double explore_ratio = 0;
  bool by_call = false;          // the rows are applied, call by call, and not the text
  std::string second_library{};  // whose algorithms may run in the place of the library's; "": none
};

class TuningCache {
 public:
  static constexpr int kMaxFiles = 256;
  // An older answer is not used without a daemon that confirms it.
  static constexpr absl::Duration kMaxAge = absl::Hours(7 * 24);
  // How long a daemon that kept somebody waiting is left alone.
  static constexpr absl::Duration kQuietTime = absl::Seconds(60);

  // $XDG_CACHE_HOME/coxswain/tuning, else ~/.cache/coxswain/tuning; empty without a home.
  static std::string DefaultFolder(const Environment& environment);

  // The folder is made when first written to.
  explicit TuningCache(std::string folder) : folder_(std::move(folder)) {}

  // The last answer, a serialised GetTuningResponse, and when it was last confirmed. What it says
  // is for the caller to check.
  struct Entry {
    std::string answer;
    absl::Time confirmed;
  };
  std::optional<Entry> Load(const TuningKey& key) const;

  // Keeps `answer`, a serialised GetTuningResponse that has a text.
  absl::Status Store(const TuningKey& key, const std::string& answer) const;
  // Notes that the answer of `key` still holds.
  void Confirm(const TuningKey& key) const;

  // The path of a file with the answer's text, for the library to read: one for each machine,
  // revision, shape, library and decisions.
  absl::StatusOr<std::string> TextFile(const TuningKey& key, int64_t profile_revision,
                                       const std::string& etag, const std::string& text) const;

  // Whether this host had to wait for this server in vain within kQuietTime.
  bool IsQuiet(const std::string& server) const;
  void KeepQuiet(const std::string& server) const;

 private:
  std::string AnswerPath(const TuningKey& key) const;
  std::string QuietPath(const std::string& server) const;
  absl::Status Write(const std::string& path, absl::string_view content) const;
  void Prune() const;

  std::string folder_;
};

}  // namespace cox::tuning

#endif  // COX_TUNING_TUNING_CACHE_H_
