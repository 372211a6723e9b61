// A few threads that run tasks, and no queue: a task starts soon or is refused.
//
// Threads start when they are first needed. Any thread may call.
#ifndef COX_GATEWAY_TRANSPORT_WORKERS_H_
#define COX_GATEWAY_TRANSPORT_WORKERS_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cox::gateway {

class Workers {
 public:
  explicit Workers(size_t limit) : limit_(limit) {}
  // Waits for the tasks.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False, and the task does not run, if all are busy and stay so for `patience`, or if the system
  // starts no thread.
  bool Run(std::function<void()> task,
           std::chrono::milliseconds patience = std::chrono::milliseconds(0));

 private:
  void Loop();

  const size_t limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable free_;
  std::deque<std::function<void()>> tasks_;  // never more than threads that wait
  size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace cox::gateway

#endif  // COX_GATEWAY_TRANSPORT_WORKERS_H_
