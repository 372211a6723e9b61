#include "collectives/engine/error.h"

namespace cox::collectives {
namespace {

std::string& Text() {
  thread_local std::string text;
  return text;
}

}  // namespace

int Fail(int code, const std::string& text) {
  Text() = text;
  return code;
}

int FailMpi(int code, const char* function) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  return Fail(error_class, std::string(function) + ": " + text);
}

const std::string& ErrorText() { return Text(); }

void ClearError() { Text().clear(); }

}  // namespace cox::collectives
