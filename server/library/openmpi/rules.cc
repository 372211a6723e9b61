#include "library/openmpi/rules.h"

#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/collective.h"
#include "domain/errors.h"

namespace cox::library {
namespace {

using domain::Collective;

struct CollectiveInFile {
  absl::string_view name;
  OpenMpiRuleSize size;
};
// By id; sizes as coll/tuned of 4.1.4 computes them.
constexpr CollectiveInFile kCollectives[] = {
    {"allgather", OpenMpiRuleSize::kBlockOfAll},
    {"allgatherv", OpenMpiRuleSize::kBlock},
    {"allreduce", OpenMpiRuleSize::kBlock},
    {"alltoall", OpenMpiRuleSize::kBlockOfAll},
    {"alltoallv", OpenMpiRuleSize::kZero},
    {"alltoallw", OpenMpiRuleSize::kNever},
    {"barrier", OpenMpiRuleSize::kZero},
    {"bcast", OpenMpiRuleSize::kBlock},
    {"exscan", OpenMpiRuleSize::kElementOfAll},
    {"gather", OpenMpiRuleSize::kBlockOfAll},
    {"gatherv", OpenMpiRuleSize::kNever},
    {"reduce", OpenMpiRuleSize::kBlock},
    {"reduce_scatter", OpenMpiRuleSize::kBlockOfAll},
    {"reduce_scatter_block", OpenMpiRuleSize::kBlockOfAll},
    {"scan", OpenMpiRuleSize::kElementOfAll},
    {"scatter", OpenMpiRuleSize::kBlockOfAll},
    {"scatterv", OpenMpiRuleSize::kNever},
    {"neighbor_allgather", OpenMpiRuleSize::kNever},
    {"neighbor_allgatherv", OpenMpiRuleSize::kNever},
    {"neighbor_alltoall", OpenMpiRuleSize::kNever},
    {"neighbor_alltoallv", OpenMpiRuleSize::kNever},
    {"neighbor_alltoallw", OpenMpiRuleSize::kNever},
};
constexpr int64_t kCollectiveCountInFile = std::size(kCollectives);
// A row costs memory. A count far beyond any real file means a broken file.
constexpr int64_t kMaxRows = 1 << 20;

// Reads the file as the library does: as a stream of integers; it skips everything else character
// by character. Numbers are read as by fscanf("%li"): 0x is hexadecimal, a leading 0 octal.
class NumberReader {
 public:
  NumberReader(absl::string_view text, bool has_requests)
      : text_(text), has_requests_(has_requests) {}

  int64_t number_count() const { return number_count_; }

  // Whether the last row has a fifth number: a digit before the line ends.
  bool HasRequests() const {
    if (!has_requests_) return false;
    size_t i = at_;
    while (i < text_.size() && (text_[i] == ' ' || text_[i] == '\t')) ++i;
    return DigitAt(i, 10);
  }

  // The next number; INVALID_ARGUMENT at the end of the text, for a negative number and for one
  // beyond 63 bits. `what` names it in the message.
  absl::StatusOr<int64_t> Next(absl::string_view what) {
    SkipToNumber();
    if (at_ == text_.size()) return Broken(absl::StrCat("the file ends before ", what));
    bool negative = false;
    if (text_[at_] == '-' || text_[at_] == '+') {
      negative = text_[at_] == '-';
      ++at_;
    }
    absl::StatusOr<int64_t> magnitude = ReadMagnitude(what);
    if (magnitude.ok() && negative && *magnitude > 0) {
      return Broken(absl::StrCat(what, " is negative"));
    }
    ++number_count_;
    return magnitude;
  }

  absl::Status Broken(absl::string_view rule) const {
    return domain::InvalidField("rules", absl::StrCat("line ", line_, ": ", rule));
  }

 private:
  static int DigitValue(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::numeric_limits<int>::max();
  }
  bool DigitAt(size_t i, int base) const { return i < text_.size() && DigitValue(text_[i]) < base; }

