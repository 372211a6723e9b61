// How names of principals begin: coxd gives them, and nobody else can choose such a name as the
// source of his reports; how they begin the names of jobs; and by which numbers cells tell
// reporters apart. Header only; any thread, cannot fail.
#ifndef COX_DOMAIN_PRINCIPAL_NAME_H_
#define COX_DOMAIN_PRINCIPAL_NAME_H_

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

// "uid:1000", "token:ci", "cert:node1.example", "slurm:ada", "anonymous".
inline constexpr absl::string_view kUserPrefix = "uid:";
inline constexpr absl::string_view kTokenPrefix = "token:";
inline constexpr absl::string_view kCertificatePrefix = "cert:";
inline constexpr absl::string_view kSlurmUserPrefix = "slurm:";
inline constexpr absl::string_view kAnonymous = "anonymous";

// Whether `source` is the name of a principal: the source of everything that a reporter says. An
// operator states the source of its reports, and may state such a name too.
inline bool IsPrincipalName(absl::string_view source) {
  constexpr absl::string_view kPrefixes[] = {kUserPrefix, kTokenPrefix, kCertificatePrefix,
                                             kSlurmUserPrefix};
  return source == kAnonymous ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](absl::string_view prefix) { return absl::StartsWith(source, prefix); });
}

// The number of a reporter, 1 to kMaxReporterNumber, from the source of its reports. 0 for other
// sources: operators answer for their imports. The same in every database. Two reporters have the
// same number once in 16,381 pairs.
inline constexpr int64_t kMaxReporterNumber = 16'381;
inline int64_t ReporterNumber(absl::string_view source) {
  if (!IsPrincipalName(source)) return 0;
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : source) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return 1 + static_cast<int64_t>(hash % static_cast<uint64_t>(kMaxReporterNumber));
}

// The principal whose reports have the job's name: "uid:1000" of "uid:1000/4711". A job that an
// operator names as it likes is its own.
inline absl::string_view PrincipalOfJob(absl::string_view job) {
  return job.substr(0, job.find('/'));
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_PRINCIPAL_NAME_H_
