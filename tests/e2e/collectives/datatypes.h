// Datatypes with and without holes, and buffers of them. Both types of a pair have one signature:
// one rank may send with the first and another receive with the second.
#ifndef COX_TESTS_E2E_COLLECTIVES_DATATYPES_H_
#define COX_TESTS_E2E_COLLECTIVES_DATATYPES_H_

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

#include "job.h"

namespace cox::test {

// `count` of `type` for each of a case's units.
struct Element {
  const char* name;
  MPI_Datatype type;
  int count;
};

class Datatypes {
 public:
  Datatypes() {
    auto& [vector, indexed, record, row] = made_;
    MPI_Type_vector(3, 2, 4, MPI_INT, &vector);
    const int lengths[] = {1, 2, 3};
    const int places[] = {7, 0, 3};  // not in memory order
    MPI_Type_indexed(3, lengths, places, MPI_INT, &indexed);
    const int ones[] = {1, 1};
    const MPI_Aint offsets[] = {0, 8};
    const MPI_Datatype members[] = {MPI_CHAR, MPI_DOUBLE};
    MPI_Type_create_struct(2, ones, offsets, members, &record);
    MPI_Type_contiguous(6, MPI_INT, &row);
    for (MPI_Datatype& type : made_) MPI_Type_commit(&type);
    const Element six_ints[] = {
        {"int", MPI_INT, 6}, {"vector", vector, 1}, {"indexed", indexed, 1}, {"row", row, 1}};
    for (const Element& send : six_ints) {
      for (const Element& receive : six_ints) pairs_.push_back({send, receive});
    }
    pairs_.push_back({Element{"byte", MPI_BYTE, 1}, Element{"byte", MPI_BYTE, 1}});
    pairs_.push_back({Element{"double", MPI_DOUBLE, 1}, Element{"double", MPI_DOUBLE, 1}});
    pairs_.push_back({Element{"struct", record, 1}, Element{"struct", record, 1}});
  }

  ~Datatypes() {
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
  }
  Datatypes(const Datatypes&) = delete;
  Datatypes& operator=(const Datatypes&) = delete;

  const std::array<Element, 2>& Pick(Random& random) const {
    return pairs_[static_cast<size_t>(Draw(random, 0, static_cast<int>(pairs_.size()) - 1))];
  }

 private:
  std::array<MPI_Datatype, 4> made_;
  std::vector<std::array<Element, 2>> pairs_;
};

// Memory for that many elements and one more byte, filled from `seed`, holes included.
inline std::vector<unsigned char> Filled(MPI_Datatype type, int64_t elements, uint64_t seed) {
  MPI_Aint bound = 0, extent = 0;
  MPI_Type_get_extent(type, &bound, &extent);
  std::vector<unsigned char> bytes(static_cast<size_t>(elements * extent) + 1);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(Mix(seed, i) >> 8);
  return bytes;
}

}  // namespace cox::test

#endif  // COX_TESTS_E2E_COLLECTIVES_DATATYPES_H_
