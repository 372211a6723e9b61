#include "fake_communicator.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>

#include <cstring>

namespace cox::default_decision {
namespace {

constexpr int kMarkRanks = 54321;

std::vector<std::max_align_t> CopyOf(const void* object, size_t bytes) {
  std::vector<std::max_align_t> copy(bytes / sizeof(std::max_align_t) + 1);
  std::memcpy(copy.data(), object, bytes);
  return copy;
}

// Bytes of a global object; 0 for another.
size_t GlobalBytes(const void* object) {
  Dl_info place;
  void* symbol = nullptr;
  if (dladdr1(object, &place, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) return 0;
  return static_cast<const ElfW(Sym)*>(symbol)->st_size;
}

// All objects of the library are handled by address.
template <typename Handle>
Handle AsHandle(std::vector<std::max_align_t>& object) {
  return static_cast<Handle>(static_cast<void*>(object.data()));
}

}  // namespace

bool FakeCommunicator::FindCount() {
  auto* words = reinterpret_cast<int*>(group_.data());
  const size_t word_count = group_.size() * sizeof(std::max_align_t) / sizeof(int);
  for (size_t i = 0; i < word_count; ++i) {
    const int kept = words[i];
    if (kept != 1) continue;  // the original has one rank
    words[i] = kMarkRanks;
    int ranks = 0;
    MPI_Group_size(AsHandle<MPI_Group>(group_), &ranks);
    if (ranks == kMarkRanks) {
      count_ = &words[i];
      return true;
    }
    words[i] = kept;
  }
  return false;
}

bool FakeCommunicator::PointAtGroup(MPI_Group original) {
  auto* words = reinterpret_cast<void**>(communicator_.data());
  const size_t word_count = communicator_.size() * sizeof(std::max_align_t) / sizeof(void*);
  for (size_t i = 0; i < word_count; ++i) {
    if (words[i] == static_cast<void*>(original)) words[i] = group_.data();
  }
  int ranks = 0;
  MPI_Comm_size(AsHandle<MPI_Comm>(communicator_), &ranks);
  return ranks == kMarkRanks;
}

std::unique_ptr<FakeCommunicator> FakeCommunicator::Create() {
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(world, &group);
  const size_t communicator_bytes = GlobalBytes(world);
  const size_t group_bytes = malloc_usable_size(group);
  if (communicator_bytes == 0 || group_bytes == 0) return nullptr;
  std::unique_ptr<FakeCommunicator> fake(new FakeCommunicator);
  fake->communicator_ = CopyOf(world, communicator_bytes);
  fake->group_ = CopyOf(group, group_bytes);
  const bool works = fake->FindCount() && fake->PointAtGroup(group);
  MPI_Group_free(&group);
  return works ? std::move(fake) : nullptr;
}

MPI_Comm FakeCommunicator::WithRanks(int ranks) {
  *count_ = ranks;
  return AsHandle<MPI_Comm>(communicator_);
}

}  // namespace cox::default_decision
