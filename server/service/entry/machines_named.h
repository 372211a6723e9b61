// Refuses requests that name a machine of somebody else's project (access::Project). Any thread.
//
// All requests of cox.v1 name machines alike, so this reads any of them: `machine`, `parent` or
// `name` of the request, and `machine` of its parts; "machines/{machine}", what lies below it, or
// the bare name.
#ifndef COX_SERVICE_ENTRY_MACHINES_NAMED_H_
#define COX_SERVICE_ENTRY_MACHINES_NAMED_H_

#include <google/protobuf/message.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "access/access.h"
#include "access/principal.h"

namespace cox::service {

// PERMISSION_DENIED if the request names a machine that the caller does not see, whether or not it
// exists. INVALID_ARGUMENT if it asks about all machines, and the caller does not see all. A list
// that leaves out what the caller does not see (ListJobs) may ask about all.
absl::Status CheckMachinesNamed(const access::Access& access, const access::Principal& principal,
                                const google::protobuf::Message& request);

// The same for the bytes of a request of this type. What is no such request passes: its parser
// refuses it.
absl::Status CheckMachinesNamed(const access::Access& access, const access::Principal& principal,
                                const google::protobuf::Descriptor& type, absl::string_view wire);

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_MACHINES_NAMED_H_
