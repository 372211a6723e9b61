#include "relay/seen_machines.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <algorithm>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cox/v1/history.pb.h"
#include "cox/v1/machine.pb.h"

namespace cox::relay {
namespace {

using IsUnseen = absl::FunctionRef<bool(const std::string& name)>;

template <class Parts, class IsOut>
void Erase(Parts* parts, const IsOut& is_out) {
  parts->erase(std::remove_if(parts->begin(), parts->end(), is_out), parts->end());
}

void LeaveOut(IsUnseen is_unseen, v1::ListMachinesResponse* response) {
  Erase(response->mutable_machines(),
        [&](const v1::Machine& machine) { return is_unseen(machine.name()); });
}

void LeaveOut(IsUnseen is_unseen, v1::ListMachineStatesResponse* response) {
  Erase(response->mutable_states(),
        [&](const v1::MachineState& state) { return is_unseen(state.name()); });
}

void LeaveOut(IsUnseen is_unseen, v1::ListJobsResponse* response) {
  for (v1::Job& job : *response->mutable_jobs()) Erase(job.mutable_machines(), is_unseen);
  Erase(response->mutable_jobs(), [](const v1::Job& job) { return job.machines().empty(); });
}

template <class Response>
absl::Status Rewrite(IsUnseen is_unseen, grpc::ByteBuffer* answer) {
  using Bytes = grpc::SerializationTraits<Response>;
  Response response;
  bool is_own = false;
  bool is_rewritten = Bytes::Deserialize(answer, &response).ok();
  if (is_rewritten) {
    LeaveOut(is_unseen, &response);
    is_rewritten = Bytes::Serialize(response, answer, &is_own).ok();
  }
  return is_rewritten ? absl::OkStatus()
                      : absl::InternalError("coxd answered with another message");
}

struct List {
  absl::string_view method;
  absl::Status (*rewrite)(IsUnseen is_unseen, grpc::ByteBuffer* answer);
};
constexpr List kLists[] = {
    {"/cox.v1.MachineService/ListMachines", Rewrite<v1::ListMachinesResponse>},
    {"/cox.v1.HistoryService/ListMachineStates", Rewrite<v1::ListMachineStatesResponse>},
    {"/cox.v1.HistoryService/ListJobs", Rewrite<v1::ListJobsResponse>},
};

}  // namespace

absl::Status LeaveOutUnseen(const access::Access& access, const access::Principal& caller,
                            absl::string_view method, grpc::ByteBuffer* answer) {
  if (access.SeesAllMachines(caller)) return absl::OkStatus();
  const auto is_unseen = [&](const std::string& name) {
    return !access.SeesMachine(caller, std::string(absl::StripPrefix(name, "machines/")));
  };
  for (const List& list : kLists) {
    if (list.method == method) return list.rewrite(is_unseen, answer);
  }
  return absl::OkStatus();
}

}  // namespace cox::relay
