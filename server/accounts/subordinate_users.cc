#include "accounts/subordinate_users.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "accounts/accounts.h"

namespace cox::accounts {
namespace {

constexpr size_t kMostRanges = 100'000;
// The system's database may not have answered yet when the file was read.
constexpr std::chrono::minutes kLookAgain{1};

std::optional<uid_t> NumberOf(const std::string& user) {
  uid_t number = 0;
  if (absl::SimpleAtoi(user, &number)) return number;
  const std::optional<User> known = FindUser(user);
  return known ? std::optional(known->number) : std::nullopt;
}

bool IsSame(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

}  // namespace

void SubordinateUsers::Refresh() {
  const std::lock_guard lock(reading_);
  struct stat version = {};
  if (stat(path_.c_str(), &version) != 0) version = {};
  using Clock = std::chrono::steady_clock;
  const bool is_same = IsSame(version, version_);
  if (is_same && Clock::now() < look_again_) return;
  version_ = version;
  bool knows_all = true;
  ranges_.store(std::make_shared<const Ranges>(Read(!is_same, &knows_all)),
                std::memory_order_release);
  // From now on: reading may have waited for the system's database.
  look_again_ = knows_all ? Clock::time_point::max() : Clock::now() + kLookAgain;
}

SubordinateUsers::Ranges SubordinateUsers::Read(bool looks_up_all, bool* knows_all) {
  Ranges ranges;
  std::map<std::string, KnownUser> known;
  std::ifstream file(path_);
  for (std::string line; ranges.size() < kMostRanges && std::getline(file, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ':');
    uint32_t first = 0;
    uint32_t count = 0;
    if (words.size() != 3 || !absl::SimpleAtoi(words[1], &first) ||
        !absl::SimpleAtoi(words[2], &count)) {
      continue;
    }
    const auto before = known_.find(words[0]);
    std::optional<KnownUser> owner;
    if (before != known_.end()) owner = before->second;
    if (!owner || !owner->is_sure || looks_up_all) {
      const std::optional<uid_t> number = NumberOf(words[0]);
      if (number) {
        owner = {*number, true};
      } else {
        *knows_all = false;
        if (owner) owner->is_sure = false;
      }
    }
    if (!owner) continue;
    known.insert_or_assign(words[0], *owner);
    if (owner->number != 0) ranges.push_back({first, uint64_t{first} + count, owner->number});
  }
  known_ = std::move(known);
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  return ranges;
}

uid_t SubordinateUsers::OwnerOf(uid_t user) const {
  const std::shared_ptr<const Ranges> ranges = ranges_.load(std::memory_order_acquire);
  const auto behind =
      std::upper_bound(ranges->begin(), ranges->end(), uint64_t{user},
                       [](uint64_t number, const Range& range) { return number < range.first; });
  if (behind == ranges->begin()) return user;
  const Range& range = *(behind - 1);
  return user < range.end && !FindUser(user) ? range.owner : user;
}

}  // namespace cox::accounts
