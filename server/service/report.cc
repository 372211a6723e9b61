#include "service/report.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "access/claim.h"
#include "daemon/wall_clock.h"
#include "domain/cell_key.h"
#include "domain/errors.h"
#include "service/convert/checks.h"
#include "service/convert/observation.h"
#include "service/convert/sketch.h"
#include "service/entry/admission.h"
#include "service/entry/machines_named.h"
#include "service/limits.h"
#include "service/machines.h"

namespace cox::service {
namespace {

// Of a message and of its record, with the strings that it may have.
constexpr int64_t kStringsPerRow = 8;
constexpr int64_t kRowBytes = sizeof(v1::Observation) + kStringsPerRow * sizeof(std::string) +
                              sizeof(store::ObservationRecord);

store::Actor ActorOf(const access::Principal& principal) {
  return {.principal = principal.name, .method = "cox.v1.ObservationService/ReportObservations"};
}

absl::StatusOr<store::ObservationBatch> ToBatch(const Core& core,
                                                const access::Principal& principal,
                                                const v1::ReportObservationsRequest& request,
                                                Arrival arrival) {
  if (arrival == Arrival::kStream) {  // the door has looked at that of a call
    absl::Status seen = CheckMachinesNamed(*core.access, principal, request);
    if (!seen.ok()) return seen;
  }
  if (request.observations_size() > kMaxObservationsPerBatch) {
    return domain::InvalidField(
        "observations", absl::StrCat("at most ", kMaxObservationsPerBatch,
                                     " in one batch; there are ", request.observations_size()));
  }
  if (request.sketches_size() > kMaxSketchesPerBatch) {
    return domain::InvalidField(
        "sketches", absl::StrCat("at most ", kMaxSketchesPerBatch, " in one batch; there are ",
                                 request.sketches_size()));
  }
  if (absl::Status checked =
          FirstOf({CheckName("job", request.job()), CheckName("source", request.source())});
      !checked.ok()) {
    return checked;
  }
  if (request.sequence() < 0) {
    return domain::InvalidField("sequence",
                                absl::StrCat("must be >= 0; it is ", request.sequence()));
  }
  if (request.dropped_count() < 0) {
    return domain::InvalidField("dropped_count",
                                absl::StrCat("must be >= 0; it is ", request.dropped_count()));
  }
  absl::StatusOr<access::Claim> claim = access::ClaimOf(principal, request.job(), request.source());
  if (!claim.ok()) return claim.status();
  store::ObservationBatch batch;
  batch.job = std::move(claim->job);
  batch.sequence = request.sequence();
  batch.dropped_count = std::min(request.dropped_count(), store::kMaxDroppedCount);
  batch.source = std::move(claim->source);
  // What reporters say is theirs already, by its source.
  const bool is_import = arrival == Arrival::kCall || batch.job.empty();
  if (is_import && principal.role >= access::Role::kOperator) {
    batch.actor = ActorOf(principal);
  }
  const bool in_job = request.measurement() == v1::MEASUREMENT_UNSPECIFIED
                          ? !batch.job.empty()
                          : request.measurement() == v1::MEASUREMENT_JOB;
  batch.kind = in_job ? domain::CellKind::kJob : domain::CellKind::kBenchmark;
  batch.observations.reserve(request.observations_size());
  const int64_t now_us = daemon::NowMicros();
  for (int i = 0; i < request.observations_size(); ++i) {
    absl::StatusOr<store::ObservationRecord> record = ToRecord(request.observations(i), now_us);
    if (!record.ok()) {
      return domain::WithFieldPrefix(record.status(), absl::StrCat("observations[", i, "]."));
    }
    batch.observations.push_back(*std::move(record));
    batch.observations.back().job = batch.job;
  }
  for (int i = 0; i < request.sketches_size(); ++i) {
    absl::StatusOr<domain::PatternSketch> sketch = ToSketch(request.sketches(i));
    if (!sketch.ok()) {
      return domain::WithFieldPrefix(sketch.status(), absl::StrCat("sketches[", i, "]."));
    }
    batch.sketches.push_back(*std::move(sketch));
  }
  return batch;
}

// The machines of a batch, each with the largest shape seen in it.
std::map<std::string, store::MachineRecord> MachinesOf(const store::ObservationBatch& batch) {
  std::map<std::string, store::MachineRecord> machines;
  store::MachineRecord* last = nullptr;  // mostly the same as that of the row before
  for (const store::ObservationRecord& observation : batch.observations) {
    const domain::ScenarioKey& key = observation.scenario;
    if (last == nullptr || last->name != key.machine) last = &machines[key.machine];
    store::MachineRecord& machine = *last;
    machine.name = key.machine;
    machine.nodes = std::max(machine.nodes, key.nodes);
    machine.cores_per_node = std::max(machine.cores_per_node, key.ppn);
  }
  for (const domain::PatternSketch& sketch : batch.sketches) {
    store::MachineRecord& machine = machines[sketch.key.machine];
    machine.name = sketch.key.machine;
    machine.nodes = std::max(machine.nodes, sketch.key.nodes);
    machine.cores_per_node = std::max(machine.cores_per_node, sketch.key.ppn);
  }
  return machines;
}

using Addition = std::shared_ptr<daemon::ScenarioBound::Addition>;

// Of a batch of a job, removes the rows of new scenarios that find no room: a job cannot make room,
// and would lose its known scenarios with them. A batch without a job is an import, and of it no
// resend is recognised. So it stays whole: who makes room and imports it again counts no row twice.
absl::StatusOr<Addition> AdmitScenarios(const Core& core, const access::Principal& principal,
                                        store::ObservationBatch& batch) {
  const bool has_share = principal.role < access::Role::kOperator;
  if (batch.job.empty()) {
    absl::StatusOr<Addition> added = core.scenarios->Admit(principal.name, has_share, batch);
    if (!added.ok()) core.quotas->CountRefusal(access::Quota::kScenarios);
    return added;
  }
  std::string machine = batch.DroppedMachine();
  absl::StatusOr<Addition> added = core.scenarios->AdmitSome(principal.name, has_share, batch);
  if (!added.ok() || (*added)->refused_count() == 0) return added;
  core.quotas->CountRefusal(access::Quota::kScenarios);
  batch.dropped_machine = std::move(machine);
  batch.dropped_count += std::clamp<int64_t>(store::kMaxDroppedCount - batch.dropped_count, 0,
                                             (*added)->refused_timing_count());
  return added;
}

// Takes what the batch needs. The new scenarios are counted until the store has refused it.
// quota-scenarios refuses a whole batch: it has room again soon, so no row has to be lost.
absl::StatusOr<Addition> TakeQuotas(const Core& core, const access::Principal& principal,
                                    store::ObservationBatch& batch) {
  absl::Status taken = core.quotas->TakeJob(principal, batch.job);
  if (!taken.ok()) return taken;
  taken = core.quotas->Take(principal, access::Quota::kRows, batch.RowsToWrite());
  if (!taken.ok()) return taken;
  absl::StatusOr<Addition> added = AdmitScenarios(core, principal, batch);
  if (!added.ok()) return added;
  taken = core.quotas->Take(principal, access::Quota::kScenarios, (*added)->count());
  if (!taken.ok()) return taken;
  return added;
}

// Whether a batch may register the unknown machine.
absl::Status CheckMayCreate(const Core& core, const access::Principal& principal,
                            bool creates_machines, absl::string_view machine) {
  if (!creates_machines) {
    return absl::NotFoundError(
        absl::StrCat("observations: there is no machine \"", machine,
                     "\"; register it first with `cox machine import FILE`"));
  }
  if (principal.role >= access::Role::kOperator || core.reporters_create_machines) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat(
      "observations: there is no machine \"", machine, "\", and ", principal.name,
      " may not register one; ask an operator to run `cox machine import FILE`, or to set "
      "reporters-create-machines"));
}

// Leaves in `unknown` the machines that the batch is to register. A machine that another daemon has
// registered a moment ago is in the store already.
absl::Status LeaveWhatMayBeCreated(const Core& core, const access::Principal& principal,
                                   bool creates_machines,
                                   std::vector<store::MachineRecord>& unknown) {
  absl::Status looked;
  std::erase_if(unknown, [&](const store::MachineRecord& machine) {
    const absl::Status found = core.store->GetMachine(machine.name).status();
    if (!absl::IsNotFound(found)) looked.Update(found);
    return found.ok();
  });
  // Whoever hears that there is no such machine drops the batch.
  if (!looked.ok() || unknown.empty()) return looked;
  absl::Status allowed = CheckMayCreate(core, principal, creates_machines, unknown[0].name);
  if (!allowed.ok()) return allowed;
  return core.quotas->Take(principal, access::Quota::kMachines,
                           static_cast<int64_t>(unknown.size()));
}

// A report that may be stored.
struct Accepted {
  store::ObservationBatch batch;
  std::vector<std::string> machines;
  std::vector<std::string> created;  // of these
  Addition added;
  std::optional<daemon::Learner::Pace> await{};  // the pace of learning that the caller awaits
  daemon::MemoryBudget::Lease lease;             // until the commit
  ReportDone done;
};

// Of an operator, learning is urgent. A reporter waits for it like the machines.
std::optional<daemon::Learner::Pace> AwaitOf(const access::Principal& principal,
                                             const v1::ReportObservationsRequest& request) {
  if (!request.await_learning()) return std::nullopt;
  return principal.role < access::Role::kOperator ? daemon::Learner::Pace::kResting
                                                  : daemon::Learner::Pace::kUrgent;
}

// Hands the batch to the store and finishes when it is committed (and learned from, if asked).
void Append(const Core& core, Accepted accepted) {
  const auto row_count = static_cast<int64_t>(accepted.batch.observations.size());
  double timing_count = 0;
  for (const store::ObservationRecord& observation : accepted.batch.observations) {
    timing_count += static_cast<double>(observation.count);
  }
  const auto dropped_count = static_cast<double>(accepted.batch.dropped_count);
  store::ObservationBatch batch = std::move(accepted.batch);
  core.store->AppendObservations(
      std::move(batch),
      [learner = core.learner, timings = core.timings, row_count, timing_count, dropped_count,
       accepted = std::move(accepted)](const absl::StatusOr<store::AppendResult>& result) {
        const ReportDone& done = accepted.done;
        if (!result.ok()) {
          done(result.status());
          return;
        }
        v1::ReportObservationsResponse response;
        response.set_duplicate(result->duplicate);
        if (!result->duplicate) {
          accepted.added->Keep();
          timings->taken += timing_count;
          timings->dropped += dropped_count;
          response.set_stored_count(row_count);
          response.set_refused_count(accepted.added->refused_count());
          response.set_refused_reason(accepted.added->refused_reason());
        }
        for (const std::string& machine : accepted.created) response.add_created_machines(machine);
        const bool is_new = row_count > 0 && !result->duplicate;
        // An operator may await what was reported before. A reporter would make coxd learn for
        // nothing.
        if (accepted.await && (is_new || accepted.await == daemon::Learner::Pace::kUrgent)) {
          learner->Notice(
              accepted.machines, [done, response] { done(response); }, *accepted.await);
          return;
        }
        if (is_new) learner->Notice(accepted.machines, {});
        done(std::move(response));
      });
}

}  // namespace

