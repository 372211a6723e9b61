#include "daemon/bounds/scenario_bound.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "domain/cell_key.h"
#include "domain/errors.h"
#include "domain/words/counted.h"

namespace cox::daemon {
namespace {

size_t HashOf(const domain::ScenarioKey& scenario, domain::CellKind kind) {
  return absl::HashOf(scenario, kind);
}

bool Contains(const absl::flat_hash_map<std::string, absl::flat_hash_set<size_t>>& scenarios,
              const std::string& machine, size_t scenario) {
  const auto found = scenarios.find(machine);
  return found != scenarios.end() && found->second.contains(scenario);
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

const domain::Shares* ScenarioBound::State::Take(const std::string& machine, uint32_t owner,
                                                 bool has_share, int64_t count) {
  const std::string& name = owner_names[owner];
  domain::Shares& of_machine = MachineOf(machine).held;
  const auto take = [&](domain::Shares& shares) {
    return has_share ? shares.Take(name, count) : shares.TakeFree(name, count);
  };
  if (!take(of_machine)) return &of_machine;
  if (take(held)) return nullptr;
  of_machine.GiveBack(name, count);
  return &held;
}

std::string ScenarioBound::State::TakeAll(const Scenarios& added, uint32_t owner, bool has_share) {
  for (auto it = added.begin(); it != added.end(); ++it) {
    const domain::Shares* const full =
        Take(it->first, owner, has_share, static_cast<int64_t>(it->second.size()));
    if (full == nullptr) continue;
    std::string why = WhyFull(it->first, *full, owner);
    for (auto before = added.begin(); before != it; ++before) {
      GiveBack(MachineOf(before->first), owner, static_cast<int64_t>(before->second.size()));
    }
    for (const auto& [name, scenarios] : added) EraseIfEmpty(name);
    return why;
  }
  return "";
}

ScenarioBound::Scenarios ScenarioBound::State::TakeSome(const std::vector<Named>& named,
                                                        uint32_t owner, bool has_share,
                                                        Scenarios& added) {
  Scenarios taken;
  for (const Named& one : named) {
    if (!Contains(added, *one.machine, one.scenario)) continue;
    if (Take(*one.machine, owner, has_share, 1) != nullptr) continue;
    added[*one.machine].erase(one.scenario);
    taken[*one.machine].insert(one.scenario);
  }
  return taken;
}

std::string ScenarioBound::State::WhyFull(const std::string& machine, const domain::Shares& shares,
                                          uint32_t owner) const {
  const bool is_all = &shares == &held;
  const absl::string_view setting = is_all ? "max-scenarios" : "machine-scenarios";
  return absl::StrCat(
      is_all ? "the machines have" : absl::StrCat("machine ", machine, " has"), " timings of ",
      domain::Counted(shares.held(), "scenario"), ", ", shares.HeldBy(owner_names[owner]),
      " of them new from this reporter, and coxd keeps at most ", shares.limit(), " (", setting,
      "), of which a reporter leaves a quarter free: the new"
      " scenarios of this batch find no room. Ask an operator to raise ",
      setting, ", or to run `cox observations forget`");
}

const std::string* ScenarioBound::State::UnreadOf(const Scenarios& added) const {
  for (const auto& [name, scenarios] : added) {
    if (unread.contains(name)) return &name;
  }
  return nullptr;
}

void ScenarioBound::State::Add(Scenarios taken, uint32_t owner, Addition& addition) {
  for (const auto& [name, scenarios] : taken) {
    Machine& of = MachineOf(name);
    addition.count_ += static_cast<int64_t>(scenarios.size());
    for (const size_t scenario : scenarios) {
      of.scenarios[scenario] = {.owner = owner, .in_flight = true, .since_reading = true};
    }
  }
  addition.added_ = std::move(taken);
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
  const std::string full = state.TakeAll(added, owner_id, has_share);
  if (!full.empty()) {
    return domain::QuotaExceeded(absl::StrCat("observations: ", full), kFullDelay_s);
  }
  state.Add(std::move(added), owner_id, *addition);
  return addition;
}

absl::StatusOr<std::shared_ptr<ScenarioBound::Addition>> ScenarioBound::AdmitSome(
    const std::string& owner, bool has_share, store::ObservationBatch& batch) {
  const std::vector<Named> named = ScenariosOf(batch);
  auto addition = std::make_shared<Addition>(state_);
  State& state = *state_;
  Scenarios refused;
  {
    const std::lock_guard lock(state.mutex);
    Scenarios added = state.NewOf(named);
    if (added.empty()) return addition;
    const uint32_t owner_id = state.OwnerOf(owner);
    addition->refused_reason_ = state.TakeAll(added, owner_id, has_share);
    if (!addition->refused_reason_.empty()) {
      if (const std::string* machine = state.UnreadOf(added); machine != nullptr) {
        return domain::QuotaExceeded(
            absl::StrCat("observations: coxd has just started and does not know yet which scenarios"
                         " of machine ",
                         *machine, " it has"),
            kReadingDelay_s);
      }
      refused = std::move(added);
      added = state.TakeSome(named, owner_id, has_share, refused);
    }
    state.Add(std::move(added), owner_id, *addition);
    for (const auto& [name, scenarios] : refused) state.EraseIfEmpty(name);
  }
  if (refused.empty()) return addition;
  addition->refused_count_ = static_cast<int64_t>(
      std::erase_if(batch.observations, [&](const store::ObservationRecord& row) {
        const domain::ScenarioKey& key = row.scenario;
        if (!Contains(refused, key.machine, HashOf(key, batch.kind))) return false;
        // A row may claim any number.
        addition->refused_timing_count_ =
            std::min(store::kMaxDroppedCount, addition->refused_timing_count_ +
                                                  std::min(store::kMaxDroppedCount, row.count));
        return true;
      }));
  return addition;
}

int64_t ScenarioBound::refused_count() const {
  const std::lock_guard lock(state_->mutex);
  return state_->refused_count;
}

void ScenarioBound::AwaitReading(const std::string& machine) {
  const std::lock_guard lock(state_->mutex);
  state_->unread.insert(machine);
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
  state.unread.erase(machine);
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
  state_->unread.erase(machine);
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
  state_->refused_count += refused_count_;
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
