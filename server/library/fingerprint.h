// A short name for a text, in an etag or a file's name. It is not a secret and does not prove that
// two texts are the same. Pure, any thread.
//
// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm",
// Internet-Draft draft-eastlake-fnv: FNV-1a, 64 bits.
#ifndef COX_LIBRARY_FINGERPRINT_H_
#define COX_LIBRARY_FINGERPRINT_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace cox::library {

// 16 hexadecimal digits, the same in every run of every program.
inline std::string Fingerprint(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

}  // namespace cox::library

#endif  // COX_LIBRARY_FINGERPRINT_H_
