#include "gateway/transport/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace cox::gateway {
namespace {

using std::chrono::milliseconds;

// A response is sent within this, and a second more for each MiB.
constexpr milliseconds kWriteTime{10'000};
constexpr size_t kWriteBytesPerMillisecond = 1'049;
// How long a refused client may take to read why.
constexpr milliseconds kFarewell{250};

}  // namespace

Connection::~Connection() {
  if (tls_ != nullptr && tls_->is_open()) tls_->End();
  if (refused_ != 0) {
    // Closing with unread input would reset the connection, and the refusal might be lost.
    shutdown(socket_, SHUT_WR);
    const auto deadline = Clock::now() + kFarewell;
    // Poll() finds data also after the deadline, from a client that goes on sending.
    while (Clock::now() < deadline && Poll(POLLIN, deadline) &&
           recv(socket_, buffer_.data(), buffer_.size(), 0) > 0) {
    }
  }
  close(socket_);
}

bool Connection::Greet(milliseconds time) {
  if (tls_ == nullptr) return true;
  const auto deadline = Clock::now() + time;
  while (true) {
    if (tls_->Accept() > 0) return true;
    if (errno != EAGAIN || !Poll(tls_->wants(), deadline) || Clock::now() > deadline) return false;
  }
}

bool Connection::AwaitInput(milliseconds patience) {
  return begin_ < end_ || (tls_ != nullptr && tls_->HasPending()) ||
         Poll(POLLIN, Clock::now() + patience);
}

void Connection::Allow(size_t bytes, milliseconds time, const HttpResponse* over_bytes) {
  allowed_bytes_ = bytes;
  deadline_ = Clock::now() + time;
  over_bytes_ = over_bytes;
}

ssize_t Connection::Read(char* out, size_t size) {
  if (refused_ != 0) return -1;
  if (allowed_bytes_ == 0) {
    Refuse(*over_bytes_);
    return -1;
  }
  short wants = 0;  // of TLS: what it waits for
  while (begin_ == end_) {
    const bool has_pending = tls_ != nullptr && tls_->HasPending();
    if (!has_pending && !Poll(wants == 0 ? POLLIN : wants, deadline_)) {
      Refuse(ErrorResponse(408, grpc::StatusCode::DEADLINE_EXCEEDED,
                           "request: it did not arrive in time"));
      return -1;
    }
    const ssize_t received = Receive(buffer_.data(), buffer_.size());
    wants = tls_ == nullptr ? 0 : tls_->wants();
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (received <= 0) return received;
    begin_ = 0;
    end_ = static_cast<size_t>(received);
  }
  const size_t taken = std::min({size, end_ - begin_, allowed_bytes_});
  std::memcpy(out, buffer_.data() + begin_, taken);
  begin_ += taken;
  allowed_bytes_ -= taken;
  return static_cast<ssize_t>(taken);
}

bool Connection::Write(const char* data, size_t size) { return refused_ == 0 && Send(data, size); }

void Connection::Refuse(const HttpResponse& refusal) {
  if (refused_ != 0) return;
  if (tls_ != nullptr && !tls_->is_open()) {
    refused_ = refusal.status;
    return;
  }
  std::string text =
      absl::StrCat("HTTP/1.1 ", refusal.status,
                   " Refused\r\nConnection: close\r\nContent-Type: ", refusal.content_type,
                   "\r\nContent-Length: ", refusal.body.size());
  for (const auto& [name, value] : refusal.headers)
    absl::StrAppend(&text, "\r\n", name, ": ", value);
  absl::StrAppend(&text, "\r\n\r\n", refusal.body);
  Send(text.data(), text.size());
  refused_ = refusal.status;
}

bool Connection::IsOpen() const {
  pollfd poll_socket{socket_, POLLRDHUP, 0};
  return poll(&poll_socket, 1, 0) == 0;
}

void Connection::Interrupt() { shutdown(socket_, SHUT_RDWR); }

bool Connection::Poll(short events, Clock::time_point deadline) const {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    pollfd poll_socket{socket_, events, 0};
    const int ready = poll(&poll_socket, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool Connection::Send(const char* data, size_t size) {
  const auto deadline = Clock::now() + kWriteTime + milliseconds(size / kWriteBytesPerMillisecond);
  while (size > 0) {
    const ssize_t sent = Put(data, size);
    if (sent > 0) {
      data += sent;
      size -= static_cast<size_t>(sent);
    } else if (errno != EINTR &&
               (errno != EAGAIN || !Poll(tls_ == nullptr ? POLLOUT : tls_->wants(), deadline))) {
      return false;
    }
    if (Clock::now() > deadline) return false;
  }
  return true;
}

ssize_t Connection::Receive(char* out, size_t size) {
  return tls_ == nullptr ? recv(socket_, out, size, 0) : tls_->Read(out, size);
}

ssize_t Connection::Put(const char* data, size_t size) {
  return tls_ == nullptr ? send(socket_, data, size, MSG_NOSIGNAL) : tls_->Write(data, size);
}

}  // namespace cox::gateway
