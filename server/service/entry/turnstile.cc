#include "service/entry/turnstile.h"

#include <thread>

namespace cox::service {

bool Turnstile::Admit() {
  if (!is_closed_) return true;
  ++refused_count_;
  return false;
}

void Turnstile::AwaitQuiet(std::chrono::milliseconds quiet,
                           std::chrono::steady_clock::time_point deadline) {
  int64_t seen = -1;
  while (seen != refused_count_ && std::chrono::steady_clock::now() < deadline) {
    seen = refused_count_;
    std::this_thread::sleep_for(quiet);
  }
}

}  // namespace cox::service
