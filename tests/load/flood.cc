#include "flood.h"

#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cox/v1/advice.grpc.pb.h"
#include "cox/v1/history.grpc.pb.h"
#include "cox/v1/machine.grpc.pb.h"
#include "cox/v1/observation.grpc.pb.h"
#include "measured_machine.h"
#include "ports.h"

namespace cox::load {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{10};  // of one call
constexpr std::chrono::seconds kPatienceOfAll{60};
// Less than each refusal asks for.
constexpr std::chrono::milliseconds kAfterRefusal{20};
constexpr int kQuestionsOfBatch = 1'000;
constexpr int kStreamsOfConnection = 32;  // the most that coxd allows

class Fates {
 public:
  void Add(const std::string& kind, const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    Fate& fate = fates_[kind];
    switch (status.error_code()) {
      case grpc::StatusCode::OK:
        ++fate.served;
        break;
      case grpc::StatusCode::RESOURCE_EXHAUSTED:
        ++fate.refused;
        break;
      case grpc::StatusCode::UNAVAILABLE:
      case grpc::StatusCode::DEADLINE_EXCEEDED:
        ++fate.unreachable;
        break;
      default:
        ++fate.wrong;
        fate.problem = absl::StrCat(status.error_code(), " ", status.error_message());
    }
  }
  std::map<std::string, Fate> Get() const {
    const std::lock_guard lock(mutex_);
    return fates_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Fate> fates_;
};

std::shared_ptr<grpc::Channel> Connect(int port) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", port),
                                   grpc::InsecureChannelCredentials(), arguments);
}

template <typename Stub, typename Request, typename Response>
grpc::Status Ask(const std::shared_ptr<grpc::Channel>& channel,
                 std::unique_ptr<Stub> (*new_stub)(const std::shared_ptr<grpc::ChannelInterface>&,
                                                   const grpc::StubOptions&),
                 grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                 const Request& request) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  Response response;
  return ((*new_stub(channel, {})).*method)(&context, request, &response);
}

grpc::Status AskOne(const std::shared_ptr<grpc::Channel>& channel, int index) {
  return Ask(channel, v1::AdviceService::NewStub, &v1::AdviceService::Stub::Recommend,
             bench::MakeQuestion(index));
}

grpc::Status AskMany(const std::shared_ptr<grpc::Channel>& channel, int index) {
  v1::BatchRecommendRequest request;
  for (int i = 0; i < kQuestionsOfBatch; ++i) {
    *request.add_requests() = bench::MakeQuestion(index + i);
  }
  return Ask(channel, v1::AdviceService::NewStub, &v1::AdviceService::Stub::BatchRecommend,
             request);
}

grpc::Status List(const std::shared_ptr<grpc::Channel>& channel, int /*index*/) {
  v1::ListObservationsRequest request;
  request.set_page_size(1'000);
  return Ask(channel, v1::ObservationService::NewStub,
             &v1::ObservationService::Stub::ListObservations, request);
}

grpc::Status Summarize(const std::shared_ptr<grpc::Channel>& channel, int /*index*/) {
  v1::SummarizeObservationsRequest request;
  request.set_machine("site");
  return Ask(channel, v1::HistoryService::NewStub, &v1::HistoryService::Stub::SummarizeObservations,
             request);
}

using Question = grpc::Status (*)(const std::shared_ptr<grpc::Channel>&, int);
constexpr Question kQuestions[] = {AskOne, AskMany, List, Summarize};

v1::ReportObservationsRequest FullBatch(int client, int rows) {
  v1::ReportObservationsRequest request;
  request.set_job(absl::StrCat("flood-", client));
  for (int i = 0; i < rows; ++i) {
    *request.add_observations() = bench::MakeObservation(client + i);
  }
  return request;
}

// A stream that ends only when the daemon or End() ends it.
class EndlessStream {
 public:
  virtual ~EndlessStream() = default;
  void End() { context_.TryCancel(); }
  // Until it was served or refused.
  void AwaitBegin(Clock::time_point give_up) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, give_up, [this] { return has_begun_ || is_over_; });
  }
  void AwaitEnd() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_over_; });
  }

 protected:
  explicit EndlessStream(Fates* fates) : fates_(fates) {}
  void Begun() {
    const std::lock_guard lock(mutex_);
    has_begun_ = true;
    changed_.notify_all();
  }
  void Over(const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    if (status.error_code() != grpc::StatusCode::CANCELLED) {
      fates_->Add("stream", status);
    } else if (has_begun_) {
      fates_->Add("stream", {});
    } else {
      fates_->Add("stream", {grpc::StatusCode::UNAVAILABLE, "never began"});
    }
    is_over_ = true;
    changed_.notify_all();
  }
  grpc::ClientContext context_;

 private:
  Fates* const fates_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  bool has_begun_ = false;
};

class Watcher : public EndlessStream, public grpc::ClientReadReactor<v1::Profile> {
 public:
  Watcher(const std::shared_ptr<grpc::Channel>& channel, Fates* fates)
      : EndlessStream(fates), stub_(v1::ProfileService::NewStub(channel)) {
    request_.set_parent("machines/site");
    stub_->async()->WatchProfile(&context_, &request_, this);
    StartRead(&profile_);
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    Begun();
    StartRead(&profile_);
  }
  void OnDone(const grpc::Status& status) override { Over(status); }

 private:
  const std::unique_ptr<v1::ProfileService::Stub> stub_;
  v1::WatchProfileRequest request_;
  v1::Profile profile_;
};

