#include "service/entry/access_watch.h"

#include <chrono>

#include "daemon/log.h"
#include "domain/sharing/name_thread.h"

namespace cox::service {
namespace {

constexpr std::chrono::seconds kInterval{2};

}  // namespace

AccessWatch::AccessWatch(const Core& core, access::TlsFiles* files, const daemon::Config& config)
    : core_(core), files_(files), roles_(config, core.access), thread_([this] { Loop(); }) {}

AccessWatch::~AccessWatch() { Stop(); }

void AccessWatch::Stop() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void AccessWatch::Loop() {
  domain::NameThisThread("access");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kInterval, [this] { return ending_; })) {
    lock.unlock();
    Look();
    lock.lock();
  }
}

void AccessWatch::Look() {
  Tell(core_.access->tokens().Refresh(), &told_of_tokens_);
  if (access::SlurmKey* const key = core_.access->slurm_key(); key != nullptr) {
    Tell(key->Refresh(), &told_of_key_);
  }
  core_.access->subordinate_users().Refresh();
  if (files_ != nullptr) Tell(files_->Refresh(), &told_of_files_);
  Tell(roles_.Refresh(), &told_of_roles_);
  CloseForbiddenStreams(core_);
}

void AccessWatch::Tell(const absl::Status& status, std::string* told) {
  const std::string message(status.message());
  if (!status.ok() && message != *told) {
    daemon::Log(daemon::LogLevel::kError, "keeps the last good file", {{"problem", message}});
  }
  *told = message;
}

}  // namespace cox::service
