#include "library/libraries.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "domain/words/nearest_word.h"
#include "library/default_choice.h"
#include "library/rows.h"

namespace cox::library {
namespace {

constexpr Library kLibraries[] = {
    {"openmpi-4.1", "Open MPI 4.1, component coll/tuned", OpenMpi41Algorithms,
     OpenMpi41DefaultChoice},
    {"openmpi-5.0", "Open MPI 5.0, component coll/tuned; documented, not run", OpenMpi50Algorithms,
     nullptr},
    {"mpich-4.0", "MPICH 4.0, blocking collectives", Mpich40Algorithms, Mpich40DefaultChoice},
    {"mvapich-3.0", "MVAPICH 3.0, as MPICH 4.0; documented, not run", Mvapich30Algorithms, nullptr},
    {"intelmpi-2019", "Intel MPI 2019, I_MPI_ADJUST numbers; documented, not run",
     IntelMpi2019Algorithms, nullptr},
    {"cray-mpich-8.1", "Cray MPICH 8.1, of which only switches can be set; documented, not run",
     CrayMpich81Algorithms, nullptr},
    {"ucc-1", "UCC 1, component tl/ucp; source read, not run", Ucc1Algorithms, nullptr},
    {"nccl-2", "NCCL 2, through its sample tuner plugin; source read, not run", Nccl2Algorithms,
     nullptr},
    {"coxcoll", "libcoxcoll, on top of any MPI's point-to-point", CoxcollAlgorithms, nullptr},
};

}  // namespace

absl::Span<const Library> Libraries() { return kLibraries; }

const Library* FindLibrary(absl::string_view name) {
  for (const Library& library : kLibraries) {
    if (library.name == name) return &library;
  }
  return nullptr;
}

std::string LibraryNames() {
  return absl::StrJoin(kLibraries, ", ", [](std::string* out, const Library& library) {
    out->append(library.name.data(), library.name.size());
  });
}

std::string DidYouMeanLibrary(absl::string_view name) {
  std::vector<absl::string_view> names;
  std::vector<absl::string_view> versions;
  for (const Library& library : kLibraries) {
    names.push_back(library.name);
    if (library.name.substr(0, library.name.rfind('-')) == name) versions.push_back(library.name);
  }
  if (versions.empty()) return domain::DidYouMean(name, names);
  return absl::StrCat(" (did you mean ", absl::StrJoin(versions, " or "), "?)");
}

const Algorithm* DefaultChoice(absl::string_view library, const strategy::Scenario& scenario,
                               const Assumptions& assume) {
  const Library* found = FindLibrary(library);
  if (found == nullptr || found->default_choice == nullptr || scenario.ranks < 2) return nullptr;
  return found->default_choice(scenario, assume);
}

}  // namespace cox::library
