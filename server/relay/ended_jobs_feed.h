// Asks coxd every few seconds which jobs of Slurm have ended, so that their credentials end at the
// relay, too. While coxd is away, a credential ends with its job's time limit.
//
// One thread of its own. Stop() and the destructor: any other thread.
#ifndef COX_RELAY_ENDED_JOBS_FEED_H_
#define COX_RELAY_ENDED_JOBS_FEED_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "access/ended_jobs.h"
#include "cox/v1/access.pb.h"

namespace cox::relay {

class EndedJobsFeed {
 public:
  // Waits for coxd's answer; TryCancel() of the context ends it.
  using Ask = std::function<grpc::Status(grpc::ClientContext*, const v1::ListEndedJobsRequest&,
                                         v1::ListEndedJobsResponse*)>;
  static constexpr std::chrono::seconds kInterval{20};

  // `jobs` outlives the feed. AccessWatch ends the streams of jobs that have ended.
  EndedJobsFeed(access::EndedJobs* jobs, access::EndedJobs::Clock clock, Ask ask,
                std::chrono::milliseconds interval = kInterval);
  ~EndedJobsFeed();
  EndedJobsFeed(const EndedJobsFeed&) = delete;
  EndedJobsFeed& operator=(const EndedJobsFeed&) = delete;

  void Stop();

 private:
  void Loop();
  // Some time before the latest end that is known.
  int64_t WithOverlap() const;
  // One answer. Returns whether coxd may know of more.
  bool LearnSome();
  void Tell(const std::string& problem);

  access::EndedJobs* const jobs_;
  const access::EndedJobs::Clock clock_;
  const Ask ask_;
  const std::chrono::milliseconds interval_;
  int64_t since_us_;  // jobs that ended before are known
  std::string told_;  // the last problem
  std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  grpc::ClientContext* asking_ = nullptr;
  bool ending_ = false;
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace cox::relay

#endif  // COX_RELAY_ENDED_JOBS_FEED_H_
