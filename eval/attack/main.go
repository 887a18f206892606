// Command attack measures how much a client with a key can harm the service for others.
//
// For each attack it starts a new service on a loopback address, with keys, the
// demo model and a temporary store. An attacker with one key attacks it for some
// seconds, while a client with another key requests 50 plain predictions per
// second. Then the attacker leaves. A row of the printed table has
//
//   - the peak memory of the service (resident, with the mapped store),
//   - the latency of the plain predictions from the moment they were due, where a
//     failed prediction counts as the longest possible,
//   - the statuses that the attacker got, "closed" for a connection that the service
//     closed, "held" for one that it kept until the end, and "left" for a request
//     that had no answer when the attacker left,
//   - how long the service was busy after the attacker had left, and the processor
//     time that this took.
//
// A service survives an attack if its memory stays under 1 GiB and p99 under 50 ms.
// The exit status is 1 unless it survives all attacks. The attacker is a process of its own, so that its
// work does not delay the plain predictions. A service that takes more than
// -max-memory is killed.
//
// Run it in the root of its module. It needs Go and Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

type options struct {
	binary    string
	only      string
	seconds   int
	maxMemory int64
	list      bool
	verbose   bool
	attack    string // set in the process of the attacker: the attack,
	address   string // and the address of the service
	stdout    io.Writer
}

func main() {
	opt := options{stdout: os.Stdout}
	flag.StringVar(&opt.binary, "binary", "", "attack the inroad binary in this `FILE`; built from source if empty")
	flag.StringVar(&opt.only, "only", "", "run only the attacks whose name matches this `REGEXP`")
	flag.IntVar(&opt.seconds, "seconds", 8, "duration of each attack in seconds")
	flag.Int64Var(&opt.maxMemory, "max-memory", 8192, "kill a service that takes more memory than this, in `MiB`")
	flag.BoolVar(&opt.list, "list", false, "list the attacks")
	flag.BoolVar(&opt.verbose, "v", false, "print the first answer of each status from each endpoint")
	flag.StringVar(&opt.attack, "attack", "", "run as the attacker of this attack; only the command itself sets this flag")
	flag.StringVar(&opt.address, "address", "", "`ADDRESS` of the service to attack, with -attack")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := opt.run(ctx)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// Limits that a service must stay below to survive an attack.
const (
	memoryGoal  = 1 << 30
	latencyGoal = 50 * time.Millisecond
)

var errNotSurvived = errors.New("the service did not survive all attacks")

func (opt options) run(ctx context.Context) (err error) {
	if opt.seconds < 1 || opt.seconds > 600 {
		return fmt.Errorf("-seconds %d: must be between 1 and 600", opt.seconds)
	}
	if opt.attack != "" {
		return opt.beAttacker(ctx, os.Stdin)
	}
	only, err := regexp.Compile(opt.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	chosen := slices.DeleteFunc(attacks(), func(a attack) bool { return !only.MatchString(a.name) })
	if len(chosen) == 0 {
		return fmt.Errorf("-only %s: must match a name that -list prints", opt.only)
	}
	out := tabwriter.NewWriter(opt.stdout, 0, 0, 1, ' ', 0)
	if opt.list {
		for _, a := range chosen {
			fmt.Fprintf(out, "%s\t%s\n", a.name, a.about)
		}
		return out.Flush()
	}
	dir, err := os.MkdirTemp("", "inroad-attack-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if opt.binary == "" {
		if opt.binary, err = build(ctx, dir); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "| attack\t| memory\t| p50\t| p99\t| failed\t| attacker got\t| busy afterwards\t| verdict\t|")
	fmt.Fprintln(out, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	survived, load := true, loadAverage()
	for _, a := range chosen {
		r, err := opt.measure(ctx, a, filepath.Join(dir, a.name))
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		survived = survived && r.verdict() == "survived"
		r.print(out, a.name)
		if err := out.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintf(opt.stdout, "\n%d processors; load average %s at the beginning, %s at the end\n", runtime.NumCPU(), load, loadAverage())
	if !survived {
		return errNotSurvived
	}
	return nil
}

// loadAverage returns the load average of the machine in the last minute. On a busy
// machine, latencies say little about the service.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	average, _, _ := strings.Cut(string(text), " ")
	return average
}

// A result is one row of the table.
type result struct {
	memory     int64
	died       string // how the service ended, if it did
	plain      *plainResult
	got        string
	busy, work time.Duration // after the attacker left: until the service was idle, and its processor time
}

func (r *result) verdict() string {
	var broken []string
	if r.died != "" {
		broken = append(broken, r.died)
	}
	if r.memory >= memoryGoal {
		broken = append(broken, "memory")
	}
	if r.plain.percentile(99) >= latencyGoal {
		broken = append(broken, "p99")
	}
	if len(broken) == 0 {
		return "survived"
	}
	return strings.Join(broken, ", ")
}

func (r *result) print(out io.Writer, name string) {
	busy := fmt.Sprintf("%.1f s (%.1f s)", r.busy.Seconds(), r.work.Seconds())
	if r.busy >= maxBusy {
		busy = "over " + busy
	}
	fmt.Fprintf(out, "| %s\t| %d MB\t| %s\t| %s\t| %d of %d\t| %s\t| %s\t| %s\t|\n",
		name, r.memory>>20, milliseconds(r.plain.percentile(50)), milliseconds(r.plain.percentile(99)), r.plain.failed, len(r.plain.took), r.got, busy, r.verdict())
	if r.plain.first != nil {
		fmt.Fprintf(os.Stderr, "attack: %s: first failed prediction: %v\n", name, r.plain.first)
	}
}

func milliseconds(d time.Duration) string {
	if d >= patience {
		return fmt.Sprintf("over %d ms", patience.Milliseconds())
	}
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// measure starts a service with its store in a new folder, and has it attacked.
func (opt options) measure(ctx context.Context, a attack, dir string) (_ *result, err error) {
	s, err := start(ctx, opt.binary, dir, opt.maxMemory<<20)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	r := &result{}
	plainCtx, endPlain := context.WithCancel(ctx)
	plain := make(chan *plainResult, 1)
	go func() { plain <- requestPlain(plainCtx, s.address, s.plainKey) }()
	r.got, err = opt.startAttacker(ctx, a, s)
	endPlain()
	r.plain = <-plain
	if err != nil {
		return nil, err
	}
	r.busy, r.work = s.waitIdle(ctx)
	r.memory, r.died = s.peak.Load(), s.died()
	if r.died != "" {
		fmt.Fprintf(os.Stderr, "attack: %s: the service ended: %s\n%s\n", a.name, r.died, s.lastLog())
	}
	return r, ctx.Err()
}

// startAttacker runs an attack in a process of its own, and returns the counts of its
// answers.
func (opt options) startAttacker(ctx context.Context, a attack, s *service) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, self, "-attack", a.name, "-address", s.address, "-seconds", fmt.Sprint(opt.seconds), fmt.Sprintf("-v=%t", opt.verbose))
	cmd.Stdin = strings.NewReader(s.attackerKey)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	return strings.TrimSpace(string(text)), err
}
