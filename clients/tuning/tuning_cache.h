// Answers to tuning questions on disk, for jobs that start while the daemon is away, and the rules
// files that those jobs read. Many processes may use one folder: files appear whole, have names
// that say what they hold, and texts never change. Keeps those kMaxFiles of its own files that were
// used last. Not thread-safe. A file that cannot be read counts as absent.
#ifndef COX_TUNING_TUNING_CACHE_H_
#define COX_TUNING_TUNING_CACHE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "library/algorithm.h"

namespace cox::tuning {

// A variable's value, null when it is not set: getenv, or a test's function.
using Environment = std::function<const char*(const char*)>;

// The variable's value; "" when it is not set.
inline const char* ValueOrEmpty(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? "" : value;
}

// nodes * ppn ranks, the same number on each node.
struct JobShape {
  int64_t nodes = 0;
  int64_t ppn = 0;
};

// What is asked, and so which message the answer is.
enum class Question : uint8_t {
  kVariables,  // GetTuning, a text of variables
  kFile,       // GetTuning, a file for the library
  kDecisions,  // GetDecisions, rows for an agent that selects at each call
};

struct TuningKey {
  std::string server;
  std::string machine;
  std::string library;
  JobShape shape;
  library::Assumptions assume;
  Question question = Question::kVariables;
  // The share of the job's time for trials. An answer with trials is for one job and is not stored.
  double explore_ratio = 0;
  // Only with kDecisions: the library whose algorithms may replace the job's; "": none.
  std::string second_library{};
};

class TuningCache {
 public:
  static constexpr int kMaxFiles = 256;
  // An older answer needs a daemon that confirms it.
  static constexpr absl::Duration kMaxAge = absl::Hours(7 * 24);
  // After a slow answer the daemon is not asked for kFirstPause, after each further one for
  // kPauseGrowth times as long, at most kMostPause.
  static constexpr absl::Duration kFirstPause = absl::Seconds(5);
  static constexpr int kPauseGrowth = 4;
  static constexpr absl::Duration kMostPause = absl::Seconds(60);

  // $XDG_CACHE_HOME/coxswain/tuning, else ~/.cache/coxswain/tuning; empty without a home.
  static std::string DefaultFolder(const Environment& environment);

  // Creates the folder at the first write.
  explicit TuningCache(std::string folder) : folder_(std::move(folder)) {}

  // The last answer, serialised, and when coxd last confirmed it. The caller must check its
  // content.
  struct Entry {
    std::string answer;
    absl::Time confirmed;
  };
  std::optional<Entry> Load(const TuningKey& key) const;

  // Stores a complete answer, serialised.
  absl::Status Store(const TuningKey& key, const std::string& answer) const;
  // Records that the stored answer of `key` is still valid.
  void Confirm(const TuningKey& key) const;

  // Writes the answer's text to a file for the MPI library and returns its path. Each combination
  // of machine, revision, shape, library and text has its own file: jobs that start at the same
  // time have texts with different comments, and none may change another's file.
  absl::StatusOr<std::string> TextFile(const TuningKey& key, int64_t profile_revision,
                                       const std::string& text) const;

  // Whether a job that waits at most `limit_s` should not ask this server now: it was too slow for
  // a job of this host that waited at least as long. A slow answer says nothing of jobs that wait
  // longer, so each limit has pauses of its own. One slow answer stops no job for long.
  bool IsQuiet(const std::string& server, double limit_s) const;
  // Call when the server did not answer a job within `limit_s`.
  void NoteSlow(const std::string& server, double limit_s) const;
  // Call when the server answered.
  void NoteAnswered(const std::string& server) const;

 private:
  std::string AnswerPath(const TuningKey& key) const;
  // How the names begin of the files that remember this host's slow answers; the limit follows.
  std::string QuietPrefix(const std::string& server) const;
  // Slow answers in a row to jobs with one limit.
  struct Slow {
    std::string path;
    int64_t limit_ms = 0;
    int count = 0;
    absl::Time at;  // of the last one
  };
  std::vector<Slow> SlowAnswers(const std::string& server) const;
  absl::Status Write(const std::string& path, absl::string_view content) const;
  void Prune() const;

  std::string folder_;
};

}  // namespace cox::tuning

#endif  // COX_TUNING_TUNING_CACHE_H_
