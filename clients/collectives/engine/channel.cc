#include "collectives/engine/channel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "collectives/choice/cost_file.h"
#include "collectives/engine/error.h"
#include "collectives/engine/progress_engine.h"

namespace cox::collectives {
namespace {

// What rank 0 reads from its file and sends to the others. Plain bytes: all ranks run the same
// program.
struct SharedCosts {
  domain::CostProfile costs;
  domain::Decisions decided;
  char error[512] = "";  // "": none
};

void ReadCosts(SharedCosts* shared) {
  const std::string path = CostFileOfEnvironment();
  if (path.empty()) return;
  const std::string wrong = ReadCostFile(path, &shared->costs, &shared->decided);
  if (wrong.empty()) return;
  const std::string error = "COX_COLL_PROFILE: " + wrong;
  error.copy(shared->error, sizeof(shared->error) - 1);
}

}  // namespace

// All channels of this process in the order of their making. Two ranks that share two communicators
// made them in the same order, so they also close them in the same order.
class Channels {
 public:
  static Channels& All() {
    static Channels& all = *new Channels;  // never destroyed: MPI may end later
    return all;
  }

  bool is_open() const { return is_open_.load(std::memory_order_acquire); }

  // The keyval; made at the first call. Any thread.
  int Key(int* key) {
    if (is_open()) {
      *key = key_;
      return MPI_SUCCESS;
    }
    const std::lock_guard lock(mutex_);
    if (key_ == MPI_KEYVAL_INVALID) {
      int end_key = MPI_KEYVAL_INVALID;
      COX_MPI(MPI_Comm_create_keyval, (MPI_COMM_NULL_COPY_FN, OnEnd, &end_key, nullptr));
      COX_MPI(MPI_Comm_set_attr, (MPI_COMM_SELF, end_key, nullptr));
      MPI_Comm_free_keyval(&end_key);
      COX_MPI(MPI_Comm_create_keyval, (MPI_COMM_NULL_COPY_FN, OnDelete, &key_, nullptr));
      is_open_.store(true, std::memory_order_release);
    }
    *key = key_;
    return MPI_SUCCESS;
  }

  int SetHook(void (*hook)()) {
    int key = MPI_KEYVAL_INVALID;
    COX_TRY(Key(&key));
    const std::lock_guard lock(mutex_);
    hook_ = hook;
    return MPI_SUCCESS;
  }

