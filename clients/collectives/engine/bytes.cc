#include "collectives/engine/bytes.h"

#include "collectives/engine/error.h"

namespace cox::collectives {

Bytes::~Bytes() {
  if (own_ != MPI_DATATYPE_NULL) MPI_Type_free(&own_);
}

int Bytes::Set(int64_t bytes, int64_t largest) {
  if (bytes <= largest) {
    count_ = static_cast<int>(bytes);
    return MPI_SUCCESS;
  }
  if (bytes / largest > INT32_MAX) {
    return Fail(MPI_ERR_COUNT, std::to_string(bytes) + " bytes are too many for a message");
  }
  MPI_Datatype piece;
  COX_MPI(MPI_Type_contiguous, (static_cast<int>(largest), MPI_BYTE, &piece));
  int lengths[] = {static_cast<int>(bytes / largest), static_cast<int>(bytes % largest)};
  MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes / largest * largest)};
  MPI_Datatype types[] = {piece, MPI_BYTE};
  const int made = MPI_Type_create_struct(2, lengths, places, types, &own_);
  MPI_Type_free(&piece);
  if (made != MPI_SUCCESS) return FailMpi(made, "MPI_Type_create_struct");
  count_ = 1;
  COX_MPI(MPI_Type_commit, (&own_));
  return MPI_SUCCESS;
}

}  // namespace cox::collectives
