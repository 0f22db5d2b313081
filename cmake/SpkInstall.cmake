# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# Install rules, package files.
