# Writes a C++ file that holds printed.csv: cmake -D INPUT=printed.csv -D OUTPUT=f.cc -P this.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "// Generated from clients/cli/validate/printed.csv.
#include \"cli/validate/printed.h\"

namespace cox::cli {

absl::string_view PrintedText() { return R\"printed(${text})printed\"; }

}  // namespace cox::cli
")
