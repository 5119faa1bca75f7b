#include "foreign_block.h"

_Alignas(16) const char foreign_block_nothing[16] = {0};
