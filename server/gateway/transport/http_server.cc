#include "gateway/transport/http_server.h"

#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "access/tls/tls_server.h"
#include "domain/sharing/name_thread.h"
#include "gateway/head_check.h"
#include "gateway/transport/connection.h"
#include "gateway/transport/listening_socket.h"
#include "gateway/transport/workers.h"

namespace cox::gateway {
namespace {

using std::chrono::milliseconds;

// How often a stream looks whether its client is still there.
constexpr milliseconds kStreamPatience{250};
// Threads that tell clients that there are too many.
constexpr size_t kRefusers = 2;
// Threads beyond the bound of connections, and how long to wait for one, for clients whose
// predecessor is still being closed.
constexpr size_t kSpareWorkers = 8;
constexpr milliseconds kPatienceForWorker{1'000};
// A body up to this many bytes is always taken: 64 of them are little.
constexpr int64_t kSmallBody = 65'536;

// What the bodies of all connections take. Any thread.
class BodyBudget {
 public:
  explicit BodyBudget(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Counts bytes that have come. False: too many, with those of others.
  bool Take(int64_t bytes) { return (held_bytes_ += bytes) <= limit_bytes_; }
  void GiveBack(int64_t bytes) { held_bytes_ -= bytes; }

 private:
  const int64_t limit_bytes_;
  std::atomic<int64_t> held_bytes_{0};
};

// What httplib reads requests from and writes responses to.
class ConnectionStream : public httplib::Stream {
 public:
  // Refuses with `too_much` a body for which `bodies` has no room. Both outlive the stream.
  ConnectionStream(Connection* connection, BodyBudget* bodies, const HttpResponse& too_much)
      : connection_(connection), bodies_(bodies), too_much_(too_much) {}
  ~ConnectionStream() override { bodies_->GiveBack(body_bytes_); }
  ConnectionStream(const ConnectionStream&) = delete;
  ConnectionStream& operator=(const ConnectionStream&) = delete;

  bool is_readable() const override { return true; }
  bool is_writable() const override { return connection_->IsOpen(); }
  ssize_t read(char* out, size_t size) override {
    const ssize_t count = connection_->Read(out, size);
    for (ssize_t i = 0; in_head_ && i < count; ++i) {
      if (!BeginsRange(out[i])) continue;
      connection_->Refuse(ErrorResponse(400, grpc::StatusCode::INVALID_ARGUMENT,
                                        "request: parts of an answer (Range) are not served"));
      return -1;
    }
    if (in_head_ || count <= 0) return count;
    // Not what the client announces: who announces much and sends nothing takes nothing.
    body_bytes_ += count;
    if (!bodies_->Take(count) && body_bytes_ > kSmallBody) {
      connection_->Refuse(too_much_);
      return -1;
    }
    return count;
  }
  ssize_t write(const char* data, size_t size) override {
    if (status_ < 200) NoteStatus({data, size});
    return connection_->Write(data, size) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return connection_->socket(); }

  // What is read from now on is a body.
  void EndHead() { in_head_ = false; }

  // Of the response that was written; 0: none was.
  int status() const { return status_; }

 private:
  // httplib begins a response with one write that holds its first line.
  void NoteStatus(absl::string_view data) {
    constexpr absl::string_view kVersion = "HTTP/1.1 ";
    if (absl::StartsWith(data, kVersion)) {
      (void)absl::SimpleAtoi(data.substr(kVersion.size(), 3), &status_);
    }
  }

  // True at the end of the name of a Range header. httplib parses ranges with a regular expression
  // that recurses for each byte: 16 KiB of them need 8 MiB of stack, and threads may have 2.
  bool BeginsRange(char c) {
    constexpr absl::string_view kName = "range:";
    if (c == '\n') {
      matched_ = 0;
    } else if (matched_ < kName.size()) {
      matched_ = absl::ascii_tolower(c) == kName[matched_] ? matched_ + 1 : kName.size() + 1;
    }
    return matched_ == kName.size();
  }

  Connection* const connection_;
  BodyBudget* const bodies_;
  const HttpResponse& too_much_;
  int64_t body_bytes_ = 0;  // taken from bodies_
  bool in_head_ = true;
  size_t matched_ = 0;  // of "range:", at the begin of a line; more than its size: another name
  int status_ = 0;
};

HttpRequest View(const httplib::Request& request, bool is_encrypted) {
  HttpRequest view;
  view.is_encrypted = is_encrypted;
  view.method = request.method;
  view.path = request.path;
  view.body = request.body;
  view.headers.reserve(request.headers.size());
  for (const auto& [name, value] : request.headers) view.headers.emplace_back(name, value);
  return view;
}

// httplib compresses answers itself where the client accepts it, with Brotli at its slowest level:
// a second per megabyte. The handler knows better, so only the handler hears what is accepted.
void HandOnCodings(httplib::Request& request) {
  const std::string accepted = request.get_header_value("Accept-Encoding");
  request.headers.erase("Accept-Encoding");
  request.headers.erase(kAcceptedCodings);
  if (!accepted.empty()) request.headers.emplace(kAcceptedCodings, accepted);
}

void Copy(HttpResponse from, httplib::Response* to) {
  to->status = from.status;
  for (const auto& [name, value] : from.headers) to->set_header(name, value);
  if (from.stream == nullptr) {
    to->set_content(from.body, from.content_type);
    return;
  }
  to->set_chunked_content_provider(
      from.content_type, [stream = from.stream](size_t /*offset*/, httplib::DataSink& sink) {
        std::string piece;
        const bool more = stream->Next(kStreamPatience, &piece);
        if (!piece.empty() && !sink.write(piece.data(), piece.size())) return false;
        if (!more) {
          sink.done();
          return true;
        }
        return sink.is_writable();
      });
}

// httplib parses requests and writes responses. Accepting, threads and sockets are our own: its
// server has no bound on connections, on headers or on how long a client may take.
class BoundedServer final : public HttpServer, private httplib::Server {
 public:
  BoundedServer(ListeningSocket listening, const HttpLimits& limits, HttpServer::Handler handler,
                Answered answered, std::unique_ptr<access::TlsServer> tls)
      : address_(std::move(listening.address)),
        listener_(listening.socket),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        limits_(limits),
        handler_(std::move(handler)),
        answered_(std::move(answered)),
        tls_(std::move(tls)),
        // A body of the greatest size must find room, if one other is there.
        bodies_(std::max(limits.all_bodies_bytes, 2 * limits.body_bytes)),
        refusers_(kRefusers),
        workers_(limits.connections + kSpareWorkers) {
    svr_sock_ = listener_;  // without one it would end streams at once
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      NoteWorks(served_);
      HttpRequest view = View(request, tls_ != nullptr);
      view.is_client_there = [connection = served_] { return connection->IsOpen(); };
      HttpResponse answer = handler_(view);
      // A stream may have nothing to send for long. Whoever does not read is disconnected.
      if (answer.stream == nullptr) NoteWaits(served_);
      Copy(std::move(answer), &response);
    };
    Get(kEveryPath, answer);
    Post(kEveryPath, answer);
    set_error_handler([](const httplib::Request& /*request*/, httplib::Response& response) {
      // Those of the handler have a body. The others are about what httplib could not read.
      if (response.body.empty()) {
        Copy(ErrorResponse(response.status, grpc::StatusCode::INVALID_ARGUMENT,
                           "request: not a valid HTTP/1.1 request"),
             &response);
      }
      // What was not understood may have left half a request behind.
      if (response.status == 400) response.set_header("Connection", "close");
    });
    set_exception_handler([](const auto& /*request*/, httplib::Response& response, auto /*what*/) {
      Copy(ErrorResponse(500, grpc::StatusCode::INTERNAL, "the request could not be answered"),
           &response);
    });
    set_keep_alive_max_count(limits.requests_per_connection);
    set_keep_alive_timeout(std::chrono::duration_cast<std::chrono::seconds>(limits.idle).count());
  }

  void Serve() override {
    acceptor_ = std::thread([this] { Accept(); });
  }

  ~BoundedServer() override {
    const uint64_t one = 1;
    while (write(wake_, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
    if (acceptor_.joinable()) acceptor_.join();
    {
      std::lock_guard lock(mutex_);
      for (Connection* connection : open_) connection->Interrupt();
    }
    svr_sock_ = INVALID_SOCKET;
    close(listener_);
    close(wake_);
  }

  std::string address() const override { return address_; }
  size_t open_connections() const override {
    std::lock_guard lock(mutex_);
    return open_.size();
  }

 private:
  // Even with line breaks, which "." would not match.
  static constexpr const char* kEveryPath = "[\\s\\S]*";

  void Accept() {
    domain::NameThisThread("http-accept");
    while (true) {
      pollfd polled[] = {{listener_, POLLIN, 0}, {wake_, POLLIN, 0}};
      poll(polled, 2, -1);
      if (polled[1].revents != 0) return;
      const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (socket < 0) {
        // Mostly a client that left. Where descriptors are short, others must close theirs first.
        if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(milliseconds(10));
        continue;
      }
      const int on = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      auto connection =
          tls_ == nullptr ? std::make_shared<Connection>(socket) : EncryptedConnection(socket);
      if (connection == nullptr) continue;
      if (Admit(connection.get())) {
        if (workers_.Run([this, connection] { ServeClient(*connection); }, kPatienceForWorker)) {
          continue;
        }
        Remove(connection.get());
      }
      // Not here: a refused client may take a moment to go.
      refusers_.Run([this, connection] {
        connection->Refuse(too_many_);
        answered_(too_many_.status);
      });
    }
  }

  // Null, and the socket is closed, where there is no memory.
  std::shared_ptr<Connection> EncryptedConnection(int socket) {
    std::unique_ptr<access::TlsStream> stream = tls_->NewStream(socket);
    if (stream == nullptr) {
      close(socket);
      return nullptr;
    }
    return std::make_shared<Connection>(socket, std::move(stream));
  }

  // Whether there is room for one more. If all connections are taken, the one that has waited for
  // its client longest makes room: silent and slow clients cannot shut out the others.
  bool Admit(Connection* connection) {
    std::lock_guard lock(mutex_);
    if (open_.size() >= limits_.connections) {
      const auto longest =
          std::min_element(waiting_since_.begin(), waiting_since_.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      if (longest == waiting_since_.end()) return false;
      longest->first->Interrupt();
      open_.erase(longest->first);
      waiting_since_.erase(longest);
    }
    open_.insert(connection);
    waiting_since_[connection] = Clock::now();
    return true;
  }

  void Remove(Connection* connection) {
    std::lock_guard lock(mutex_);
    open_.erase(connection);
    waiting_since_.erase(connection);
  }

  // From now on the connection waits for its client: to send a request, or to read the answer.
  void NoteWaits(Connection* connection) {
    std::lock_guard lock(mutex_);
    if (open_.contains(connection)) waiting_since_[connection] = Clock::now();
  }
  // From now on its client waits for us.
  void NoteWorks(Connection* connection) {
    std::lock_guard lock(mutex_);
    waiting_since_.erase(connection);
  }

  void ServeClient(Connection& connection) {
    served_ = &connection;
    const bool is_greeted = connection.Greet(limits_.head_time);
    for (size_t left = limits_.requests_per_connection; is_greeted && left > 0; --left) {
      if (!connection.AwaitInput(limits_.idle)) break;
      if (!ServeOne(connection, left == 1)) break;
      NoteWaits(&connection);
    }
    Remove(&connection);
  }

  // False if the connection is to be closed.
  bool ServeOne(Connection& connection, bool last) {
    connection.Allow(limits_.head_bytes, limits_.head_time, &long_head_);
    ConnectionStream stream(&connection, &bodies_, too_much_);
    bool closed = false;
    const bool answered = process_request(stream, last, closed, [&](httplib::Request& request) {
      if (const auto refusal = CheckHead(View(request, tls_ != nullptr), limits_.body_bytes)) {
        connection.Refuse(*refusal);
        request.method.clear();  // so that nothing is done for it
        return;
      }
      HandOnCodings(request);
      stream.EndHead();
      // A chunked body says how long it is at its end only, and its chunks have heads of their own.
      constexpr size_t kChunkHeads = 65'536;
      connection.Allow(static_cast<size_t>(limits_.body_bytes) + kChunkHeads, limits_.body_time,
                       &long_body_);
    });
    const int status = connection.refused() != 0 ? connection.refused() : stream.status();
    if (status != 0) answered_(status);
    return answered && !closed && status != 400;
  }

  const std::string address_;
  const int listener_;
  const int wake_;
  const HttpLimits limits_;
  const HttpServer::Handler handler_;
  const Answered answered_;
  const HttpResponse too_many_ = ErrorResponse(
      503, grpc::StatusCode::UNAVAILABLE, "too many connections are open; try again in a second");
  const HttpResponse too_much_ =
      ErrorResponse(503, grpc::StatusCode::UNAVAILABLE,
                    "request: too many large bodies arrive at once; try again in a second");
  const HttpResponse long_head_ = ErrorResponse(431, grpc::StatusCode::RESOURCE_EXHAUSTED,
                                                "request: its first line and headers are too long");
  const HttpResponse long_body_ =
      ErrorResponse(413, grpc::StatusCode::RESOURCE_EXHAUSTED, "request: the body is too long");

  const std::unique_ptr<access::TlsServer> tls_;  // null: none

  using Clock = std::chrono::steady_clock;
  static thread_local Connection* served_;  // by this thread

  BodyBudget bodies_;

  mutable std::mutex mutex_;
  std::set<Connection*> open_;
  std::map<Connection*, Clock::time_point> waiting_since_;  // of the open ones

  Workers refusers_;
  Workers workers_;
  std::thread acceptor_;
};

thread_local Connection* BoundedServer::served_ = nullptr;

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Listen(const std::string& address,
                                                               const HttpLimits& limits,
                                                               Handler handler, Answered answered,
                                                               const access::TlsFiles* tls_files) {
  absl::StatusOr<std::unique_ptr<access::TlsServer>> tls = nullptr;
  if (tls_files != nullptr) tls = access::TlsServer::Open(tls_files);
  if (!tls.ok()) return tls.status();
  absl::StatusOr<ListeningSocket> listening = gateway::Listen(address);
  if (!listening.ok()) return listening.status();
  return std::make_unique<BoundedServer>(*std::move(listening), limits, std::move(handler),
                                         std::move(answered), *std::move(tls));
}

}  // namespace cox::gateway
