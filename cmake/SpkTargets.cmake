# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# Flags and helpers shared by all targets.

# spk_settings(TARGET): warnings, language level, visibility and sanitizers of one target.
function(spk_settings target)
  target_compile_features(${target} PRIVATE cxx_std_20 c_std_99)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wno-psabi
    $<$<COMPILE_LANGUAGE:CXX>:-Wmissing-declarations>
    $<$<BOOL:${SPK_WERROR}>:-Werror>)
  if(SPK_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SPK_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${SPK_SANITIZE})
  endif()
endfunction()

# spk_fortran_settings(TARGET): the same for a program in Fortran; its module files stay in a folder of their own.
function(spk_fortran_settings target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-std=f2018 -Wall -Wextra -fcheck=all
    -Werror=line-truncation $<$<BOOL:${SPK_WERROR}>:-Werror>>)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE Fortran
    Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}_modules)
endfunction()

# spk_short_blocks(TARGET): structs are cleared and copied by vector stores. For x86 in general GCC takes `rep stos` and
# `rep movs`, which start up for longer than a product of few entries takes.
include(CheckCXXCompilerFlag)
set(spk_strategy vector_loop:2048:noalign,libcall:-1:noalign)
check_cxx_compiler_flag(
  "-mmemset-strategy=${spk_strategy} -mmemcpy-strategy=${spk_strategy}" SPK_COMPILER_HAS_BLOCK_STRATEGIES)
function(spk_short_blocks target)
  if(SPK_COMPILER_HAS_BLOCK_STRATEGIES)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-mmemset-strategy=${spk_strategy}>
      $<$<COMPILE_LANGUAGE:CXX>:-mmemcpy-strategy=${spk_strategy}>)
  endif()
endfunction()

# spk_private_library(NAME SOURCES...): objects that end up in libspk; sees include/ and src/. Its functions run on
# threads of the application, whose stacks may be as small as 64 KB (sanitizers and other builds make frames larger).
function(spk_private_library name)
  add_library(${name} OBJECT ${ARGN})
  spk_settings(${name})
  spk_short_blocks(${name})
  if(NOT SPK_SANITIZE)
    target_compile_options(${name} PRIVATE
      $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>:-Wframe-larger-than=36864>)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE SPK_BUILDING)
  set_property(GLOBAL APPEND PROPERTY SPK_OBJECT_LIBRARIES ${name})
endfunction()

# spk_add_isa(ISA SOURCES...): the same kernel sources once more, for one instruction set.
function(spk_add_isa isa)
  set(flags_scalar "")
  set(flags_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mmovbe -mpopcnt)
  set(flags_avx512 ${flags_avx2} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl)
  set(flags_amx ${flags_avx512} -mavx512vbmi2 -mamx-tile -mamx-bf16)
  set(flags_neon "")
  if(NOT DEFINED flags_${isa})
    message(FATAL_ERROR "SPK_CPU_ISAS: unknown instruction set ${isa}")
  endif()
  spk_private_library(spk_kernels_${isa} ${ARGN})
  target_compile_options(spk_kernels_${isa} PRIVATE ${flags_${isa}} -fno-exceptions -fno-rtti -fno-math-errno
    -ffp-contract=off)
  target_compile_definitions(spk_kernels_${isa} PRIVATE SPK_ARCH_${isa} SPK_ARCH_NAME=${isa}
    $<$<STREQUAL:${isa},amx>:SPK_ARCH_avx512>)
endfunction()

# spk_threads: the one threading runtime of the library, by SPK_THREADING.
add_library(spk_threads INTERFACE)
target_compile_definitions(spk_threads INTERFACE SPK_THREADING_${SPK_THREADING}=1)
if(SPK_THREADING STREQUAL OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  target_link_libraries(spk_threads INTERFACE OpenMP::OpenMP_CXX)
elseif(SPK_THREADING STREQUAL TBB)
  find_package(TBB REQUIRED)
  target_link_libraries(spk_threads INTERFACE TBB::tbb)
endif()
