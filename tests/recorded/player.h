// Answers calls as a tape has them.
#ifndef COX_TESTS_RECORDED_PLAYER_H_
#define COX_TESTS_RECORDED_PLAYER_H_

#include <grpcpp/generic/async_generic_service.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tape.h"

namespace cox::recorded {

class Player : public grpc::CallbackGenericService {
 public:
  explicit Player(Tape tape) : tape_(std::move(tape)), is_played_(tape_.size()) {}

 private:
  class Performance;

  // The first call of the method that was not played yet, best with the same bytes; null without
  // one. Any thread.
  const RecordedCall* Find(const std::string& method, const std::vector<std::string>& requests);

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

  const Tape tape_;
  std::mutex mutex_;
  std::vector<bool> is_played_;
};

}  // namespace cox::recorded

#endif  // COX_TESTS_RECORDED_PLAYER_H_
