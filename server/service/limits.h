// The limits of a request. An error names the limit that a request exceeds.
#ifndef COX_SERVICE_LIMITS_H_
#define COX_SERVICE_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace cox::service {

// One transaction, for which all other reports wait: some 30 ms.
inline constexpr int kMaxObservationsPerBatch = 5'000;
// Rows that one call reads to find those that it lists: a fraction of a second.
inline constexpr int64_t kMaxRowsScanned = 200'000;
inline constexpr int kMaxSketchesPerBatch = 256;
// A sketch takes as much memory as so many observations.
inline constexpr int64_t kRowsPerSketch = 8;
inline constexpr int kMaxQuestionsPerBatch = 10'000;
inline constexpr int kMaxCandidates = 256;
inline constexpr int kMaxEndedJobs = 10'000;  // of one answer
inline constexpr int kUsualSuggestions = 10;
inline constexpr int kMaxSamples = 100'000;
inline constexpr int kMaxParameters = 1'000;
inline constexpr int kMaxLibraryBytes = 64;
inline constexpr int kMaxNameBytes = 128;    // algorithm, run, job
inline constexpr int kMaxTextBytes = 1'024;  // notes, sources, commands
inline constexpr int kMaxBatchesInFlightPerStream = 16;
// Of all patterns that are being received or priced: 24 bytes each.
inline constexpr int64_t kMaxPatternMessagesHeld = 16'000'000;
// Each open stream holds one: in memory, with room for kMaxParameters of a what-if question.
inline constexpr size_t kMaxPatternHeaderBytes = size_t{512} << 10;
inline constexpr int kMaxRoutes = 16;
inline constexpr int kMaxBlocks = 10'000;
inline constexpr int kMaxBlockSizes = 1'000;

}  // namespace cox::service

#endif  // COX_SERVICE_LIMITS_H_
