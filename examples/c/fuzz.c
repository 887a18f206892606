#include <stdint.h>

#include "calc.h"

/* Called for each input. -1 says that the program rejects the input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  long result;
  return calc((const char *)data, size, &result);
}
