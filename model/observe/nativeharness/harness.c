/*
 * Runs LLVMFuzzerTestOneInput on one input after the other and reports the
 * counters of the instrumented code. It takes the place of libFuzzer.
 *
 * Inputs arrive on file descriptor 3 and frames leave on 4, so that the program
 * may use standard input and output. An input is a four-byte little-endian
 * length followed by the bytes. A frame is a letter, a length of the same form,
 * and the contents:
 *
 *   M  once at the start: the places of the counters; see send_table
 *   C  the counters: pairs of an index and a count, four bytes each
 *   R  the result in JSON, which completes the input
 *
 * Counters, result and stack are in a file that is mapped into memory: it keeps
 * them when the process dies, however it dies. See struct shared.
 *
 * Arguments: the name of the file, the seconds after which a run ends even if the
 * observer has died, and "fork" to run each input in a child.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Identifies executables with this harness, even if they are stripped. */
static const volatile char marker __attribute__((section("inroad_harness"))) = 1;

enum { MAX_FRAMES = 64, MAX_MODULES = 64 };
enum { IDLE, RUNNING, RETURNED };

/* The start of the file. The counts and then the indices of the counters that are
 * not zero follow, capacity of each. */
struct shared {
  uint32_t state;
  int32_t returned; /* by the program */
  uint64_t nanoseconds;
  uint32_t signal; /* that ended the run, or 0 */
  uint32_t overflow; /* of the stack */
  uint32_t capacity;
  uint32_t reached; /* number of counters that are not zero */
  uint32_t frames;
  uint32_t unused;
  uint64_t stack[MAX_FRAMES]; /* return addresses, innermost first */
};

static struct shared *shared; /* NULL until main has mapped the file */
static uint32_t *counts, *reached;
static uint32_t counters; /* number of counters */

/* A module is an instrumented executable or library. */
struct pc { uintptr_t address, flags; };
static struct module {
  uint32_t *guards, size;
  const struct pc *pcs, *pcs_end;
} modules[MAX_MODULES];
static int module_count;

/* Called by the constructors of each module, possibly more than once. Guards have
 * the index of their counter, from 1; 0 is not counted. */
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  if (start == stop || *start || shared || module_count == MAX_MODULES) return;
  modules[module_count++] = (struct module){start, (uint32_t)(stop - start), NULL, NULL};
  while (start < stop) *start++ = ++counters;
}

/* Called by the constructors of each module, after that for the guards. */
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
  if (shared || !module_count || modules[module_count - 1].pcs) return;
  modules[module_count - 1].pcs = (const struct pc *)start;
  modules[module_count - 1].pcs_end = (const struct pc *)stop;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  uint32_t i = *guard;
  if (!i || !shared) return;
  if (__atomic_fetch_add(&counts[i], 1, __ATOMIC_RELAXED) == 0) {
    uint32_t n = __atomic_fetch_add(&shared->reached, 1, __ATOMIC_RELAXED);
    if (n < shared->capacity) reached[n] = i; /* a counter that overflows comes twice */
  }
}

static int in = 3, out = 4;
static pid_t harness_pid;
static unsigned int seconds;
static char *stack_top;
static uint64_t stack_size;

static void fail(const char *what) {
  dprintf(2, "inroad harness: %s: %s\n", what, strerror(errno));
  _exit(3);
}

/* Frames that are written at once. */
static char *buffer;
static size_t buffered, buffer_size;

static void put(const void *data, size_t n) {
  if (buffered + n > buffer_size) {
    buffer_size = 2 * (buffered + n);
    if (!(buffer = realloc(buffer, buffer_size))) fail("memory for a frame");
  }
  memcpy(buffer + buffered, data, n);
  buffered += n;
}

static void put32(uint32_t n) { put(&n, 4); }
static void put64(uint64_t n) { put(&n, 8); }

