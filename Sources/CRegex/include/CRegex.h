#pragma once

#include "regular_expression.h"
