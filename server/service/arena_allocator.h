// Gives each call of a unary method its request and response on one protobuf arena, so that a hot
// method allocates and frees one block, independent of its messages' size.
//
// Thread rule: gRPC calls AllocateMessages from any of its threads; holders are used by one call.
#ifndef COX_SERVICE_ARENA_ALLOCATOR_H_
#define COX_SERVICE_ARENA_ALLOCATOR_H_

#include <google/protobuf/arena.h>
#include <grpcpp/support/message_allocator.h>

#include <memory>

namespace cox::service {

template <typename Request, typename Response>
class ArenaAllocator : public grpc::MessageAllocator<Request, Response> {
 public:
  grpc::MessageHolder<Request, Response>* AllocateMessages() override { return new Holder(); }

 private:
  class Holder : public grpc::MessageHolder<Request, Response> {
   public:
    Holder() : arena_(first_block_, sizeof(first_block_)) {
      this->set_request(google::protobuf::Arena::CreateMessage<Request>(&arena_));
      this->set_response(google::protobuf::Arena::CreateMessage<Response>(&arena_));
    }
    void Release() override { delete this; }

   private:
    alignas(8) char first_block_[2048];  // holds an ordinary question and its answer whole
    google::protobuf::Arena arena_;
  };
};

// The same for a method with large requests: its handler gives the request back as soon as it has
// read it, with context->GetRpcAllocatorState()->FreeRequest().
template <typename Request, typename Response>
class EarlyFreeAllocator : public grpc::MessageAllocator<Request, Response> {
 public:
  grpc::MessageHolder<Request, Response>* AllocateMessages() override { return new Holder(); }

 private:
  class Holder : public grpc::MessageHolder<Request, Response> {
   public:
    Holder() : arena_(std::make_unique<google::protobuf::Arena>(Options())) {
      this->set_request(google::protobuf::Arena::CreateMessage<Request>(arena_.get()));
      this->set_response(&response_);
    }
    void FreeRequest() override {
      this->set_request(nullptr);
      arena_.reset();
    }
    void Release() override { delete this; }

   private:
    static google::protobuf::ArenaOptions Options() {
      google::protobuf::ArenaOptions options;
      options.start_block_size = 2048;
      options.max_block_size = 256 << 10;
      return options;
    }
    std::unique_ptr<google::protobuf::Arena> arena_;
    Response response_;
  };
};

}  // namespace cox::service

#endif  // COX_SERVICE_ARENA_ALLOCATOR_H_
