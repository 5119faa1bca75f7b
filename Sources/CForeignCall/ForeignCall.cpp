#include "CForeignCall.h"
