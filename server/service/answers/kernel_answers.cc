#include "service/answers/kernel_answers.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advise/caveats.h"
#include "advise/kernel.h"
#include "service/answers/question.h"
#include "service/convert/checks.h"

namespace cox::service {
namespace {

// What the variants need, each once: "p a cube; unbuffered: ...".
void AddNeeds(const strategy::Kernel& kernel, v1::Kernel* out) {
  const std::string needs = std::string(kernel.needs);
  if (out->needs().empty()) {
    out->set_needs(needs);
  } else if (!absl::StrContains(out->needs(), needs)) {
    out->set_needs(absl::StrCat(out->needs(), "; ", kernel.variant, ": ", needs));
  }
}

}  // namespace

absl::Status AnswerKernel(std::shared_ptr<const daemon::Snapshot> snapshot,
                          const v1::EvaluateKernelRequest& request,
                          v1::EvaluateKernelResponse* response) {
  // Each prediction repeats it.
  if (absl::Status checked = CheckName("kernel", request.kernel()); !checked.ok()) return checked;
  const auto machine = MachineToAsk(std::move(snapshot), request.machine(), request.what_if());
  if (!machine.ok()) return machine.status();
  const auto answer = advise::EvaluateKernel(
      **machine, {.kernel = request.kernel(),
                  .size = request.size(),
                  .ranks = request.ranks(),
                  .word_bytes = request.word_bytes() == 0 ? 4 : request.word_bytes(),
                  .model = request.model()});
  if (!answer.ok()) return answer.status();
  for (const advise::Prediction& prediction : answer->predictions) {
    FromPrediction(prediction, response->add_predictions());
  }
  // As in the kernels' source, each rank has a node of its own.
  const advise::JobShape job{.ppn = 1, .ranks = request.ranks()};
  std::vector<std::string> caveats = advise::CaveatsOf(**machine, job);
  if ((*machine)->cores_per_node > 1 && request.ranks() > 1) {
    caveats.emplace_back("kernels are priced with one rank on each node");
  }
  AddCaveats(caveats, response);
  response->set_communication_phase_count(answer->communication_phase_count);
  response->set_operation_count(answer->operations);
  response->set_profile_revision((*machine)->revision);
  return absl::OkStatus();
}

void AddKernels(v1::ListKernelsResponse* response) {
  v1::Kernel* out = nullptr;
  for (const strategy::Kernel& kernel : strategy::Kernels()) {
    if (out == nullptr || out->name() != std::string(kernel.name)) {
      out = response->add_kernels();
      out->set_name(std::string(kernel.name));
      out->set_description(std::string(kernel.description));
      out->set_size(std::string(kernel.size));
      out->set_source(std::string(kernel.source));
    }
    out->add_variants(std::string(kernel.variant));
    AddNeeds(kernel, out);
  }
}

}  // namespace cox::service
