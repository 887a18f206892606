// A custom mutator for AFL++ that gets its mutants from "inroad mutate --stdio".
//
//   cc -shared -fPIC -O2 inroad_mutator.c -o inroad_mutator.so
//   INROAD_GRAMMAR=my.g4 AFL_CUSTOM_MUTATOR_LIBRARY=./inroad_mutator.so afl-fuzz ...
//
// If the program ends, inputs are returned unchanged, so that AFL++ goes on.

#include <time.h>

#include "inroad_client.h"

enum { BATCH = 64, MOST = 4096 };

typedef struct {
  inroad_client *client;
  unsigned int count;  // mutants of an input that AFL++ gets at a time
  double began, last;  // when it got the first and the last one of an input, in seconds
  double ours, others; // seconds that it spent with our mutants, and with the rest
  uint8_t *out;
  size_t out_room;
} mutator;

void *afl_custom_init(void *afl, unsigned int seed) {
  (void)afl;
  mutator *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  if (!(m->client = inroad_start(seed))) {
    free(m);
    return NULL;
  }
  m->count = 4 * BATCH;
  return m;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// AFL++ asks how many mutants of an input it is to get. Without this function, the number
// would double with every find, so that AFL++ could spend minutes with one input and would not
// get to its own mutants. It is to spend about half of its time with ours.
unsigned int afl_custom_fuzz_count(void *data, const uint8_t *buf, size_t buf_size) {
  (void)buf, (void)buf_size;
  mutator *m = data;
  double at = now();
  if (m->last > 0) {
    m->ours = 0.8 * m->ours + m->last - m->began;
    m->others = 0.8 * m->others + at - m->last;
    if (m->ours > m->others && m->count > BATCH) m->count /= 2;
    if (m->ours < m->others && m->count < MOST) m->count *= 2;
  }
  m->began = m->last = at;
  return m->count;
}

size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf, size_t add_buf_size, size_t max_size) {
  mutator *m = data;
  size_t length;
  const uint8_t *mutant = inroad_next(m->client, BATCH, buf, buf_size, add_buf, add_buf_size, max_size, &length);
  m->last = now();
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
