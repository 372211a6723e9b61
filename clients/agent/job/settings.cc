#include "agent/job/settings.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/sampling/sampling.h"

namespace cox::agent {
namespace {

// Null when unset or empty.
const char* Variable(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

bool Switch(const char* name) {
  const char* value = Variable(name);
  return value != nullptr && strcmp(value, "0") != 0 && strcmp(value, "false") != 0 &&
         strcmp(value, "no") != 0 && strcmp(value, "off") != 0;
}

template <size_t size>
void Copy(char (&to)[size], const char* from) {
  const size_t length = strnlen(from, size - 1);
  memcpy(to, from, length);
  to[length] = '\0';
}

char MachineCharacter(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  return plain ? c : '-';
}

struct TimeRange {
  uint64_t least_ns;
  uint64_t most_ns;
  uint64_t default_ns;
};

// The number that `text` begins with, with a point whatever the program's locale has.
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

uint64_t ParseTime(const char* text, const TimeRange& range) {
  char* end = nullptr;
  double seconds = ParseNumber(text, &end);
  if (end == text) return range.default_ns;
  if (strcmp(end, "ms") == 0) {
    seconds /= 1e3;
  } else if (strcmp(end, "s") != 0 && *end != '\0') {
    return range.default_ns;
  }
  if (!(seconds > 0)) return range.default_ns;
  if (seconds * 1e9 <= static_cast<double>(range.least_ns)) return range.least_ns;
  if (seconds * 1e9 >= static_cast<double>(range.most_ns)) return range.most_ns;
  return static_cast<uint64_t>(seconds * 1e9);
}

}  // namespace

uint64_t ParseInterval(const char* text) {
  return ParseTime(text, {kMinIntervalNs, kMaxIntervalNs, kDefaultIntervalNs});
}

uint64_t ParseLimit(const char* text) {
  return ParseTime(text, {kMinLimitNs, kMaxLimitNs, kDefaultLimitNs});
}

double ParseSynchronisedShare(const char* text) {
  constexpr double kLeastPercent = 0.1;
  constexpr double kMostPercent = 50;
  if (strcmp(text, "always") == 0) return INFINITY;
  char* end = nullptr;
  const double percent = ParseNumber(text, &end);
  if (end == text || strcmp(end, "%") != 0 || !(percent >= 0)) return SampleAccount::kShare;
  if (percent == 0) return 0;
  if (percent < kLeastPercent) return kLeastPercent / 100;
  return (percent < kMostPercent ? percent : kMostPercent) / 100;
}

double ParseShare(const char* text) {
  char* end = nullptr;
  const double share = ParseNumber(text, &end);
  const bool is_share = end != text && *end == '\0' && share >= 0 && share <= kMostExploreShare;
  return is_share ? share : 0;
}

bool HasWord(const char* list, const char* word) {
  const size_t length = strlen(word);
  for (const char* at = list; at != nullptr && *at != '\0';) {
    const size_t part = strcspn(at, ",");
    if (part == length && strncmp(at, word, length) == 0) return true;
    at += part;
    if (*at == ',') ++at;
  }
  return false;
}

void MachineFromHost(const char* host, char* machine, int size) {
  int length = 0;
  while (host[length] != '\0' && host[length] != '.' && length < size - 1) {
    machine[length] = MachineCharacter(host[length]);
    ++length;
  }
  int kept = length;
  while (kept > 0 && strchr("0123456789-_", machine[kept - 1]) != nullptr) --kept;
  // A name must start with a letter or a digit.
  int start = 0;
  while (start < kept && (machine[start] == '-' || machine[start] == '_')) ++start;
  memmove(machine, machine + start, static_cast<size_t>(length - start));
  length -= start;
  kept -= start;
  machine[kept > 0 ? kept : length] = '\0';
  if (machine[0] == '\0' || machine[0] == '-' || machine[0] == '_') {
    snprintf(machine, static_cast<size_t>(size), "localhost");
  }
}

Settings ReadSettings() {
  Settings settings;
  memset(&settings, 0, sizeof(settings));
  settings.disabled = Switch("COX_DISABLE");
  settings.log = Switch("COX_LOG");
  if (settings.disabled) return settings;
  const char* sync = Variable("COX_SYNC");
  settings.synchronised_share = ParseSynchronisedShare(sync != nullptr ? sync : "");
  settings.synchronises = Switch("COX_SYNC") && settings.synchronised_share > 0;
  settings.applies = Switch("COX_APPLY");
  const char* apply = Variable("COX_APPLY");
  settings.applies_coxcoll = apply != nullptr && strcmp(apply, "ours") == 0;
  const char* share = Variable("COX_EXPLORE");
  settings.explore_share = share != nullptr ? ParseShare(share) : 0;
  const char* promises = Variable("COX_ASSUME");
  settings.any_order = HasWord(promises, "any-order");
  settings.elements_at_least_ranks = HasWord(promises, "elements>=ranks");
  settings.same_counts = HasWord(promises, "same-counts");
  const char* limit = Variable("COX_LIMIT");
  settings.limit_ns = limit != nullptr ? ParseLimit(limit) : kDefaultLimitNs;
  const char* interval = Variable("COX_INTERVAL");
  settings.interval_ns = interval != nullptr ? ParseInterval(interval) : kDefaultIntervalNs;
  const char* server = Variable("COX_SERVER");
  Copy(settings.server, server != nullptr ? server : "127.0.0.1:7077");

  char host[256] = "";
  if (gethostname(host, sizeof(host) - 1) != 0 || host[0] == '\0') Copy(host, "localhost");
  Copy(settings.node, host);
  if (char* dot = strchr(settings.node, '.')) *dot = '\0';
  if (const char* machine = Variable("COX_MACHINE")) {
    Copy(settings.machine, machine);
  } else if (const char* cluster = Variable("SLURM_CLUSTER_NAME")) {
    Copy(settings.machine, cluster);
  } else {
    MachineFromHost(host, settings.machine, sizeof(settings.machine));
  }
  if (const char* job = Variable("COX_JOB")) Copy(settings.job, job);
  if (const char* spool = Variable("COX_SPOOL")) Copy(settings.spool, spool);
  if (getcwd(settings.directory, sizeof(settings.directory)) == nullptr)
    settings.directory[0] = '\0';
  return settings;
}

}  // namespace cox::agent
