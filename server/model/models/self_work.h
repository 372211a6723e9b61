// The parameters of level `self` that models share: what a rank does itself between messages. They
// stand at the end of a model's parameter list and are 0 unless a profile says more.
#ifndef COX_MODEL_MODELS_SELF_WORK_H_
#define COX_MODEL_MODELS_SELF_WORK_H_

#include "domain/level.h"
#include "model/model.h"

namespace cox::model {

inline constexpr ParameterSpec kCopyParameter = {
    "copy", domain::Level::kSelf, "s/byte", "time to move one byte from memory to memory", false,
    0};
inline constexpr ParameterSpec kReduceParameter = {
    "reduce", domain::Level::kSelf,
    "s/byte", "time to combine one byte by a reduction operation",
    false,    0};
// Only kernels have operations; collectives do not tell it.
inline constexpr ParameterSpec kOperationParameter = {
    "operation", domain::Level::kSelf,
    "s",         "time of one arithmetic operation, or of one key in a sort step",
    false,       0,
    true};

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_SELF_WORK_H_