void Report(const Core& core, const access::Principal& principal,
            const v1::ReportObservationsRequest& request, Arrival arrival, ReportDone done) {
  // Until the commit; learning needs only what is stored.
  const absl::StatusOr<daemon::MemoryBudget::Lease> lease =
      Admit(*core.memory, principal, request, MemoryRowsOf(request), kRowBytes);
  if (!lease.ok()) {
    done(lease.status());
    return;
  }
  absl::StatusOr<store::ObservationBatch> batch = ToBatch(core, principal, request, arrival);
  if (!batch.ok()) {
    done(batch.status());
    return;
  }
  // Of all rows: a refused one, too, tells of an unknown machine.
  const std::map<std::string, store::MachineRecord> wanted = MachinesOf(*batch);
  absl::StatusOr<Addition> added = TakeQuotas(core, principal, *batch);
  if (!added.ok()) {
    done(added.status());
    return;
  }
  std::vector<std::string> names;
  std::vector<store::MachineRecord> unknown;
  const std::shared_ptr<const daemon::Snapshot> snapshot = core.snapshots->Load();
  for (const auto& [name, machine] : wanted) {
    names.push_back(name);
    if (!snapshot->contains(name)) unknown.push_back(machine);
  }
  const auto accepted = std::make_shared<Accepted>(Accepted{*std::move(batch),
                                                            std::move(names),
                                                            {},
                                                            *std::move(added),
                                                            AwaitOf(principal, request),
                                                            *lease,
                                                            std::move(done)});
  if (unknown.empty()) {
    Append(core, std::move(*accepted));
    return;
  }
  // Registering machines waits for the learner; the batch follows from there.
  const absl::Status taken = core.change_pool->Run(
      principal.name, [core, accepted, unknown, principal, creates = request.create_machines(),
                       actor = ActorOf(principal)]() mutable {
        if (absl::Status allowed = LeaveWhatMayBeCreated(core, principal, creates, unknown);
            !allowed.ok()) {
          accepted->done(allowed);
          return;
        }
        for (const store::MachineRecord& machine : unknown) {
          const auto registered = RegisterMachine(core, machine, "", actor);
          // Another call may have registered it meanwhile, with the shape that it saw.
          if (!registered.ok() && !absl::IsAlreadyExists(registered.status())) {
            accepted->done(registered.status());
            return;
          }
          if (registered.ok()) accepted->created.push_back(machine.name);
        }
        Append(core, std::move(*accepted));
      });
  if (!taken.ok()) accepted->done(taken);
}

}  // namespace cox::service
