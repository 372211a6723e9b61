// The database file: a sound one, in which the input overwrites bytes. Opening refuses it, or all
// questions get an answer or an error; the file is never made worse by being refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/string_view.h"
#include "expect.h"
#include "folder.h"
#include "store/store.h"

using cox::fuzz::Expect;

namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

cox::store::ObservationBatch SomeRows() {
  cox::store::ObservationBatch batch;
  batch.job = "job";
  batch.sequence = 1;
  batch.source = "uid:1000";
  for (int i = 0; i < 40; ++i) {
    cox::store::ObservationRecord row;
    row.scenario = {.machine = "m",
                    .library = "openmpi-4.1",
                    .collective = "bcast",
                    .algorithm = "binomial",
                    .nodes = 2,
                    .ppn = 1,
                    .ranks = 2,
                    .block_bytes = 1 << (i % 8)};
    row.time_s = 1e-6 * (i + 1);
    batch.observations.push_back(row);
  }
  return batch;
}

// A database with a little of everything, as a file.
std::string SoundDatabase(const cox::fuzz::Folder& folder) {
  cox::store::StoreOptions options;
  options.directory = folder.File("sound");
  {
    auto store = cox::store::OpenSqlite(options);
    Expect(store.ok(), "no store");
    Expect((*store)->CreateMachine({.name = "m", .nodes = 2, .cores_per_node = 1}, "").ok(),
           "no machine");
    (*store)->AppendObservations(SomeRows(),
                                 [](const auto& result) { Expect(result.ok(), "no rows"); });
    Expect((*store)->Flush().ok(), "nothing is durable");
  }
  return ReadAll(options.directory + "/coxswain.db");
}

void AskEverything(cox::store::Store& store) {
  (void)store.ListMachines("", 10);
  (void)store.ListObservations({}, 0, 100);
  (void)store.ListCells("m");
  (void)store.CountObservations({});
  (void)store.ListProfiles("m", 0, 10);
  (void)store.ListAudit({}, 0, 10);
  (void)store.CheckContent({});
  store.AppendObservations(SomeRows(), [](const auto&) {});
  (void)store.Flush();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const cox::fuzz::Folder kFolder;
  static const std::string kSound = SoundDatabase(kFolder);
  std::string bytes = kSound;
  // Pieces: three bytes of place, one of length, and what is written there.
  for (size_t at = 0; at + 4 < size;) {
    const size_t place = (data[at] | data[at + 1] << 8 | data[at + 2] << 16) % bytes.size();
    const size_t length =
        std::min({size_t{1} + data[at + 3] % 32, size - at - 4, bytes.size() - place});
    std::memcpy(bytes.data() + place, data + at + 4, length);
    at += 4 + length;
  }
  cox::store::StoreOptions options;
  options.directory = kFolder.File("data");
  std::filesystem::remove_all(options.directory);
  std::filesystem::create_directory(options.directory);
  kFolder.Write("data/coxswain.db", bytes);
  auto store = cox::store::OpenSqlite(options);
  if (!store.ok()) {
    Expect(absl::IsDataLoss(store.status()) || absl::IsFailedPrecondition(store.status()),
           store.status().ToString().c_str());
    Expect(ReadAll(options.directory + "/coxswain.db") == bytes, "a refused file was changed");
    return 0;
  }
  AskEverything(**store);
  return 0;
}
