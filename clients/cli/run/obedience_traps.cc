#include "cli/run/obedience_traps.h"

#include <cox/v1/observation.pb.h>

#include <iterator>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "cli/files/interchange.h"
#include "cli/files/record_file.h"
#include "domain/parse_collective.h"
#include "library/libraries.h"
#include "library/openmpi/rules.h"
#include "library/tuning_format.h"

namespace cox::cli {
namespace {

// What cox-bench calls, and what MPICH calls it.
struct TestedCollective {
  absl::string_view name;
  absl::string_view in_mpich;
};

constexpr TestedCollective kTested[] = {
    {"allgather", "Allgather"},
    {"allreduce", "Allreduce"},
    {"alltoall", "Alltoall"},
    {"bcast", "Bcast"},
    {"gather", "Gather"},
    {"reduce", "Reduce"},
    {"reduce_scatter_block", "Reduce_scatter_block"},
    {"scatter", "Scatter"},
};

// Open MPI's algorithms end far below; it refuses the call with MPI_ERR_ARG (13).
constexpr int kNoAlgorithm = 99;

absl::StatusOr<std::string> OpenMpiTrap(const std::vector<std::string>& collectives) {
  // The library drops a file without collectives; this one has no rules.
  if (collectives.empty()) return std::string("1\n3 0\n");
  std::string text = absl::StrCat(collectives.size(), "\n");
  for (const std::string& name : collectives) {
    const auto collective = domain::ParseCollective(name);
    if (!collective.ok()) return collective.status();
    absl::StrAppendFormat(
        &text, "%d 1 %d 2  # %s\n0 0 0 0\n%.0f %d 0 0\n", library::OpenMpiCollectiveId(*collective),
        kTrapRanks, name,
        library::OpenMpiMessageBytes(*collective, kTrapRanks, kTrappedBlock_bytes), kNoAlgorithm);
  }
  return text;
}

// Every algorithm of `in_mpich` for one communicator becomes a barrier's.
std::string WithoutAlgorithms(absl::string_view tree, absl::string_view in_mpich) {
  const std::string own = absl::StrCat("algorithm=MPIR_", in_mpich, "_intra_");
  std::string text;
  while (true) {
    const size_t at = tree.find(own);
    absl::StrAppend(&text, tree.substr(0, at));
    if (at == absl::string_view::npos) return text;
    absl::StrAppend(&text, "algorithm=MPIR_Barrier_intra_dissemination");
    tree.remove_prefix(tree.find('"', at));
  }
}

absl::StatusOr<std::string> MpichTrap(const std::vector<std::string>& collectives) {
  const library::TunedJob job = {"mpich-4.0", 1, kTrapRanks, {}};
  const auto format = library::FindTuningFormat(job.library, "json");
  if (!format.ok()) return format.status();
  absl::StatusOr<std::string> tree = library::WriteTuning({}, job, **format, {});
  if (!tree.ok()) return tree;
  for (const TestedCollective& tested : kTested) {
    for (const std::string& name : collectives) {
      if (name == tested.name) tree = WithoutAlgorithms(*tree, tested.in_mpich);
    }
  }
  return tree;
}

struct Trap {
  absl::string_view library;
  bool by_size;
  absl::StatusOr<std::string> (*text)(const std::vector<std::string>& collectives);
  absl::string_view file_variable;
  absl::string_view switch_variable;  // to be 1 for the file to be read; "" where there is none
  absl::string_view own_error;        // a word of what the library says in a trap
  int exit_code;                      // of a job that ends in a trap; 0: no particular one
  absl::string_view advice;           // where it does not obey
};

constexpr Trap kTraps[] = {
    {"openmpi-4.1", true, OpenMpiTrap, "OMPI_MCA_coll_tuned_dynamic_rules_filename",
     "OMPI_MCA_coll_tuned_use_dynamic_rules", "MPI_ERR_ARG", 13,
     "see that component coll/tuned is there and runs it (`ompi_info --param coll all`; "
     "OMPI_MCA_coll "
     "and coll_*_priority in the environment or openmpi-mca-params.conf), and that ranks can read "
     "TMPDIR"},
    {"mpich-4.0", false, MpichTrap, "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "", "mpir_coll.c",
     0,
     "see that no MPIR_CVAR_..._INTRA_ALGORITHM is set (it beats the file), that the device's own "
     "collectives are off (MPIR_CVAR_DEVICE_COLLECTIVES=none), and that ranks get the environment"},
};

const Trap* FindTrap(const std::string& library) {
  for (const Trap& trap : kTraps) {
    if (trap.library == library) return &trap;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> TrapCollectives(const std::string& library) {
  if (library::FindLibrary(library) == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("there is no library \"", library, "\"; known are ", library::LibraryNames()));
  }
  if (FindTrap(library) == nullptr) {
    return absl::UnimplementedError(absl::StrCat("there is no test for ", library,
                                                 "; there is one for ", kTraps[0].library, " and ",
                                                 kTraps[1].library));
  }
  std::vector<std::string> names;
  for (const TestedCollective& tested : kTested) names.emplace_back(tested.name);
  return names;
}

bool TrapsBySize(const std::string& library) {
  const Trap* trap = FindTrap(library);
  return trap != nullptr && trap->by_size;
}

absl::StatusOr<std::string> TrapText(const std::string& library,
                                     const std::vector<std::string>& collectives) {
  const Trap* trap = FindTrap(library);
  if (trap == nullptr) return absl::UnimplementedError(absl::StrCat("no test for ", library));
  return trap->text(collectives);
}

std::map<std::string, std::string> TrapVariables(const std::string& library,
                                                 const std::string& file) {
  std::map<std::string, std::string> variables;
  const Trap* trap = FindTrap(library);
  if (trap == nullptr) return variables;
  variables.emplace(trap->file_variable, file);
  if (!trap->switch_variable.empty()) variables.emplace(trap->switch_variable, "1");
  return variables;
}

Obedience JudgeTrap(const std::string& library, int exit_code, absl::string_view said) {
  if (exit_code == 0) return Obedience::kDoesNotObey;
  const Trap* trap = FindTrap(library);
  const bool in_trap =
      trap != nullptr && (absl::StrContains(said, trap->own_error) || exit_code == trap->exit_code);
  return in_trap ? Obedience::kObeys : Obedience::kUnclear;
}

absl::string_view ObedienceName(Obedience obedience) {
  constexpr absl::string_view kNames[] = {"obeys", "does not obey", "unclear"};
  return kNames[static_cast<int>(obedience)];
}

std::string ObedienceAdvice(const std::string& library, Obedience obedience) {
  const Trap* trap = FindTrap(library);
  if (obedience == Obedience::kObeys || trap == nullptr) return "";
  if (obedience == Obedience::kDoesNotObey) return std::string(trap->advice);
  return "run the command by hand to see what is wrong with the job";
}

std::string LibraryOfRows(absl::string_view rows) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file =
      RecordFile::FromText(std::string(rows), "cox-bench", ObservationColumns());
  v1::Observation observation;
  if (!file.ok() || !(*file)->Next() || !ParseObservation(**file, observation).ok()) return "";
  return observation.library();
}

}  // namespace cox::cli
