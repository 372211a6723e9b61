#include "collectives/engine/progress_engine.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

using std::chrono::microseconds;

// The progress thread polls at once a few times, then rests ever longer, up to kLongestRest, so
// that it leaves the processor to the program.
constexpr int kEagerLooks = 20;
constexpr microseconds kShortestRest{10};
constexpr microseconds kLongestRest{200};

class ProgressEngine {
 public:
  static ProgressEngine& All() {
    static ProgressEngine& all = *new ProgressEngine;  // never destroyed: outlives MPI_Finalize
    return all;
  }

  void Launch(const std::shared_ptr<Operation>& operation) {
    const std::lock_guard lock(mutex_);
    operation->Begin();
    if (operation->complete()) return;
    operations_.push_back(operation);
    work_.notify_one();
  }

  bool Test(Operation* operation) {
    const std::lock_guard lock(mutex_);  // guards the sum of its cost, too
    if (!operation->complete()) Pass();
    return operation->complete();
  }

  void LetProceed() {
    const std::lock_guard lock(mutex_);
    Pass();
  }

  void Wait(Operation* operation) {
    std::unique_lock lock(mutex_);
    if (level_ < 0) MPI_Query_thread(&level_);
    while (!operation->complete()) {
      if (thread_.joinable() && !stopping_) {
        completed_.wait(lock, [&] { return operation->complete() || stopping_; });
      } else if (level_ < MPI_THREAD_MULTIPLE && operations_.size() == 1) {
        const bool happened = Proceed(operation, true);
        RemoveCompleted();
        if (!happened) sched_yield();  // a protocol that polls cannot block
      } else if (!Pass()) {
        lock.unlock();
        sched_yield();
        lock.lock();
      }
    }
  }

  int StartThread() {
    int level = MPI_THREAD_SINGLE;
    COX_MPI(MPI_Query_thread, (&level));
    if (level < MPI_THREAD_MULTIPLE) {
      return Fail(MPI_ERR_OTHER, "a progress thread needs MPI_THREAD_MULTIPLE");
    }
    COX_TRY(AtFinalize([] { All().StopThread(); }));
    const std::lock_guard one_at_a_time(thread_mutex_);
    const std::lock_guard lock(mutex_);
    if (thread_.joinable()) return MPI_SUCCESS;
    stopping_ = false;
    try {
      thread_ = std::thread([this] { Run(); });
    } catch (const std::system_error& error) {
      return Fail(MPI_ERR_OTHER, error.what());
    }
    return MPI_SUCCESS;
  }

  int StopThread() {
    const std::lock_guard one_at_a_time(thread_mutex_);
    std::thread ending;
    {
      const std::lock_guard lock(mutex_);
      if (!thread_.joinable()) return MPI_SUCCESS;
      stopping_ = true;
      ending.swap(thread_);
    }
    work_.notify_all();
    completed_.notify_all();
    ending.join();
    return MPI_SUCCESS;
  }

 private:
  // Call the functions below under mutex_.

  bool Pass() {
    bool happened = false;
    for (const std::shared_ptr<Operation>& operation : operations_) {
      happened = Proceed(operation.get(), false) || happened;
    }
    RemoveCompleted();
    return happened;
  }

  bool Proceed(Operation* operation, bool may_block) {
    const bool happened = operation->Proceed(may_block);
    if (operation->complete()) completed_.notify_all();
    return happened;
  }

  void RemoveCompleted() {
    std::erase_if(operations_, [](const auto& operation) { return operation->complete(); });
  }

  void Run() {
    std::unique_lock lock(mutex_);
    int idle_looks = 0;
    microseconds rest = kShortestRest;
    while (true) {
      work_.wait(lock, [&] { return stopping_ || !operations_.empty(); });
      if (stopping_) return;
      if (Pass()) {
        idle_looks = 0;
        rest = kShortestRest;
      }
      if (++idle_looks <= kEagerLooks) {
        lock.unlock();
        sched_yield();
        lock.lock();
      } else {
        work_.wait_for(lock, rest);
        rest = std::min(2 * rest, kLongestRest);
      }
    }
  }

  std::mutex thread_mutex_;  // held while the thread is started or ended; taken first
  std::mutex mutex_;
  std::condition_variable work_;       // the thread has work
  std::condition_variable completed_;  // an operation is complete
  std::vector<std::shared_ptr<Operation>> operations_;
  std::thread thread_;
  bool stopping_ = false;
  int level_ = -1;  // of threads in MPI, which never changes; -1: unknown
};

}  // namespace

void Launch(const std::shared_ptr<Operation>& operation) {
  ProgressEngine::All().Launch(operation);
}
bool Test(Operation* operation) { return ProgressEngine::All().Test(operation); }
void Wait(Operation* operation) { ProgressEngine::All().Wait(operation); }
void LetProceed() { ProgressEngine::All().LetProceed(); }
int StartProgressThread() { return ProgressEngine::All().StartThread(); }
int StopProgressThread() { return ProgressEngine::All().StopThread(); }

}  // namespace cox::collectives
