#include "cli/files/record_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace cox::cli {

absl::StatusOr<std::unique_ptr<RecordFile>> RecordFile::Open(const std::string& path,
                                                             absl::Span<const ColumnSpec> columns) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory, a CSV file is needed"));
  }
  errno = 0;
  auto in = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!in->is_open()) {
    const std::string message = absl::StrCat(path, ": ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(message) : absl::UnknownError(message);
  }
  std::unique_ptr<RecordFile> file(new RecordFile(path, std::move(in), columns));
  absl::Status status = file->ReadHeader();
  if (!status.ok()) return status;
  return file;
}

absl::StatusOr<std::unique_ptr<RecordFile>> RecordFile::FromText(
    std::string text, const std::string& name, absl::Span<const ColumnSpec> columns) {
  std::unique_ptr<RecordFile> file(
      new RecordFile(name, std::make_unique<std::istringstream>(std::move(text)), columns));
  absl::Status status = file->ReadHeader();
  if (!status.ok()) return status;
  return file;
}

RecordFile::RecordFile(std::string path, std::unique_ptr<std::istream> in,
                       absl::Span<const ColumnSpec> columns)
    : path_(std::move(path)), columns_(columns), in_(std::move(in)), reader_(in_.get()) {}

absl::Status RecordFile::ReadHeader() {
  if (!ReadRecord()) {
    if (!read_error_.ok()) return read_error_;
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": is empty, a header line with column names is needed"));
  }
  if (!record_.error.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ":", record_.line, ": ", record_.error.message()));
  }
  width_ = record_.fields.size();
  positions_.assign(columns_.size(), -1);
  for (size_t i = 0; i < width_; ++i) {
    const absl::string_view name = absl::StripAsciiWhitespace(record_.fields[i]);
    const auto column = std::find_if(columns_.begin(), columns_.end(),
                                     [&](const ColumnSpec& spec) { return name == spec.name; });
    if (column == columns_.end()) {
      ignored_.emplace_back(name);
      continue;
    }
    int& position = positions_[column - columns_.begin()];
    if (position >= 0) {
      return absl::InvalidArgumentError(absl::StrCat(path_, ":", record_.line, ":", name,
                                                     ": the header names this column twice"));
    }
    position = static_cast<int>(i);
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].required && positions_[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(path_, ":", record_.line, ":", columns_[i].name,
                       ": the header lacks this column, which is required", HeaderHint(i)));
    }
  }
  return absl::OkStatus();
}

std::string RecordFile::HeaderHint(size_t column) const {
  if (width_ == 1 && absl::StrContains(record_.fields[0], ';')) {
    return "; its fields have semicolons between them: use commas";
  }
  for (const std::string& name : ignored_) {
    if (absl::EqualsIgnoreCase(name, columns_[column].name)) {
      return absl::StrCat("; it has ", name, ": write names in small letters");
    }
  }
  return "";
}

bool RecordFile::ReadRecord() {
  errno = 0;
  try {
    return reader_.Next(record_);
  } catch (const std::ios_base::failure& failure) {
    read_error_ = absl::UnknownError(
        absl::StrCat(path_, ":", record_.line,
                     ": cannot be read: ", errno != 0 ? std::strerror(errno) : failure.what()));
    return false;
  }
}

bool RecordFile::Next() {
  if (!read_error_.ok()) return false;
  if (!ReadRecord()) {
    // The last record is the news that there are more, which cannot be read.
    status_ = read_error_;
    return !read_error_.ok();
  }
  status_ = absl::OkStatus();
  if (!record_.error.ok()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(path_, ":", record_.line, ": ", record_.error.message()));
  } else if (record_.fields.size() != width_) {
    status_ = absl::InvalidArgumentError(absl::StrCat(path_, ":", record_.line, ": has ",
                                                      record_.fields.size(),
                                                      " fields, the header has ", width_));
  }
  return true;
}

absl::string_view RecordFile::Get(size_t column) const {
  const int position = positions_[column];
  if (position < 0) return "";
  const std::string& field = record_.fields[position];
  return record_.were_quoted[position] ? field : absl::StripAsciiWhitespace(field);
}

std::string RecordFile::IgnoredNote() const {
  if (ignored_.empty()) return "";
  return absl::StrCat("warning: ", path_, ": ignores the columns ", absl::StrJoin(ignored_, ", "));
}

absl::Status RecordFile::Bad(size_t column, absl::string_view rule) const {
  return absl::InvalidArgumentError(
      absl::StrCat(path_, ":", record_.line, ":", columns_[column].name, ": ", rule));
}

}  // namespace cox::cli
