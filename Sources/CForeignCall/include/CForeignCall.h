#pragma once

#include "foreign_block.h"
#include "foreign_type.h"
