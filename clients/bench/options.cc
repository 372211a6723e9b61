#include "bench/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <sstream>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bench/collective_names.h"
#include "bench/size_list.h"
#include "domain/words/nearest_word.h"

namespace cox::bench {
namespace {

constexpr char kPairSizes[] = "1..4M:*4";
constexpr char kPatternSizes[] = "8,128,1k,8k,64k";
constexpr char kCollectiveSizes[] = "4..1M:*4";
constexpr char kBlockSizes[] = "1,1M";

constexpr char kAllKinds[] = "all";

// The label of the library's own choice.
constexpr char kUnforced[] = "default";

constexpr char kFooter[] = R"(Run it under the MPI launcher, with the build for that MPI:
  mpirun.openmpi -np 4 cox-bench.openmpi p2p --machine here -o p2p.csv
  mpirun.openmpi -np 4 cox-bench.openmpi collectives --collectives alltoall,bcast -o default.csv
  mpirun.openmpi -np 4 --mca coll_tuned_use_dynamic_rules 1 \
    --mca coll_tuned_alltoall_algorithm 2 cox-bench.openmpi \
    collectives --collectives alltoall --label alltoall=pairwise -o pairwise.csv
libcoxcoll runs the algorithms that its labels name:
  mpirun.openmpi -np 4 cox-bench.openmpi collectives --library coxcoll --label alltoall=mesh2d
`cox calibrate` does all of this and submits the rows.
`cox infer` reads the rows of blocks:
  mpirun.openmpi -np 8 cox-bench.openmpi blocks --network shared-medium -o times.csv
With more ranks than cores, let idle ranks yield: mpirun.openmpi --mca mpi_yield_when_idle 1.

Exit codes: 0 done, 1 a measurement failed or gave a wrong result, 2 wrong arguments.)";

// A name that needs no quotes in a CSV field and fits into a resource name.
std::string CheckName(const std::string& name) {
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) && c != '-' && c != '_' && c != '.') {
      return absl::StrCat("'", name, "' may only have letters, digits, '-', '_' and '.'");
    }
  }
  return name.empty() || name.size() > 63 ? "a name has 1 to 63 characters" : "";
}

std::string CheckText(const std::string& text) {
  for (const char c : text) {
    if (absl::ascii_iscntrl(c) || c == ',' || c == '"') return "may not contain , or \"";
  }
  return text.empty() ? "may not be empty" : "";
}

std::string CheckSizes(const std::string& text) {
  const auto sizes = ParseSizeList(text);
  return sizes.ok() ? "" : std::string(sizes.status().message());
}

std::string CheckPairs(const std::string& text) {
  const auto pairs = ParseSizeList(text, console::SweepOf::kCounts);
  if (!pairs.ok()) return std::string(pairs.status().message());
  return pairs->front() < 1 ? "a number of pairs is at least 1" : "";
}

std::string CheckN(const std::string& text) {
  const auto counts = ParseSizeList(text, console::SweepOf::kCounts);
  if (!counts.ok()) return std::string(counts.status().message());
  return counts->front() < 1 ? "n is at least 1" : "";
}

std::string CheckNetwork(const std::string& name) {
  if (FindNetwork(name) != nullptr) return "";
  return absl::StrCat(
      "'", name, "' is not one of: ",
      absl::StrJoin(Networks(), ", ", [](std::string* out, const NetworkCard& card) {
        absl::StrAppend(out, card.name);
      }));
}

std::string CheckKind(const std::string& name) {
  if (name == kAllKinds || FindKind(name) != nullptr) return "";
  return absl::StrCat("'", name, "' is not one of: ", kAllKinds, ", ",
                      absl::StrJoin(Kinds(), ", ", [](std::string* out, const KindCard& card) {
                        absl::StrAppend(out, card.name);
                      }));
}

std::string CheckCollective(const std::string& name) {
  if (FindCollective(name).has_value()) return "";
  return absl::StrCat("'", name, "' is unknown; cox-bench times ",
                      absl::StrJoin(CollectiveNames(), ", "));
}

std::string CheckLabel(const std::string& label) {
  const size_t equals = label.find('=');
  if (equals == std::string::npos) return absl::StrCat("'", label, "' is not COLLECTIVE=ALGORITHM");
  const std::string reason = CheckCollective(label.substr(0, equals));
  return reason.empty() ? CheckText(label.substr(equals + 1)) : reason;
}

