#include "library/tuning_format.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "domain/errors.h"
#include "domain/parse_collective.h"
#include "library/formats.h"
#include "library/openmpi/rules.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

bool Always(domain::Collective /*collective*/) { return true; }
bool Never(domain::Collective /*collective*/) { return false; }
bool OpenMpiRulesDo(domain::Collective collective) { return WhyOneOpenMpiRow(collective).empty(); }

constexpr TuningFormat kFormats[] = {
    {"openmpi-4.1", "rules", "the dynamic rules file of coll/tuned", true, OpenMpiRulesDo,
     WriteOpenMpiRules, CheckOpenMpiRules},
    {"openmpi-4.1", "env", "`export` lines that force one algorithm per collective", false, Never,
     WriteOpenMpiVariables, CheckOpenMpiVariables},
    {"openmpi-5.0", "rules", "the dynamic rules file of coll/tuned, first version", true,
     OpenMpiRulesDo, WriteOpenMpi50Rules, CheckOpenMpi50Rules},
    {"openmpi-5.0", "env", "`export` lines that force one algorithm per collective", false, Never,
     WriteOpenMpi50Variables, CheckOpenMpi50Variables},
    {"mpich-4.0", "json", "the selection file of MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", true,
     MpichJsonTellsSizesApart, WriteMpichJson, CheckMpichJson},
    {"mpich-4.0", "env", "`export` lines that force one algorithm per collective", false, Never,
     WriteMpichVariables, CheckMpichVariables},
    {"mvapich-3.0", "env", "`export` lines that force one algorithm per collective", false, Never,
     WriteMpichVariables, CheckMvapichVariables},
    {"intelmpi-2019", "env", "`export` lines of I_MPI_ADJUST with ranges", false,
     IntelMpiTellsSizesApart, WriteIntelMpi, CheckIntelMpi},
    {"cray-mpich-8.1", "env", "`export` lines of the few switches there are", false, Never,
     WriteCrayMpich, CheckCrayMpich},
    {"ucc-1", "env", "an `export` line of UCC_TL_UCP_TUNE", false, UccTellsSizesApart, WriteUcc,
     CheckUcc},
    {"coxcoll", "profile", "lines for the file that COX_COLL_PROFILE names", true, Always,
     WriteCoxcoll, CheckCoxcoll},
    {"nccl-2", "csv", "the file of NCCL's sample tuner plugin", true, Always, WriteNcclRows,
     CheckNcclRows},
};

absl::Status Validate(const DecisionTable& table) {
  const auto collective = domain::ParseCollective(table.collective);
  if (!collective.ok()) return collective.status();
  if (table.rows.empty() || table.rows.front().block_bytes != 0) {
    return domain::InvalidField(
        "rows", absl::StrCat("the first row of ", table.collective, " must be that of size 0"));
  }
  for (size_t i = 1; i < table.rows.size(); ++i) {
    if (table.rows[i].block_bytes <= table.rows[i - 1].block_bytes) {
      return domain::InvalidField(
          "rows", absl::StrCat("sizes of ", table.collective, " must ascend, not ",
                               table.rows[i - 1].block_bytes, ", ", table.rows[i].block_bytes));
    }
  }
  return absl::OkStatus();
}

std::string NamesOf(absl::string_view library) {
  std::string names;
  for (const TuningFormat& format : kFormats) {
    if (format.library != library) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", format.name);
  }
  return names;
}

bool Answers(const TuningFormat& format, absl::string_view library, absl::string_view name) {
  return format.library == library &&
         (name.empty() || format.name == name || (name == "file" && format.is_file));
}

}  // namespace

absl::Span<const TuningFormat> TuningFormats() { return kFormats; }

absl::StatusOr<const TuningFormat*> FindTuningFormat(absl::string_view library,
                                                     absl::string_view name) {
  for (const TuningFormat& format : kFormats) {
    if (Answers(format, library, name)) return &format;
  }
  const std::string names = NamesOf(library);
  if (names.empty()) {
    return absl::UnimplementedError(absl::StrCat("library \"", library, "\" has no tuning format"));
  }
  return domain::InvalidField(
      "format", absl::StrCat("\"", name, "\" is not a format of ", library, ", only ", names));
}

absl::StatusOr<std::string> WriteTuning(absl::Span<const DecisionTable> tables, const TunedJob& job,
                                        const TuningFormat& format,
                                        absl::Span<const std::string> header_lines) {
  for (const DecisionTable& table : tables) {
    if (absl::Status status = Validate(table); !status.ok()) return status;
  }
  absl::StatusOr<std::string> text = format.write(tables, job, header_lines);
  if (!text.ok() || format.check == nullptr) return text;
  const std::vector<std::string> findings = format.check(*text, job.assume);
  if (!findings.empty()) {
    return absl::InternalError(absl::StrCat("the text for ", format.library, " (", format.name,
                                            ") has findings: ", absl::StrJoin(findings, "; ")));
  }
  return text;
}

}  // namespace cox::library
