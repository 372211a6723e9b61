// Which of coxd's answers to a batch of timings are its last word. Who sends batches, an agent or a
// relay, keeps all others and sends them again.
//
// Header only, without dependencies: the agent runs in jobs. Any thread, cannot fail.
#ifndef COX_DOMAIN_REPORTS_FINAL_ANSWER_H_
#define COX_DOMAIN_REPORTS_FINAL_ANSWER_H_

#include <cstdint>
#include <string_view>

namespace cox::domain {

// Whether coxd would answer the same again. `code`: of google.rpc.Code. A disk, a database, a clock
// or a token can come into order again, so all other codes are worth another attempt.
constexpr bool IsFinalAnswer(int64_t code) {
  switch (code) {
    case 0:   // OK
    case 3:   // INVALID_ARGUMENT
    case 5:   // NOT_FOUND
    case 6:   // ALREADY_EXISTS
    case 7:   // PERMISSION_DENIED
    case 9:   // FAILED_PRECONDITION
    case 11:  // OUT_OF_RANGE
    case 12:  // UNIMPLEMENTED
      return true;
    default:
      return false;
  }
}

// In messages of answers: a relay keeps the batch and sends it by itself; a disk has no room; the
// server of the database says why.
inline constexpr char kInSpool[] = "the batch is in the relay's spool";
inline constexpr char kDiskFull[] = "disk full";
inline constexpr char kFromPostgres[] = "PostgreSQL: ";

// Whether another coxd may take the batch meanwhile: this one's database or disk is out of order.
// Not if the batch is kept here, nor for RESOURCE_EXHAUSTED by a limit of who reports or by a queue
// that is full for a moment. `message`: that of the answer.
constexpr bool MayAnotherTake(int64_t code, std::string_view message) {
  constexpr int64_t kResourceExhausted = 8;
  constexpr int64_t kUnavailable = 14;
  const auto has = [message](const char* words) {
    return message.find(words) != std::string_view::npos;
  };
  if (IsFinalAnswer(code)) return false;
  if (code == kUnavailable) return !has(kInSpool);
  return code != kResourceExhausted || has(kDiskFull) || has(kFromPostgres);
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_REPORTS_FINAL_ANSWER_H_
