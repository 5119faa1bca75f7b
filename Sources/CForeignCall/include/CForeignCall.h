#pragma once

#include "foreign_block.h"
#include "foreign_call.h"
#include "foreign_callee.h"
#include "foreign_closure.h"
#include "foreign_guard.h"
#include "foreign_image.h"
#include "foreign_type.h"