  int Make(MPI_Comm of, int key, std::shared_ptr<Channel>* channel) {
    std::shared_ptr<Channel> made(new Channel);
    COX_TRY(made->Make(of));
    auto* attribute = new std::shared_ptr<Channel>(made);
    const int set = MPI_Comm_set_attr(of, key, attribute);
    if (set != MPI_SUCCESS) {
      delete attribute;
      return FailMpi(set, "MPI_Comm_set_attr");
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(channels_, [](const auto& weak) { return weak.expired(); });
    channels_.push_back(made);
    *channel = std::move(made);
    return MPI_SUCCESS;
  }

 private:
  static int OnDelete(MPI_Comm, int, void* attribute, void*) {
    delete static_cast<std::shared_ptr<Channel>*>(attribute);
    return MPI_SUCCESS;
  }

  // MPI_Finalize deletes the attributes of MPI_COMM_SELF first.
  static int OnEnd(MPI_Comm, int, void*, void*) {
    All().is_open_.store(false, std::memory_order_release);
    void (*hook)() = nullptr;
    std::vector<std::weak_ptr<Channel>> channels;
    {
      const std::lock_guard lock(All().mutex_);
      hook = All().hook_;
      channels.swap(All().channels_);
    }
    if (hook != nullptr) hook();
    for (const std::weak_ptr<Channel>& weak : channels) {
      if (const std::shared_ptr<Channel> channel = weak.lock()) channel->Close();
    }
    return MPI_SUCCESS;
  }

  std::mutex mutex_;
  std::atomic<bool> is_open_{false};  // from the first channel to MPI_Finalize
  int key_ = MPI_KEYVAL_INVALID;      // constant while is_open_
  void (*hook_)() = nullptr;
  std::vector<std::weak_ptr<Channel>> channels_;
};

int Channel::Open(MPI_Comm of, std::shared_ptr<Channel>* channel) {
  if (of == MPI_COMM_NULL) return Fail(MPI_ERR_COMM, "comm must not be MPI_COMM_NULL");
  int key = MPI_KEYVAL_INVALID;
  COX_TRY(Channels::All().Key(&key));
  void* attribute = nullptr;
  int found = 0;
  COX_MPI(MPI_Comm_get_attr, (of, key, &attribute, &found));
  if (found != 0) {
    *channel = *static_cast<std::shared_ptr<Channel>*>(attribute);
    return MPI_SUCCESS;
  }
  int is_inter = 0;
  COX_MPI(MPI_Comm_test_inter, (of, &is_inter));
  if (is_inter != 0) return Fail(MPI_ERR_COMM, "comm must not be an inter-communicator");
  return Channels::All().Make(of, key, channel);
}

int Channel::Make(MPI_Comm of) {
  // Other ranks may wait for operations of this rank before they come here.
  MPI_Request all_came;
  COX_MPI(MPI_Ibarrier, (of, &all_came));
  for (int have_come = 0; have_come == 0;) {
    LetProceed();
    COX_MPI(MPI_Test, (&all_came, &have_come, MPI_STATUS_IGNORE));
    if (have_come == 0) sched_yield();
  }
  // Not MPI_Comm_dup, which would call the program's functions that copy its attributes.
  MPI_Group group;
  COX_MPI(MPI_Comm_group, (of, &group));
  const int made = MPI_Comm_create(of, group, &comm_);
  MPI_Group_free(&group);
  if (made != MPI_SUCCESS) return FailMpi(made, "MPI_Comm_create");
  COX_MPI(MPI_Comm_set_errhandler, (comm_, MPI_ERRORS_RETURN));
  COX_MPI(MPI_Comm_rank, (comm_, &rank_));
  COX_MPI(MPI_Comm_size, (comm_, &ranks_));
  void* upper_bound = nullptr;
  int found = 0;
  COX_MPI(MPI_Comm_get_attr, (MPI_COMM_WORLD, MPI_TAG_UB, &upper_bound, &found));
  const int tag_limit = found != 0 ? *static_cast<int*>(upper_bound) : 32767;
  tag_sets_ = tag_limit / kStreams;
  return ShareCosts();
}

int Channel::ShareCosts() {
  SharedCosts shared;
  if (rank_ == 0) ReadCosts(&shared);
  COX_MPI(MPI_Bcast, (&shared, sizeof(shared), MPI_BYTE, 0, comm_));
  if (shared.error[0] != '\0') return Fail(MPI_ERR_ARG, shared.error);
  costs_ = shared.costs;
  decided_ = shared.decided;
  return MPI_SUCCESS;
}

Channel::~Channel() { Close(); }

void Channel::Close() {
  if (comm_ == MPI_COMM_NULL) return;
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (is_over == 0) MPI_Comm_free(&comm_);
  comm_ = MPI_COMM_NULL;
}

int Channel::TakeTags() {
  const int set = next_tag_set_;
  next_tag_set_ = (set + 1) % tag_sets_;
  return set * kStreams;
}

const Route& Channel::RouteBy(Routing routing, int64_t columns) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Route>& route = routes_[{routing, columns}];
  if (route == nullptr) route = std::make_unique<Route>(MakeRoute(routing, ranks_, rank_, columns));
  return *route;
}

const RouteLoads& Channel::LoadsBy(Routing routing) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<RouteLoads>& loads = loads_[routing];
  if (loads == nullptr) loads = std::make_unique<RouteLoads>(LoadsOf(routing, ranks_));
  return *loads;
}

bool IsMpiRunning() { return Channels::All().is_open(); }

int AtFinalize(void (*hook)()) { return Channels::All().SetHook(hook); }

}  // namespace cox::collectives
