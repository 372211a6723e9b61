#include "decision.h"

#include <dlfcn.h>

namespace cox::default_decision {
namespace {

// More than any module of the library has; a decision only hands it on.
constexpr size_t kModuleBytes = 4096;

// What a decision is called with. Nothing is sent: buffers are never touched.
struct Call {
  char* buffer;
  int count;
  const int* counts;
  MPI_Datatype type;
  MPI_Op op;
  int root;
  MPI_Comm communicator;
  void* module;
};

template <typename... Arguments>
void Invoke(void* function, Arguments... arguments) {
  reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
}

// The parameters of the collectives, as the library's component interface has them.
struct Shape {
  std::string_view collective;
  void (*invoke)(void* function, const Call& call);
};

constexpr auto kBlocks = [](void* function, const Call& c) {
  Invoke(function, c.buffer, c.count, c.type, c.buffer, c.count, c.type, c.communicator, c.module);
};
constexpr auto kRooted = [](void* function, const Call& c) {
  Invoke(function, c.buffer, c.count, c.type, c.buffer, c.count, c.type, c.root, c.communicator,
         c.module);
};
constexpr auto kReduction = [](void* function, const Call& c) {
  Invoke(function, c.buffer, c.buffer, c.count, c.type, c.op, c.communicator, c.module);
};

constexpr Shape kShapes[] = {
    {"allgather", kBlocks},
    {"allgatherv",
     [](void* function, const Call& c) {
       Invoke(function, c.buffer, c.count, c.type, c.buffer, c.counts, c.counts, c.type,
              c.communicator, c.module);
     }},
    {"allreduce", kReduction},
    {"alltoall", kBlocks},
    {"alltoallv",
     [](void* function, const Call& c) {
       Invoke(function, c.buffer, c.counts, c.counts, c.type, c.buffer, c.counts, c.counts, c.type,
              c.communicator, c.module);
     }},
    {"barrier", [](void* function, const Call& c) { Invoke(function, c.communicator, c.module); }},
    {"bcast",
     [](void* function, const Call& c) {
       Invoke(function, c.buffer, c.count, c.type, c.root, c.communicator, c.module);
     }},
    {"gather", kRooted},
    {"reduce",
     [](void* function, const Call& c) {
       Invoke(function, c.buffer, c.buffer, c.count, c.type, c.op, c.root, c.communicator,
              c.module);
     }},
    {"reduce_scatter",
     [](void* function, const Call& c) {
       Invoke(function, c.buffer, c.buffer, c.counts, c.type, c.op, c.communicator, c.module);
     }},
    {"reduce_scatter_block", kReduction},
    {"scatter", kRooted},
};

// Never runs: the recorders reduce nothing.
void Nothing(void* /*in*/, void* /*inout*/, int* /*count*/, MPI_Datatype* /*type*/) {}

}  // namespace

Decision::Decision(const std::string& component, FakeCommunicator& communicator)
    : communicator_(communicator), module_(kModuleBytes) {
  MPI_Op_create(Nothing, /*commute=*/0, &not_commutative_);
  void* library = dlopen(component.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    error_ = dlerror();
    return;
  }
  for (const Shape& shape : kShapes) {
    const std::string name =
        "ompi_coll_tuned_" + std::string(shape.collective) + "_intra_dec_fixed";
    void* function = dlsym(library, name.c_str());
    if (function == nullptr) error_ = "no " + name;
    functions_[shape.collective] = function;
  }
}

Decision::~Decision() { MPI_Op_free(&not_commutative_); }

std::vector<std::string_view> Decision::Collectives() {
  std::vector<std::string_view> names;
  for (const Shape& shape : kShapes) names.push_back(shape.collective);
  return names;
}

Function Decision::Ask(const Question& question) {
  counts_.assign(static_cast<size_t>(question.ranks), question.count);
  char nothing = 0;
  const Call call = {&nothing,
                     question.count,
                     counts_.data(),
                     question.type,
                     question.commutative ? MPI_SUM : not_commutative_,
                     question.at_root ? 0 : 1,
                     communicator_.WithRanks(question.ranks),
                     module_.data()};
  for (const Shape& shape : kShapes) {
    if (shape.collective != question.collective) continue;
    TakeCalled();
    shape.invoke(functions_.at(shape.collective), call);
  }
  return TakeCalled();
}

}  // namespace cox::default_decision
