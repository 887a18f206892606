/* A fuzz target that does to its process what the words of an input say. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int initialized;
volatile int sink;

static void closes(int first) {
  for (int fd = first; fd < 1200; fd++) close(fd);
}

static void *leak(size_t size) {
  char *block = malloc(size);
  if (block) memset(block, 1, size);
  return block;
}

static int overflow(int n) { return n ? overflow(n + 1) + 1 : 0; }

static void crash(int *pointer) { *pointer = 1; }

static void crash_deeply(int n) {
  if (n > 0)
    crash_deeply(n - 1);
  else
    crash(NULL);
}

static void prints(FILE *to, long long bytes) {
  static char line[1 << 16];
  memset(line, 'x', sizeof line);
  for (; bytes > 0; bytes -= (long long)sizeof line) fwrite(line, 1, sizeof line, to);
}

static void in_child(void) { sink++; }

static void forks(int waits) {
  pid_t child = fork();
  if (!child) {
    in_child();
    if (waits) _exit(0);
    for (;;) pause();
  }
  if (waits) waitpid(child, NULL, 0);
}

static void called_often(void) { sink++; }

static int run(char *word) {
  if (!strcmp(word, "reject")) return -1;
  if (!strcmp(word, "null")) crash(NULL);
  if (!strcmp(word, "deep")) crash_deeply(5);
  if (!strcmp(word, "abort")) abort();
  if (!strcmp(word, "assert")) assert(word == NULL);
  if (!strcmp(word, "divide")) sink = 1 / (sink - sink);
  if (!strcmp(word, "overflow")) sink = overflow(1);
  if (!strcmp(word, "exit0")) exit(0);
  if (!strcmp(word, "exit3")) exit(3);
  if (!strcmp(word, "_exit")) _exit(4);
  if (!strcmp(word, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(word, "stop")) raise(SIGSTOP);
  if (!strcmp(word, "hang")) for (;;) sink++;
  if (!strcmp(word, "deaf")) for (signal(SIGALRM, SIG_IGN), signal(SIGTERM, SIG_IGN);;) pause();
  if (!strcmp(word, "hoard")) while (leak(1 << 20)) sink++;
  if (!strcmp(word, "huge") && !leak(1ull << 46)) return -1;
  if (!strcmp(word, "leak")) leak(8 << 20);
  if (!strcmp(word, "close3")) closes(3), open("/dev/null", O_RDWR);
  if (!strcmp(word, "close")) closes(0);
  if (!strcmp(word, "fork")) forks(1);
  if (!strcmp(word, "linger")) forks(0);
  if (!strcmp(word, "both")) fork();
  if (!strcmp(word, "print")) prints(stdout, 1ll << 31), prints(stderr, 1 << 27);
  if (!strcmp(word, "often")) for (int i = 0; i < 512; i++) called_often();
  if (!strcmp(word, "write")) return open("file", O_CREAT | O_RDWR, 0666) < 0;
  if (!strcmp(word, "state")) return sink++ == 0 ? 0 : -1;
  return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  initialized = *argc == 1 && (*argv)[1] == NULL;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[100];
  if (!initialized || size >= sizeof text) return -1;
  memcpy(text, data, size);
  text[size] = 0;
  int result = 0;
  for (char *word = strtok(text, " "); word && !result; word = strtok(NULL, " ")) result = run(word);
  return result;
}
