// An operation under way, and the protocol that it follows.
//
// An operation owns the MPI requests that are out and the clocks; a protocol decides what is sent
// and received next. Both run only under the lock of progress_engine.h, in whatever thread lets
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

// A state machine: it posts messages by the operation's functions, with a token each, and is told
// the token when one is complete. Its functions return MPI_SUCCESS, or an error class by Fail(),
// which ends the operation. It owns the memory of the messages.
class Protocol {
 public:
  virtual ~Protocol() = default;

  // Posts what can be posted at once.
  virtual int Start(Operation* operation) = 0;

  // What had this token is complete.
  virtual int Done(Operation* operation, int token) = 0;

  // For what cannot be a request, like a message from whomever: looks once, and says whether it
  // wants to look again. Called after Start() and after Done(), and again and again until it does
  // not. Sets *happened if there was something.
  virtual int Poll(Operation*, bool* again, bool* happened) {
    *again = *happened = false;
    return MPI_SUCCESS;
  }

  // Whether it does nothing more before all that is out is complete: then one wait is enough.
  virtual bool WaitsForAll() const { return false; }

  // Nothing is out any more and Poll() wants nothing: gives the program its data. Once.
  virtual int Finish(Operation*) { return MPI_SUCCESS; }
};

// What a many-to-many has received: it outlives the protocol, for cox_wait_many.
struct Inbox {
  struct Message {
    int source;
    std::vector<char> data;
  };
  std::vector<Message> messages;  // ordered by source, and of one source in its order
};

class Operation {
 public:
  // Takes the operation's tags from the channel: to be made in the order of the program's calls.
  // algorithm: its written form.
  Operation(std::shared_ptr<Channel> channel, std::string algorithm,
            std::unique_ptr<Protocol> protocol);
  // Complete, or never begun.
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Begin() once, then Proceed() until it is complete. Proceed() returns whether something
  // happened. may_block: it may wait in MPI until something does, if its requests are all that can
  // make it proceed.
  void Begin();
  bool Proceed(bool may_block);

  // Complete, with or without an error: then nothing of it changes any more.
  bool complete() const { return complete_.load(std::memory_order_acquire); }
  int error() const { return error_; }
  const std::string& error_text() const { return error_text_; }
  cox_cost cost() const { return {completion_s_, cpu_s_}; }
  // "" until it is chosen; from then on it stays.
  const std::string& algorithm() const { return *algorithm_.load(std::memory_order_acquire); }
  Inbox* inbox() const { return inbox_.get(); }  // null for what is not a many-to-many

  // What cpu time of this library outside of Begin() and Proceed() is added to.
  double* cpu_s() { return &cpu_s_; }
  void KeepInbox() { inbox_ = std::make_unique<Inbox>(); }

  // ---- For protocols ----

  Channel& channel() const { return *channel_; }
  int rank() const { return channel_->rank(); }
  int ranks() const { return channel_->ranks(); }

  // Posts a message to or from another rank. Messages of a pair of ranks on a stream (0 ..
  // Channel::kStreams - 1) keep their order; streams do not meet. bytes >= 0; the memory stays
  // until `token` is done. Receive(): as many bytes as will come, or more.
  int Send(const void* data, int64_t bytes, int peer, int token, int stream = 0);
  // Done when the receiver has begun to receive it.
  int SendSynchronously(const void* data, int64_t bytes, int peer, int token, int stream = 0);
  int Receive(void* data, int64_t bytes, int peer, int token, int stream = 0);

  // Looks for a message of unknown size. `peer` may be MPI_ANY_SOURCE. If there is one, *found, its
  // source and size; ReceiveFound() posts its receiving, and must.
  struct Found {
    MPI_Message message = MPI_MESSAGE_NULL;
    int source = 0;
    int stream = 0;
    int64_t bytes = 0;
  };
  int Look(int peer, bool* is_there, Found* found, int stream = 0);
  int ReceiveFound(Found* found, void* data, int token);

  // A request that the protocol made by itself on channel().comm().
  void Adopt(MPI_Request request, int token);

  // Messages that are out.
  size_t out() const { return requests_.size(); }

  // Goes on, and ends with this error, made by Fail(), instead of success: for what concerns nobody
  // else. The first one counts.
  void Remember(int error);

  // Goes on by another protocol, the algorithm being chosen: it starts when the running function of
  // the present one has returned. Nothing is out then. `algorithm` is empty while it is not chosen
  // yet; named once at most.
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
