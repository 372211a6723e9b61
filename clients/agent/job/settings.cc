#include "agent/job/settings.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/job/log.h"
#include "agent/sampling/sampling.h"
#include "domain/reports/machine_name.h"
#include "servers/address.h"

namespace cox::agent {
namespace {

// Null when unset or empty.
const char* Variable(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

bool ParseSwitch(const char* text, bool* value) {
  for (const char* on : {"1", "true", "yes", "on"}) {
    if (strcmp(text, on) == 0) return *value = true;
  }
  for (const char* off : {"0", "false", "no", "off"}) {
    if (strcmp(text, off) == 0) {
      *value = false;
      return true;
    }
  }
  return false;
}

template <size_t size>
void Copy(char (&to)[size], const char* from) {
  const size_t length = strnlen(from, size - 1);
  memcpy(to, from, length);
  to[length] = '\0';
}

struct TimeRange {
  uint64_t least_ns;
  uint64_t most_ns;
};

// The number at the start of `text`, with a decimal point in any locale of the program.
double ParseNumber(const char* text, char** end) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  if (plain == nullptr) {
    *end = const_cast<char*>(text);
    return 0;
  }
  const double number = strtod_l(text, end, plain);
  freelocale(plain);
  return number;
}

bool ParseTime(const char* text, const TimeRange& range, uint64_t* time_ns) {
  char* end = nullptr;
  double seconds = ParseNumber(text, &end);
  if (end == text) return false;
  if (strcmp(end, "ms") == 0) {
    seconds /= 1e3;
  } else if (strcmp(end, "s") != 0 && *end != '\0') {
    return false;
  }
  const double ns = seconds * 1e9;
  if (!(ns >= static_cast<double>(range.least_ns) && ns <= static_cast<double>(range.most_ns))) {
    return false;
  }
  *time_ns = static_cast<uint64_t>(ns);
  return true;
}

// Whether cox and Slurm's plugin would take the share as well. A smaller one is probably a mistake:
// of 1,000,000 calls it would be less than one.
bool IsUsualShare(double share, double most) {
  constexpr double kLeast = 1e-6;
  return share == 0 || (share >= kLeast && share <= most);
}

// A share: "2%", at most 50 %, or "always".
bool ParseTimeShare(const char* text, double* share) {
  constexpr double kMostPercent = 50;
  if (strcmp(text, "always") == 0) {
    *share = INFINITY;
    return true;
  }
  char* end = nullptr;
  const double percent = ParseNumber(text, &end);
  if (end == text || strcmp(end, "%") != 0 || !(percent >= 0 && percent <= kMostPercent)) {
    return false;
  }
  *share = percent / 100;
  return true;
}

constexpr int kMostServers = 16;

// Whether the list `text` has the `length` characters at `at` as an entry before them.
bool IsNamedBefore(const char* text, const char* at, size_t length) {
  for (const char* other = text; other < at; other += strcspn(other, ",") + 1) {
    if (strcspn(other, ",") == length && strncmp(other, at, length) == 0) return true;
  }
  return false;
}

struct ParsedVariable {
  const char* name;
  const char* expected;
  bool (*parse)(const char* text, Settings* settings);
};

constexpr ParsedVariable kVariables[kParsedVariables] = {
    {"COX_DISABLE", "0 or 1", ParseDisable},
    {"COX_LOG", "0 or 1", ParseLog},
    {"COX_SERVER",
     "HOST:PORT with a port within 1..65535, or unix:PATH; several with commas between them",
     ParseServer},
    {"COX_MACHINE", "1 to 63 characters of a-z, 0-9, '.', '_', '-', first a letter or digit",
     ParseMachine},
    {"COX_JOB", "at most 95 printable ASCII characters without '@'", ParseJob},
    {"COX_SYNC", "0, 1, always, or a share up to 50%", ParseSync},
    {"COX_APPLY", "0, 1 or ours", ParseApply},
    {"COX_PRIVATE", "always, or a share up to 50%", ParsePrivate},
    {"COX_EXPLORE", "0, or a share from 1e-6 to 0.5", ParseExplore},
    {"COX_CANARY", "job, 0%, or a share from 0.0001% to 50%", ParseCanary},
    {"COX_ASSUME", "any-order, elements>=ranks, same-counts or commutative, comma-separated",
     ParseAssume},
    {"COX_LIMIT", "a time from 1ms to 60s", ParseLimit},
    {"COX_INTERVAL", "a time from 50ms to 1h (3600s)", ParseInterval},
};

// Copies what may be shown on a terminal.
void CopyPrintable(const char* from, char* to, size_t size) {
  size_t i = 0;
  for (; from[i] != '\0' && i + 1 < size; ++i) {
    to[i] = from[i] >= 0x20 && from[i] < 0x7f ? from[i] : '?';
  }
  to[i] = '\0';
}

}  // namespace

bool ParseDisable(const char* text, Settings* settings) {
  return ParseSwitch(text, &settings->disabled);
}

bool ParseLog(const char* text, Settings* settings) { return ParseSwitch(text, &settings->log); }

bool ParseServer(const char* text, Settings* settings) {
  if (strlen(text) >= sizeof(settings->server)) return false;
  int count = 0;
  for (const char* at = text;; ++at) {
    const size_t length = strcspn(at, ",");
    if (++count > kMostServers || !servers::IsAddress(at, length) ||
        IsNamedBefore(text, at, length)) {
      return false;
    }
    at += length;
    if (*at == '\0') break;
  }
  Copy(settings->server, text);
  return true;
}

bool ParseMachine(const char* text, Settings* settings) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  const size_t length = strlen(text);
  if (length >= sizeof(settings->machine) || !is_letter_or_digit(text[0])) return false;
  for (size_t i = 0; i < length; ++i) {
    if (!is_letter_or_digit(text[i]) && strchr("._-", text[i]) == nullptr) return false;
  }
  Copy(settings->machine, text);
  return true;
}

