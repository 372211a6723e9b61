#include "collectives/engine/operation.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

#include "collectives/engine/bytes.h"
#include "collectives/engine/clock.h"
#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

// Initial room for the messages of an exchange of that many ranks.
constexpr int kReservedRanks = 64;

}  // namespace

Operation::Operation(std::shared_ptr<Channel> channel, std::string algorithm,
                     std::unique_ptr<Protocol> protocol)
    : channel_(std::move(channel)),
      stated_(std::move(algorithm)),
      protocol_(std::move(protocol)),
      first_tag_(channel_->TakeTags()) {
  const auto often = static_cast<size_t>(2 * std::min(channel_->ranks(), kReservedRanks));
  requests_.reserve(often);
  tokens_.reserve(often);
}

Operation::~Operation() = default;

void Operation::Begin() {
  const CpuScope cpu(&cpu_s_);
  start_s_ = NowSeconds();
  const int error = Guarded([&] {
    COX_TRY(protocol_->Start(this));
    return StartNext();
  });
  if (error != MPI_SUCCESS) Complete(error);
}

bool Operation::Proceed(bool may_block) {
  if (complete()) return false;
  const CpuScope cpu(&cpu_s_);
  bool happened = false;
  const int error = Guarded([&] { return Step(may_block, &happened); });
  if (error != MPI_SUCCESS) Complete(error);
  return happened || complete();
}

int Operation::Step(bool may_block, bool* happened) {
  if (polls_) COX_TRY(Poll(happened));
  if (!requests_.empty()) {
    bool is_any_done = false;
    COX_TRY(TestRequests(may_block && !polls_, &is_any_done));
    if (is_any_done) {
      *happened = true;
      COX_TRY(Poll(happened));
    }
  }
  if (!requests_.empty() || polls_) return MPI_SUCCESS;
  COX_TRY(protocol_->Finish(this));
  Complete(MPI_SUCCESS);
  return MPI_SUCCESS;
}

int Operation::Poll(bool* happened) {
  bool found = false;
  COX_TRY(protocol_->Poll(this, &polls_, &found));
  *happened = *happened || found;
  return StartNext();
}

int Operation::TestRequests(bool may_block, bool* is_any_done) {
  const int count = static_cast<int>(requests_.size());
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int done = count;
  int code;
  if (may_block && protocol_->WaitsForAll()) {
    code = MPI_Waitall(count, requests_.data(), statuses_.data());
    std::iota(indices_.begin(), indices_.end(), 0);
  } else {
    const auto function = may_block ? MPI_Waitsome : MPI_Testsome;
    code = function(count, requests_.data(), &done, indices_.data(), statuses_.data());
  }
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  const bool has_errors = error_class == MPI_ERR_IN_STATUS;
  if (code != MPI_SUCCESS && !has_errors) return FailMpi(code, "MPI_Testsome");
  if (done <= 0) return MPI_SUCCESS;
  *is_any_done = true;
  done_tokens_.clear();
  for (int i = 0; i < done; ++i) {
    const auto index = static_cast<size_t>(indices_[static_cast<size_t>(i)]);
    if (has_errors) {
      const int error = statuses_[static_cast<size_t>(i)].MPI_ERROR;
      if (error == MPI_ERR_PENDING) continue;
      COX_TRY(Note(error));
    }
    requests_[index] = MPI_REQUEST_NULL;
    done_tokens_.push_back(tokens_[index]);
  }
  // Keeps the order, because MPI looks at the oldest request first.
  size_t kept = 0;
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    tokens_[kept++] = tokens_[i];
  }
  requests_.resize(kept);
  tokens_.resize(kept);
  for (const int token : done_tokens_) {
    COX_TRY(protocol_->Done(this, token));
    COX_TRY(StartNext());
  }
  return MPI_SUCCESS;
}

// A truncated message on this rank must not stop messages that pass through it.
int Operation::Note(int code) {
  if (code == MPI_SUCCESS) return MPI_SUCCESS;
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  const int failed = FailMpi(code, "MPI_Irecv");
  if (error_class != MPI_ERR_TRUNCATE) return failed;
  Remember(failed);
  return MPI_SUCCESS;
}

