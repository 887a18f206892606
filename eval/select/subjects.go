package main

func subjects() []subject {
	return []subject{
		{"fastjson", "json", goLibrary{
			"github.com/valyala/fastjson", "v1.6.4", `lib "github.com/valyala/fastjson"`,
			`v, err := lib.ParseBytes(input)
	if err != nil {
		return "", err
	}
	return string(v.MarshalTo(nil)), nil`,
		}},
		{"jsoniter", "json", goLibrary{
			"github.com/json-iterator/go", "v1.1.12", `lib "github.com/json-iterator/go"`,
			`var v interface{} // the module is older than any
	if err := lib.ConfigCompatibleWithStandardLibrary.Unmarshal(input, &v); err != nil {
		return "", err
	}
	out, err := lib.ConfigCompatibleWithStandardLibrary.Marshal(v)
	return string(out), err`,
		}},
		{"ini", "ini", goLibrary{
			"gopkg.in/ini.v1", "v1.67.0", `lib "gopkg.in/ini.v1"; "bytes"`,
			`file, err := lib.LoadSources(lib.LoadOptions{AllowBooleanKeys: true}, input)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	for _, s := range file.Sections() {
		for _, k := range s.Keys() {
			fmt.Fprintf(&out, "%s %s %s %v\n", s.Name(), k.Name(), k.Value(), k.MustInt())
		}
	}
	_, err = file.WriteTo(&out)
	return out.String(), err`,
		}},
		{"whatwg-url", "url", goLibrary{
			"github.com/nlnwa/whatwg-url", "v0.6.2", `lib "github.com/nlnwa/whatwg-url/url"`,
			`u, err := lib.ParseRef("http://name@example.com:81/a/b?c#d", string(input))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%q %q %q %q %v %v", u.Href(false), u.Host(), u.Pathname(), u.SearchParams().String(), u.IsIPv4(), u.IsIPv6()), nil`,
		}},
		{"properties", "ini", goLibrary{
			"github.com/magiconair/properties", "v1.8.7", `lib "github.com/magiconair/properties"; "bytes"`,
			`p, err := lib.Load(input, lib.UTF8)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	for _, k := range p.Keys() {
		fmt.Fprintln(&out, k, p.GetString(k, ""), p.GetInt(k, -1), p.GetBool(k, false))
	}
	_, err = p.WriteComment(&out, "# ", lib.ISO_8859_1)
	return out.String(), err`,
		}},
		{"parse/css", "css", goLibrary{
			"github.com/tdewolff/parse/v2", "v2.7.15", `lib "github.com/tdewolff/parse/v2"; "github.com/tdewolff/parse/v2/css"; "bytes"; "io"`,
			`p := css.NewParser(lib.NewInputBytes(append([]byte(nil), input...)), false)
	var out bytes.Buffer
	for {
		kind, token, text := p.Next()
		if kind == css.ErrorGrammar && !p.HasParseError() {
			break
		}
		fmt.Fprintln(&out, kind, token, string(text), p.Values())
	}
	if err := p.Err(); err != io.EOF {
		return out.String(), err
	}
	return out.String(), nil`,
		}},
		{"minimal-json", "json", javaLibrary{
			"com.eclipsesource.minimal-json:minimal-json:0.9.5", "com.eclipsesource.json", "com.eclipsesource.json.*",
			`JsonValue value = Json.parse(input);
        return value + " " + value.toString(WriterConfig.PRETTY_PRINT);`,
		}},
		{"commons-csv", "csv", javaLibrary{
			"org.apache.commons:commons-csv:1.10.0", "org.apache.commons.csv", "org.apache.commons.csv.*",
			`StringBuilder out = new StringBuilder();
        try (CSVParser parser = CSVParser.parse(input, CSVFormat.DEFAULT); CSVPrinter printer = new CSVPrinter(out, CSVFormat.EXCEL)) {
            for (CSVRecord record : parser) {
                out.append(record.getRecordNumber()).append(' ').append(record.getCharacterPosition()).append(' ');
                printer.printRecord(record);
            }
        }
        return out.toString();`,
		}},
		{"ini4j", "ini", javaLibrary{
			"org.ini4j:ini4j:0.5.4", "org.ini4j", "org.ini4j.*",
			`Ini ini = new Ini(new java.io.StringReader(input));
        java.io.StringWriter out = new java.io.StringWriter();
        ini.store(out);
        for (Profile.Section section : ini.values()) {
            for (String key : section.keySet()) {
                out.append(section.getName()).append(' ').append(key).append(' ').append(section.fetch(key)).append('\n');
            }
        }
        return out.toString();`,
		}},
	}
}
