// SPDX-License-Identifier: Apache-2.0
#include "secrets/secrets.h"