static size_t begin_frame(char kind) {
  put(&kind, 1);
  put32(0);
  return buffered;
}

static void end_frame(size_t start) {
  uint32_t n = (uint32_t)(buffered - start);
  memcpy(buffer + start - 4, &n, 4);
}

static void flush(void) {
  for (size_t n = 0; n < buffered;) {
    ssize_t k = write(out, buffer + n, buffered - n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) _exit(0); /* the program closed the pipe; the file has the result */
    n += (size_t)k;
  }
  buffered = 0;
}

/* Copies n bytes of input. Ends the process at the end of the inputs. */
static void get(void *data, size_t n) {
  static char chunk[1 << 16];
  static size_t at, end;
  char *to = data;
  while (n > 0) {
    if (at == end) {
      ssize_t k = read(in, chunk, sizeof chunk);
      if (k < 0 && errno == EINTR) continue;
      if (k <= 0) _exit(0);
      at = 0;
      end = (size_t)k;
    }
    size_t k = end - at < n ? end - at : n;
    memcpy(to, chunk + at, k);
    at += k;
    to += k;
    n -= k;
  }
}

struct place { uintptr_t address; uint64_t base; const char *name; };

static int find_module(struct dl_phdr_info *info, size_t size, void *data) {
  struct place *p = data;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && p->address - start < info->dlpi_phdr[i].p_memsz) {
      p->base = info->dlpi_addr;
      p->name = info->dlpi_name;
      return 1;
    }
  }
  return 0;
}

/* Sends for each module: its base address, its file (empty for the executable) and
 * its counters with their addresses and flags; 1 marks the entry of a function. */
static void send_table(void) {
  size_t start = begin_frame('M');
  for (struct module *m = modules; m < modules + module_count; m++) {
    struct place p = {m->pcs ? m->pcs->address : 0, 0, ""};
    dl_iterate_phdr(find_module, &p);
    put64(p.base);
    put32((uint32_t)strlen(p.name));
    put(p.name, strlen(p.name));
    put32(m->size);
    for (uint32_t i = 0; i < m->size; i++) {
      int known = m->pcs && m->pcs + i < m->pcs_end;
      put64(known ? m->pcs[i].address : 0);
      put32(known ? (uint32_t)m->pcs[i].flags : 0);
    }
  }
  end_frame(start);
  flush();
}

static void map_shared(const char *name) {
  uint32_t capacity = counters + 1;
  size_t size = sizeof(struct shared) + 2 * sizeof(uint32_t) * (size_t)capacity;
  int fd = open(name, O_RDWR | O_CLOEXEC);
  if (fd < 0 || ftruncate(fd, (off_t)size)) fail(name);
  struct shared *s = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (s == MAP_FAILED) fail(name);
  close(fd);
  s->capacity = capacity;
  counts = (uint32_t *)(s + 1);
  reached = counts + capacity;
  shared = s;
}

/* Keeps the stack of a run that ends early. */
static void keep_stack(void) {
  void *stack[MAX_FRAMES];
  int n = backtrace(stack, MAX_FRAMES);
  for (int i = 0; i < n; i++) shared->stack[i] = (uint64_t)stack[i];
  shared->frames = (uint32_t)n;
}

/* Reports whether the program runs in this process, and not in a child of it. */
static int running(void) { return shared && shared->state == RUNNING && getpid() == harness_pid; }

static void at_exit(void) {
  if (running()) keep_stack();
}

