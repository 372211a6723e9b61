// Collects warnings about rows of files that are used nevertheless: names that no table knows,
// and implausible times. Pure; one thread at a time.
#ifndef COX_CLI_FILES_ODDITIES_H_
#define COX_CLI_FILES_ODDITIES_H_

#include <cox/v1/observation.pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace cox::cli {

// Rows are dated by other computers, whose clocks and time zones may be wrong by this much.
inline constexpr absl::Duration kRowClockSlack = absl::Hours(24);

class Oddities {
 public:
  // Times of more than kRowClockSlack after `now` are odd. The default finds none.
  explicit Oddities(absl::Time now = absl::InfiniteFuture()) : now_(now) {}

  // `line`: where the row is in its file.
  void Add(const v1::Observation& observation, int64_t line);
  // The same for the names alone.
  void AddNames(const std::string& library, const std::string& collective,
                const std::string& algorithm, int64_t line);

  // A line for each kind of oddity, with the number of rows and the first of them.
  std::vector<std::string> Warnings(const std::string& file) const;
  // Rows whose time no machine needs.
  int64_t too_long_count() const;

 private:
  enum class Kind { kLibrary, kCollective, kAlgorithm, kTooShort, kTooLong, kFuture };
  struct Rows {
    int64_t count = 0;
    int64_t first_line = 0;
    std::vector<std::string> names;  // the first few
    size_t more_names = 0;
  };
  void Add(Kind kind, int64_t line, const std::string& name);

  absl::Time now_;
  std::map<Kind, Rows> rows_;
};

}  // namespace cox::cli

#endif  // COX_CLI_FILES_ODDITIES_H_
