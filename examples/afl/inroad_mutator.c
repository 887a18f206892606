// A custom mutator for AFL++ that gets its mutants from "inroad mutate --stdio".
//
//   cc -shared -fPIC -O2 inroad_mutator.c -o inroad_mutator.so
//   INROAD_GRAMMAR=my.g4 AFL_CUSTOM_MUTATOR_LIBRARY=./inroad_mutator.so afl-fuzz ...
//
// INROAD names the program, "inroad" if it is not set. INROAD_START names the start rule.
// If the program ends, inputs are returned unchanged, so that AFL++ goes on.

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 64 };

typedef struct {
  pid_t pid;
  int to, from; // pipes; -1 if the program has ended

  uint8_t *seed; // the input of the batch
  size_t seed_size;

  uint8_t *batch; // the answer that is left
  size_t batch_size, batch_room, batch_at;
  uint32_t left; // mutants that are left

  uint8_t *out;
  size_t out_room;
} mutator;

static int write_all(int fd, const void *data, size_t size) {
  const uint8_t *at = data;
  while (size > 0) {
    ssize_t n = write(fd, at, size);
    if (n <= 0) return 0;
    at += n;
    size -= (size_t)n;
  }
  return 1;
}

static int read_all(int fd, void *data, size_t size) {
  uint8_t *at = data;
  while (size > 0) {
    ssize_t n = read(fd, at, size);
    if (n <= 0) return 0;
    at += n;
    size -= (size_t)n;
  }
  return 1;
}

static int write_number(int fd, size_t value) {
  uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
  return write_all(fd, bytes, sizeof bytes);
}

static uint32_t number(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int read_number(int fd, uint32_t *value) {
  uint8_t bytes[4];
  if (!read_all(fd, bytes, sizeof bytes)) return 0;
  *value = number(bytes);
  return 1;
}

static int grow(uint8_t **data, size_t *room, size_t size) {
  if (size <= *room) return 1;
  uint8_t *more = realloc(*data, size);
  if (!more) return 0;
  *data = more;
  *room = size;
  return 1;
}

static void end(mutator *m) {
  if (m->to >= 0) close(m->to);
  if (m->from >= 0) close(m->from);
  m->to = m->from = -1;
  m->left = 0;
}

void *afl_custom_init(void *afl, unsigned int seed) {
  (void)afl;
  const char *grammar = getenv("INROAD_GRAMMAR");
  const char *program = getenv("INROAD");
  const char *start = getenv("INROAD_START");
  if (!grammar) {
    fprintf(stderr, "inroad_mutator: INROAD_GRAMMAR is not set\n");
    return NULL;
  }
  mutator *m = calloc(1, sizeof *m);
  int request[2], answer[2];
  if (!m || pipe(request) || pipe(answer)) return NULL;
  signal(SIGPIPE, SIG_IGN);
  char text[16];
  snprintf(text, sizeof text, "%u", seed % 1000000000 + 1);
  m->pid = fork();
  if (m->pid == 0) {
    dup2(request[0], 0);
    dup2(answer[1], 1);
    close(request[0]);
    close(request[1]);
    close(answer[0]);
    close(answer[1]);
    if (!program) program = "inroad";
    if (start)
      execlp(program, program, "mutate", "--stdio", "--grammar", grammar, "--seed", text, "--start", start, (char *)NULL);
    else
      execlp(program, program, "mutate", "--stdio", "--grammar", grammar, "--seed", text, (char *)NULL);
    perror(program);
    _exit(127);
  }
  close(request[0]);
  close(answer[1]);
  m->to = request[1];
  m->from = answer[0];
  fcntl(m->to, F_SETFD, FD_CLOEXEC); // not for the programs that AFL++ runs
  fcntl(m->from, F_SETFD, FD_CLOEXEC);
  return m;
}

// ask asks for a batch of mutants.
static int ask(mutator *m, const uint8_t *input, size_t size, const uint8_t *more, size_t more_size, size_t max_size) {
  if (m->to < 0) return 0;
  if (!write_number(m->to, BATCH) || !write_number(m->to, max_size) || !write_number(m->to, size) || !write_all(m->to, input, size) ||
      !write_number(m->to, more_size) || !write_all(m->to, more, more_size))
    return 0;
  uint32_t count;
  if (!read_number(m->from, &count)) return 0;
  m->batch_size = m->batch_at = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t length;
    if (!read_number(m->from, &length) || !grow(&m->batch, &m->batch_room, m->batch_size + 4 + length)) return 0;
    memcpy(m->batch + m->batch_size, (uint8_t[4]){(uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16), (uint8_t)(length >> 24)}, 4);
    if (!read_all(m->from, m->batch + m->batch_size + 4, length)) return 0;
    m->batch_size += 4 + length;
  }
  m->left = count;
  free(m->seed);
  m->seed = malloc(size ? size : 1);
  if (!m->seed) return 0;
  memcpy(m->seed, input, size);
  m->seed_size = size;
  return 1;
}

size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf, size_t add_buf_size, size_t max_size) {
  mutator *m = data;
  int same = m->seed && m->seed_size == buf_size && memcmp(m->seed, buf, buf_size) == 0;
  if (!same || m->left == 0) {
    if (!add_buf) add_buf_size = 0;
    if (!ask(m, buf, buf_size, add_buf, add_buf_size, max_size)) end(m);
  }
  if (m->left == 0) {
    *out_buf = buf;
    return buf_size;
  }
  uint32_t length = number(m->batch + m->batch_at);
  if (!grow(&m->out, &m->out_room, length ? length : 1)) {
    *out_buf = buf;
    return buf_size;
  }
  memcpy(m->out, m->batch + m->batch_at + 4, length);
  m->batch_at += 4 + length;
  m->left--;
  *out_buf = m->out;
  return length;
}

void afl_custom_deinit(void *data) {
  mutator *m = data;
  end(m); // the program ends with its standard input
  waitpid(m->pid, NULL, 0);
  free(m->seed);
  free(m->batch);
  free(m->out);
  free(m);
}
