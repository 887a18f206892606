// A custom mutator for AFL++ that gets its mutants from "inroad mutate --stdio".
//
//   cc -shared -fPIC -O2 inroad_mutator.c -o inroad_mutator.so
//   INROAD_GRAMMAR=my.g4 AFL_CUSTOM_MUTATOR_LIBRARY=./inroad_mutator.so afl-fuzz ...
//
// If the program ends, inputs are returned unchanged, so that AFL++ goes on.

#include "inroad_client.h"

enum { BATCH = 64 };

typedef struct {
  inroad_client *client;
  uint8_t *out;
  size_t out_room;
} mutator;

void *afl_custom_init(void *afl, unsigned int seed) {
  (void)afl;
  mutator *m = calloc(1, sizeof *m);
  if (m) m->client = inroad_start(seed);
  return m && m->client ? m : NULL;
}

size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf, size_t add_buf_size, size_t max_size) {
  mutator *m = data;
  size_t length;
  const uint8_t *mutant = inroad_next(m->client, BATCH, buf, buf_size, add_buf, add_buf_size, max_size, &length);
  if (!mutant || !inroad_grow(&m->out, &m->out_room, length ? length : 1)) {
    *out_buf = buf;
    return buf_size;
  }
  memcpy(m->out, mutant, length); // AFL++ may change it
  *out_buf = m->out;
  return length;
}

void afl_custom_deinit(void *data) {
  mutator *m = data;
  inroad_stop(m->client);
  free(m->out);
  free(m);
}
