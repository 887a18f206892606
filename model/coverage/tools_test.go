package coverage_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/coverage"
)

const (
	cProgram = `#include <stdio.h>

static int digit(int c) {
  return c >= '0' && c <= '9';
}

static void many(void) { puts("many"); }

int main(int argc, char **argv) {
  if (argc > 2) many();
  return !digit(argv[1][0]);
}
`
	pythonProgram = `import sys


def digit(c):
    return c.isdigit()


class Kv:
    def many(self):
        return "many"


if len(sys.argv) > 2:
    Kv().many()
digit(sys.argv[1])
`
	nodeProgram = `function digit(c) {
  return c >= '0' && c <= '9';
}

class Kv {
  many() { return 'many'; }
}

if (process.argv.length > 3) new Kv().many();
digit(process.argv[2]);
`
)

// TestTools reads what the installed tools write about two runs of a program.
func TestTools(t *testing.T) {
	const c = "kv.c#digit method 3-5\nkv.c#many method 7-7\nkv.c#main method 9-12\n1: digit*1 main*1\nmany: digit*1 main*1 many*1\n"
	for _, tc := range []struct {
		name, file, program string
		needs               string // shell command that succeeds where the tool is installed
		build, run          string // shell; $1 is the run, $2 its arguments
		want                string
	}{
		{"gcov", "kv.c", cProgram, "command -v gcc && command -v gcov", "gcc --coverage -o kv kv.c", `rm -f *.gcda; ./kv $2; gcov --json-format --stdout *.gcda >cov/$1.json`, c},
		{"gcov folders", "kv.c", cProgram, "command -v gcc && command -v gcov", "gcc --coverage -o kv kv.c", `rm -f *.gcda; ./kv $2; mkdir cov/$1; cd cov/$1; gcov --json-format ../../*.gcda`, c},
		{
			"llvm-cov", "kv.c", cProgram, "command -v llvm-cov-14 && command -v llvm-profdata-14 && echo 'int main(void) { return 0; }' | clang-14 -fprofile-instr-generate -x c -o /dev/null -", "clang-14 -fprofile-instr-generate -fcoverage-mapping -o kv kv.c",
			"LLVM_PROFILE_FILE=raw ./kv $2; llvm-profdata-14 merge -o prof raw; llvm-cov-14 export -instr-profile=prof ./kv >cov/$1.json", c,
		},
		{
			"coverage.py", "kv.py", pythonProgram, "python3 -c 'import coverage; assert coverage.version_info >= (7, 6)'", "true",
			"python3 -m coverage run kv.py $2; python3 -m coverage json -q -o cov/$1.json",
			"kv.py#digit method 5-5\nkv.py#Kv.many method 10-10\n1: digit*1\nmany: Kv.many*1 digit*1\n",
		},
		{
			"v8", "kv.js", nodeProgram, "node --version", "true", "NODE_V8_COVERAGE=cov/$1 node kv.js $2",
			"kv.js#digit method 1-3\nkv.js#many method 6-6\n1: digit*1\nmany: digit*1 many*1\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, tc.file), tc.program)
			if err := exec.CommandContext(t.Context(), "sh", "-c", tc.needs).Run(); err != nil {
				t.Skipf("the tool is not installed: %s: %v", tc.needs, err)
			}
			execute(t, dir, nil, "sh", "-c", tc.build+" && mkdir cov")
			for _, run := range []string{"1", "many"} {
				execute(t, dir, nil, "sh", "-c", tc.run, "sh", run, map[string]string{"1": "1", "many": "1 2"}[run])
			}
			r := &coverage.Reports{Root: dir}
			if err := r.Read(filepath.Join(dir, "cov"), coverage.Auto); err != nil {
				t.Fatal(err)
			}
			got := table(r)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(got, dir) {
				t.Errorf("files are not relative to the root: %s", got)
			}
		})
	}
}
