package main

import (
	"runtime"
	"strings"

	"github.com/inroad/inroad/eval/internal/subject"
)

// A program is a program of a published table.
type program struct {
	subject.Subject

	seedGrammar string // of chapter 5, in the folder of -grammars; empty if the program is not in it
	chapter3    string // grammar of chapter 3, in the folder of -grammars
	missing     string // why the program cannot be had
}

// jackson returns the jars of jackson-databind.
func jackson(version, core string) []string {
	return []string{
		"com.fasterxml.jackson.core:jackson-databind:" + version, "com.fasterxml.jackson.core:jackson-core:" + core,
		"com.fasterxml.jackson.core:jackson-annotations:" + core,
	}
}

// programs returns the programs of the published tables, in the versions of the
// replication package as far as it names them.
func programs() []program {
	java := func(name, grammar, class, packages, jar string, libraries ...string) program {
		p := program{Subject: subject.Subject{
			Name: name, Grammar: grammar, Target: class + "#run", Cover: packages, Jar: jar, Driver: "seeds/java/" + class + ".java", Libraries: libraries,
		}}
		p.chapter3 = map[string]string{"json": "JSON", "csv": "CSV", "url": "url", "markdown": "Markdown"}[grammar]
		return p
	}
	learned := func(grammar string, p program) program {
		p.seedGrammar = grammar
		return p
	}
	rhino := program{seedGrammar: "javascript", Subject: subject.Subject{
		Name: "rhino", Grammar: "javascript", Target: "Rhino#run", Cover: "org.mozilla.javascript", Jar: "org.mozilla:rhino:1.7.13", Driver: "observe/java/Rhino.java",
	}}
	jurl := program{seedGrammar: "url-w3c", chapter3: "url", Subject: subject.Subject{Name: "jurl", Grammar: "url"}, missing: "version 0.4.2 is not in Maven Central"}
	return []program{
		learned("json-org", java("argo", "json", "Argo", "argo", "net.sourceforge.argo:argo:5.16")),
		learned("json-org", java("fastjson", "json", "Fastjson", "com.alibaba.fastjson", "com.alibaba:fastjson:1.2.76")),
		learned("json-org", java("genson", "json", "GensonBind", "com.owlike.genson", "com.owlike:genson:1.6")),
		learned("json-org", java("gson", "json", "GsonAll", "com.google.gson", "com.google.code.gson:gson:2.8.6")),
		learned("json-org", java("json-flattener", "json", "Flattener", "com.github.wnameless.json", "com.github.wnameless.json:json-flattener:0.12.0",
			append(jackson("2.12.0", "2.12.0"), "com.github.wnameless.json:json-base:2.0.0", "org.apache.commons:commons-text:1.9", "org.apache.commons:commons-lang3:3.11")...)),
		learned("json-org", java("json-java", "json", "JsonJava", "org.json", "org.json:json:20210307")),
		learned("json-org", java("json-simple", "json", "JsonSimple", "org.json.simple", "com.googlecode.json-simple:json-simple:1.1.1")),
		learned("json-org", java("json-cliftonlabs", "json", "Cliftonlabs", "com.github.cliftonlabs.json_simple", "com.github.cliftonlabs:json-simple:3.1.1")),
		learned("json-org", java("minimal-json", "json", "MinimalJson", "com.eclipsesource.json", "com.eclipsesource.minimal-json:minimal-json:0.9.5")),
		learned("json-org", java("pojo", "json", "Pojo", "org.jsonschema2pojo", "org.jsonschema2pojo:jsonschema2pojo-core:1.1.0",
			append(jackson("2.9.10.7", "2.9.10"), "com.fasterxml.jackson.dataformat:jackson-dataformat-yaml:2.9.10", "org.yaml:snakeyaml:1.23", "com.sun.codemodel:codemodel:2.6",
				"commons-io:commons-io:2.4", "commons-lang:commons-lang:2.6", "org.apache.commons:commons-lang3:3.11", "joda-time:joda-time:2.2", "com.google.code.gson:gson:2.5",
				"javax.validation:validation-api:1.0.0.GA", "com.google.code.javaparser:javaparser:1.0.10", "com.google.code.findbugs:annotations:1.3.9")...)),
		java("jackson-databind", "json", "Databind", "com.fasterxml.jackson", jackson("2.12.2", "2.12.2")[0], jackson("2.12.2", "2.12.2")[1:]...),
		java("commons-csv", "csv", "CommonsCsv", "org.apache.commons.csv", "org.apache.commons:commons-csv:1.8"),
		java("jackson-csv", "csv", "JacksonCsv", "com.fasterxml.jackson.dataformat", "com.fasterxml.jackson.dataformat:jackson-dataformat-csv:2.12.2", jackson("2.12.2", "2.12.2")...),
		java("jcsv", "csv", "Jcsv", "com.googlecode.jcsv", "com.googlecode.jcsv:jcsv:1.4.0"),
		java("sfm-csv", "csv", "SfmCsv", "org.simpleflatmapper.csv org.simpleflatmapper.lightningcsv", "org.simpleflatmapper:sfm-csv:8.2.3", "org.simpleflatmapper:sfm-util:8.2.3", "org.simpleflatmapper:sfm-map:8.2.3",
			"org.simpleflatmapper:sfm-converter:8.2.3", "org.simpleflatmapper:sfm-tuples:8.2.3", "org.simpleflatmapper:lightning-csv:8.2.3", "org.simpleflatmapper:ow2-asm:6.2", "org.simpleflatmapper:sfm-reflect:8.2.3"),
		java("simplecsv", "csv", "SimpleCsv", "net.quux00.simplecsv", "net.quux00.simplecsv:simplecsv:2.1"),
		java("super-csv", "csv", "SuperCsv", "org.supercsv", "net.sf.supercsv:super-csv:2.4.0"),
		learned("url-w3c", java("autolink", "url", "Autolink", "org.nibor.autolink", "org.nibor.autolink:autolink:0.10.0")),
		java("galimatias", "url", "Galimatias", "io.mola.galimatias", "io.mola.galimatias:galimatias:0.2.1", "com.ibm.icu:icu4j:53.1"),
		jurl,
		learned("url-w3c", java("url-detector", "url", "UrlDetect", "com.linkedin.urls.detection", "com.linkedin.urls:url-detector:0.1.17", "org.apache.commons:commons-lang3:3.3.1")),
		rhino,
		java("commonmark", "markdown", "Commonmark", "org.commonmark", "com.atlassian.commonmark:commonmark:0.17.0"),
		java("markdown4j", "markdown", "Markdown4j", "org.markdown4j", "org.commonjava.googlecode.markdown4j:markdown4j:2.2-cj-1.1"),
		java("txtmark", "markdown", "Txtmark", "com.github.rjeschke.txtmark", "com.github.rjeschke:txtmark:0.13"),
	}
}

// smokePrograms returns two programs that need neither a JDK nor a Maven repository.
func smokePrograms() []program {
	return []program{
		{seedGrammar: "json", chapter3: "json", Subject: subject.Subject{Name: "encoding-json", Grammar: "json", Target: "std.EncodingJSON", Cover: "encoding/json"}},
		{seedGrammar: "url", chapter3: "url", Subject: subject.Subject{Name: "net-url", Grammar: "url", Target: "std.NetURL", Cover: "net/url"}},
	}
}

// version returns the name and the version of the program.
func (p program) version() string {
	if p.Jar == "" {
		return p.Name + " of " + runtime.Version()
	}
	return p.Name + " " + p.Jar[strings.LastIndexByte(p.Jar, ':')+1:]
}
