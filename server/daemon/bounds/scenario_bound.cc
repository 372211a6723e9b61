#include "daemon/bounds/scenario_bound.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "domain/cell_key.h"
#include "domain/errors.h"

namespace cox::daemon {
namespace {

size_t HashOf(const domain::ScenarioKey& scenario, domain::CellKind kind) {
  return absl::HashOf(scenario, kind);
}

absl::Status Full(absl::string_view what, const domain::Shares& held, absl::string_view owner,
                  absl::string_view setting) {
  return domain::QuotaExceeded(
      absl::StrCat("observations: ", what, " timings of ", held.held(), " scenarios, ",
                   held.HeldBy(owner), " of them new from this reporter, and coxd keeps at most ",
                   held.limit(), " (", setting,
                   "): new scenarios find no room. Ask an operator to ", "raise ", setting,
                   ", or to run `cox observations forget`"),
      ScenarioBound::kFullDelay_s);
}

}  // namespace

// Reporters sort by scenario more often than not, so most repetitions are left out here.
std::vector<ScenarioBound::Named> ScenarioBound::ScenariosOf(const store::ObservationBatch& batch) {
  std::vector<Named> named;
  const domain::ScenarioKey* last = nullptr;
  for (const store::ObservationRecord& row : batch.observations) {
    if (last != nullptr && *last == row.scenario) continue;
    last = &row.scenario;
    named.push_back({&last->machine, HashOf(*last, batch.kind)});
  }
  return named;
}

ScenarioBound::Scenarios ScenarioBound::State::NewOf(const std::vector<Named>& named) const {
  Scenarios added;
  const std::string* last = nullptr;
  const Machine* machine = nullptr;
  for (const Named& one : named) {
    if (last == nullptr || *last != *one.machine) {
      last = one.machine;
      const auto found = machines.find(*last);
      machine = found == machines.end() ? nullptr : &found->second;
    }
    if (machine == nullptr || !machine->scenarios.contains(one.scenario)) {
      added[*one.machine].insert(one.scenario);
    }
  }
  return added;
}

ScenarioBound::Machine& ScenarioBound::State::MachineOf(const std::string& name) {
  return machines.try_emplace(name, limits.of_machine).first->second;
}

uint32_t ScenarioBound::State::OwnerOf(const std::string& name) {
  const auto found = owners.find(name);
  if (found != owners.end()) return found->second;
  if (owners.size() >= kMostOwners) return 0;
  owner_names.push_back(name);
  return owners[name] = static_cast<uint32_t>(owner_names.size() - 1);
}

absl::Status ScenarioBound::State::Take(const std::string& machine, uint32_t owner, bool has_share,
                                        int64_t count) {
  const std::string& name = owner_names[owner];
  domain::Shares& of_machine = MachineOf(machine).held;
  const auto take = [&](domain::Shares& shares) {
    return has_share ? shares.Take(name, count) : shares.TakeFree(name, count);
  };
  if (!take(of_machine)) {
    return Full(absl::StrCat("machine ", machine, " has"), of_machine, name, "machine-scenarios");
  }
  if (take(held)) return absl::OkStatus();
  of_machine.GiveBack(name, count);
  return Full("the machines have", held, name, "max-scenarios");
}

void ScenarioBound::State::GiveBack(Machine& machine, uint32_t owner, int64_t count) {
  machine.held.GiveBack(owner_names[owner], count);
  held.GiveBack(owner_names[owner], count);
}

void ScenarioBound::State::EraseIfEmpty(const std::string& machine) {
  const auto found = machines.find(machine);
  if (found != machines.end() && found->second.scenarios.empty()) machines.erase(found);
}

absl::StatusOr<std::shared_ptr<ScenarioBound::Addition>> ScenarioBound::Admit(
    const std::string& owner, bool has_share, const store::ObservationBatch& batch) {
  const std::vector<Named> named = ScenariosOf(batch);
  auto addition = std::make_shared<Addition>(state_);
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  Scenarios added = state.NewOf(named);
  if (added.empty()) return addition;
  const uint32_t owner_id = state.OwnerOf(owner);
  for (auto it = added.begin(); it != added.end(); ++it) {
    absl::Status taken =
        state.Take(it->first, owner_id, has_share, static_cast<int64_t>(it->second.size()));
    if (taken.ok()) continue;
    for (auto before = added.begin(); before != it; ++before) {
      state.GiveBack(state.MachineOf(before->first), owner_id,
                     static_cast<int64_t>(before->second.size()));
    }
    for (const auto& [name, scenarios] : added) state.EraseIfEmpty(name);
    return taken;
  }
  for (const auto& [name, scenarios] : added) {
    Machine& of = state.MachineOf(name);
    addition->count_ += static_cast<int64_t>(scenarios.size());
    for (const size_t scenario : scenarios) {
      of.scenarios[scenario] = {.owner = owner_id, .in_flight = true, .since_reading = true};
    }
  }
  addition->added_ = std::move(added);
  return addition;
}

void ScenarioBound::BeginReading(const std::string& machine) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->machines.find(machine);
  if (found == state_->machines.end()) return;
  for (auto& [hash, scenario] : found->second.scenarios) scenario.since_reading = false;
}

