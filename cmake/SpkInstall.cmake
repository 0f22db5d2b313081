# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# Install rules: libraries, headers, the tool, and the package files for CMake (find_package(spk)) and pkg-config.
# An installed tree may be moved as a whole: nothing in it holds the prefix.
if(NOT SPK_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(spk_is_static ON)
if(BUILD_SHARED_LIBS)
  set(spk_is_static OFF)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/spk)
set_target_properties(spk PROPERTIES EXPORT_NAME spk)

# One export per library, so that a program that wants libspk alone needs nothing of libspk_io's.
foreach(library IN ITEMS spk spk_io spk_cusparse spk_host_runtime)
  install(TARGETS ${library} EXPORT ${library}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${library} FILE ${library}-targets.cmake NAMESPACE spk:: DESTINATION ${package_folder}
    COMPONENT development)
endforeach()
if(TARGET spk_cusparse_preload)
  install(TARGETS spk_cusparse_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cuda)
endif()
if(TARGET spk_cuda)
  install(TARGETS spk_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/spk COMPONENT cuda)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/spk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

if(TARGET spk_tool)
  file(RELATIVE_PATH library_from_tool /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(spk_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_tool}")
  install(TARGETS spk_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/spk-config.cmake.in ${PROJECT_BINARY_DIR}/spk-config.cmake
  INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor release may change the ABI.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spk-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spk-config.cmake ${PROJECT_BINARY_DIR}/spk-config-version.cmake
  DESTINATION ${package_folder} COMPONENT development)

# pkg-config: the prefix is found from the place of the .pc file. A static library brings its needs along in Libs.
file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig ${prefix_from_pkgconfig})
set(spk_needs "")
set(spk_io_needs "")
set(spk_cusparse_needs "")
set(spk_host_runtime_needs "")
set(spk_cflags "")
if(NOT BUILD_SHARED_LIBS)
  set(needs_OPENMP " -lgomp -lpthread")
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(needs_OPENMP " -lomp -lpthread")
  endif()
  set(needs_TBB " -ltbb")
  set(needs_SERIAL "")
  set(spk_needs "${needs_${SPK_THREADING}} -lstdc++ -lm -ldl")
  set(spk_io_needs " -lz -lpthread -lstdc++ -lm")
  set(spk_cusparse_needs " -lstdc++")
  set(spk_host_runtime_needs " -lpthread -lstdc++ -lm")
  set(spk_cflags " -DSPK_STATIC")
endif()
foreach(library IN ITEMS spk spk_io spk_cusparse spk_host_runtime)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${library}.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()
