# Debian packages of what is installed, in the current folder: cpack --config BUILD/CPackConfig.cmake
#
# A package for each component: a host without an MPI library or Slurm needs only the first.
set(COX_PACKAGE_CONTACT "root <root@localhost>" CACHE STRING "Who maintains the packages that cpack makes: name <address>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME coxswain)
set(CPACK_PACKAGE_CONTACT "${COX_PACKAGE_CONTACT}")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
# As /etc is not below the prefix.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL coxswain)
foreach(mpi openmpi mpich)
  if(TARGET cox_agent_${mpi})
    list(APPEND CPACK_COMPONENTS_ALL ${mpi})
  endif()
endforeach()
if(TARGET cox_spank)
  list(APPEND CPACK_COMPONENTS_ALL slurm)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})

# cox_package(<component> <name> <depends> <recommends> <description>)
macro(cox_package component name depends recommends description)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${key}_PACKAGE_RECOMMENDS "${recommends}")
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${description}")
endmacro()
set(same "coxswain (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
cox_package(coxswain coxswain "" "munge"
"The daemon coxd, which keeps timings and recommends algorithms; the program cox, which asks it; documents.
The daemon runs once an administrator enables it: systemctl enable --now coxd")
set(in_jobs "The agent, which times and steers the collective operations of jobs; the benchmark; a library of collectives")
cox_package(openmpi coxswain-openmpi "${same}" "openmpi-bin" "${in_jobs}; for Open MPI.")
cox_package(mpich coxswain-mpich "${same}" "mpich" "${in_jobs}; for MPICH.")
cox_package(slurm coxswain-slurm "${same}, munge" "slurm-client"
"The plugin for Slurm, by which srun has the option --cox. plugstack.conf of the site must name it:
/usr/share/coxswain/slurm/plugstack.conf is an example.")
set(CPACK_DEBIAN_COXSWAIN_PACKAGE_CONTROL_EXTRA
    ${CMAKE_SOURCE_DIR}/deploy/debian/conffiles ${CMAKE_SOURCE_DIR}/deploy/debian/postinst
    ${CMAKE_SOURCE_DIR}/deploy/debian/prerm)
set(CPACK_DEBIAN_COXSWAIN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
