#include "collectives/engine/packing.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>

#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

struct Envelope {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  bool has_large_counts = false;  // MPI_Type_get_contents refuses such types
};

int EnvelopeOf(MPI_Datatype type, Envelope* envelope) {
#if MPI_VERSION >= 4
  MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
  COX_MPI(MPI_Type_get_envelope_c,
          (type, &integers, &addresses, &large, &types, &envelope->combiner));
  envelope->integers = static_cast<int>(integers);
  envelope->addresses = static_cast<int>(addresses);
  envelope->types = static_cast<int>(types);
  envelope->has_large_counts = large > 0;
#else
  COX_MPI(MPI_Type_get_envelope,
          (type, &envelope->integers, &envelope->addresses, &envelope->types, &envelope->combiner));
#endif
  return MPI_SUCCESS;
}

// Types that no program can free, also Fortran's types of a stated precision.
bool IsPredefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

// True if the type is a predefined one, or consecutive elements of one. Even a type without holes
// may send its parts in another order than memory has.
int IsRow(MPI_Datatype type, bool* is_row) {
  Envelope envelope;
  COX_TRY(EnvelopeOf(type, &envelope));
  *is_row = envelope.combiner == MPI_COMBINER_NAMED;
  if (envelope.has_large_counts) return MPI_SUCCESS;
  if (envelope.combiner != MPI_COMBINER_CONTIGUOUS && envelope.combiner != MPI_COMBINER_DUP) {
    return MPI_SUCCESS;
  }
  int count = 0;
  MPI_Aint no_address = 0;
  MPI_Datatype inner;
  COX_MPI(MPI_Type_get_contents, (type, envelope.integers, envelope.addresses, envelope.types,
                                  &count, &no_address, &inner));
  COX_TRY(IsRow(inner, is_row));
  Envelope of_inner;
  COX_TRY(EnvelopeOf(inner, &of_inner));
  if (!IsPredefined(of_inner.combiner)) MPI_Type_free(&inner);
  return MPI_SUCCESS;
}

// Calls copy(first element, elements, first byte, bytes) for pieces whose bytes MPI's packing can
// count.
template <typename Copy>
int InPieces(const Datatype& datatype, int64_t count, const Copy& copy) {
  if (datatype.size_bytes == 0) return MPI_SUCCESS;
  const int64_t at_once = INT32_MAX / datatype.size_bytes;
  if (at_once == 0) {
    return Fail(MPI_ERR_TYPE, "an element of more than 2 GiB with holes cannot be packed");
  }
  for (int64_t first = 0; first < count; first += at_once) {
    const int64_t elements = std::min(at_once, count - first);
    COX_TRY(copy(first, static_cast<int>(elements), datatype.BytesOf(first),
                 static_cast<int>(datatype.BytesOf(elements))));
  }
  return MPI_SUCCESS;
}

// Facts about predefined types, from MPI at the first call with each: no program can free them.
// Otherwise each call would ask four functions of MPI, which a computing program has not in its
// cache.
class PredefinedTypes {
 public:
  bool Find(MPI_Datatype type, Datatype* known) const {
    const size_t count = count_.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; ++i) {
      if (types_[i].type != type) continue;
      *known = types_[i];
      return true;
    }
    return false;
  }

  void Add(const Datatype& type) {
    const std::lock_guard lock(mutex_);
    const size_t count = count_.load(std::memory_order_relaxed);
    if (count == types_.size()) return;
    types_[count] = type;
    count_.store(count + 1, std::memory_order_release);
  }

 private:
  std::array<Datatype, 16> types_;
  std::atomic<size_t> count_{0};
  std::mutex mutex_;
};

PredefinedTypes& Predefined() {
  static PredefinedTypes types;
  return types;
}

