// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#pragma once

#include "compat/differential/transcript.hpp"

// Getters of sparse matrices, with all that they answer.
namespace spk::test {

void get_compressed(Transcript& t, const char* name, const char* note, void* mat);
void get_coordinates(Transcript& t, const char* name, const char* note, void* mat);
void get_blocked_ell(Transcript& t, const char* name, const char* note, void* mat);
// What every format answers.
void get_common(Transcript& t, void* mat);
// The getter of every format, on a matrix of one of them.
void get_by_every_format(Transcript& t, void* mat);

}  // namespace spk::test