void Operation::Remember(int error) {
  if (error_ != MPI_SUCCESS) return;
  error_ = error;
  error_text_ = ErrorText();
}

int Operation::StartNext() {
  while (next_ != nullptr) {
    protocol_ = std::move(next_);
    polls_ = true;
    COX_TRY(protocol_->Start(this));
  }
  return MPI_SUCCESS;
}

void Operation::Become(std::unique_ptr<Protocol> next, std::string algorithm) {
  next_ = std::move(next);
  if (algorithm.empty()) return;
  chosen_ = std::move(algorithm);
  algorithm_.store(&chosen_, std::memory_order_release);
}

void Operation::Complete(int error) {
  if (error != MPI_SUCCESS) Remember(error);
  completion_s_ = NowSeconds() - start_s_;
  // After an error, pending messages may still read and write their memory at any time.
  if (!requests_.empty()) static_cast<void>(protocol_.release());
  complete_.store(true, std::memory_order_release);
}

int Operation::Send(const void* data, int64_t bytes, int peer, int token, int stream) {
  Bytes size;
  COX_TRY(size.Set(bytes));
  MPI_Request request;
  COX_MPI(MPI_Isend,
          (data, size.count(), size.type(), peer, first_tag_ + stream, channel_->comm(), &request));
  Adopt(request, token);
  return MPI_SUCCESS;
}

int Operation::SendSynchronously(const void* data, int64_t bytes, int peer, int token, int stream) {
  Bytes size;
  COX_TRY(size.Set(bytes));
  MPI_Request request;
  COX_MPI(MPI_Issend,
          (data, size.count(), size.type(), peer, first_tag_ + stream, channel_->comm(), &request));
  Adopt(request, token);
  return MPI_SUCCESS;
}

int Operation::Receive(void* data, int64_t bytes, int peer, int token, int stream) {
  Bytes size;
  COX_TRY(size.Set(bytes));
  MPI_Request request;
  COX_MPI(MPI_Irecv,
          (data, size.count(), size.type(), peer, first_tag_ + stream, channel_->comm(), &request));
  Adopt(request, token);
  return MPI_SUCCESS;
}

int Operation::Look(int peer, bool* is_there, Found* found, int stream) {
  int flag = 0;
  MPI_Status status;
#ifdef SMPI_HELPERS_H
  // SimGrid has no MPI_Improbe. Its ranks have one thread, so the next receive gets the probed
  // message.
  COX_MPI(MPI_Iprobe, (peer, first_tag_ + stream, channel_->comm(), &flag, &status));
#else
  COX_MPI(MPI_Improbe,
          (peer, first_tag_ + stream, channel_->comm(), &flag, &found->message, &status));
#endif
  *is_there = flag != 0;
  if (!*is_there) return MPI_SUCCESS;
  MPI_Count bytes = 0;
#ifdef SMPI_HELPERS_H
  int count = 0;
  COX_MPI(MPI_Get_count, (&status, MPI_BYTE, &count));
  bytes = count;
#else
  COX_MPI(MPI_Get_elements_x, (&status, MPI_BYTE, &bytes));
#endif
  found->source = status.MPI_SOURCE;
  found->stream = stream;
  found->bytes = bytes;
  return MPI_SUCCESS;
}

int Operation::ReceiveFound(Found* found, void* data, int token) {
#ifdef SMPI_HELPERS_H
  return Receive(data, found->bytes, found->source, token, found->stream);
#else
  Bytes size;
  COX_TRY(size.Set(found->bytes));
  MPI_Request request;
  COX_MPI(MPI_Imrecv, (data, size.count(), size.type(), &found->message, &request));
  Adopt(request, token);
  return MPI_SUCCESS;
#endif
}

void Operation::Adopt(MPI_Request request, int token) {
  requests_.push_back(request);
  tokens_.push_back(token);
}

}  // namespace cox::collectives
