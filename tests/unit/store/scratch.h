// The fixture of all store tests: a directory, a store in it, a machine, and batches of made-up
// observations.
#ifndef COX_TESTS_UNIT_STORE_SCRATCH_H_
#define COX_TESTS_UNIT_STORE_SCRATCH_H_

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store.h"

namespace cox::store {

// Made by the constructor, removed with all that is in it by the destructor.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  // The store's file.
  std::string Database() const { return path_ + "/coxswain.db"; }

 private:
  std::string path_;
};

// Opens or fails the test: a null pointer is never returned.
std::unique_ptr<Store> MustOpen(const StoreOptions& options);
std::unique_ptr<Store> MustOpen(const ScratchDirectory& directory);
// A second connection, to read the file.
std::unique_ptr<Database> MustConnect(const ScratchDirectory& directory);

MachineRecord MachineNamed(const std::string& name);

// `rows` observations of one scenario (block_bytes says which) with times 1 us, 2 us, ...
ObservationBatch BatchOf(const std::string& machine, const std::string& job, int64_t sequence,
                         int64_t rows, int64_t block_bytes = 1024);

// Waits for the outcome.
absl::StatusOr<AppendResult> Append(Store& store, ObservationBatch batch);
// Does not.
std::future<absl::StatusOr<AppendResult>> AppendLater(Store& store, ObservationBatch batch);

// Overwrites every second page of the table `observation` that holds rows. No store is open.
void DamageObservations(const ScratchDirectory& directory);

// The first column of the first row; "" if there is none or the statement fails.
std::string Ask(Database& db, absl::string_view sql);

}  // namespace cox::store

#endif  // COX_TESTS_UNIT_STORE_SCRATCH_H_
