/* Runs LLVMFuzzerTestOneInput on the inputs of a file, each after its four-byte
 * length, and prints the nanoseconds that it takes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Rust programs are instrumented as for libFuzzer. */
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) { (void)start, (void)stop; }
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) { (void)start, (void)stop; }
void __sanitizer_cov_trace_pc_guard(uint32_t *guard) { (void)guard; }

int main(int argc, char **argv) {
  FILE *file = fopen(argv[1], "rb");
  struct timespec start, end;
  uint32_t size;
  if (!file) return 1;
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (fread(&size, 4, 1, file) == 1) {
    uint8_t *data = malloc(size ? size : 1);
    if (fread(data, 1, size, file) != size) return 1;
    LLVMFuzzerTestOneInput(data, size);
    free(data);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%lld\n", (long long)(end.tv_sec - start.tv_sec) * 1000000000 + (end.tv_nsec - start.tv_nsec));
  return 0;
}
