// A running operation, and the protocol that it follows.
//
// An operation owns the pending MPI requests and the clocks; a protocol decides what to send and
// receive next. Both run only under the lock of progress_engine.h, in any thread that makes
// operations proceed.
#ifndef COX_COLLECTIVES_ENGINE_OPERATION_H_
#define COX_COLLECTIVES_ENGINE_OPERATION_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/engine/channel.h"
#include "cox/coll.h"

namespace cox::collectives {

class Operation;

// A state machine. It posts messages through the operation's functions, each with a token, and
// hears the token when one completes. Its functions return MPI_SUCCESS, or an error class through
// Fail(), which ends the operation. It owns the memory of its messages.
class Protocol {
 public:
  virtual ~Protocol() = default;

  // Posts what can be posted at once.
  virtual int Start(Operation* operation) = 0;

  // The message or request with this token is complete.
  virtual int Done(Operation* operation, int token) = 0;

  // For work that no request can represent, such as a message from any source. Looks once and sets
  // *again if it wants to look again, *happened if it found something. Called after Start() and
  // after Done(), and repeatedly while it sets *again.
  virtual int Poll(Operation*, bool* again, bool* happened) {
    *again = *happened = false;
    return MPI_SUCCESS;
  }

  // True if it does nothing until all pending requests are complete: then one wait is enough.
  virtual bool WaitsForAll() const { return false; }

  // No request is pending and Poll() wants nothing: gives the program its data. Called once.
  virtual int Finish(Operation*) { return MPI_SUCCESS; }
};

// The messages that a many-to-many has received. It outlives the protocol, for cox_wait_many.
struct Inbox {
  struct Message {
    int source;
    std::vector<char> data;
  };
  std::vector<Message> messages;  // ordered by source; of one source in their order
};

class Operation {
 public:
  // Takes the operation's tags from the channel: construct operations in the order of the program's
  // calls. algorithm: as FormatAlgorithm() writes it.
  Operation(std::shared_ptr<Channel> channel, std::string algorithm,
            std::unique_ptr<Protocol> protocol);
  // Only if complete, or never begun.
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Call Begin() once, then Proceed() until the operation is complete. Proceed() returns whether
  // something happened. With may_block it may wait in MPI if only its requests can make it proceed.
  void Begin();
  bool Proceed(bool may_block);

  // Complete, with or without an error: it does not change any more.
  bool complete() const { return complete_.load(std::memory_order_acquire); }
  int error() const { return error_; }
  const std::string& error_text() const { return error_text_; }
  cox_cost cost() const { return {completion_s_, cpu_s_}; }
  // "" until the algorithm is chosen; then it stays.
  const std::string& algorithm() const { return *algorithm_.load(std::memory_order_acquire); }
  Inbox* inbox() const { return inbox_.get(); }  // null unless it is a many-to-many

  // Receives the processor time of this library outside of Begin() and Proceed().
  double* cpu_s() { return &cpu_s_; }
  void KeepInbox() { inbox_ = std::make_unique<Inbox>(); }

  // ---- For protocols ----

  Channel& channel() const { return *channel_; }
  int rank() const { return channel_->rank(); }
  int ranks() const { return channel_->ranks(); }

  // Posts a message to or from another rank. Messages of a pair of ranks keep their order within a
  // stream (0 .. Channel::kStreams - 1); streams are independent. bytes >= 0; the memory must stay
  // valid until `token` is done. Receive() takes at least as many bytes as arrive.
  int Send(const void* data, int64_t bytes, int peer, int token, int stream = 0);
  // Done when the receiver has begun to receive it.
  int SendSynchronously(const void* data, int64_t bytes, int peer, int token, int stream = 0);
  int Receive(void* data, int64_t bytes, int peer, int token, int stream = 0);

  // Looks for a message of unknown size. `peer` may be MPI_ANY_SOURCE. Sets *found, the source and
  // the size; then the caller must call ReceiveFound(), which posts the receive.
  struct Found {
    MPI_Message message = MPI_MESSAGE_NULL;
    int source = 0;
    int stream = 0;
    int64_t bytes = 0;
  };
  int Look(int peer, bool* is_there, Found* found, int stream = 0);
  int ReceiveFound(Found* found, void* data, int token);

  // Takes over a request that the protocol made on channel().comm().
  void Adopt(MPI_Request request, int token);

  // Number of pending requests.
  size_t out() const { return requests_.size(); }

  // Continues, but ends with this error from Fail() instead of success: for errors that concern
  // this rank only. The first error counts.
  void Remember(int error);

  // Continues with another protocol after the running function of the present one returns. No
  // request may be pending. `algorithm` names the chosen algorithm, at most once; "" while it is
  // not chosen.
  void Become(std::unique_ptr<Protocol> next, std::string algorithm);

 private:
  int Step(bool may_block, bool* happened);
  int Poll(bool* happened);
  int TestRequests(bool may_block, bool* is_any_done);
  int StartNext();
  int Note(int code);
  void Complete(int error);

  std::shared_ptr<Channel> channel_;
  std::string stated_, chosen_;
  std::atomic<const std::string*> algorithm_{&stated_};
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<Protocol> next_;
  std::unique_ptr<Inbox> inbox_;
  int first_tag_;
  bool polls_ = true;
  std::vector<MPI_Request> requests_;
  std::vector<int> tokens_;  // of the requests
  std::vector<int> indices_, done_tokens_;
  std::vector<MPI_Status> statuses_;
  std::atomic<bool> complete_{false};
  int error_ = MPI_SUCCESS;
  std::string error_text_;
  double start_s_ = 0;
  double completion_s_ = 0;
  double cpu_s_ = 0;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_OPERATION_H_
