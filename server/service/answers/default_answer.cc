#include "service/answers/default_answer.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/parse_collective.h"
#include "library/default_ranges.h"
#include "library/libraries.h"
#include "strategy/scenario.h"

namespace cox::service {
namespace {

absl::StatusOr<strategy::Scenario> ToScenario(const v1::ListDefaultChoicesRequest& request) {
  strategy::Scenario scenario;
  scenario.ranks = request.ranks();
  if (request.ppn() != 0) scenario.ppn = request.ppn();
  if (request.type_bytes() != 0) scenario.type_bytes = request.type_bytes();
  if (absl::Status valid = strategy::Validate(scenario); !valid.ok()) return valid;
  if (scenario.ranks < 2) {
    return domain::InvalidField("ranks", "must be at least 2: a single rank has nothing to choose");
  }
  return scenario;
}

void Add(domain::Collective collective, const library::DefaultRange& range,
         v1::ListDefaultChoicesResponse* response) {
  v1::DefaultChoice* out = response->add_choices();
  out->set_collective(std::string(domain::CollectiveName(collective)));
  out->set_from_block_bytes(range.block_bytes);
  if (range.chosen == nullptr) return;
  const library::Algorithm& chosen = *range.chosen;
  out->set_algorithm(std::string(chosen.native_name));
  if (chosen.native_id >= 0) out->set_native_id(chosen.native_id);
  out->set_source(std::string(chosen.source));
  if (range.runs == nullptr) return;
  out->set_runs(std::string(range.runs->native_name));
  out->set_strategy(std::string(range.runs->strategy));
}

}  // namespace

absl::Status AnswerDefaultChoices(const v1::ListDefaultChoicesRequest& request,
                                  v1::ListDefaultChoicesResponse* response) {
  if (library::FindLibrary(request.library()) == nullptr) {
    return absl::NotFoundError(absl::StrCat("library: there is no library \"",
                                            request.library().substr(0, 64), "\"; there are ",
                                            library::LibraryNames()));
  }
  if (!request.collective().empty()) {
    const auto known = domain::ParseCollective(request.collective());
    if (!known.ok()) return known.status();
  }
  absl::StatusOr<strategy::Scenario> scenario = ToScenario(request);
  if (!scenario.ok()) return scenario.status();
  const library::Assumptions assume{.commutative = !request.non_commutative()};
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    const auto collective = static_cast<domain::Collective>(i);
    if (!request.collective().empty() &&
        domain::CollectiveName(collective) != request.collective()) {
      continue;
    }
    scenario->collective = collective;
    for (const library::DefaultRange& range :
         library::DefaultRanges(request.library(), *scenario, assume)) {
      Add(collective, range, response);
    }
  }
  return absl::OkStatus();
}

}  // namespace cox::service
