// A custom mutator for libFuzzer that gets its mutants from "inroad mutate --stdio".
//
//   clang -g -O1 -fsanitize=fuzzer,address fuzz.c parser.c inroad_mutator.c -o fuzz
//   INROAD_GRAMMAR=my.g4 ./fuzz corpus
//
// Half of the mutants are libFuzzer's own. INROAD_ONLY=1 leaves these out. If the program
// ends, all mutants are libFuzzer's.

#include "../afl/inroad_client.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

// mutate replaces an input by a mutant of it. It returns the size, or 0 if there is none.
static size_t mutate(uint8_t *data, size_t size, const uint8_t *more, size_t more_size, size_t max_size, unsigned int seed) {
  static inroad_client *client;
  if (!client && !(client = inroad_start(seed))) exit(1);
  size_t length;
  // libFuzzer mutates mutants again, so that most of a batch would be of no use.
  const uint8_t *mutant = inroad_next(client, 1, data, size, more, more_size, max_size, &length);
  if (!mutant || length > max_size) return 0;
  memcpy(data, mutant, length);
  return length;
}

// own reports whether libFuzzer's own mutator is to be used.
static int own(unsigned int seed) {
  const char *only = getenv("INROAD_ONLY");
  return seed % 2 == 0 && !(only && strcmp(only, "1") == 0);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  size_t length = own(seed) ? 0 : mutate(data, size, NULL, 0, max_size, seed);
  return length ? length : LLVMFuzzerMutate(data, size, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *more, size_t more_size, uint8_t *out, size_t max_size, unsigned int seed) {
  if (size > max_size) size = max_size;
  memcpy(out, data, size);
  return mutate(out, size, more, more_size, max_size, seed);
}