/* Keeps the stack of a fatal signal, and then lets the signal end the process. */
static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  if (running() && !shared->signal) {
    shared->signal = (uint32_t)number;
    if (number == SIGSEGV && stack_size) {
      int64_t below = stack_top - (char *)info->si_addr - (int64_t)stack_size;
      shared->overflow = below > -(1 << 20) && below < 1 << 20;
    }
    keep_stack();
  }
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_signals(void) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  static char stack[1 << 16];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  void *frames[2];
  struct rlimit limit;
  backtrace(frames, 2); /* loads the unwinder */
  sigaltstack(&alternative, NULL);
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) sigaction(fatal[i], &action, NULL);
  if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur != RLIM_INFINITY) stack_size = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max = 0;
  setrlimit(RLIMIT_CORE, &limit);
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run(const uint8_t *data, size_t size) {
  uint64_t start = now();
  alarm(seconds);
  __atomic_store_n(&shared->state, RUNNING, __ATOMIC_SEQ_CST);
  int returned = LLVMFuzzerTestOneInput(data, size);
  if (getpid() != harness_pid) _exit(0); /* the program forked, and its child returned */
  shared->nanoseconds = now() - start;
  alarm(0);
  shared->returned = returned;
  __atomic_store_n(&shared->state, RETURNED, __ATOMIC_SEQ_CST);
}

/* Runs an input in a child. A child that does not return ends its parent in the
 * same way. */
static void run_child(const uint8_t *data, size_t size) {
  int status;
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (!child) {
    harness_pid = getpid();
    run(data, size);
    fflush(NULL);
    _exit(0);
  }
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail("waitpid");
  if (shared->state == RETURNED) return;
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

static void clear(void) {
  uint32_t n = shared->reached < shared->capacity ? shared->reached : shared->capacity;
  for (uint32_t i = 0; i < n; i++) counts[reached[i]] = 0;
  shared->reached = 0;
  shared->signal = shared->overflow = shared->frames = 0;
}

static void send_result(int last) {
  size_t start = begin_frame('C');
  uint32_t n = shared->reached < shared->capacity ? shared->reached : shared->capacity;
  for (uint32_t i = 0; i < n; i++) {
    put32(reached[i]);
    put32(counts[reached[i]]);
  }
  end_frame(start);
  char text[200];
  int size;
  if (shared->returned)
    size = snprintf(text, sizeof text, "{\"outcome\":\"failure\",\"type\":\"rejected\",\"message\":\"LLVMFuzzerTestOneInput returned %d\",\"ns\":%llu%s}",
      shared->returned, (unsigned long long)shared->nanoseconds, last ? ",\"last\":true" : "");
  else
    size = snprintf(text, sizeof text, "{\"outcome\":\"ok\",\"ns\":%llu%s}", (unsigned long long)shared->nanoseconds, last ? ",\"last\":true" : "");
  start = begin_frame('R');
  put(text, (size_t)size);
  end_frame(start);
  flush();
}

/* Reports whether the program left descendants that run on: their work would count
 * for the next input. */
static int has_children(void) {
  pid_t child;
  do
    child = waitpid(-1, NULL, WNOHANG);
  while (child > 0);
  return child == 0;
}

/* Moves a file descriptor out of the way of programs that close low ones. */
static int move_away(int fd) {
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, 900);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

int main(int argc, char **argv) {
  if (argc < 3 || !marker) {
    fputs("This program was built for inroad observe, which runs it on inputs.\n", stderr);
    return 3;
  }
  int forks = argc > 3 && !strcmp(argv[3], "fork");
  seconds = (unsigned int)strtoul(argv[2], NULL, 10);
  stack_top = (char *)&forks;
  harness_pid = getpid();
  in = move_away(in);
  out = move_away(out);
  catch_signals();
  map_shared(argv[1]);
  atexit(at_exit);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  char *names[] = {argv[0], NULL}, **arguments = names;
  int count = 1;
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&count, &arguments);
  send_table();
  for (int last = 0; !last;) {
    uint32_t size;
    get(&size, 4);
    uint8_t *data = malloc(size ? size : 1);
    if (!data) fail("memory for an input");
    get(data, size);
    clear();
    if (forks)
      run_child(data, size);
    else
      run(data, size);
    free(data);
    last = has_children();
    send_result(last);
  }
  kill(0, SIGKILL); /* the descendants too */
}
