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
	}
}
