#include "cli/run/mpi_library.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "console/programs.h"

namespace cox::cli {
namespace {

constexpr char kOpenMpi[] = "openmpi-4.1";
constexpr char kMpich[] = "mpich-4.0";

struct LinkedLibrary {
  const char* prefix;  // of the library's file
  const char* library;
};
// C and Fortran; the number behind .so is the version of the binary interface.
constexpr LinkedLibrary kLinked[] = {
    {"libmpi.so.40", kOpenMpi},           {"libmpi_mpifh.so.40", kOpenMpi},
    {"libmpi_usempif08.so.40", kOpenMpi}, {"libmpich.so.12", kMpich},
    {"libmpichfort.so.12", kMpich},
};

// Reads objects of an ELF file at their offsets.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(path, std::ios::binary) {}

  template <typename T>
  bool Read(uint64_t offset, T& object) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(file_.read(reinterpret_cast<char*>(&object), sizeof(object)));
  }

  std::string Text(uint64_t offset) {
    constexpr size_t kMaxName = 256;
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    std::string text;
    for (char c = 0; text.size() < kMaxName && file_.get(c) && c != '\0';) text += c;
    return text;
  }

 private:
  std::ifstream file_;
};

std::vector<Elf64_Phdr> ProgramHeaders(ElfFile& file) {
  Elf64_Ehdr header;
  if (!file.Read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return {};
  }
  std::vector<Elf64_Phdr> segments;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!file.Read(header.e_phoff + i * sizeof(segment), segment)) return {};
    segments.push_back(segment);
  }
  return segments;
}

// Where an address of the running program is in its file; 0 where it is not.
uint64_t OffsetOf(uint64_t address, const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return 0;
}

std::string LibraryOfProgram(const std::string& program) {
  const std::string path = console::FindInPath(program);
  if (path.empty()) return "";
  for (const std::string& needed : NeededLibraries(path)) {
    for (const LinkedLibrary& row : kLinked) {
      if (absl::StartsWith(needed, row.prefix)) return row.library;
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> NeededLibraries(const std::string& path) {
  // More than any program has: a damaged file ends here.
  constexpr uint64_t kMaxEntries = 4096;
  ElfFile file(path);
  const std::vector<Elf64_Phdr> segments = ProgramHeaders(file);
  std::vector<uint64_t> names;
  uint64_t strings = 0;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    for (uint64_t i = 0; i < kMaxEntries; ++i) {
      Elf64_Dyn entry;
      if (!file.Read(segment.p_offset + i * sizeof(entry), entry) || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) strings = OffsetOf(entry.d_un.d_ptr, segments);
    }
  }
  std::vector<std::string> needed;
  if (strings == 0) return needed;
  for (const uint64_t name : names) needed.push_back(file.Text(strings + name));
  return needed;
}

std::string LibraryOfCommand(const std::vector<std::string>& command, const LauncherWords& words) {
  if (words.kind == LauncherKind::kOpenMpi) return kOpenMpi;
  if (words.kind == LauncherKind::kHydra) return kMpich;
  // Behind srun, and behind programs that start others (env, time, numactl), the first that shows.
  for (size_t i = words.program_at; i < command.size(); ++i) {
    std::string library = LibraryOfProgram(command[i]);
    if (!library.empty()) return library;
  }
  return "";
}

std::string WarnOfOtherMpi(const std::string& library, const std::vector<std::string>& command,
                           const LauncherWords& words) {
  // MVAPICH, Intel MPI and Cray's MPICH descend from MPICH, and may start with its Hydra.
  constexpr absl::string_view kMpis[] = {"openmpi-", "mpich-", "mvapich-", "intelmpi-",
                                         "cray-mpich-"};
  const bool is_mpi =
      std::any_of(std::begin(kMpis), std::end(kMpis),
                  [&](absl::string_view prefix) { return absl::StartsWith(library, prefix); });
  const bool is_open_mpi = absl::StartsWith(library, "openmpi-");
  const bool launches_open_mpi = words.kind == LauncherKind::kOpenMpi;
  const bool launches_mpich = words.kind == LauncherKind::kHydra;
  if (!is_mpi || command.empty()) return "";
  if (is_open_mpi ? !launches_mpich : !launches_open_mpi) return "";
  return absl::StrCat("warning: ", command.front(), " starts jobs of ",
                      launches_mpich ? "MPICH" : "Open MPI", ", which ignore settings of ", library,
                      ": cox sets none and loads no agent; correct --library or COX_LIBRARY");
}

std::string MpiOfLibrary(const std::string& library) {
  for (const char* mpi : {"openmpi", "mpich"}) {
    if (absl::StartsWith(library, mpi)) return mpi;
  }
  return "";
}

}  // namespace cox::cli
