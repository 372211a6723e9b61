#include "agents.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cox/v1/observation.grpc.pb.h"
#include "measured_machine.h"

namespace cox::load {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

class Agent : public grpc::ClientBidiReactor<v1::StreamObservationsRequest,
                                             v1::StreamObservationsResponse> {
 public:
  Agent(const std::string& server, const std::string& job, int rows, int first_row) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stub_ = v1::ObservationService::NewStub(
        grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), arguments));
    request_.mutable_batch()->set_job(job);
    request_.mutable_batch()->set_create_machines(true);
    for (int i = 0; i < rows; ++i) {
      *request_.mutable_batch()->add_observations() =
          bench::MakeObservation((first_row + i) % bench::kScenarioCount);
    }
    stub_->async()->StreamObservations(&context_, this);
    StartRead(&response_);
    StartCall();
  }

  // Sends the next batch unless one is on its way; `go_on`: and so on until StopLoop().
  bool Send(bool go_on) {
    {
      const std::lock_guard lock(mutex_);
      if (under_way_ > 0 || ended_) return false;
      go_on_ = go_on;
      Begin();
    }
    StartWrite(&request_);
    return true;
  }
  void StopLoop() {
    const std::lock_guard lock(mutex_);
    go_on_ = false;
  }
  // False if the stream ended before.
  bool AwaitAnswer() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return under_way_ == 0 || ended_; });
    return !ended_;
  }
  void End() {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
    }
    context_.TryCancel();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_; });
  }
  bool is_broken() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  void MoveAnswersTo(Answers* answers) {
    const std::lock_guard lock(mutex_);
    answers->latencies_s.insert(answers->latencies_s.end(), latencies_s_.begin(),
                                latencies_s_.end());
    answers->refused_count += std::exchange(refused_count_, 0);
    latencies_s_.clear();
  }

  void OnWriteDone(bool ok) override {
    if (ok) FinishPart();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    {
      const std::lock_guard lock(mutex_);
      latencies_s_.push_back(SecondsSince(sent_at_));
      if (response_.error_code() != 0) ++refused_count_;
    }
    StartRead(&response_);
    FinishPart();
  }
  void OnDone(const grpc::Status& /*status*/) override {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  // A batch is written and answered.
  static constexpr int kParts = 2;

  // mutex_ is held.
  void Begin() {
    under_way_ = kParts;
    request_.mutable_batch()->set_sequence(++sequence_);
    sent_at_ = Clock::now();
  }
  void FinishPart() {
    {
      const std::lock_guard lock(mutex_);
      if (--under_way_ > 0) return;
      if (!go_on_) {
        changed_.notify_all();
        return;
      }
      Begin();
    }
    StartWrite(&request_);
  }

  std::unique_ptr<v1::ObservationService::Stub> stub_;
  grpc::ClientContext context_;
  v1::StreamObservationsRequest request_;
  v1::StreamObservationsResponse response_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int under_way_ = 0;
  bool go_on_ = false;
  bool ended_ = false;
  int64_t sequence_ = 0;
  Clock::time_point sent_at_;
  std::vector<double> latencies_s_;
  int64_t refused_count_ = 0;
};

Agents::Agents(const std::string& server, const std::string& job, int count, int rows) {
  // A few at a time: a site's agents do not start within a millisecond.
  constexpr int kAtOnce = 64;
  for (int i = 0; i < count; ++i) {
    agents_.push_back(std::make_unique<Agent>(server, absl::StrCat(job, "-", i), rows, i * rows));
    agents_.back()->Send(/*go_on=*/false);
    if (i >= kAtOnce) agents_[static_cast<size_t>(i - kAtOnce)]->AwaitAnswer();
  }
  for (const auto& agent : agents_) agent->AwaitAnswer();
  Collect(0);
}

Agents::~Agents() {
  for (const auto& agent : agents_) agent->End();
}

Answers Agents::SendAll(double seconds) {
  const Clock::time_point start = Clock::now();
  for (const auto& agent : agents_) agent->Send(/*go_on=*/true);
  std::this_thread::sleep_until(start + Seconds(seconds));
  for (const auto& agent : agents_) agent->StopLoop();
  for (const auto& agent : agents_) agent->AwaitAnswer();
  return Collect(SecondsSince(start));
}

Answers Agents::SendEachSecond(double seconds) {
  const Clock::time_point start = Clock::now();
  const double step_s = 1 / static_cast<double>(agents_.size());
  const auto turns = static_cast<size_t>(seconds * static_cast<double>(agents_.size()));
  for (size_t turn = 0; turn < turns; ++turn) {
    std::this_thread::sleep_until(start + Seconds(static_cast<double>(turn) * step_s));
    agents_[turn % agents_.size()]->Send(/*go_on=*/false);
  }
  for (const auto& agent : agents_) agent->AwaitAnswer();
  return Collect(SecondsSince(start));
}

int Agents::broken_count() const {
  int count = 0;
  for (const auto& agent : agents_) count += agent->is_broken() ? 1 : 0;
  return count;
}

Answers Agents::Collect(double elapsed_s) {
  Answers answers;
  answers.elapsed_s = elapsed_s;
  for (const auto& agent : agents_) agent->MoveAnswersTo(&answers);
  return answers;
}

}  // namespace cox::load
