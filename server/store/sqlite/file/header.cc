#include "store/sqlite/file/header.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace cox::store {
namespace {

constexpr char kMagic[] = "SQLite format 3";  // with its terminating zero
constexpr size_t kHeaderBytes = 100;
// Offsets of big-endian numbers in SQLite's file header.
constexpr size_t kPageSizeOffset = 16;  // two bytes; 1 means 65,536
constexpr size_t kPageCountOffset = 28;
constexpr size_t kApplicationIdOffset = 68;

uint32_t NumberAt(const std::string& bytes, size_t offset, size_t count) {
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) number = number << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return number;
}

absl::StatusOr<std::string> ReadHeader(const std::string& path) {
  std::string header(kHeaderBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
  }
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (file.gcount() < static_cast<std::streamsize>(kHeaderBytes)) {
    return absl::DataLossError(absl::StrCat("it has only ", file.gcount(), " bytes"));
  }
  return header;
}

}  // namespace

absl::Status CheckHeader(const std::string& path) {
  const absl::StatusOr<std::string> header = ReadHeader(path);
  if (!header.ok()) return header.status();
  if (std::memcmp(header->data(), kMagic, sizeof(kMagic)) != 0) {
    return absl::DataLossError("it is not an SQLite file");
  }
  const uint32_t application_id = NumberAt(*header, kApplicationIdOffset, 4);
  if (application_id == kApplicationId) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("its application id is ", application_id, ", not ", kApplicationId));
}

uint64_t LengthOf(const std::string& path) {
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

absl::Status CheckLength(const std::string& path, uint64_t known_bytes) {
  const absl::StatusOr<std::string> header = ReadHeader(path);
  if (!header.ok()) return header.status();
  const uint64_t page_bytes = NumberAt(*header, kPageSizeOffset, 2);
  const uint64_t stated_bytes =
      (page_bytes == 1 ? 65'536 : page_bytes) * NumberAt(*header, kPageCountOffset, 4);
  const uint64_t file_bytes = LengthOf(path);
  if (file_bytes >= std::min(stated_bytes, known_bytes)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("it has ", file_bytes, " bytes and its header says ",
                                          stated_bytes, ": its end is missing"));
}

absl::Status DamagedFile(const std::string& path, absl::string_view why) {
  return absl::DataLossError(absl::StrCat(
      path, " is damaged or not a database of Coxswain: ", why,
      ". Nothing in it was changed. Restore a backup with `cox store restore BACKUP --data DIR`, "
      "save what "
      "can "
      "be read with `sqlite3 ",
      path,
      " .dump` (docs/formats.md says how), or move it away, with its -wal and -shm files, to start "
      "with an empty one"));
}

absl::Status ExplainDamage(const std::string& path, const absl::Status& status) {
  const bool damaged =
      status.code() == absl::StatusCode::kDataLoss || status.code() == absl::StatusCode::kInternal;
  return damaged ? DamagedFile(path, status.message()) : status;
}

}  // namespace cox::store
