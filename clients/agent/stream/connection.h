// One StreamObservations call after the other on a channel to coxd: a request out, its response in.
// Uses gRPC without the protobuf library (see wire.h).
//
// Start, Exchange and End from one thread, where they block; Cancel from any thread makes them
// return soon. Failures end the call: Start or Exchange answer false, End says why.
#ifndef COX_AGENT_STREAM_CONNECTION_H_
#define COX_AGENT_STREAM_CONNECTION_H_

#include <memory>
#include <string>

namespace cox::agent {

class Connection {
 public:
  // A gRPC target: "127.0.0.1:7077", "unix:/run/coxd.sock". Connects at the first call.
  explicit Connection(const std::string& target);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool Start();
  bool Exchange(const std::string& request, std::string* response);

  // After Start, whatever it answered. "" when the call ended well.
  std::string End();

  // The call under way, if any, and all later ones until Start.
  void Cancel();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_CONNECTION_H_
