#include "cli/output/health.h"

#include <grpc/health/v1/health.pb.h>

#include "absl/strings/str_cat.h"
#include "cli/methods.h"

namespace cox::cli {

absl::Status CheckHealth(Connection& connection, const std::string& service) {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  grpc::health::v1::HealthCheckResponse response;
  absl::Status status = connection.Call(kHealthCheck, request, response);
  if (!status.ok()) return status;
  if (response.status() == grpc::health::v1::HealthCheckResponse::SERVING) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(service.empty() ? "coxd" : service, " says that it does not serve"));
}

}  // namespace cox::cli
