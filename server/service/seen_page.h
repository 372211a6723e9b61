// A page of the machines that the caller sees. Header only, pure.
#ifndef COX_SERVICE_SEEN_PAGE_H_
#define COX_SERVICE_SEEN_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace cox::service {

template <class Record>
struct SeenPage {
  std::vector<Record> records;
  bool has_more = false;
};

// At most `size` records after the name `after` of which `sees(name)`. `read(after, count)` lists
// records in the order of `name_of(record)`. Reads on until the page is full: neither an empty page
// nor its token tells that something is hidden. Fails as `read` does.
template <class Record, class Read, class NameOf, class Sees>
absl::StatusOr<SeenPage<Record>> ReadSeen(std::string after, int64_t size, const Read& read,
                                          const NameOf& name_of, const Sees& sees) {
  SeenPage<Record> page;
  while (true) {
    absl::StatusOr<std::vector<Record>> records = read(after, size + 1);
    if (!records.ok()) return records.status();
    const bool is_last = static_cast<int64_t>(records->size()) <= size;
    if (!is_last) after = name_of(records->back());
    for (Record& record : *records) {
      if (!sees(name_of(record))) continue;
      if (static_cast<int64_t>(page.records.size()) == size) {
        page.has_more = true;
        return page;
      }
      page.records.push_back(std::move(record));
    }
    if (is_last) return page;
  }
}

}  // namespace cox::service

#endif  // COX_SERVICE_SEEN_PAGE_H_
