// Calls the custom mutator as AFL++ does, and prints each mutant on a line.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *afl_custom_init(void *afl, unsigned int seed);
size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf, size_t add_buf_size, size_t max_size);
void afl_custom_deinit(void *data);

int main(void) {
  void *m = afl_custom_init(NULL, 1);
  if (!m) return 1;
  uint8_t first[] = "[1,{\"a\":true}]", second[] = "not JSON", other[] = "{\"b\":null}";
  for (int i = 0; i < 200; i++) {
    uint8_t *out;
    size_t size = i < 150 ? afl_custom_fuzz(m, first, sizeof first - 1, &out, other, sizeof other - 1, 100)
                          : afl_custom_fuzz(m, second, sizeof second - 1, &out, NULL, 0, 100);
    fwrite(out, 1, size, stdout);
    putchar('\n');
  }
  afl_custom_deinit(m);
  return 0;
}
