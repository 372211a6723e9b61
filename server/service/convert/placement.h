// The placement of ranks on nodes: from the API's value to the strategy's. Pure, any thread.
#ifndef COX_SERVICE_CONVERT_PLACEMENT_H_
#define COX_SERVICE_CONVERT_PLACEMENT_H_

#include <cox/v1/advice.pb.h>

#include "strategy/scenario.h"

namespace cox::service {

inline strategy::Placement ToPlacement(v1::Placement placement) {
  return placement == v1::PLACEMENT_CYCLIC ? strategy::Placement::kCyclic
                                           : strategy::Placement::kBlock;
}

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_PLACEMENT_H_