  void SkipToNumber() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        continue;
      }
      if (DigitAt(at_, 10)) return;
      if ((c == '-' || c == '+') && DigitAt(at_ + 1, 10)) return;
      if (c == '\n') ++line_;
      ++at_;
    }
  }

  absl::StatusOr<int64_t> ReadMagnitude(absl::string_view what) {
    int base = 10;
    if (text_[at_] == '0') {
      base = 8;
      if (at_ + 1 < text_.size() && (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X') &&
          DigitAt(at_ + 2, 16)) {
        base = 16;
        at_ += 2;
      }
    }
    int64_t value = 0;
    while (DigitAt(at_, base)) {
      const int digit = DigitValue(text_[at_++]);
      if (value > (std::numeric_limits<int64_t>::max() - digit) / base) {
        return Broken(absl::StrCat(what, " does not fit 63 bits"));
      }
      value = value * base + digit;
    }
    return value;
  }

  absl::string_view text_;
  bool has_requests_;
  size_t at_ = 0;
  int64_t line_ = 1;
  int64_t number_count_ = 0;
};

absl::StatusOr<int64_t> NextCount(NumberReader& reader, absl::string_view what, int64_t most) {
  absl::StatusOr<int64_t> count = reader.Next(what);
  if (count.ok() && *count > most) {
    return reader.Broken(absl::StrCat(what, " is ", *count, ", more than ", most));
  }
  return count;
}

absl::StatusOr<OpenMpiRule> ReadRule(NumberReader& reader) {
  OpenMpiRule rule;
  for (auto [field, what] :
       {std::pair(&rule.message_bytes, "a message size"),
        std::pair(&rule.algorithm, "an algorithm"), std::pair(&rule.fanout, "a fanout"),
        std::pair(&rule.segment_bytes, "a segment size")}) {
    const absl::StatusOr<int64_t> number = reader.Next(what);
    if (!number.ok()) return number.status();
    *field = *number;
  }
  if (reader.HasRequests()) {
    const absl::StatusOr<int64_t> requests = reader.Next("a number of requests");
    if (!requests.ok()) return requests.status();
  }
  return rule;
}

absl::StatusOr<OpenMpiRuleSet> ReadSet(NumberReader& reader) {
  const absl::StatusOr<int64_t> comm_size = reader.Next("a communicator size");
  if (!comm_size.ok()) return comm_size.status();
  const absl::StatusOr<int64_t> count = NextCount(reader, "the number of message sizes", kMaxRows);
  if (!count.ok()) return count.status();
  OpenMpiRuleSet set{*comm_size, {}};
  for (int64_t i = 0; i < *count; ++i) {
    const absl::StatusOr<OpenMpiRule> rule = ReadRule(reader);
    if (!rule.ok()) return rule.status();
    if (i == 0 && rule->message_bytes != 0) {
      return reader.Broken(
          absl::StrCat("the first message size is ", rule->message_bytes, ", it must be 0"));
    }
    set.rules.push_back(*rule);
  }
  return set;
}

absl::StatusOr<OpenMpiCollectiveRules> ReadCollective(NumberReader& reader) {
  const absl::StatusOr<int64_t> id =
      NextCount(reader, "a collective's id", kCollectiveCountInFile - 1);
  if (!id.ok()) return id.status();
  const absl::StatusOr<int64_t> count =
      NextCount(reader, "the number of communicator sizes", kMaxRows);
  if (!count.ok()) return count.status();
  OpenMpiCollectiveRules collective{*id, {}};
  for (int64_t i = 0; i < *count; ++i) {
    absl::StatusOr<OpenMpiRuleSet> set = ReadSet(reader);
    if (!set.ok()) return set.status();
    collective.sets.push_back(*std::move(set));
  }
  return collective;
}

// Searches as the library does: walks up to the first larger entry and takes the one before it. If
// the first entry is larger already, it takes that one (only possible for communicator sizes).
template <typename Entry, typename Key>
const Entry* LastNotLarger(const std::vector<Entry>& entries, int64_t wanted, Key key) {
  if (entries.empty()) return nullptr;
  const Entry* best = &entries.front();
  for (const Entry& entry : entries) {
    if (key(entry) > wanted) break;
    best = &entry;
  }
  return best;
}

}  // namespace

