# Writes a C++ file that holds the published machines: cmake -D OUTPUT=f.cc -D "MACHINES=a.textproto;..." -P this.
set(rows "")
list(SORT MACHINES)
foreach(path IN LISTS MACHINES)
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  string(APPEND rows "    {\"${name}\", R\"machine(${text})machine\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from server/service/published/*.textproto.
#include \"service/published/published.h\"

namespace cox::service {
namespace {
constexpr MachineText kPublishedMachines[] = {
${rows}};
}  // namespace

absl::Span<const MachineText> PublishedTexts() { return kPublishedMachines; }

}  // namespace cox::service
")
