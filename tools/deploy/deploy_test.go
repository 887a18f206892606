package deploy

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

const folder = "../../deploy"

// decode decodes a document. A field that the type does not have, or has with another type,
// is an error.
func decode[T any](t *testing.T, document []byte) T {
	t.Helper()
	var out T
	if err := yaml.UnmarshalStrict(document, &out); err != nil {
		t.Fatalf("%v in\n%s", err, document)
	}
	return out
}

// The manifest has only fields that Kubernetes knows, and its objects fit each other.
func TestKubernetes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder, "kubernetes/inroad.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var secret corev1.Secret
	var service corev1.Service
	var budget policyv1.PodDisruptionBudget
	deployments := map[string]appsv1.Deployment{}
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var kind struct{ Kind, APIVersion string }
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		switch kind.APIVersion + " " + kind.Kind {
		case "v1 Secret":
			secret = decode[corev1.Secret](t, document)
		case "v1 Service":
			service = decode[corev1.Service](t, document)
		case "policy/v1 PodDisruptionBudget":
			budget = decode[policyv1.PodDisruptionBudget](t, document)
		case "apps/v1 Deployment":
			d := decode[appsv1.Deployment](t, document)
			deployments[d.Name] = d
		default:
			t.Errorf("unexpected %+v", kind)
		}
	}
	if len(deployments) != 2 {
		t.Fatalf("deployments: %v", deployments)
	}
	for name, d := range deployments {
		pod := d.Spec.Template
		if !maps.Equal(d.Spec.Selector.MatchLabels, pod.Labels) {
			t.Errorf("%s selects %v, but its pods have %v", name, d.Spec.Selector.MatchLabels, pod.Labels)
		}
		c := pod.Spec.Containers[0]
		checkArguments(t, name, c.Args)
		for _, e := range c.Env {
			if ref := e.ValueFrom.SecretKeyRef; ref.Name != secret.Name || secret.StringData[ref.Key] == "" {
				t.Errorf("%s: %s is in no secret", name, e.Name)
			}
		}
		for _, probe := range []*corev1.Probe{c.ReadinessProbe, c.LivenessProbe} {
			if probe.HTTPGet.Port.String() != c.Ports[0].Name {
				t.Errorf("%s: probe of port %s, but it has %s", name, probe.HTTPGet.Port.String(), c.Ports[0].Name)
			}
		}
		for _, m := range c.VolumeMounts {
			if pod.Spec.Volumes[0].Name != m.Name {
				t.Errorf("%s mounts %s, which is no volume", name, m.Name)
			}
		}
		if memory := c.Resources.Limits.Memory().Value(); memory < c.Resources.Requests.Memory().Value() {
			t.Errorf("%s: a limit of %d bytes below the request", name, memory)
		}
	}
	api := deployments["inroad-api"].Spec
	if *api.Replicas != 2 || !maps.Equal(service.Spec.Selector, api.Template.Labels) || !maps.Equal(budget.Spec.Selector.MatchLabels, api.Template.Labels) {
		t.Errorf("the service selects %v and the budget %v, the pods have %v", service.Spec.Selector, budget.Spec.Selector.MatchLabels, api.Template.Labels)
	}
	if service.Spec.Ports[0].TargetPort.String() != api.Template.Spec.Containers[0].Ports[0].Name {
		t.Errorf("the service leads to port %s", service.Spec.Ports[0].TargetPort.String())
	}
}

// The units are valid, and start the command with flags that it has.
func TestSystemd(t *testing.T) {
	units, err := filepath.Glob(filepath.Join(folder, "systemd/*.service"))
	if err != nil || len(units) != 3 {
		t.Fatalf("units: %v, %v", units, err)
	}
	dir := t.TempDir()
	start := regexp.MustCompile(`(?m)^ExecStart=(.*)$`)
	for _, path := range units {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := start.FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s has no ExecStart", path)
		}
		words := strings.Fields(string(found[1]))
		if words[0] != "/usr/local/bin/inroad" {
			t.Errorf("%s starts %s", path, words[0])
		}
		checkArguments(t, path, words[1:])
		text = bytes.ReplaceAll(text, []byte("/usr/local/bin/inroad"), []byte("/bin/true")) // which exists
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("units not verified: systemd-analyze is not installed")
	}
	verify := exec.CommandContext(t.Context(), analyze, append([]string{"verify", "--man=no"}, globbed(t, dir)...)...)
	if text, err := verify.CombinedOutput(); err != nil || len(bytes.TrimSpace(text)) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, text)
	}
}

func globbed(t *testing.T, dir string) []string {
	t.Helper()
	out, err := filepath.Glob(filepath.Join(dir, "*.service"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkArguments checks that the command serve has the flags that a file gives to it.
func checkArguments(t *testing.T, name string, args []string) {
	t.Helper()
	help := exec.CommandContext(t.Context(), "go", "run", "./cmd/inroad", "serve", "--help")
	help.Dir = "../.."
	text, err := help.Output()
	if err != nil {
		t.Fatal(err)
	}
	if args[0] != "serve" {
		t.Errorf("%s: command %s", name, args[0])
	}
	for _, arg := range args[1:] {
		if strings.HasPrefix(arg, "--") && !bytes.Contains(text, []byte(" "+arg+" ")) {
			t.Errorf("%s: serve has no flag %s", name, arg)
		}
	}
}