std::string CheckCell(const std::string& cell) {
  const size_t equals = cell.find('=');
  if (equals == std::string::npos) return absl::StrCat("'", cell, "' is not COLLECTIVE=SIZE");
  const std::string reason = CheckCollective(cell.substr(0, equals));
  return reason.empty() ? CheckSizes(cell.substr(equals + 1)) : reason;
}

std::string CheckBudget(const std::string& text) {
  double seconds = 0;
  const bool good = absl::SimpleAtod(text, &seconds) && seconds >= 0.01 && seconds <= 1e6;
  return good ? "" : absl::StrCat("'", text, "' is not a time from 0.01 to 1000000 seconds");
}

// CLI11 marks a validator's failure by a non-empty text.
template <typename Check>
CLI::Validator Rule(Check check, const std::string& type) {
  return CLI::Validator([check](std::string& text) { return check(text); }, type);
}

std::string RunStamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc);
  return text;
}

// What CLI11 fills in, before the texts are taken apart.
struct Texts {
  std::string sizes;
  std::string pairs;
  std::string network;
  std::string counts;
  std::string pattern_sizes = kPatternSizes;
  std::vector<std::string> kinds = {"pingpong"};
  std::string algorithm = kUnforced;
  std::vector<std::string> labels;
  std::vector<std::string> cells;
};

void AddCommon(CLI::App* mode, const std::string& usual_sizes, Options* options, Texts* texts) {
  mode->add_option("--sizes", texts->sizes,
                   "Sizes and sweeps, such as 0,64,1k..1M:*4 (default: " + usual_sizes + ")")
      ->check(Rule(CheckSizes, "SIZES"));
  mode->add_option("--machine", options->machine, "Name of the machine in the rows")
      ->check(Rule(CheckName, "NAME"))
      ->capture_default_str();
  mode->add_option("--library", options->library, "Name of the MPI library in the rows")
      ->check(Rule(CheckName, "NAME"))
      ->capture_default_str();
  mode->add_option("--budget-s", options->budget_s, "Seconds for the measurement, approximately")
      ->check(Rule(CheckBudget, "SECONDS"))
      ->capture_default_str();
  mode->add_option("--seed", options->seed, "Seed of the random order of sizes")
      ->capture_default_str();
  mode->add_option("-o,--output", options->output, "File to write (default: standard output)");
  mode->add_flag("--raw", options->raw, "A row for every sample instead of the median");
  mode->add_flag("--progress", options->progress,
                 "Report progress line by line on stderr, even without a terminal");
}

template <typename Cards>
std::string ListOf(const std::string& title, const Cards& cards) {
  std::string text = title + ":\n";
  for (const auto& card : cards) {
    absl::StrAppend(&text, "  ", card.name, std::string(20 - card.name.size(), ' '), card.what,
                    "\n");
  }
  return text;
}

CLI::App* AddBlocks(CLI::App* app, Options* options, Texts* texts) {
  CLI::App* blocks = app->add_subcommand(
      "blocks", "Times patterns from which `cox infer` infers a network's communication blocks");
  AddCommon(blocks, kBlockSizes, options, texts);
  blocks->add_option("--network", texts->network, "How the ranks are joined; one of the list below")
      ->check(Rule(CheckNetwork, "NAME"))
      ->required();
  blocks
      ->add_option("--n", texts->counts,
                   "Ranks or pairs at once, such as 1..8 (default: 1 to 8, then doubling)")
      ->check(Rule(CheckN, "COUNTS"));
  blocks
      ->add_option("--frame-nodes", options->frame_nodes,
                   "Consecutive nodes in a frame of a multistage network; one rank of each takes "
                   "part (default: a node with all its ranks is a frame)")
      ->check(CLI::Range(1, 1 << 20));
  blocks->add_flag("--mean", options->mean_of_ranks,
                   "The mean of the ranks' times, for a medium with random back-off, instead of "
                   "the slowest rank's");
  blocks->footer(ListOf("Networks", Networks()) + ListOf("Kinds in the rows", BlockKinds()) +
                 "`cox infer` needs a size of at most 64 bytes and one of at least 65536 bytes.");
  return blocks;
}

