#include "store/sqlite/file/file_watch.h"

#include "absl/strings/str_cat.h"
#include "store/sqlite/file/header.h"

namespace cox::store {

FileWatch::Identity FileWatch::IdentityOf(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

absl::Status FileWatch::Lost(const std::string& file, const std::string& why) const {
  return absl::DataLossError(absl::StrCat(file, " ", why,
                                          "; coxd stores nothing more. Stop coxd, restore a backup "
                                          "with `cox store restore BACKUP --data DIR`, and "
                                          "start coxd"));
}

void FileWatch::Remember() {
  database_ = IdentityOf(path_);
  log_ = IdentityOf(path_ + "-wal");
  RememberLength();
}

void FileWatch::RememberLength() {
  const uint64_t length_bytes = LengthOf(path_);
  // A file that lost its end must not become what is expected.
  if (length_bytes > length_bytes_ || CheckLength(path_).ok()) length_bytes_ = length_bytes;
}

void FileWatch::NoteDamage(const absl::Status& damage) {
  const std::lock_guard lock(mutex_);
  if (damage_.ok()) damage_ = Lost(path_, absl::StrCat("is damaged: ", damage.message()));
}

absl::Status FileWatch::CheckSame() const {
  {
    const std::lock_guard lock(mutex_);
    if (!damage_.ok()) return damage_;
  }
  const auto is_same = [](const Identity& known, const std::string& path) {
    return known.inode != 0 && IdentityOf(path) == known;
  };
  if (!is_same(database_, path_)) {
    return Lost(path_, "was deleted or replaced while coxd runs");
  }
  if (log_.inode != 0 && !is_same(log_, path_ + "-wal")) {
    return Lost(path_ + "-wal", "was deleted or replaced while coxd runs");
  }
  return absl::OkStatus();
}

absl::Status FileWatch::CheckWhole() const {
  absl::Status checked = CheckHeader(path_);
  if (checked.ok()) checked = CheckLength(path_, length_bytes_);
  if (checked.ok()) return checked;
  // Such as too many open files: nobody has looked at the content.
  if (!absl::IsDataLoss(checked)) return absl::UnavailableError(checked.message());
  return Lost(path_, absl::StrCat("was changed while coxd runs: ", checked.message()));
}

}  // namespace cox::store
