#include "collectives/api/arguments.h"

#include <string>

#include "collectives/engine/channel.h"
#include "collectives/engine/error.h"

namespace cox::collectives {

int CheckMpi() {
  if (IsMpiRunning()) return MPI_SUCCESS;
  int is_initialized = 0, is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_initialized == 0) return Fail(MPI_ERR_OTHER, "MPI_Init has not been called");
  if (is_finalized != 0) return Fail(MPI_ERR_OTHER, "MPI_Finalize has been called");
  return MPI_SUCCESS;
}

int CheckCall(const void* request) {
  COX_TRY(CheckMpi());
  if (request == nullptr) return Fail(MPI_ERR_ARG, "request must not be NULL");
  return MPI_SUCCESS;
}

int CheckCount(int64_t count, const char* name) {
  if (count >= 0) return MPI_SUCCESS;
  return Fail(MPI_ERR_COUNT,
              std::string(name) + " must not be negative, not " + std::to_string(count));
}

int CheckRank(int64_t rank, int ranks, const char* name) {
  if (rank >= 0 && rank < ranks) return MPI_SUCCESS;
  const int code = std::string(name) == "root" ? MPI_ERR_ROOT : MPI_ERR_RANK;
  return Fail(code, std::string(name) + " must be one of 0 to " + std::to_string(ranks - 1) +
                        ", not " + std::to_string(rank));
}

int CheckBuffer(const void* buffer, int64_t count, const char* name) {
  if (buffer == MPI_IN_PLACE) {
    return Fail(MPI_ERR_BUFFER, std::string(name) + " must not be MPI_IN_PLACE");
  }
  if (buffer != nullptr || count == 0) return MPI_SUCCESS;
  return Fail(MPI_ERR_BUFFER, std::string(name) + " must not be NULL");
}

int CheckBuffer(const void* buffer, int64_t count, const Datatype& datatype, const char* name) {
  return CheckBuffer(buffer, datatype.is_displaced ? 0 : count, name);
}

int CheckAlgorithm(const char* text, std::span<const AlgorithmRow> rows, AlgorithmChoice* choice) {
  const std::string wrong = ParseAlgorithm(text, rows, choice);
  return wrong.empty() ? MPI_SUCCESS : Fail(MPI_ERR_ARG, "algorithm: " + wrong);
}

int TakeDecided(const Channel& channel, domain::DecidedOperation operation, int64_t block_bytes,
                std::span<const AlgorithmRow> rows, bool* is_decided, AlgorithmChoice* choice) {
  const char* name = channel.decided().Find(operation, channel.ranks(), block_bytes);
  *is_decided = name != nullptr;
  if (name == nullptr) return MPI_SUCCESS;
  const std::string wrong = ParseAlgorithm(name, rows, choice);
  return wrong.empty() ? MPI_SUCCESS : Fail(MPI_ERR_ARG, "COX_COLL_PROFILE: " + wrong);
}

}  // namespace cox::collectives
