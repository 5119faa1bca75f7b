#include "StandardPlugin.h"