void ScenarioBound::EndReading(const std::string& machine,
                               const std::vector<store::CellRecord>& cells) {
  absl::flat_hash_set<size_t> read;
  for (const store::CellRecord& cell : cells) read.insert(HashOf(cell.scenario, cell.kind));
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  Machine& of = state.MachineOf(machine);
  absl::erase_if(of.scenarios, [&](const auto& entry) {
    const Scenario& scenario = entry.second;
    if (scenario.in_flight || scenario.since_reading || read.contains(entry.first)) return false;
    state.GiveBack(of, scenario.owner, 1);
    return true;
  });
  for (const size_t hash : read) {
    const auto [entry, is_new] = of.scenarios.try_emplace(hash);
    entry->second.is_stored = true;
    if (!is_new) continue;
    of.held.Hold("", 1);
    state.held.Hold("", 1);
  }
  if (of.scenarios.empty()) state.machines.erase(machine);
}

void ScenarioBound::Remove(const std::string& machine) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->machines.find(machine);
  if (found == state_->machines.end()) return;
  for (const auto& [hash, scenario] : found->second.scenarios) {
    state_->held.GiveBack(state_->owner_names[scenario.owner], 1);
  }
  state_->machines.erase(found);
}

int64_t ScenarioBound::CountOf(const std::string& machine) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->machines.find(machine);
  return found == state_->machines.end() ? 0 : static_cast<int64_t>(found->second.scenarios.size());
}

void ScenarioBound::Addition::Keep() {
  const std::lock_guard lock(state_->mutex);
  is_kept_ = true;
  for (const auto& [name, scenarios] : added_) {
    const auto machine = state_->machines.find(name);
    if (machine == state_->machines.end()) continue;  // deleted meanwhile
    for (const size_t scenario : scenarios) {
      const auto found = machine->second.scenarios.find(scenario);
      if (found == machine->second.scenarios.end()) continue;
      // A reading that began before the commit may not have it.
      found->second = {.owner = found->second.owner, .is_stored = true, .since_reading = true};
    }
  }
}

ScenarioBound::Addition::~Addition() {
  if (is_kept_ || added_.empty()) return;
  const std::lock_guard lock(state_->mutex);
  for (const auto& [name, scenarios] : added_) {
    const auto machine = state_->machines.find(name);
    if (machine == state_->machines.end()) continue;
    for (const size_t scenario : scenarios) {
      const auto found = machine->second.scenarios.find(scenario);
      if (found == machine->second.scenarios.end()) continue;
      found->second.in_flight = false;
      // Another batch has it, too, if the learner has read it.
      if (found->second.is_stored) continue;
      state_->GiveBack(machine->second, found->second.owner, 1);
      machine->second.scenarios.erase(found);
    }
    state_->EraseIfEmpty(name);
  }
}

}  // namespace cox::daemon
