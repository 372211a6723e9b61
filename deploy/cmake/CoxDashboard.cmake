# Whether coxd gets the dashboard's pages. The build downloads nothing: `npm ci --prefix
# clients/dashboard` fetches what Vite and TypeScript need, once. deploy/quickstart and tests/run do.
#
# Sets COX_WITH_DASHBOARD, and with it COX_NODE.
set(COX_DASHBOARD AUTO CACHE STRING "Pages in coxd: ON, OFF, or AUTO (if npm has fetched what they need)")
set_property(CACHE COX_DASHBOARD PROPERTY STRINGS AUTO ON OFF)
set(COX_WITH_DASHBOARD OFF)
if(COX_DASHBOARD STREQUAL "AUTO" OR COX_DASHBOARD)
  find_program(COX_NODE NAMES node nodejs)
  if(COX_NODE AND EXISTS ${CMAKE_SOURCE_DIR}/clients/dashboard/node_modules/vite/bin/vite.js)
    set(COX_WITH_DASHBOARD ON)
  elseif(COX_DASHBOARD STREQUAL "AUTO")
    message(STATUS "coxd gets no dashboard: needs node, and `npm ci --prefix clients/dashboard`")
  else()
    message(FATAL_ERROR "COX_DASHBOARD=ON needs node, and `npm ci --prefix clients/dashboard`")
  endif()
endif()

# Adds to `target` a source file that holds the dashboard's files, or none.
function(cox_embed_dashboard target)
  set(files_cc ${CMAKE_CURRENT_BINARY_DIR}/dashboard_files.cc)
  if(COX_WITH_DASHBOARD)
    set(dashboard ${CMAKE_SOURCE_DIR}/clients/dashboard)
    set(built ${CMAKE_CURRENT_BINARY_DIR}/dashboard)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dashboard}/src/* ${dashboard}/public/* ${dashboard}/test/*)
    add_custom_command(
      OUTPUT ${files_cc}
      COMMAND ${COX_NODE} node_modules/typescript/bin/tsc --noEmit
      COMMAND ${COX_NODE} node_modules/vite/bin/vite.js build --logLevel warn --outDir ${built}
      COMMAND ${COX_NODE} embed.mjs ${built} ${files_cc}
      DEPENDS ${sources} ${dashboard}/index.html ${dashboard}/embed.mjs ${dashboard}/vite.config.ts
              ${dashboard}/tsconfig.json ${dashboard}/package.json ${dashboard}/package-lock.json
      WORKING_DIRECTORY ${dashboard}
      COMMENT "Building the dashboard"
      VERBATIM)
  else()
    file(CONFIGURE OUTPUT ${files_cc} CONTENT "// coxd without the dashboard.
#include \"gateway/dashboard_files.h\"

namespace cox::gateway {

absl::Span<const DashboardFile> DashboardFiles() { return {}; }

}  // namespace cox::gateway
")
  endif()
  target_sources(${target} PRIVATE ${files_cc})
endfunction()
