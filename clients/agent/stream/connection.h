// StreamObservations calls to coxd, one after another: a request out, its response in. If there are
// several daemons, each call goes to the first that accepts. Uses gRPC without the protobuf library
// (wire.h).
//
// Call Start, Exchange and End from one thread, where they block; Cancel from any thread makes them
// return soon. After a failure Start or Exchange returns false, and End gives the reason.
#ifndef COX_AGENT_STREAM_CONNECTION_H_
#define COX_AGENT_STREAM_CONNECTION_H_

#include <memory>
#include <string>

namespace cox::agent {

class Connection {
 public:
  // `servers` is COX_SERVER: "127.0.0.1:7077", "a:7077,b:7077", "unix:/run/coxd.sock". Connects at
  // the first call.
  explicit Connection(const std::string& servers);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool has_several_servers() const;

  // Of several daemons, waits up to five seconds for one that accepts.
  bool Start();
  bool Exchange(const std::string& request, std::string* response);

  // Call after every Start, also a failed one. "" when the call succeeded.
  std::string End();

  // Cancels the running call, if any.
  void Cancel();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_CONNECTION_H_
