#include "calc.h"

struct variable { char name; long value; };

struct reader {
  const char *at, *end;
  struct variable variables[26];
  int count, failed;
};

static long sum(struct reader *r);

static char peek(const struct reader *r) { return r->at < r->end ? *r->at : 0; }

static int take(struct reader *r, char c) {
  if (peek(r) != c) return 0;
  r->at++;
  return 1;
}

static int is_name(char c) { return c >= 'a' && c <= 'z'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static struct variable *find(struct reader *r, char name) {
  for (int i = 0; i < r->count; i++)
    if (r->variables[i].name == name) return &r->variables[i];
  return NULL;
}

static long number(struct reader *r) {
  unsigned long n = 0;
  while (is_digit(peek(r))) n = 10 * n + (unsigned long)(*r->at++ - '0');
  return (long)n;
}

static long variable(struct reader *r) {
  struct variable *v = find(r, *r->at++);
  if (v) return v->value;
  r->failed = 1;
  return 0;
}

/* The bug: an unknown name is not noticed here. */
static long negated_variable(struct reader *r) { return (long)-(unsigned long)find(r, *r->at++)->value; }

static long factor(struct reader *r) {
  if (is_digit(peek(r))) return number(r);
  if (is_name(peek(r))) return variable(r);
  if (take(r, '-')) return is_name(peek(r)) ? negated_variable(r) : (long)-(unsigned long)factor(r);
  long n = 0;
  if (take(r, '(')) n = sum(r);
  if (!take(r, ')')) r->failed = 1;
  return n;
}

static long product(struct reader *r) {
  unsigned long n = (unsigned long)factor(r);
  while (!r->failed && take(r, '*')) n *= (unsigned long)factor(r);
  return (long)n;
}

static long sum(struct reader *r) {
  unsigned long n = (unsigned long)product(r);
  while (!r->failed && take(r, '+')) n += (unsigned long)product(r);
  return (long)n;
}

static void assign(struct reader *r, char name, long value) {
  struct variable *v = find(r, name);
  if (!v) v = &r->variables[r->count++];
  *v = (struct variable){name, value};
}

int calc(const char *text, size_t size, long *result) {
  struct reader r = {.at = text, .end = text + size};
  while (r.end - r.at > 1 && is_name(r.at[0]) && r.at[1] == '=' && !r.failed) {
    char name = *r.at;
    r.at += 2;
    assign(&r, name, sum(&r));
    if (!take(&r, ';')) r.failed = 1;
  }
  *result = sum(&r);
  return r.failed || r.at != r.end ? -1 : 0;
}