// CLI11 lists unexpected words from the last to the first.
std::string UnknownWord(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* mode : app.get_subcommands()) {
    for (const CLI::Option* option : mode->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  return absl::StrCat("there is no option or argument '", word, "'",
                      domain::DidYouMean(word.substr(0, word.find('=')), known));
}

std::string FailureMessage(const CLI::App* app, const CLI::Error& error) {
  if (const std::vector<std::string> unknown = app->remaining(/*recurse=*/true); !unknown.empty()) {
    return absl::StrCat(app->get_name(), ": ", UnknownWord(*app, unknown.front()),
                        " (--help explains)\n");
  }
  return absl::StrCat(app->get_name(), ": ", error.what(), " (--help explains)\n");
}

// No environment variable forces libcoxcoll's algorithms: labels do. Without --collectives it times
// only collectives with a label.
void FinishCoxcoll(const CLI::App& collectives, const Texts& texts, Options& options) {
  const bool names_collectives =
      collectives.count("--collectives") > 0 || collectives.count("--cells") > 0;
  if (!names_collectives) {
    options.collectives.clear();
    for (const std::string& label : texts.labels) {
      const std::string name = label.substr(0, label.find('='));
      if (absl::c_linear_search(options.collectives, name)) continue;
      options.collectives.push_back(name);
    }
  }
  for (const std::string& name : options.collectives) {
    if (!IsCoxcollCollective(*FindCollective(name))) {
      throw CLI::ValidationError(names_collectives ? "--collectives" : "--label",
                                 absl::StrCat(kCoxcoll, " has no ", name, "; it has ",
                                              absl::StrJoin(CoxcollCollectiveNames(), ", ")));
    }
  }
  const auto unnamed = absl::c_find_if(options.collectives, [&options](const std::string& name) {
    return options.AlgorithmOf(name) == kUnforced;
  });
  if (options.collectives.empty() || unnamed != options.collectives.end()) {
    throw CLI::ValidationError(
        "--label",
        absl::StrCat("--library ", kCoxcoll, " needs the algorithm of each collective, as ",
                     options.collectives.empty() ? "alltoall" : *unnamed, "=NAME"));
  }
}

void FinishCells(const Texts& texts, Options& options) {
  options.collectives.clear();
  for (const std::string& cell : texts.cells) {
    const size_t equals = cell.find('=');
    const std::string name = cell.substr(0, equals);
    if (!absl::c_linear_search(options.collectives, name)) options.collectives.push_back(name);
    const std::vector<int64_t> sizes = *ParseSizeList(cell.substr(equals + 1));
    for (const int64_t size : sizes) options.cells.emplace_back(name, size);
  }
}

void FinishBlocks(const Texts& texts, Options& options) {
  options.network = FindNetwork(texts.network)->network;
  if (!texts.counts.empty()) {
    options.counts = *ParseSizeList(texts.counts, console::SweepOf::kCounts);
  }
  if (options.frame_nodes > 0 && options.network != Network::kMultistage) {
    throw CLI::ValidationError("--frame-nodes", "needs --network multistage");
  }
}

// The modes, as CLI11 parsed them.
struct Modes {
  const CLI::App* blocks;
  const CLI::App* collectives;
  const CLI::App* suite;
};

// The texts were checked when they were parsed: the lists are good.
Options Finish(const Modes& modes, const Texts& texts, Options options) {
  const char* usual_sizes = kPairSizes;
  if (modes.suite->parsed()) {
    options.mode = Options::Mode::kSuite;
  } else if (modes.collectives->parsed()) {
    options.mode = Options::Mode::kCollectives;
    usual_sizes = kCollectiveSizes;
  } else if (modes.blocks->parsed()) {
    options.mode = Options::Mode::kBlocks;
    usual_sizes = kBlockSizes;
    FinishBlocks(texts, options);
  }
  options.sizes = *ParseSizeList(texts.sizes.empty() ? usual_sizes : texts.sizes);
  if (!texts.pairs.empty()) options.pairs = *ParseSizeList(texts.pairs, console::SweepOf::kCounts);
  options.pattern_sizes = *ParseSizeList(texts.pattern_sizes);
  for (const KindCard& card : Kinds()) {
    const bool asked = std::any_of(
        texts.kinds.begin(), texts.kinds.end(),
        [&](const std::string& name) { return name == kAllKinds || name == card.name; });
    if (asked) options.kinds.push_back(card.kind);
  }
  if (!texts.cells.empty()) FinishCells(texts, options);
  for (const std::string& name : options.collectives) options.algorithms[name] = texts.algorithm;
  for (const std::string& label : texts.labels) {
    const size_t equals = label.find('=');
    options.algorithms[label.substr(0, equals)] = label.substr(equals + 1);
  }
  if (options.TimesCoxcoll()) FinishCoxcoll(*modes.collectives, texts, options);
  return options;
}

}  // namespace

