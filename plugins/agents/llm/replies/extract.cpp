// SPDX-License-Identifier: Apache-2.0
#include "replies/extract.h"