bool ParseJob(const char* text, Settings* settings) {
  if (strlen(text) > kMostJobBytes) return false;
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c < 0x20 || *c > 0x7e || *c == '@') return false;
  }
  Copy(settings->job, text);
  return true;
}

bool ParseSync(const char* text, Settings* settings) {
  bool is_on = false;
  double share = SampleAccount::kShare;
  if (!ParseSwitch(text, &is_on)) {
    if (!ParseTimeShare(text, &share)) return false;
    is_on = share > 0;
  }
  settings->synchronises = is_on;
  settings->synchronised_share = is_on ? share : 0;
  return true;
}

bool ParsePrivate(const char* text, Settings* settings) {
  return ParseTimeShare(text, &settings->private_share);
}

bool ParseApply(const char* text, Settings* settings) {
  const bool applies_coxcoll = strcmp(text, "ours") == 0;
  bool applies = applies_coxcoll;
  if (!applies_coxcoll && !ParseSwitch(text, &applies)) return false;
  settings->applies = applies;
  settings->applies_coxcoll = applies_coxcoll;
  return true;
}

bool ParseExplore(const char* text, Settings* settings) {
  char* end = nullptr;
  const double share = ParseNumber(text, &end);
  if (end == text || *end != '\0' || !IsUsualShare(share, kMostExploreShare)) return false;
  settings->explore_share = share;
  return true;
}

bool ParseCanary(const char* text, Settings* settings) {
  const bool is_job = strcmp(text, "job") == 0;
  double share = 0;
  if (!is_job && (!ParseTimeShare(text, &share) || !IsUsualShare(share, kMostCanaryShare))) {
    return false;
  }
  settings->is_canary = is_job;
  settings->canary_share = share;
  return true;
}

bool ParseAssume(const char* text, Settings* settings) {
  Settings promised = *settings;
  for (const char* at = text; *at != '\0';) {
    const size_t length = strcspn(at, ",");
    const auto is = [&](const char* word) {
      return strlen(word) == length && strncmp(at, word, length) == 0;
    };
    if (is("any-order")) {
      promised.any_order = true;
    } else if (is("elements>=ranks")) {
      promised.elements_at_least_ranks = true;
    } else if (is("same-counts")) {
      promised.same_counts = true;
    } else if (length != 0 && !is("commutative")) {
      // "commutative" is for rules files; the agent sees the operation of each call.
      return false;
    }
    at += length;
    if (*at == ',') ++at;
  }
  *settings = promised;
  return true;
}

bool ParseLimit(const char* text, Settings* settings) {
  return ParseTime(text, {kMinLimitNs, kMaxLimitNs}, &settings->limit_ns);
}

bool ParseInterval(const char* text, Settings* settings) {
  return ParseTime(text, {kMinIntervalNs, kMaxIntervalNs}, &settings->interval_ns);
}

void WriteRefused(const Settings& settings) {
  for (int i = 0; i < kParsedVariables; ++i) {
    if ((settings.refused >> i & 1) == 0) continue;
    char value[64];
    const char* text = getenv(kVariables[i].name);
    CopyPrintable(text != nullptr ? text : "", value, sizeof(value));
    Warn("ignored %s=%s: must be %s", kVariables[i].name, value, kVariables[i].expected);
  }
}

Settings ReadSettings() {
  Settings settings;
  memset(&settings, 0, sizeof(settings));
  settings.synchronised_share = SampleAccount::kShare;
  settings.private_share = kDefaultPrivateShare;
  settings.limit_ns = kDefaultLimitNs;
  settings.interval_ns = kDefaultIntervalNs;
  for (int i = 0; i < kParsedVariables; ++i) {
    const char* value = Variable(kVariables[i].name);
    if (value != nullptr && !kVariables[i].parse(value, &settings)) settings.refused |= 1U << i;
  }
  if (settings.disabled) return settings;
  if (settings.server[0] == '\0') Copy(settings.server, "127.0.0.1:7077");

  char host[256] = "";
  if (gethostname(host, sizeof(host) - 1) != 0 || host[0] == '\0') Copy(host, "localhost");
  Copy(settings.node, host);
  if (char* dot = strchr(settings.node, '.')) *dot = '\0';
  const char* cluster = Variable("SLURM_CLUSTER_NAME");
  if (settings.machine[0] == '\0' && cluster != nullptr) {
    domain::MachineFromCluster(cluster, settings.machine, sizeof(settings.machine));
  }
  if (settings.machine[0] == '\0') {
    domain::MachineFromHost(host, settings.machine, sizeof(settings.machine));
  }
  const char* application = Variable("COX_APPLICATION");
  CopyPrintable(application != nullptr ? application : program_invocation_short_name,
                settings.application, sizeof(settings.application));
  if (settings.application[0] == '\0') Copy(settings.application, "unknown");
  if (getcwd(settings.directory, sizeof(settings.directory)) == nullptr)
    settings.directory[0] = '\0';
  // The program may change its directory before the agent writes.
  if (const char* spool = Variable("COX_SPOOL")) {
    const bool is_relative = spool[0] != '/' && settings.directory[0] != '\0';
    const int length =
        snprintf(settings.spool, sizeof(settings.spool), "%s%s%s",
                 is_relative ? settings.directory : "", is_relative ? "/" : "", spool);
    // Half a name would be somebody else's file.
    if (length >= static_cast<int>(sizeof(settings.spool))) settings.spool[0] = '\0';
  }
  return settings;
}

}  // namespace cox::agent
