#include "collectives/engine/agreement.h"

#include <utility>

#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

class Agreement final : public Protocol {
 public:
  Agreement(std::vector<int64_t> own, std::function<Chosen(const std::vector<int64_t>&)> choose)
      : own_(std::move(own)), largest_(own_.size()), choose_(std::move(choose)) {}

  // MPI requires that all ranks start collectives on a communicator in the same order. They do:
  // each starts with its operation.
  int Start(Operation* operation) override {
    MPI_Request request;
    COX_MPI(MPI_Iallreduce, (own_.data(), largest_.data(), static_cast<int>(own_.size()),
                             MPI_INT64_T, MPI_MAX, operation->channel().comm(), &request));
    operation->Adopt(request, 0);
    return MPI_SUCCESS;
  }

  int Done(Operation* operation, int) override {
    Chosen chosen = choose_(largest_);
    operation->Become(std::move(chosen.protocol), std::move(chosen.algorithm));
    return MPI_SUCCESS;
  }

 private:
  const std::vector<int64_t> own_;
  std::vector<int64_t> largest_;
  const std::function<Chosen(const std::vector<int64_t>&)> choose_;
};

}  // namespace

std::unique_ptr<Protocol> MakeAgreement(
    std::vector<int64_t> own, std::function<Chosen(const std::vector<int64_t>& largest)> choose) {
  return std::make_unique<Agreement>(std::move(own), std::move(choose));
}

}  // namespace cox::collectives
