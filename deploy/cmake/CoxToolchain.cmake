# Compiler settings that hold for every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# A back-trace needs functions and lines. Debug information about variables makes building slower and
# files larger; the preset "debug" has it.
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
endforeach()
# GCC collects its garbage when its heap has grown by a third. Later collections cost memory that is there, and save
# a fifth of the time.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-expand=200 --param ggc-min-heapsize=400000>")
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/archive)

find_program(COX_CCACHE ccache)
if(COX_CCACHE)
  # Paths relative to the source tree and no hash of the build folder: presets share cached objects.
  # A header that is newer than the compilation stays out of the cache: it may have changed meanwhile.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${COX_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# A faster linker, where there is one.
find_program(COX_MOLD mold)
if(COX_MOLD AND NOT COX_SANITIZE)
  add_link_options(-fuse-ld=mold)
endif()

# Hardening of everything that is built: tests/verify reads it back from what is installed. Fortified
# functions need an optimiser, and sanitizers check more than they do.
include(CheckPIESupported)
check_pie_supported()
add_compile_options(-fstack-protector-strong)
if(NOT COX_SANITIZE)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
endif()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)

# Warnings in the code of the project are errors; generated and third-party code compiles without.
add_library(cox_warnings INTERFACE)
target_compile_options(cox_warnings INTERFACE -Wall -Wextra -Werror)

# cox_precompile(<target> <header>...): compiles the headers once for all C++ sources of the target. Only
# for headers that compile slowly and that most of its sources include. Sources still include what they
# use: tests/run --tidy compiles them without.
function(cox_precompile target)
  list(TRANSFORM ARGN REPLACE "^(.+)$" "$<$<COMPILE_LANGUAGE:CXX>:\\1$<ANGLE-R>>" OUTPUT_VARIABLE headers)
  list(TRANSFORM headers REPLACE "CXX>:" "CXX>:<")
  target_precompile_headers(${target} PRIVATE ${headers})
  # What ccache needs to cache a compilation that uses a precompiled header.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endfunction()

# cox_reuse_precompiled(<target> <other>): the target uses the other target's precompiled headers. Both must be
# compiled with the same options.
function(cox_reuse_precompiled target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endfunction()

# cox_compile_in_batches(<target>...): compiles up to COX_BATCH sources of the target at once, because most of a
# compilation is spent on headers. Names in unnamed namespaces must differ within the target. Sources still include
# what they use: tests/run --tidy compiles each alone.
set(COX_BATCH 8 CACHE STRING "Sources compiled at once, where a target allows it; 1: each alone")
function(cox_compile_in_batches)
  if(COX_BATCH GREATER 1)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${COX_BATCH})
  endif()
endfunction()

# cox_include_all(<file> <source>...): writes a source that includes these, to compile them at once where a target
# cannot be compiled in batches.
function(cox_include_all file)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" content)
  file(CONFIGURE OUTPUT ${file} CONTENT "${content}\n" @ONLY)
endfunction()

if(COX_SANITIZE)
  # A report names functions and lines. Debug information about variables would make building slower.
  add_compile_options(-fsanitize=${COX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  # Tests of threads mostly wait. Those of AddressSanitizer compute, too.
  if(NOT COX_SANITIZE STREQUAL thread)
    add_compile_options(-O1)
  endif()
  add_link_options(-fsanitize=${COX_SANITIZE})
  if(COX_SANITIZE MATCHES "address.*undefined")
    # Wrong pointers are AddressSanitizer's. These checks of each access make compiling a third slower.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()
