// coxd answers a relay as the relay: it does not know which machines the relay's caller sees.
#ifndef COX_RELAY_SEEN_MACHINES_H_
#define COX_RELAY_SEEN_MACHINES_H_

#include <grpcpp/support/byte_buffer.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "access/access.h"
#include "access/principal.h"

namespace cox::relay {

// Takes the machines that the caller does not see out of coxd's answer to a question about all
// machines; other answers stay. The door refuses questions that name such a machine. `method` is a
// path ("/cox.v1.MachineService/ListMachines"). INTERNAL if the answer cannot be parsed.
// Any thread.
absl::Status LeaveOutUnseen(const access::Access& access, const access::Principal& caller,
                            absl::string_view method, grpc::ByteBuffer* answer);

}  // namespace cox::relay

#endif  // COX_RELAY_SEEN_MACHINES_H_
