// Refused because of: write SPIN_RECORD outside of #pragma pack
#include <spinhost/plugin.h>

#pragma pack(push, 1)
SPIN_RECORD(narrow, (double, x));
#pragma pack(pop)
