# A layer is one folder of the server: all .cc files in it and below. Its headers are reachable as
# "<folder>/<file>.h" only by targets that link it, because each layer has an include root of its own
# that holds nothing but a link to its folder: an include against the arrows of the design does not
# compile.
#
#   cox_layer(<folder> [USES <layer>...] [LIBRARIES <target>...] [PRECOMPILES <header>...] [ALONE])
#
# ALONE: its sources are compiled one by one, because each has tables of the same names. The lowest layer's
# precompiled headers serve all layers but those that precompile their own.
function(cox_layer folder)
  cmake_parse_arguments(arg "ALONE" "" "USES;LIBRARIES;PRECOMPILES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(root ${CMAKE_BINARY_DIR}/layers/${folder})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${folder} SYMBOLIC)
  add_library(cox_${folder} STATIC ${sources})
  target_include_directories(cox_${folder} PUBLIC ${root})
  list(TRANSFORM arg_USES PREPEND cox_)
  target_link_libraries(cox_${folder} PUBLIC ${arg_USES} ${arg_LIBRARIES} PRIVATE cox_warnings)
  if(arg_PRECOMPILES)
    cox_precompile(cox_${folder} ${arg_PRECOMPILES})
  else()
    cox_reuse_precompiled(cox_${folder} cox_domain)
  endif()
  if(NOT arg_ALONE)
    cox_compile_in_batches(cox_${folder})
  endif()
  set_property(GLOBAL APPEND PROPERTY COX_LAYERS ${folder})
endfunction()
