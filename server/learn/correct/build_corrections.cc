#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "learn/correct/behind.h"
#include "learn/correct/borrow/common_time.h"
#include "learn/correct/corrections.h"
#include "learn/correct/default_check.h"
#include "learn/correct/envelope_time.h"
#include "learn/correct/kind_offset.h"
#include "learn/correct/missed_gains.h"
#include "learn/correct/model_choice.h"
#include "learn/correct/model_errors.h"
#include "learn/correct/model_spread.h"
#include "learn/correct/surface/asked_point.h"
#include "learn/correct/surface/sample_places.h"
#include "learn/correct/trust/contradicted_places.h"
#include "learn/correct/trust/lone_times.h"
#include "learn/prepared_cells.h"
#include "learn/structure.h"

namespace cox::learn {
namespace {

// Assumes that structural prices are off by this much, in the logarithm, until observations tell
// how far they are off on this machine. The assumption counts as this many places.
constexpr double kStructuralSigma = 0.7;
constexpr double kStructuralPriorWeight = 5;

using Places = std::vector<PlacedTime>;
using PlacesByNames =
    std::map<std::tuple<absl::string_view, absl::string_view, absl::string_view>, Places>;

PlacedTime PlaceOf(const PreparedCell& prepared, const KindOffsets& offsets) {
  const Cell& cell = *prepared.cell;
  PlacedTime place;
  place.point = prepared.point;
  const double variance = offsets.VarianceOf(cell);
  place.observations = cell.observations;
  place.kind = cell.kind;
  place.only_reporter = cell.only_reporter;
  place.log_time = cell.mean_log_time + offsets.For(cell);
  place.common_variance = offsets.CommonVarianceOf(cell);
  place.variance = cell.variance_log_time / cell.weight + variance - place.common_variance;
  // A common error does not average out over many timings.
  place.weight = cell.weight / (1 + cell.weight * variance / kTimingVariance);
  return place;
}

// The libraries and collectives whose default has no known structure for some observed call. A
// price for the other calls alone would come and go from one size to the next.
using LibraryCollective = std::pair<absl::string_view, absl::string_view>;
std::set<LibraryCollective> UnknownDefaults(absl::Span<const PreparedCell> cells) {
  std::set<LibraryCollective> unknown;
  for (const PreparedCell& prepared : cells) {
    if (prepared.algorithm == kDefaultAlgorithm && prepared.strategy == nullptr) {
      unknown.emplace(prepared.cell->library, prepared.cell->collective);
    }
  }
  return unknown;
}

// The libraries and collectives of which some observed call has a known structure.
std::set<LibraryCollective> WithStructure(absl::Span<const PreparedCell> cells) {
  std::set<LibraryCollective> structured;
  for (const PreparedCell& prepared : cells) {
    if (prepared.strategy == nullptr) continue;
    structured.emplace(prepared.cell->library, prepared.cell->collective);
  }
  return structured;
}

// Among algorithms without any structure, the default is one of them.
std::set<LibraryCollective> DefaultsOnEnvelope(const std::set<LibraryCollective>& unknown_defaults,
                                               const std::set<LibraryCollective>& structured) {
  std::set<LibraryCollective> on_envelope;
  std::set_intersection(unknown_defaults.begin(), unknown_defaults.end(), structured.begin(),
                        structured.end(), std::inserter(on_envelope, on_envelope.end()));
  return on_envelope;
}

// The cells of each of these.
std::map<LibraryCollective, std::vector<PreparedCell>> CellsOf(
    absl::Span<const PreparedCell> cells, const std::set<LibraryCollective>& names) {
  std::map<LibraryCollective, std::vector<PreparedCell>> selected;
  for (const PreparedCell& prepared : cells) {
    const LibraryCollective key(prepared.cell->library, prepared.cell->collective);
    if (names.contains(key)) selected[key].push_back(prepared);
  }
  return selected;
}

bool IsUnknownDefault(const PreparedCell& prepared, const std::set<LibraryCollective>& unknown) {
  return prepared.algorithm == kDefaultAlgorithm &&
         unknown.contains({prepared.cell->library, prepared.cell->collective});
}

void MergeAll(PlacesByNames* groups) {
  for (auto& [names, places] : *groups) {
    DropContradictedPlaces(&places);
    DropLoneTimesThatStickOut(&places);
    places = MergePlaces(places, kMaxSamples);
  }
}

// The places of all algorithms, except unknown defaults.
PlacesByNames PlacesOf(absl::Span<const PreparedCell> cells,
                       const std::set<LibraryCollective>& unknown_defaults,
                       const KindOffsets& offsets, const ModelError* model) {
  PlacesByNames groups;
  auto schedule = std::make_unique<model::Schedule>();
  for (const PreparedCell& prepared : cells) {
    if (IsUnknownDefault(prepared, unknown_defaults)) continue;
    PlacedTime place = PlaceOf(prepared, offsets);
    if (model != nullptr && prepared.strategy != nullptr) {
      place.structural_time_s = StructuralTime(prepared.strategy, *prepared.scenario, *model->model,
                                               model->values, schedule.get());
    }
    groups[{prepared.cell->library, prepared.cell->collective, prepared.algorithm}].push_back(
        place);
  }
  MergeAll(&groups);
  return groups;
}

// The places of the unknown defaults, measured against their library's fastest algorithm.
PlacesByNames PlacesOnEnvelope(absl::Span<const PreparedCell> cells,
                               const std::set<LibraryCollective>& unknown_defaults,
                               const KindOffsets& offsets, const Corrections& corrections,
                               const ModelError* model) {
  PlacesByNames groups;
  auto schedule = std::make_unique<model::Schedule>();
  Pricing pricing;
  if (model != nullptr) pricing = {model->model, &model->values};
  for (const PreparedCell& prepared : cells) {
    if (!IsUnknownDefault(prepared, unknown_defaults)) continue;
    const Cell& cell = *prepared.cell;
    AskedPoint asked(prepared.point);
    const Place place = PlaceAt(corrections, cell.library, cell.collective,
                                prepared.scenario ? &*prepared.scenario : nullptr, &asked);
    PlacedTime timed = PlaceOf(prepared, offsets);
    timed.structural_time_s = EnvelopeTime(*place.learned, [&](absl::string_view algorithm) {
      return EstimateOf(algorithm, place, pricing, schedule.get());
    });
    groups[{cell.library, cell.collective, prepared.algorithm}].push_back(timed);
  }
  MergeAll(&groups);
  return groups;
}

// How far structural prices lie from the truth on this machine: root mean square, in the logarithm.
double StructuralSigma(const PlacesByNames& groups) {
  double sum = kStructuralPriorWeight * kStructuralSigma * kStructuralSigma;
  double weight = kStructuralPriorWeight;
  for (const auto& [names, places] : groups) {
    for (const PlacedTime& place : places) {
      if (place.structural_time_s <= 0) continue;
      const double error = place.log_time - std::log(place.structural_time_s);
      sum += error * error;
      weight += 1;
    }
  }
  return std::sqrt(sum / weight);
}

// The algorithms of one collective.
using Algorithms = std::map<absl::string_view, const Places*>;
std::map<LibraryCollective, Algorithms> ByCollective(const PlacesByNames& groups) {
  std::map<LibraryCollective, Algorithms> collectives;
  for (const auto& [key, places] : groups) {
    const auto& [library, collective, algorithm] = key;
    collectives[{library, collective}][algorithm] = &places;
  }
  return collectives;
}

void LearnCommonTime(const LibraryCollective& names, const Algorithms& algorithms, PlacesPool* pool,
                     Corrections* corrections) {
  const auto& [library, collective] = names;
  std::vector<absl::Span<const PlacedTime>> all;
  for (const auto& [name, places] : algorithms) all.emplace_back(*places);
  Places common = MergePlaces(CommonTimes(all), kMaxSamples);
  for (PlacedTime& place : common) {
    place.structural_time_s = corrections->usual_time().At(collective, place.point);
  }
  corrections->AddCommonTime(library, collective, LearnCorrection(common, Base::kUsualTime, pool));
}

std::unique_ptr<const Correction> LearnBorrowing(const LibraryCollective& names, Places places,
                                                 const Corrections& corrections, PlacesPool* pool) {
  for (PlacedTime& place : places) {
    AskedPoint asked(place.point);
    const Estimate common = CommonTimeAt(corrections, names.first, names.second, &asked);
    place.structural_time_s = common.known ? std::exp(common.log_time) : 0;
  }
  return LearnCorrection(places, Base::kCommonTime, pool);
}

// Learns each algorithm from its own price, or, where no algorithm of the collective has one, from
// what they have in common. A price and a common time err apart: algorithms on both kinds of base
// could not be compared.
void LearnAlgorithms(const PlacesByNames& groups, const std::set<LibraryCollective>& structured,
                     PlacesPool* pool, Corrections* corrections) {
  for (const auto& [names, algorithms] : ByCollective(groups)) {
    const auto& [library, collective] = names;
    const bool borrows = !structured.contains(names);
    if (borrows) LearnCommonTime(names, algorithms, pool, corrections);
    for (const auto& [name, places] : algorithms) {
      corrections->Add({library, collective, name},
                       borrows ? LearnBorrowing(names, *places, *corrections, pool)
                               : LearnCorrection(*places, Base::kStructure, pool),
                       places->size());
    }
  }
  corrections->SortAlgorithms();
}

void LearnOnEnvelope(const PlacesByNames& groups, PlacesPool* pool, Corrections* corrections) {
  for (const auto& [key, places] : groups) {
    const auto& [library, collective, algorithm] = key;
    corrections->Add({library, collective, algorithm},
                     LearnCorrection(places, Base::kEnvelope, pool), places.size());
  }
  corrections->SortAlgorithms();
}

}  // namespace

std::unique_ptr<const Corrections> BuildCorrections(const domain::Profile& profile,
                                                    absl::Span<const Cell> cells) {
  std::vector<PreparedCell> prepared = PrepareCells(cells, profile.shape);
  DropContradictedDefaults(&prepared);
  const ModelErrors measured = MeasureErrors(profile, prepared);
  const std::vector<ModelError> models = RankModels(measured);
  const ModelError* model = models.empty() ? nullptr : &models.front();
  const std::set<LibraryCollective> unknown_defaults = UnknownDefaults(prepared);
  const KindOffsets offsets = KindOffsets::Build(prepared);
  const std::set<LibraryCollective> structured = WithStructure(prepared);
  const std::set<LibraryCollective> on_envelope = DefaultsOnEnvelope(unknown_defaults, structured);
  const PlacesByNames groups = PlacesOf(prepared, on_envelope, offsets, model);

  auto corrections = std::make_unique<Corrections>(
      model == nullptr ? "" : std::string(model->model->id()), StructuralSigma(groups));
  corrections->SetSpread(ModelSpread(models, measured.sizes));
  corrections->SetUsualTime(UsualTime(prepared));
  PlacesPool pool;
  LearnAlgorithms(groups, structured, &pool, corrections.get());
  LearnOnEnvelope(PlacesOnEnvelope(prepared, on_envelope, offsets, *corrections, model), &pool,
                  corrections.get());
  for (const auto& [names, cells_of] : CellsOf(prepared, unknown_defaults)) {
    const auto& [library, collective] = names;
    corrections->AddVotes(library, collective, DefaultVotes::Build(cells_of, library, collective));
  }
  for (const PreparedCell& one : prepared) {
    corrections->AddTimings({one.cell->library, one.cell->collective, one.algorithm}, *one.cell);
  }
  for (const auto& [names, factor] : offsets.JobFactors()) {
    corrections->AddJobFactor(names.first, names.second, factor);
  }
  for (auto& [names, missed_gains] : FindMissedGains(prepared)) {
    corrections->AddMissedGains(names.first, names.second, std::move(missed_gains));
  }
  for (auto& [names, behind] : FindBehind(prepared)) {
    corrections->AddBehind(names.first, names.second, std::move(behind));
  }
  return corrections;
}

}  // namespace cox::learn
