// A client of "inroad mutate --stdio", for the mutators of fuzzers. Include it in one file.
//
// Environment: INROAD_GRAMMAR names a bundled grammar or a file, INROAD_START the start rule,
// and INROAD the executable file of inroad, "inroad" if it is not set.

#ifndef INROAD_CLIENT_H
#define INROAD_CLIENT_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  pid_t pid;
  int to, from; // pipes; -1 if the program has ended

  uint8_t *seed; // the input of the batch
  size_t seed_size, seed_room;

  uint8_t *batch; // the answer that is left
  size_t batch_size, batch_room, batch_at;
  uint32_t left; // mutants that are left
  int waiting;   // a batch was asked for and not yet received
} inroad_client;

static inline int inroad_write_all(int fd, const void *data, size_t size) {
  const uint8_t *at = data;
  while (size > 0) {
    ssize_t n = write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    at += n;
    size -= (size_t)n;
  }
  return 1;
}

static inline int inroad_read_all(int fd, void *data, size_t size) {
  uint8_t *at = data;
  while (size > 0) {
    ssize_t n = read(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    at += n;
    size -= (size_t)n;
  }
  return 1;
}

static inline int inroad_write_number(int fd, size_t value) {
  uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
  return inroad_write_all(fd, bytes, sizeof bytes);
}

static inline uint32_t inroad_number(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline int inroad_read_number(int fd, uint32_t *value) {
  uint8_t bytes[4];
  if (!inroad_read_all(fd, bytes, sizeof bytes)) return 0;
  *value = inroad_number(bytes);
  return 1;
}

static inline int inroad_grow(uint8_t **data, size_t *room, size_t size) {
  if (size <= *room) return 1;
  uint8_t *more = realloc(*data, size);
  if (!more) return 0;
  *data = more;
  *room = size;
  return 1;
}

static inline void inroad_end(inroad_client *c) {
  if (c->to >= 0) close(c->to);
  if (c->from >= 0) close(c->from);
  c->to = c->from = -1;
  c->left = 0;
}

// inroad_start starts the program. It returns NULL if that is impossible.
static inline inroad_client *inroad_start(unsigned int seed) {
  const char *grammar = getenv("INROAD_GRAMMAR");
  const char *program = getenv("INROAD");
  const char *start = getenv("INROAD_START");
  if (!grammar) {
    fprintf(stderr, "inroad: INROAD_GRAMMAR is not set\n");
    return NULL;
  }
  inroad_client *c = calloc(1, sizeof *c);
  int request[2] = {-1, -1}, answer[2] = {-1, -1};
  if (!c || pipe(request) || pipe(answer)) goto failed;
  signal(SIGPIPE, SIG_IGN);
  char text[16];
  snprintf(text, sizeof text, "%u", seed % 1000000000 + 1);
  c->pid = fork();
  if (c->pid < 0) goto failed;
  if (c->pid == 0) {
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
  c->to = request[1];
  c->from = answer[0];
  fcntl(c->to, F_SETFD, FD_CLOEXEC); // not for the programs that the fuzzer runs
  fcntl(c->from, F_SETFD, FD_CLOEXEC);
  return c;
failed:
  perror("inroad");
  for (int i = 0; i < 2; i++) {
    if (request[i] >= 0) close(request[i]);
    if (answer[i] >= 0) close(answer[i]);
  }
  free(c);
  return NULL;
}

// inroad_ask asks for a batch of mutants.
static inline int inroad_ask(inroad_client *c, size_t count, const uint8_t *input, size_t size, const uint8_t *more, size_t more_size, size_t max_size) {
  if (c->to < 0) return 0;
  c->waiting = 1;
  return inroad_write_number(c->to, count) && inroad_write_number(c->to, max_size) && inroad_write_number(c->to, size) &&
         inroad_write_all(c->to, input, size) && inroad_write_number(c->to, more_size) && inroad_write_all(c->to, more, more_size);
}

// inroad_receive reads the batch that was asked for.
static inline int inroad_receive(inroad_client *c) {
  uint32_t answered;
  c->waiting = 0;
  if (c->from < 0 || !inroad_read_number(c->from, &answered)) return 0;
  c->batch_size = c->batch_at = 0;
  for (uint32_t i = 0; i < answered; i++) {
    uint32_t length;
    if (!inroad_read_number(c->from, &length) || !inroad_grow(&c->batch, &c->batch_room, c->batch_size + 4 + length)) return 0;
    memcpy(c->batch + c->batch_size, (uint8_t[4]){(uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16), (uint8_t)(length >> 24)}, 4);
    if (!inroad_read_all(c->from, c->batch + c->batch_size + 4, length)) return 0;
    c->batch_size += 4 + length;
  }
  c->left = answered;
  return 1;
}

// inroad_renew gets a batch of mutants of another input.
static inline int inroad_renew(inroad_client *c, size_t count, const uint8_t *input, size_t size, const uint8_t *more, size_t more_size, size_t max_size) {
  if (c->waiting && !inroad_receive(c)) return 0; // of the input before
  if (!inroad_grow(&c->seed, &c->seed_room, size ? size : 1)) return 0;
  memcpy(c->seed, input, size);
  c->seed_size = size;
  return inroad_ask(c, count, input, size, more, more_size, max_size) && inroad_receive(c);
}

// inroad_next returns a mutant of an input, which may have parts of another input, more. It
// asks for count mutants at once and returns the others when it is called with the same
// input. When half of them are left, it asks for more of them, so that the program prepares
// them while the fuzzer is busy. The mutant is valid until the next call. It is NULL if there
// is none, and always after the program has ended.
static inline const uint8_t *inroad_next(inroad_client *c, size_t count, const uint8_t *input, size_t size, const uint8_t *more, size_t more_size,
                                         size_t max_size, size_t *mutant_size) {
  int same = c->seed && c->seed_size == size && memcmp(c->seed, input, size) == 0, ok = 1;
  if (!more) more_size = 0;
  if (same && c->left == 0 && c->waiting)
    ok = inroad_receive(c);
  else if (!same || c->left == 0)
    ok = inroad_renew(c, count, input, size, more, more_size, max_size);
  else if (c->left == count / 2 && !c->waiting)
    ok = inroad_ask(c, count, input, size, more, more_size, max_size);
  if (!ok) inroad_end(c);
  if (c->left == 0) return NULL;
  const uint8_t *mutant = c->batch + c->batch_at + 4;
  *mutant_size = inroad_number(c->batch + c->batch_at);
  c->batch_at += 4 + *mutant_size;
  c->left--;
  return mutant;
}

// inroad_stop ends the program, which ends with its standard input.
static inline void inroad_stop(inroad_client *c) {
  inroad_end(c);
  waitpid(c->pid, NULL, 0);
  free(c->seed);
  free(c->batch);
  free(c);
}

#endif