bool Options::TimesCoxcoll() const { return mode == Mode::kCollectives && library == kCoxcoll; }

std::string Options::AlgorithmOf(const std::string& collective) const {
  const auto found = algorithms.find(collective);
  return found == algorithms.end() ? kUnforced : found->second;
}

std::string Options::ShownAlgorithmOf(const std::string& collective) const {
  const std::string name = AlgorithmOf(collective);
  return TimesCoxcoll() ? absl::StrCat(kCoxcoll, "/", name) : name;
}

ParseOutcome ParseOptions(int argc, const char* const* argv, const std::string& library,
                          const std::string& machine) {
  Options options;
  options.library = library;
  options.machine = machine;
  options.run = RunStamp();
  options.budget_s = 60;
  options.collectives = {"alltoall", "bcast", "allreduce", "allgather"};
  Texts texts;

  CLI::App app("Times messages and collectives of an MPI library and writes rows of CSV.",
               "cox-bench");
  app.footer(kFooter);
  app.failure_message(FailureMessage);
  app.set_version_flag("--version", COX_VERSION);
  app.require_subcommand(1);
  CLI::App* p2p =
      app.add_subcommand("p2p", "Times messages between ranks of one node and of different nodes");
  AddCommon(p2p, kPairSizes, &options, &texts);
  p2p->add_option("--pairs", texts.pairs,
                  "Pairs active at once, such as 1,2,4 (default: as many as the ranks allow)")
      ->check(Rule(CheckPairs, "COUNTS"));
  p2p->add_option("--kinds", texts.kinds,
                  "What to time, separated by commas: all, or kinds of the list below")
      ->delimiter(',')
      ->check(Rule(CheckKind, "NAMES"))
      ->capture_default_str();
  p2p->add_option("--pattern-sizes", texts.pattern_sizes, "Sizes of all kinds except pingpong")
      ->check(Rule(CheckSizes, "SIZES"))
      ->capture_default_str();
  p2p->footer(ListOf("Kinds", Kinds()));
  const CLI::App* blocks = AddBlocks(&app, &options, &texts);
  CLI::App* collectives = app.add_subcommand(
      "collectives", "Times collectives, with the algorithms that the environment forces");
  AddCommon(collectives, kCollectiveSizes, &options, &texts);
  collectives->get_option("--library")
      ->description(absl::StrCat("Name of the MPI library in the rows; ", kCoxcoll,
                                 ": times libcoxcoll, with the algorithms that the labels name"));
  collectives->add_option("--collectives", options.collectives, "What to time, separated by commas")
      ->delimiter(',')
      ->check(Rule(CheckCollective, "NAMES"))
      ->capture_default_str();
  collectives
      ->add_option("--algorithm", texts.algorithm,
                   "Label of all rows; forces nothing in the MPI library")
      ->check(Rule(CheckText, "NAME"))
      ->capture_default_str();
  collectives->add_option("--label", texts.labels, "Label of one collective's rows: bcast=binomial")
      ->delimiter(',')
      ->check(Rule(CheckLabel, "COLLECTIVE=NAME"));
  collectives->add_option("--cells", texts.cells, "Only these cells: bcast=4k; may be repeated")
      ->check(Rule(CheckCell, "COLLECTIVE=SIZE"))
      ->excludes("--sizes")
      ->excludes("--collectives");
  for (CLI::App* mode : {p2p, collectives}) {
    mode->add_option("--run", options.run, "Label of this run in the rows (default: a time stamp)")
        ->check(Rule(CheckText, "NAME"));
  }

  options.suite.mpi = library.substr(0, library.find('-'));
  const CLI::App* suite = AddSuite(&app, &options.suite);

  ParseOutcome outcome;
  try {
    app.parse(argc, argv);
    outcome.options = Finish({blocks, collectives, suite}, texts, std::move(options));
  } catch (const CLI::RequiredError& error) {
    const std::string given = argc > 1 ? absl::StrCat("'", argv[1], "' is not a mode") : "no mode";
    outcome.exit_code = 2;
    outcome.err = suite->parsed() || blocks->parsed()
                      ? FailureMessage(&app, error)
                      : absl::StrCat("cox-bench: ", given,
                                     ": p2p, blocks, collectives or suite (--help explains)\n");
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    outcome.exit_code = app.exit(error, out, err) == 0 ? 0 : 2;
    outcome.out = out.str();
    outcome.err = err.str();
  }
  return outcome;
}

}  // namespace cox::bench
