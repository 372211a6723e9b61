#include "service/calibration.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "daemon/stored_profile.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "domain/words/counted.h"
#include "learn/calibrate/calibrate.h"
#include "service/convert/profile.h"
#include "service/convert/sample.h"
#include "service/entry/admission.h"
#include "service/entry/door.h"
#include "service/limits.h"
#include "service/names.h"
#include "service/profiles.h"
#include "service/unary.h"

namespace cox::service {
namespace {

// Of a message, its record, and its rows in the systems of equations of several models.
constexpr int64_t kSampleBytes = sizeof(v1::Sample) + 4 * sizeof(learn::Sample);

absl::StatusOr<std::vector<learn::Sample>> ToSamples(const v1::CalibrateRequest& request) {
  if (request.samples_size() > kMaxSamples) {
    return domain::InvalidField(
        "samples", absl::StrCat("at most ", kMaxSamples, "; there are ", request.samples_size()));
  }
  std::vector<learn::Sample> samples;
  samples.reserve(request.samples_size());
  for (int i = 0; i < request.samples_size(); ++i) {
    absl::StatusOr<learn::Sample> sample = ToSample(request.samples(i));
    if (!sample.ok())
      return domain::WithFieldPrefix(sample.status(), absl::StrCat("samples[", i, "]."));
    samples.push_back(*std::move(sample));
  }
  return samples;
}

// The old pieces of a newly fitted parameter belong to old regimes.
void RemovePieces(const domain::Profile& fitted, domain::Profile* profile) {
  std::vector<domain::Parameter>& kept = profile->parameters;
  kept.erase(std::remove_if(kept.begin(), kept.end(),
                            [&](const domain::Parameter& old) {
                              return old.above > 0 &&
                                     fitted.Find(old.model, old.level, old.name) != nullptr;
                            }),
             kept.end());
}

}  // namespace

Calibrations::Calibrations(const Core& core) : core_(core) {}
Calibrations::~Calibrations() = default;

grpc::ServerUnaryReactor* Calibrations::Calibrate(grpc::CallbackServerContext* context,
                                                  const v1::CalibrateRequest* request,
                                                  v1::CalibrateResponse* response) {
  const absl::StatusOr<daemon::MemoryBudget::Lease> lease =
      Admit(*core_.memory, CallingPrincipal(), *request, request->samples_size(), kSampleBytes);
  if (!lease.ok()) return Finish(context, lease.status());
  const auto answer = [this, request, response, lease = *lease, actor = CallingActor(),
                       is_cancelled = CancelledBy(context)]() -> absl::Status {
    const absl::StatusOr<absl::string_view> machine = ParseMachine(request->parent(), "parent");
    if (!machine.ok()) return machine.status();
    const auto known = core_.store->GetMachine(*machine);
    if (!known.ok()) return known.status();
    const absl::StatusOr<std::vector<learn::Sample>> samples = ToSamples(*request);
    if (!samples.ok()) return samples.status();
    absl::StatusOr<learn::Calibration> calibration =
        learn::Calibrate(*samples, daemon::ShapeOf(*known), is_cancelled);
    if (!calibration.ok()) return calibration.status();

    store::ProfileRecord profile;
    profile.machine = std::string(*machine);
    profile.provenance = "calibrated";
    profile.note = absl::StrCat("calibrated from ",
                                domain::Counted(static_cast<int64_t>(samples->size()), "sample"));
    // What these samples say nothing about stays as it was.
    domain::Profile merged;
    if (const auto active = core_.store->GetProfile(*machine, 0); active.ok()) {
      merged = daemon::ProfileOf(*active);
    }
    RemovePieces(calibration->profile, &merged);
    for (domain::Parameter& parameter : calibration->profile.parameters) {
      merged.Set(std::move(parameter));
    }
    profile.parameters = merged.parameters;
    const absl::StatusOr<store::ProfileRecord> stored =
        AddProfileRevision(core_, std::move(profile), request->request_id(), actor);
    if (!stored.ok()) return stored.status();

    FromRecord(*stored, true, response->mutable_profile());
    for (const learn::ModelFit& fit : calibration->fits) {
      v1::ModelFit* out = response->add_fits();
      out->set_model(fit.model);
      const absl::string_view level = domain::LevelName(fit.level);
      out->set_level(level.data(), level.size());
      out->set_sample_count(fit.sample_count);
      out->set_median_relative_error(fit.median_relative_error);
      for (const std::string& name : fit.not_identified) out->add_not_identified(name);
      for (double bytes : fit.breakpoints_bytes) out->add_breakpoints_bytes(bytes);
    }
    for (const std::string& warning : calibration->warnings) response->add_warnings(warning);
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.change_pool, context, answer);
}

}  // namespace cox::service
