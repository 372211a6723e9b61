// How long and how many, whichever engine stores them.
#ifndef COX_STORE_LIMITS_H_
#define COX_STORE_LIMITS_H_

#include <cstdint>

namespace cox::store {

// A deleted machine rests this long, in microseconds; then its rows go, so many at a time.
inline constexpr int64_t kDeletedRestUs = 30LL * 24 * 3600 * 1'000'000;
inline constexpr int64_t kPurgeRows = 5'000;
// Time between two looks for deleted machines that have rested long enough, in microseconds.
inline constexpr int64_t kPurgeEveryUs = 3'600'000'000;

// Request ids are remembered so long, in microseconds, and at most so many.
inline constexpr int64_t kRequestKeptUs = 24LL * 3600 * 1'000'000;
inline constexpr int64_t kRequestsKept = 10'000;

// Observations come roughly in the order of their times. After so many successive ones from before
// a summary's period the rest are taken to be from before, too.
inline constexpr int64_t kMostOlderRows = 20'000;

// A machine keeps at most so many sketches, and so many of one application: each node of a job has
// rows of its own, and a large job must not remove those of all other applications. Beyond that,
// the oldest of the source that has most goes, so that no reporter removes those of others.
inline constexpr int64_t kMostSketchRows = 4'096;
inline constexpr int64_t kMostApplicationSketchRows = kMostSketchRows / 4;

// Of one step of retention, some 20 ms in which other writes wait: old rows, batches of old jobs,
// and refined revisions.
inline constexpr int64_t kSumUpRows = 2'000;
// A step reads so many rows, outside of any write, in order to find an old one.
inline constexpr int64_t kOldRowsLook = 20'000;
inline constexpr int64_t kMergedBatches = 500;
inline constexpr int64_t kOldRevisions = 50;

}  // namespace cox::store

#endif  // COX_STORE_LIMITS_H_
