package main

import (
	"fmt"
	"path/filepath"
)

// A target is a library in C, with a driver for it in the folder drivers.
type target struct {
	name    string
	grammar string
	sources string // pattern of the folder of its sources
	// build is a shell command as in OSS-Fuzz, which also finds DRIVER, the driver, and
	// LIB, the folder of sources.
	build string
}

// targets returns the libraries that are fuzzed.
func targets() []target {
	return []target{
		{
			name: "cjson", grammar: "json", sources: "[cC]*[jJ][sS][oO][nN]-1*",
			build: `$CC $CFLAGS -I $LIB $DRIVER $LIB/cJSON.c $LIB_FUZZING_ENGINE -o $OUT/cjson`,
		},
		{
			name: "expat", grammar: "xml", sources: "*expat-*",
			build: `mkdir -p $WORK && : >$WORK/expat_config.h && if [ -d $LIB/expat ]; then LIB=$LIB/expat; fi &&
$CC $CFLAGS -I $LIB/lib -I $WORK -DXML_POOR_ENTROPY -DXML_CONTEXT_BYTES=1024 -DXML_DTD -DXML_NS $DRIVER $LIB/lib/xmlparse.c $LIB/lib/xmltok.c $LIB/lib/xmlrole.c $LIB_FUZZING_ENGINE -o $OUT/expat`,
		},
		{
			name: "mujs", grammar: "javascript", sources: "mujs-*",
			build: `$CC $CFLAGS -I $LIB $DRIVER $LIB/one.c -lm $LIB_FUZZING_ENGINE -o $OUT/mujs`,
		},
	}
}

// folder returns the folder of the target's sources in dir.
func (t target) folder(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, t.sources))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("-sources %s: %d folders of %s (%s): must be 1", dir, len(found), t.name, t.sources)
	}
	return found[0], nil
}
