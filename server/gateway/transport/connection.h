// One client's connection, with a bound on all that the client decides: how much it sends and how
// long it takes. A client over a bound is told which, and is disconnected.
//
// One thread at a time, except Interrupt().
#ifndef COX_GATEWAY_TRANSPORT_CONNECTION_H_
#define COX_GATEWAY_TRANSPORT_CONNECTION_H_

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "access/tls/tls_server.h"
#include "gateway/http.h"

namespace cox::gateway {

class Connection {
 public:
  // Owns the socket, which does not block. `tls` is null or goes over it.
  explicit Connection(int socket, std::unique_ptr<access::TlsStream> tls = nullptr)
      : socket_(socket), tls_(std::move(tls)) {}
  // Closes. After a refusal it gives the client a moment to read it.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Agrees with the client on TLS, within `time`. False: they do not agree. True without TLS. Once,
  // before everything else.
  bool Greet(std::chrono::milliseconds time);

  // Waits until the client sends something. False if it does not within `patience`, or went away.
  bool AwaitInput(std::chrono::milliseconds patience);

  // From now on Read() returns at most `bytes` in all, for at most `time`. After more bytes, Read()
  // refuses the client with `over_bytes`, which outlives the connection; after more time, with 408.
  void Allow(size_t bytes, std::chrono::milliseconds time, const HttpResponse* over_bytes);

  // Waits for input. Bytes read; 0: the client closed; -1: failed or refused.
  ssize_t Read(char* out, size_t size);

  // Waits until all is sent. False: it failed, the client was refused before, or the client reads
  // too slowly.
  bool Write(const char* data, size_t size);

  // Sends a refusal, and nothing more. What the client still sends is not read. A client of TLS
  // that was not greeted is told nothing.
  void Refuse(const HttpResponse& refusal);

  // The status of HTTP of the refusal; 0 without one.
  int refused() const { return refused_; }

  // False when the client has gone or Interrupt() was called.
  bool IsOpen() const;

  // Ends all waiting, from any thread.
  void Interrupt();

  int socket() const { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;

  // Waits for the socket's `events`. False at `deadline`.
  bool Poll(short events, Clock::time_point deadline) const;
  bool Send(const char* data, size_t size);
  // As recv() and send() of the socket, through TLS if there is some.
  ssize_t Receive(char* out, size_t size);
  ssize_t Put(const char* data, size_t size);

  const int socket_;
  const std::unique_ptr<access::TlsStream> tls_;  // null: none
  std::array<char, 16'384> buffer_;
  size_t begin_ = 0;  // of what was received and not yet read
  size_t end_ = 0;
  size_t allowed_bytes_ = 0;
  Clock::time_point deadline_;
  const HttpResponse* over_bytes_ = nullptr;
  int refused_ = 0;
};

}  // namespace cox::gateway

#endif  // COX_GATEWAY_TRANSPORT_CONNECTION_H_
