#include "CExclusiveRename.h"
