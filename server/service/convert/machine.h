// Machines: the API's message and the store's record. An error names the API's field. Pure, any
// thread.
#ifndef COX_SERVICE_CONVERT_MACHINE_H_
#define COX_SERVICE_CONVERT_MACHINE_H_

#include <cox/v1/machine.pb.h>

#include "absl/status/statusor.h"
#include "store/records.h"

namespace cox::service {

absl::StatusOr<store::MachineRecord> ToRecord(const v1::Machine& machine);
void FromRecord(const store::MachineRecord& record, v1::Machine* machine);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_MACHINE_H_
