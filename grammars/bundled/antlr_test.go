package bundled_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/bundled"
)

var antlrFlag = flag.String("antlr", "", "the jar `file` of the ANTLR tool; default: the command antlr4, or a jar in the CLASSPATH or /usr/local/lib")

// antlrTool returns the command of the ANTLR tool.
func antlrTool(t *testing.T) []string {
	t.Helper()
	if path, err := exec.LookPath("antlr4"); *antlrFlag == "" && err == nil {
		return []string{path}
	}
	jar := *antlrFlag
	places := filepath.SplitList(os.Getenv("CLASSPATH")) //nolint:forbidigo // a test looks for a tool
	installed, err := filepath.Glob("/usr/local/lib/antlr-4*-complete.jar")
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range append(places, installed...) {
		if name := filepath.Base(place); jar == "" && strings.HasPrefix(name, "antlr") && strings.HasSuffix(name, "complete.jar") {
			jar = place
		}
	}
	if jar == "" {
		t.Skip("there is no ANTLR tool: no command antlr4, and no jar given by -antlr, in the CLASSPATH or in /usr/local/lib")
	}
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("there is no java to run the ANTLR tool with")
	}
	return []string{java, "-cp", jar, "org.antlr.v4.Tool"}
}

// TestANTLRAccepts checks that the ANTLR tool reads the bundled grammars without errors.
func TestANTLRAccepts(t *testing.T) {
	tool := antlrTool(t)
	for _, name := range bundled.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources, err := bundled.Sources(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			args := append([]string{}, tool[1:]...)
			for _, source := range sources {
				if err := os.WriteFile(filepath.Join(dir, source.Name), []byte(source.Text), 0o600); err != nil {
					t.Fatal(err)
				}
				args = append(args, source.Name)
			}
			cmd := exec.CommandContext(t.Context(), tool[0], args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "error(") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
