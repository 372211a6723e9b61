#include "domain/coxcoll_decisions.h"

#include <charconv>
#include <iterator>

#include "domain/coxcoll_lines.h"

namespace cox::domain {
namespace {

constexpr std::string_view kOperationNames[] = {"alltoall", "bcast", "gather", "scatter"};

// -1 if no operation has that name.
int FindOperation(std::string_view name) {
  for (size_t i = 0; i < std::size(kOperationNames); ++i) {
    if (kOperationNames[i] == name) return static_cast<int>(i);
  }
  return -1;
}

bool ParseWhole(const std::string& text, int64_t least, int64_t* value) {
  const char* end = text.data() + text.size();
  int64_t parsed = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || stop != end || parsed < least) return false;
  *value = parsed;
  return true;
}

}  // namespace

std::string_view OperationName(DecidedOperation operation) {
  return kOperationNames[static_cast<int>(operation)];
}

const char* Decisions::Find(DecidedOperation operation, int64_t ranks, int64_t block_bytes) const {
  if (ranks != ranks_) return nullptr;
  const Rows& rows = rows_[static_cast<int>(operation)];
  const char* name = nullptr;
  for (int i = 0; i < rows.count && rows.row[i].from_bytes <= block_bytes; ++i) {
    name = rows.row[i].name;
  }
  return name == nullptr || std::string_view(name) == kNoDecision ? nullptr : name;
}

std::string ReadDecisionLine(const std::vector<std::string>& words, Decisions* decisions) {
  if (words[0] == Decisions::kRanksWord) {
    return words.size() == 2 && ParseWhole(words[1], 1, &decisions->ranks_)
               ? ""
               : "decided_ranks needs one whole number of at least 1";
  }
  if (words[0] != Decisions::kDecideWord) return "";
  int64_t from_bytes = 0;
  const int operation = words.size() == 4 ? FindOperation(words[1]) : -1;
  if (operation < 0 || !ParseWhole(words[2], 0, &from_bytes)) {
    return "decide needs alltoall, bcast, gather or scatter, a size in bytes and an algorithm";
  }
  Decisions::Rows& rows = decisions->rows_[operation];
  if (rows.count > 0 && from_bytes <= rows.row[rows.count - 1].from_bytes) {
    return "the sizes of " + words[1] + " must ascend";
  }
  if (rows.count == Decisions::kMostSizes) {
    return "more than " + std::to_string(Decisions::kMostSizes) + " sizes of " + words[1];
  }
  if (words[3].size() > Decisions::kMostNameCharacters) {
    return "\"" + words[3] + "\" has more than " + std::to_string(Decisions::kMostNameCharacters) +
           " characters";
  }
  Decisions::Row& row = rows.row[rows.count++];
  row.from_bytes = from_bytes;
  words[3].copy(row.name, Decisions::kMostNameCharacters);
  return "";
}

std::string ParseDecisions(std::string_view text, Decisions* decisions) {
  return FirstRefused(text, [decisions](const std::vector<std::string>& words) {
    return ReadDecisionLine(words, decisions);
  });
}

}  // namespace cox::domain
