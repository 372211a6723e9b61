// The parameters of level `self` that models share: the work of a rank between messages. They are
// the last parameters of a model, and 0 unless a profile states them.
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
// Only kernels count operations; collectives have none.
inline constexpr ParameterSpec kOperationParameter = {
    "operation", domain::Level::kSelf,
    "s",         "time of one arithmetic operation, or of one key in a sort step",
    false,       0,
    true};

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_SELF_WORK_H_