// Elements as MPI's packing takes them. MPICH refuses address 0, which is MPI_BOTTOM, so these
// become one element of a type with a displacement.
class Elements {
 public:
  Elements() = default;
  ~Elements() {
    if (own_ != MPI_DATATYPE_NULL) MPI_Type_free(&own_);
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  int Set(char* at, int count, MPI_Datatype type) {
    at_ = at;
    count_ = count;
    type_ = type;
    if (at != nullptr) return MPI_SUCCESS;
    MPI_Aint elsewhere = 0;
    COX_MPI(MPI_Get_address, (&somewhere_, &elsewhere));
    elsewhere = -elsewhere;
    COX_MPI(MPI_Type_create_hindexed, (1, &count, &elsewhere, type, &own_));
    COX_MPI(MPI_Type_commit, (&own_));
    at_ = &somewhere_;
    count_ = 1;
    type_ = own_;
    return MPI_SUCCESS;
  }
  char* at() const { return at_; }
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  char somewhere_ = 0;
  char* at_ = nullptr;
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Datatype own_ = MPI_DATATYPE_NULL;
};

// A handle of its own, for elements that are packed after the program may have freed its handle.
int Copy(MPI_Datatype type, std::shared_ptr<const MPI_Datatype>* copy) {
  MPI_Datatype own = MPI_DATATYPE_NULL;
  COX_MPI(MPI_Type_dup, (type, &own));
  copy->reset(new MPI_Datatype(own), [](MPI_Datatype* last) {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    if (is_finalized == 0) MPI_Type_free(last);
    delete last;
  });
  return MPI_SUCCESS;
}

int AllOf(int bytes, int packed) {
  if (bytes == packed) return MPI_SUCCESS;
  return Fail(MPI_ERR_TYPE,
              "MPI packs " + std::to_string(bytes) + " bytes as " + std::to_string(packed));
}

}  // namespace

int Datatype::Set(MPI_Datatype of, const char* name) {
  if (of == MPI_DATATYPE_NULL) {
    return Fail(MPI_ERR_TYPE, std::string(name) + " must not be MPI_DATATYPE_NULL");
  }
  if (Predefined().Find(of, this)) return MPI_SUCCESS;
  type = of;
  MPI_Count size = 0, bound = 0, extent = 0, true_bound = 0, true_extent = 0;
  COX_MPI(MPI_Type_size_x, (of, &size));
  COX_MPI(MPI_Type_get_extent_x, (of, &bound, &extent));
  COX_MPI(MPI_Type_get_true_extent_x, (of, &true_bound, &true_extent));
  size_bytes = size;
  extent_bytes = extent;
  is_displaced = true_bound != 0;
  is_dense = false;
  if (bound == 0 && true_bound == 0 && extent == size && true_extent == size) {
    COX_TRY(IsRow(of, &is_dense));
  }
  Envelope envelope;
  COX_TRY(EnvelopeOf(of, &envelope));
  if (envelope.combiner == MPI_COMBINER_NAMED) Predefined().Add(*this);
  if (is_dense || IsPredefined(envelope.combiner)) return MPI_SUCCESS;
  COX_TRY(Copy(of, &copy));
  type = *copy;
  return MPI_SUCCESS;
}

int Pack(const Datatype& datatype, const void* elements, int64_t count, MPI_Comm comm,
         char* bytes) {
  if (datatype.is_dense) {
    if (count > 0) std::memcpy(bytes, elements, static_cast<size_t>(datatype.BytesOf(count)));
    return MPI_SUCCESS;
  }
  return InPieces(datatype, count, [&](int64_t first, int some, int64_t at_byte, int room) {
    int packed = 0;
    Elements from;
    COX_TRY(from.Set(const_cast<char*>(datatype.At(elements, first)), some, datatype.type));
    COX_MPI(MPI_Pack, (from.at(), from.count(), from.type(), bytes + at_byte, room, &packed, comm));
    return AllOf(room, packed);
  });
}

int Unpack(const Datatype& datatype, const char* bytes, int64_t count, MPI_Comm comm,
           void* elements) {
  if (datatype.is_dense) {
    if (count > 0) std::memcpy(elements, bytes, static_cast<size_t>(datatype.BytesOf(count)));
    return MPI_SUCCESS;
  }
  return InPieces(datatype, count, [&](int64_t first, int some, int64_t at_byte, int room) {
    int unpacked = 0;
    Elements to;
    COX_TRY(to.Set(datatype.At(elements, first), some, datatype.type));
    COX_MPI(MPI_Unpack, (bytes + at_byte, room, &unpacked, to.at(), to.count(), to.type(), comm));
    return AllOf(room, unpacked);
  });
}

}  // namespace cox::collectives
