#include "access/tokens.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "access/private_file.h"
#include "domain/errors.h"

namespace cox::access {
namespace {

// A line has at most 350 bytes.
constexpr off_t kMaxTokenFileBytes = 1 << 20;
constexpr mode_t kForOthers = S_IRWXG | S_IRWXO;

absl::Status WrongFile(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("token-file: ", path, ": ", why));
}

absl::Status CannotWrite(const std::string& path) {
  return absl::UnavailableError(
      absl::StrCat("token-file: cannot write ", path, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tokens>> Tokens::Open(const std::string& path, Clock clock) {
  std::unique_ptr<Tokens> tokens(new Tokens(path, std::move(clock)));
  if (absl::Status read = tokens->Refresh(); !read.ok()) return read;
  return tokens;
}

std::optional<Token> Tokens::Find(absl::string_view text) const {
  const std::optional<absl::string_view> name = NameInTokenText(text);
  if (!name) return std::nullopt;
  const std::shared_ptr<const Table> table = Load();
  const auto found = table->find(*name);
  if (found == table->end() || !IsSameHash(found->second.hash, HashTokenText(text)) ||
      found->second.IsExpired(clock_())) {
    return std::nullopt;
  }
  return found->second;
}

std::optional<Token> Tokens::FindAgain(absl::string_view name, int64_t create_time_us) const {
  const std::shared_ptr<const Table> table = Load();
  const auto found = table->find(name);
  if (found == table->end() || found->second.create_time_us != create_time_us ||
      found->second.IsExpired(clock_())) {
    return std::nullopt;
  }
  return found->second;
}

std::vector<Token> Tokens::List() const {
  std::vector<Token> tokens;
  for (const auto& [name, token] : *Load()) tokens.push_back(token);
  std::sort(tokens.begin(), tokens.end(),
            [](const Token& a, const Token& b) { return a.name < b.name; });
  return tokens;
}

absl::StatusOr<Tokens::Created> Tokens::Create(Token token) {
  if (absl::Status checked = CheckToken(token); !checked.ok()) return checked;
  absl::StatusOr<std::string> text = MakeTokenText(token.name);
  if (!text.ok()) return text.status();
  std::lock_guard lock(writing_);
  if (absl::Status read = ReadLocked(); !read.ok()) return read;
  token.create_time_us = clock_();
  token.hash = HashTokenText(*text);
  if (token.IsExpired(token.create_time_us)) {
    return domain::InvalidField("expire_time", "must be in the future");
  }
  Table table = *Load();
  if (table.contains(token.name)) {
    return absl::AlreadyExistsError(absl::StrCat("there is a token \"", token.name,
                                                 "\"; revoke it first, or choose another name"));
  }
  if (table.size() >= kMaxTokens) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there are ", kMaxTokens, " tokens, which is the most; revoke some first"));
  }
  table[token.name] = token;
  if (absl::Status written = WriteLocked(std::move(table)); !written.ok()) return written;
  return Created{std::move(token), *std::move(text)};
}

absl::Status Tokens::Revoke(absl::string_view name) {
  std::lock_guard lock(writing_);
  if (absl::Status read = ReadLocked(); !read.ok()) return read;
  Table table = *Load();
  if (table.erase(name) == 0) {
    return absl::NotFoundError(
        absl::StrCat("there is no token \"", name, "\"; `cox token list` lists all tokens"));
  }
  return WriteLocked(std::move(table));
}

absl::Status Tokens::Refresh() {
  std::lock_guard lock(writing_);
  return ReadLocked();
}

absl::Status Tokens::ReadLocked() {
  const PrivateFile file(path_, O_RDONLY);
  if (file.fd() < 0 && errno != ENOENT) return WrongFile(path_, std::strerror(errno));
  Version version;
  struct stat status {};
  if (file.fd() >= 0) {
    if (fstat(file.fd(), &status) != 0) return WrongFile(path_, std::strerror(errno));
    version = {.inode = status.st_ino,
               .bytes = status.st_size,
               .change_time_ns = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec};
  }
  if (version == version_) return absl::OkStatus();
  auto table = std::make_shared<Table>();
  if (file.fd() >= 0) {
    if ((status.st_mode & kForOthers) != 0) {
      return WrongFile(path_, "others may read or write it; run chmod 600");
    }
    std::string text;
    if (status.st_size > kMaxTokenFileBytes) return WrongFile(path_, "it is larger than 1 MiB");
    if (!ReadAll(file.fd(), static_cast<size_t>(status.st_size), &text)) {
      return WrongFile(path_, "cannot be read");
    }
    int line_number = 0;
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      ++line_number;
      if (line.empty() || line[0] == '#') continue;
      absl::StatusOr<Token> token = ParseTokenLine(line);
      if (!token.ok()) {
        return WrongFile(path_, absl::StrCat("line ", line_number, ": ", token.status().message()));
      }
      std::string name = token->name;
      if (!table->emplace(std::move(name), *std::move(token)).second) {
        return WrongFile(path_, absl::StrCat("line ", line_number, ": this name is there twice"));
      }
    }
  }
  version_ = version;
  table_.store(std::move(table), std::memory_order_release);
  return absl::OkStatus();
}

absl::Status Tokens::WriteLocked(Table table) {
  std::string text = "# Tokens of coxd: NAME ROLE JOB CREATE_TIME_US EXPIRE_TIME_US SHA256\n";
  for (const auto& [name, token] : table) absl::StrAppend(&text, TokenLine(token), "\n");
  struct stat status {};
  if (!ReplaceFile(path_, text, &status)) return CannotWrite(path_);
  version_ = {.inode = status.st_ino,
              .bytes = status.st_size,
              .change_time_ns = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec};
  table_.store(std::make_shared<const Table>(std::move(table)), std::memory_order_release);
  return absl::OkStatus();
}

}  // namespace cox::access
