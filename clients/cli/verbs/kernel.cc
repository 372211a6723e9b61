// cox kernel: what a whole parallel algorithm will cost, with its local work.
#include <cox/v1/advice.pb.h>
#include <cox/v1/model.pb.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/options/what_if.h"
#include "cli/output/prediction_sheet.h"
#include "cli/output/sweep_json.h"
#include "cli/output/what_if_check.h"
#include "cli/verbs/verbs.h"
#include "console/numbers.h"
#include "console/table.h"

namespace cox::cli {
namespace {

// The largest problem size that the daemon takes.
constexpr int64_t kMaxSize = int64_t{1} << 40;

struct KernelOptions {
  bool list = false;
  std::string machine;
  std::string kernel;
  std::vector<int64_t> sizes;
  std::vector<int64_t> ranks;
  int64_t word_bytes = 0;
  std::string model;
  WhatIfOptions what_if;
  SheetFiles files;
};

absl::Status List(Session& session) {
  v1::ListKernelsResponse response;
  absl::Status status = session.connection().Call(kListKernels, v1::ListKernelsRequest(), response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  console::Table table({{"KERNEL"},
                        {"VARIANTS", console::Align::kLeft, console::Fit::kFold},
                        {"N COUNTS", console::Align::kLeft, console::Fit::kFold},
                        {"NEEDS", console::Align::kLeft, console::Fit::kFold},
                        {"DESCRIPTION", console::Align::kLeft, console::Fit::kFold}});
  for (const v1::Kernel& kernel : response.kernels()) {
    std::vector<std::string> variants;
    for (const std::string& variant : kernel.variants()) {
      variants.push_back(variant.empty() ? "-" : variant);
    }
    table.Add({kernel.name(), absl::StrJoin(variants, ", "), kernel.size(), kernel.needs(),
               kernel.description()});
  }
  table.Print(session.out());
  return absl::OkStatus();
}

absl::Status Evaluate(Session& session, const KernelOptions& options) {
  v1::EvaluateKernelRequest request;
  request.set_machine(options.machine);
  request.set_kernel(options.kernel);
  request.set_word_bytes(options.word_bytes);
  request.set_model(options.model);
  for (const v1::WhatIf& change : options.what_if.changes) *request.add_what_if() = change;
  PredictionSheet sheet({absl::StrCat(options.kernel, " on ", options.machine), "kernel", "size",
                         "problem size n", false});
  WhatIfCheck what_if(options.what_if);
  if (absl::Status begun = what_if.Begin(session); !begun.ok()) return begun;
  SweepJson json;
  for (const int64_t ranks : options.ranks) {
    for (const int64_t size : options.sizes) {
      request.set_ranks(ranks);
      request.set_size(size);
      v1::EvaluateKernelResponse response;
      absl::Status status = session.connection().Call(kEvaluateKernel, request, response);
      if (!status.ok()) return status;
      json.Add(request, response);
      for (const std::string& caveat : response.caveats()) sheet.AddCaveat(caveat);
      for (const v1::Prediction& prediction : response.predictions()) {
        what_if.AddUsed(prediction.model());
        sheet.Add(ranks, size, prediction);
      }
    }
  }
  if (session.json()) session.out() << json.Text();
  what_if.Note(session);
  return sheet.Show(session, options.files);
}

}  // namespace

void AddKernelVerb(Verb app) {
  Verb verb = app.Sub("kernel", "Predict the cost of a whole parallel algorithm");
  verb.Footer(
      "Examples:\n"
      "  cox kernel --list\n"
      "  cox kernel -m cm5-64 --kernel matmul-3d -n 256 -p 64 --model all\n"
      "  cox kernel -m gcel-64 --kernel 'sample-sort?variant=ssdr&oversampling=64' -n 256k -p 64\n"
      "  cox kernel -m cm5-64 --kernel bitonic-sort -n 64k..4M:*2 -p 64 --plot sort.svg\n"
      "--list says what -n counts: rows, keys or vertices. k and M are powers of 1024.");
  auto options = std::make_shared<KernelOptions>();
  verb.Flag("--list", options->list, "List the kernels");
  AddMachineOption(verb, options->machine);
  verb.Text("--kernel", options->kernel,
            "The kernel and its options, such as `sample-sort?variant=ssdr&oversampling=64`")
      .Type("KERNEL");
  AddSweep(verb, "-n,--size", options->sizes, 1, kMaxSize, console::SweepOf::kCounts,
           "Problem size: a number or a sweep (256 or 64..1024:*2)");
  AddRanksOption(verb, options->ranks);
  AddCount(verb, "--word-bytes", options->word_bytes, 1, console::kMaxCount,
           "Bytes of a key or a matrix element (default 4)");
  verb.Text("--model", options->model,
            "A model of `cox models`, or all (default: the machine's selected model)")
      .Type("MODEL");
  AddWhatIfOption(verb, options->what_if);
  AddSheetOptions(verb, options->files, true);
  verb.Do(
      [options](Session& session) {
        return options->list ? List(session) : Evaluate(session, *options);
      },
      [options](const GlobalOptions& global) {
        if (options->list) return absl::OkStatus();
        if (options->machine.empty()) return MissingOption("-m,--machine");
        if (options->kernel.empty()) return MissingOption("--kernel");
        if (options->sizes.empty()) return MissingOption("-n,--size");
        if (options->ranks.empty()) return MissingOption("-p,--ranks");
        return CheckSheetFiles(options->files, global);
      });
}

}  // namespace cox::cli
