// The parameters of level `socket` that models share. A phase does not say which messages cross
// sockets, so no model's Price() reads them: AtSockets() puts them in the place of level `node`,
// and then Price() says what messages between sockets cost. Pure; any thread.
#ifndef COX_MODEL_MODELS_SOCKET_LEVEL_H_
#define COX_MODEL_MODELS_SOCKET_LEVEL_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "domain/level.h"
#include "model/model.h"
#include "model/values.h"

namespace cox::model {

// `argument`: as of the same parameter at level `node`.
constexpr ParameterSpec SocketAlpha(absl::string_view argument) {
  return {"alpha", domain::Level::kSocket,
          "s",     "start-up time of a message between sockets of a node; on given nodes only",
          false,   0,
          true,    argument};
}
constexpr ParameterSpec SocketBeta(absl::string_view argument) {
  return {"beta",   domain::Level::kSocket,
          "s/byte", "time per byte between sockets of a node; on given nodes only",
          false,    0,
          true,     argument};
}

// The model's values with those of level `socket` in the place of the same parameters of level
// `node`, which remain where that of level `socket` is 0: nobody measured it. None if the model has
// no such level, or nobody measured any of it.
std::optional<ParameterValues> AtSockets(const Model& model, const ParameterValues& values);

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_SOCKET_LEVEL_H_