// Sends batches and reads no answer.
class DeafReporter : public EndlessStream,
                     public grpc::ClientBidiReactor<v1::StreamObservationsRequest,
                                                    v1::StreamObservationsResponse> {
 public:
  DeafReporter(const std::shared_ptr<grpc::Channel>& channel, int index, Fates* fates)
      : EndlessStream(fates), stub_(v1::ObservationService::NewStub(channel)) {
    request_.mutable_batch()->set_job(absl::StrCat("deaf-", index));
    *request_.mutable_batch()->add_observations() = bench::MakeObservation(index);
    request_.mutable_batch()->set_sequence(1);
    stub_->async()->StreamObservations(&context_, this);
    StartWrite(&request_);
    StartCall();
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return;
    Begun();
    request_.mutable_batch()->set_sequence(request_.batch().sequence() + 1);
    StartWrite(&request_);
  }
  void OnDone(const grpc::Status& status) override { Over(status); }

 private:
  const std::unique_ptr<v1::ObservationService::Stub> stub_;
  v1::StreamObservationsRequest request_;
};

// A connected TCP socket that gRPC knows nothing of.
class RawConnection {
 public:
  explicit RawConnection(int port) : fd_(ConnectTo(port)) {}
  ~RawConnection() {
    if (fd_ >= 0) close(fd_);
  }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  void Send(absl::string_view bytes) const {
    if (fd_ >= 0) send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  // OK, or that the daemon has closed it.
  grpc::Status Look() const {
    char bytes[4'096];
    ssize_t count = fd_ >= 0 ? 1 : 0;
    while (count > 0) count = recv(fd_, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (fd_ >= 0 && count < 0 && errno == EAGAIN) return {};
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "closed"};
  }

 private:
  const int fd_;
};

// How a client of HTTP/2 begins: its preface, and settings without an entry.
constexpr absl::string_view kHttp2Begin("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
constexpr size_t kHttp2Part = 20;  // no whole preface
constexpr absl::string_view kHttpBegin = "POST /cox.v1.AdviceService/Recommend HTTP/1.1\r\nX: ";

}  // namespace

std::map<std::string, Fate> Flood(const FloodPlan& plan, int grpc_port, int http_port) {
  std::atomic<bool> is_over{false};
  Fates fates;
  std::vector<std::thread> threads;
  // Calls until the end; waits after a refusal, but less than it asks for.
  const auto start_loop = [&](const char* kind, const std::function<grpc::Status()>& call) {
    threads.emplace_back([&fates, &is_over, kind, call] {
      while (!is_over) {
        const grpc::Status status = call();
        fates.Add(kind, status);
        if (!status.ok()) std::this_thread::sleep_for(kAfterRefusal);
      }
    });
  };
  for (int i = 0; i < plan.askers; ++i) {
    start_loop("asker", [channel = Connect(grpc_port), i, n = 0]() mutable {
      return kQuestions[static_cast<size_t>(i) % std::size(kQuestions)](channel, i + n++);
    });
  }
  for (int i = 0; i < plan.batches; ++i) {
    start_loop("batch", [channel = Connect(grpc_port), batch = FullBatch(i, plan.rows)] {
      return Ask(channel, v1::ObservationService::NewStub,
                 &v1::ObservationService::Stub::ReportObservations, batch);
    });
  }
  std::vector<std::unique_ptr<EndlessStream>> streams;
  std::shared_ptr<grpc::Channel> channel;
  for (int i = 0; i < plan.streams; ++i) {
    if (i % kStreamsOfConnection == 0) channel = Connect(grpc_port);
    if (i % 10 == 0) {
      streams.push_back(std::make_unique<DeafReporter>(channel, i, &fates));
    } else {
      streams.push_back(std::make_unique<Watcher>(channel, &fates));
    }
  }
  std::vector<std::unique_ptr<RawConnection>> idle;
  for (int i = 0; i < plan.idle; ++i) {
    idle.push_back(std::make_unique<RawConnection>(grpc_port));
    idle.back()->Send(kHttp2Begin);
  }
  std::vector<std::unique_ptr<RawConnection>> trickles;
  for (int i = 0; i < plan.trickles; ++i) {
    trickles.push_back(std::make_unique<RawConnection>(i % 2 == 0 ? grpc_port : http_port));
  }
  // On a busy machine it takes a while until the flood is there.
  const Clock::time_point give_up = Clock::now() + kPatienceOfAll;
  for (const auto& stream : streams) stream->AwaitBegin(give_up);
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(plan.seconds));
  for (size_t byte = 0; Clock::now() < end; ++byte) {
    for (size_t i = 0; i < trickles.size(); ++i) {
      if (i % 2 == 0) {
        trickles[i]->Send(
            kHttp2Begin.substr(std::min(byte, kHttp2Part), byte < kHttp2Part ? 1 : 0));
      } else {
        // The header never ends.
        trickles[i]->Send(kHttpBegin.substr(std::min(byte, kHttpBegin.size() - 1), 1));
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  is_over = true;
  for (const auto& connection : idle) fates.Add("idle", connection->Look());
  for (const auto& connection : trickles) fates.Add("trickle", connection->Look());
  for (const auto& stream : streams) stream->End();
  for (const auto& stream : streams) stream->AwaitEnd();
  for (std::thread& thread : threads) thread.join();
  return fates.Get();
}

}  // namespace cox::load
