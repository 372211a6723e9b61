// CalibrationService over gRPC.
#ifndef COX_SERVICE_CALIBRATION_H_
#define COX_SERVICE_CALIBRATION_H_

#include "cox/v1/calibration.grpc.pb.h"
#include "service/core.h"

namespace cox::service {

class Calibrations : public v1::CalibrationService::CallbackService {
 public:
  explicit Calibrations(const Core& core);
  ~Calibrations() override;

  grpc::ServerUnaryReactor* Calibrate(grpc::CallbackServerContext* context,
                                      const v1::CalibrateRequest* request,
                                      v1::CalibrateResponse* response) override;

 private:
  const Core core_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_CALIBRATION_H_
