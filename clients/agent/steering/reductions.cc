#include "agent/steering/reductions.h"

#include "agent/job/library.h"

namespace cox::agent {
namespace {

// Maps handles to their kind: a hash table of fixed size, much larger than its content.
class Handles {
 public:
  void Add(uint64_t handle, Reduction what) {
    if (handle == 0) return;
    Place* place = Find(handle);
    *place = {handle, what};
  }
  Reduction Of(uint64_t handle) {
    const Place* place = Find(handle);
    return place->handle == handle ? place->what : Reduction::kUnknown;
  }

 private:
  static constexpr uint32_t kPlaces = 256;
  struct Place {
    uint64_t handle;
    Reduction what;
  };
  // The handle's place, or the free place for it.
  Place* Find(uint64_t handle) {
    uint32_t at = static_cast<uint32_t>((handle * 0x9e3779b97f4a7c15) >> 56);
    while (place_[at].handle != 0 && place_[at].handle != handle) at = (at + 1) % kPlaces;
    return &place_[at];
  }
  Place place_[kPlaces];
};

Handles types;
Handles operations;
uint64_t sum;

#ifdef OPEN_MPI
constexpr bool kSumsSaturate = true;
uint64_t HandleOf(const void* handle) { return reinterpret_cast<uint64_t>(handle); }
// The first definition in the process: see FindObject.
#define COX_HANDLE(name, object) HandleOf(FindObject(#object))
#else
constexpr bool kSumsSaturate = false;
uint64_t HandleOf(int handle) { return static_cast<uint32_t>(handle); }
#define COX_HANDLE(name, object) HandleOf(name)
#endif

}  // namespace

void LoadReductions() {
#define COX_TYPE(kind, name, object) types.Add(COX_HANDLE(name, object), Reduction::kind);
#define COX_OPERATION(name, object) operations.Add(COX_HANDLE(name, object), Reduction::kExact);
#include "agent/wrappers/predefined.def"
#undef COX_TYPE
#undef COX_OPERATION
  sum = COX_HANDLE(MPI_SUM, ompi_mpi_op_sum);
}

Reduction ReductionOf(MPI_Datatype type, MPI_Op op) {
  if (operations.Of(HandleOf(op)) == Reduction::kUnknown) return Reduction::kUnknown;
  const Reduction kind = types.Of(HandleOf(type));
  if (kind != Reduction::kNarrow) return kind;
  return kSumsSaturate && HandleOf(op) == sum ? Reduction::kRounded : Reduction::kExact;
}

}  // namespace cox::agent