absl::StatusOr<OpenMpiRules> ParseOpenMpiRules(absl::string_view text, RuleFileVersions versions) {
  const bool is_second =
      versions == RuleFileVersions::kBoth && absl::ConsumePrefix(&text, kRuleFileVersion2);
  NumberReader reader(text, is_second);
  const absl::StatusOr<int64_t> count =
      NextCount(reader, "the number of collectives", kCollectiveCountInFile);
  if (!count.ok()) return count.status();
  OpenMpiRules rules;
  for (int64_t i = 0; i < *count; ++i) {
    absl::StatusOr<OpenMpiCollectiveRules> collective = ReadCollective(reader);
    if (!collective.ok()) return collective.status();
    rules.collectives.push_back(*std::move(collective));
  }
  rules.number_count = reader.number_count();
  return rules;
}

std::optional<OpenMpiRule> OpenMpiRules::Find(int64_t collective_id, int64_t ranks,
                                              int64_t message_bytes) const {
  const OpenMpiCollectiveRules* found = nullptr;
  for (const OpenMpiCollectiveRules& collective : collectives) {
    if (collective.collective_id == collective_id) found = &collective;  // the last one wins
  }
  if (found == nullptr) return std::nullopt;
  const OpenMpiRuleSet* set = LastNotLarger(
      found->sets, ranks, [](const OpenMpiRuleSet& entry) { return entry.comm_size; });
  if (set == nullptr) return std::nullopt;
  const OpenMpiRule* rule = LastNotLarger(
      set->rules, message_bytes, [](const OpenMpiRule& entry) { return entry.message_bytes; });
  if (rule == nullptr || rule->algorithm == 0) return std::nullopt;
  return *rule;
}

int64_t OpenMpiCollectiveId(absl::string_view name) {
  for (size_t id = 0; id < std::size(kCollectives); ++id) {
    if (kCollectives[id].name == name) return static_cast<int64_t>(id);
  }
  return -1;
}

int64_t OpenMpiCollectiveId(Collective collective) {
  return OpenMpiCollectiveId(domain::CollectiveName(collective));
}

absl::string_view OpenMpiCollectiveName(int64_t collective_id) {
  return kCollectives[collective_id].name;
}

OpenMpiRuleSize OpenMpiRuleSizeOf(int64_t collective_id) {
  return kCollectives[collective_id].size;
}

double OpenMpiMessageBytes(int64_t collective_id, int64_t ranks, int64_t block_bytes,
                           int64_t type_bytes) {
  switch (OpenMpiRuleSizeOf(collective_id)) {
    case OpenMpiRuleSize::kNever:
    case OpenMpiRuleSize::kZero:
      return 0;
    case OpenMpiRuleSize::kBlock:
      return static_cast<double>(block_bytes);
    case OpenMpiRuleSize::kBlockOfAll:
      return static_cast<double>(block_bytes) * static_cast<double>(ranks);
    case OpenMpiRuleSize::kElementOfAll:
      return static_cast<double>(type_bytes) * static_cast<double>(ranks);
  }
  return 0;
}

double OpenMpiMessageBytes(Collective collective, int64_t ranks, int64_t block_bytes) {
  constexpr int64_t kNoElement = 0;  // the first row of a file for any call
  return OpenMpiMessageBytes(OpenMpiCollectiveId(collective), ranks, block_bytes, kNoElement);
}

absl::string_view WhyOneOpenMpiRow(Collective collective) {
  switch (collective) {
    case Collective::kScan:
    case Collective::kExscan:
      return "the library leaves the count out of the size, so no rule can tell them apart";
    case Collective::kAlltoallv:
    case Collective::kBarrier:
      return "the library takes every message as 0 bytes, so no rule can tell them apart";
    case Collective::kGather:
    case Collective::kScatter:
      return "ranks may see different sizes, and a job breaks if its ranks choose different rows";
    default:
      return "";
  }
}

}  // namespace cox::library
