#include "service/machines.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "advise/placement/ib_fabric.h"
#include "advise/placement/network.h"
#include "domain/errors.h"
#include "domain/words/counted.h"
#include "service/convert/machine.h"
#include "service/convert/page_token.h"
#include "service/entry/door.h"
#include "service/names.h"
#include "service/seen_page.h"
#include "service/unary.h"

namespace cox::service {
namespace {

constexpr size_t kMaxSwitchesBytes = 4'000'000;

void FromNetwork(absl::string_view machine, const advise::Network& network,
                 v1::Switches* response) {
  response->set_name(SwitchesName(machine));
  response->set_topology_conf(network.Text());
  response->set_switch_count(network.switch_count());
  response->set_node_count(network.node_count());
}

absl::StatusOr<std::unique_ptr<const advise::Network>> ToNetwork(
    const v1::SetSwitchesRequest& request) {
  if (request.text().empty()) return domain::InvalidField("text", "is required");
  if (request.text().size() > kMaxSwitchesBytes) {
    return domain::InvalidField("text",
                                absl::StrCat("has more than ", kMaxSwitchesBytes, " bytes"));
  }
  std::string text = request.text();
  if (request.format() == "ibnetdiscover") {
    absl::StatusOr<std::string> fabric = advise::TreeOfIbFabric(text);
    if (!fabric.ok()) return fabric.status();
    text = *std::move(fabric);
  } else if (!request.format().empty() && request.format() != "slurm") {
    return domain::InvalidField("format", absl::StrCat("\"", request.format().substr(0, 40),
                                                       "\" is not slurm or ibnetdiscover"));
  }
  return advise::Network::Parse(text, request.taper_ratio(), request.hop_time_s());
}

}  // namespace

Machines::Machines(const Core& core) : core_(core) {}
Machines::~Machines() = default;

absl::StatusOr<store::MachineRecord> RegisterMachine(const Core& core,
                                                     const store::MachineRecord& machine,
                                                     absl::string_view request_id,
                                                     const store::Actor& actor) {
  const absl::Status created = core.store->CreateMachine(machine, request_id, actor);
  if (!created.ok() && !absl::IsAlreadyExists(created)) return created;
  absl::StatusOr<store::MachineRecord> stored = core.store->GetMachine(machine.name);
  if (!stored.ok()) return created.ok() ? stored.status() : created;
  if (stored->nodes != machine.nodes || stored->cores_per_node != machine.cores_per_node ||
      stored->topology_kind != machine.topology_kind ||
      stored->topology_dims != machine.topology_dims) {
    return absl::AlreadyExistsError(
        absl::StrCat("machine.name: \"", machine.name, "\" is registered with another shape (",
                     domain::Counted(stored->nodes, "node"), " of ",
                     domain::Counted(stored->cores_per_node, "core"),
                     "); choose another name, or replace it and keep "
                     "its timings: `cox observations export -m ",
                     machine.name, " -o FILE`, `cox machine delete ", machine.name,
                     "`, `cox machine import`, `cox observations "
                     "import FILE`"));
  }
  if (absl::Status refreshed = core.learner->Refresh(machine.name); !refreshed.ok())
    return refreshed;
  return stored;
}

grpc::ServerUnaryReactor* Machines::CreateMachine(grpc::CallbackServerContext* context,
                                                  const v1::CreateMachineRequest* request,
                                                  v1::Machine* response) {
  const auto answer = [this, request, response, actor = CallingActor()]() -> absl::Status {
    const absl::StatusOr<store::MachineRecord> machine = ToRecord(request->machine());
    if (!machine.ok()) return machine.status();
    const absl::StatusOr<store::MachineRecord> stored =
        RegisterMachine(core_, *machine, request->request_id(), actor);
    if (!stored.ok()) return stored.status();
    FromRecord(*stored, response);
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.change_pool, context, answer);
}

grpc::ServerUnaryReactor* Machines::GetMachine(grpc::CallbackServerContext* context,
                                               const v1::GetMachineRequest* request,
                                               v1::Machine* response) {
  return FinishFromPool(*core_.pool, context, [this, request, response]() -> absl::Status {
    const absl::StatusOr<absl::string_view> name = ParseMachine(request->name(), "name");
    if (!name.ok()) return name.status();
    const absl::StatusOr<store::MachineRecord> machine = core_.store->GetMachine(*name);
    if (!machine.ok()) return machine.status();
    FromRecord(*machine, response);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* Machines::ListMachines(grpc::CallbackServerContext* context,
                                                 const v1::ListMachinesRequest* request,
                                                 v1::ListMachinesResponse* response) {
  const auto answer = [this, principal = CallingPrincipal(), request, response]() -> absl::Status {
    constexpr absl::string_view kList = "machines";
    const absl::StatusOr<int64_t> size = PageSize(request->page_size(), 100, 1000);
    if (!size.ok()) return size.status();
    const absl::StatusOr<std::string> after = ParsePageToken(kList, request->page_token());
    if (!after.ok()) return after.status();
    const auto page = ReadSeen<store::MachineRecord>(
        *after, *size,
        [this](const std::string& name, int64_t count) {
          return core_.store->ListMachines(name, count);
        },
        [](const store::MachineRecord& machine) { return machine.name; },
        [&](const std::string& name) { return core_.access->SeesMachine(principal, name); });
    if (!page.ok()) return page.status();
    for (const store::MachineRecord& machine : page->records) {
      FromRecord(machine, response->add_machines());
    }
    if (page->has_more) {
      response->set_next_page_token(MakePageToken(kList, page->records.back().name));
    }
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.pool, context, answer);
}

grpc::ServerUnaryReactor* Machines::DeleteMachine(grpc::CallbackServerContext* context,
                                                  const v1::DeleteMachineRequest* request,
                                                  google::protobuf::Empty* /*response*/) {
  const auto answer = [this, request, actor = CallingActor()]() -> absl::Status {
    const absl::StatusOr<absl::string_view> name = ParseMachine(request->name(), "name");
    if (!name.ok()) return name.status();
    if (absl::Status deleted = core_.store->DeleteMachine(*name, actor); !deleted.ok()) {
      return deleted;
    }
    return core_.learner->Refresh(std::string(*name));
  };
  return FinishFromPool(*core_.change_pool, context, answer);
}

grpc::ServerUnaryReactor* Machines::UndeleteMachine(grpc::CallbackServerContext* context,
                                                    const v1::UndeleteMachineRequest* request,
                                                    v1::Machine* response) {
  const auto answer = [this, request, response, actor = CallingActor()]() -> absl::Status {
    const absl::StatusOr<absl::string_view> name = ParseMachine(request->name(), "name");
    if (!name.ok()) return name.status();
    absl::Status undeleted = core_.store->UndeleteMachine(*name, actor);
    if (undeleted.ok()) undeleted = core_.learner->Refresh(std::string(*name));
    if (!undeleted.ok()) return undeleted;
    const absl::StatusOr<store::MachineRecord> machine = core_.store->GetMachine(*name);
    if (!machine.ok()) return machine.status();
    FromRecord(*machine, response);
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.change_pool, context, answer);
}

grpc::ServerUnaryReactor* Machines::SetSwitches(grpc::CallbackServerContext* context,
                                                const v1::SetSwitchesRequest* request,
                                                v1::Switches* response) {
  const auto answer = [this, request, response, actor = CallingActor()]() -> absl::Status {
    const absl::StatusOr<absl::string_view> machine = ParseSwitches(request->name(), "name");
    if (!machine.ok()) return machine.status();
    const auto network = ToNetwork(*request);
    if (!network.ok()) return network.status();
    absl::Status stored = core_.store->SetSwitches(*machine, (*network)->Text(), actor);
    if (stored.ok()) FromNetwork(*machine, **network, response);
    return stored;
  };
  return FinishFromPool(*core_.pool, context, answer);
}

grpc::ServerUnaryReactor* Machines::GetSwitches(grpc::CallbackServerContext* context,
                                                const v1::GetSwitchesRequest* request,
                                                v1::Switches* response) {
  return FinishFromPool(*core_.pool, context, [this, request, response]() -> absl::Status {
    const absl::StatusOr<absl::string_view> machine = ParseSwitches(request->name(), "name");
    if (!machine.ok()) return machine.status();
    const absl::StatusOr<std::string> text = core_.store->GetSwitches(*machine);
    if (!text.ok()) return text.status();
    if (text->empty()) {
      return absl::NotFoundError(absl::StrCat("machine ", *machine, " has no switches"));
    }
    const auto network = advise::Network::Parse(*text);
    if (!network.ok()) return network.status();
    FromNetwork(*machine, **network, response);
    return absl::OkStatus();
  });
}

}  // namespace cox::service
