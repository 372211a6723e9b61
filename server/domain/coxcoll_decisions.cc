#include "collectives/choice/decided.h"

#include <charconv>
#include <cstring>
#include <iterator>
#include <vector>

#include "collectives/choice/text_lines.h"

namespace cox::collectives {
namespace {

constexpr std::string_view kOperationNames[] = {"alltoall", "bcast", "gather", "scatter"};

// -1 for another one.
int FindOperation(std::string_view name) {
  for (size_t i = 0; i < std::size(kOperationNames); ++i) {
    if (kOperationNames[i] == name) return static_cast<int>(i);
  }
  return -1;
}

bool ParseWhole(const std::string& text, int64_t least, int64_t* value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end && *value >= least;
}

}  // namespace

const char* Decided::Find(DecidedOperation operation, int64_t ranks, int64_t block_bytes) const {
  if (ranks != ranks_) return nullptr;
  const Rows& rows = rows_[static_cast<int>(operation)];
  const char* name = nullptr;
  for (int i = 0; i < rows.count && rows.row[i].from_bytes <= block_bytes; ++i) {
    name = rows.row[i].name;
  }
  return name == nullptr || std::strcmp(name, "default") == 0 ? nullptr : name;
}

std::string ParseDecided(std::string_view text, Decided* decided) {
  return ReadLines(text, [&](const std::vector<std::string>& words) -> std::string {
    if (words[0] == "decided_ranks") {
      return words.size() == 2 && ParseWhole(words[1], 1, &decided->ranks_)
                 ? ""
                 : "decided_ranks needs one whole number of at least 1";
    }
    if (words[0] != "decide") return "";
    int64_t from_bytes = 0;
    const int operation = words.size() == 4 ? FindOperation(words[1]) : -1;
    if (operation < 0 || !ParseWhole(words[2], 0, &from_bytes)) {
      return "decide needs alltoall, bcast, gather or scatter, a size in bytes and an algorithm";
    }
    Decided::Rows& rows = decided->rows_[operation];
    if (rows.count > 0 && from_bytes <= rows.row[rows.count - 1].from_bytes) {
      return "the sizes of " + words[1] + " must ascend";
    }
    if (rows.count == Decided::kMostRows) {
      return "more than " + std::to_string(Decided::kMostRows) + " sizes of " + words[1];
    }
    if (words[3].size() >= Decided::kNameBytes) {
      return "\"" + words[3] + "\" has more than " + std::to_string(Decided::kNameBytes - 1) +
             " characters";
    }
    Decided::Row& row = rows.row[rows.count++];
    row.from_bytes = from_bytes;
    words[3].copy(row.name, sizeof(row.name) - 1);
    return "";
  });
}

}  // namespace cox::collectives
