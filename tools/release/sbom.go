package main

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// noticeLine matches a line of NOTICE: module, version and SPDX expression.
var noticeLine = regexp.MustCompile(`(?m)^  (\S+ v\S+) (\S+(?: AND \S+)*)$`)

// sbom returns the modules that a binary contains as CycloneDX JSON. They come from
// the build information that Go puts into the binary, their licences from NOTICE.
// There is no serial number, and the time is the commit's: the same binary has the
// same SBOM.
func sbom(info *debug.BuildInfo, notice []byte) ([]byte, error) {
	licences := map[string]string{}
	for _, m := range noticeLine.FindAllSubmatch(notice, -1) {
		licences[string(m[1])] = string(m[2])
	}
	program := component(cdx.ComponentTypeApplication, info.Main.Path, info.Main.Version, "Apache-2.0")
	settings := []cdx.Property{{Name: "go:version", Value: info.GoVersion}}
	for _, s := range info.Settings {
		settings = append(settings, cdx.Property{Name: "go:" + s.Key, Value: s.Value})
	}
	program.Properties = &settings

	library := component(cdx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"), "BSD-3-Clause")
	components := []cdx.Component{library}
	for _, module := range info.Deps {
		if module.Replace != nil {
			return nil, fmt.Errorf("module %s is replaced by %s: a release has no replaced modules", module.Path, module.Replace.Path)
		}
		licence, ok := licences[module.Path+" "+module.Version]
		if !ok {
			return nil, fmt.Errorf("module %s %s: NOTICE does not list its licence", module.Path, module.Version)
		}
		c := component(cdx.ComponentTypeLibrary, module.Path, module.Version, licence)
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: module.Sum}}
		components = append(components, c)
	}

	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: setting(info, "vcs.time"), Component: &program}
	bom.Components = &components
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// component describes a module.
func component(kind cdx.ComponentType, path, version, licence string) cdx.Component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cdx.Component{
		BOMRef: purl, Type: kind, Name: path, Version: version, PackageURL: purl,
		Licenses: &cdx.Licenses{{Expression: licence}},
	}
}
