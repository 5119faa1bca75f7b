#pragma once

#include "toml_document.h"
