package source

import (
	"strings"
)

// CallsNoOthers reports whether a class or interface of the standard library is known to
// call only those methods of its subclasses that [IsImplicit] knows.
func CallsNoOthers(class string) bool {
	switch class {
	case "Iterable", "Iterator", "Serializable", "Comparable", "Cloneable", "Closeable", "AutoCloseable", "CharSequence", "Enum", "IntEnum", "StrEnum",
		"Flag", "IntFlag", "ABC", "Generic", "Protocol", "NamedTuple", "TypedDict", "dict", "list", "str", "int", "float", "tuple", "set":
		return true
	}
	return strings.HasSuffix(class, "Error") || strings.HasSuffix(class, "Exception") || strings.HasSuffix(class, "Warning")
}

// IsImplicit reports whether methods of a name are called without a mention of the name: by
// the standard library, an operator or the end of a scope.
func IsImplicit(language, name string) bool {
	switch language {
	case "go":
		switch name {
		case "String", "GoString", "Error", "Format", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText",
			"MarshalXML", "UnmarshalXML", "MarshalBinary", "UnmarshalBinary", "Len", "Less", "Swap", "Read", "Write", "WriteTo", "ReadFrom":
			return true
		}
	case "java":
		switch name {
		case "equals", "hashCode", "toString", "compareTo", "close", "iterator", "clone", "readObject", "writeObject":
			return true
		}
	case "javascript":
		return name == "toString" || name == "toJSON" || name == "valueOf" || name == "constructor"
	case "python":
		return strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
	case "rust":
		switch name {
		case "drop", "fmt", "eq", "ne", "cmp", "partial_cmp", "hash", "deref", "deref_mut", "index", "from", "into", "try_from", "next", "clone",
			"default", "add", "sub", "mul", "div", "neg", "not", "from_str", "as_ref", "borrow":
			return true
		}
	case "c":
		return strings.HasPrefix(name, "operator") || strings.HasPrefix(name, "~")
	}
	return false
}

// IsPredeclared reports whether a name is a keyword of a language, or a name that programs
// mention everywhere without declaring it, such as a number type.
func IsPredeclared(language, name string) bool {
	if isCommon(name) {
		return true
	}
	switch language {
	case "go":
		return isGoName(name)
	case "java":
		return isJavaName(name)
	case "c":
		return isCName(name)
	case "javascript":
		return isJavaScriptName(name)
	case "python":
		return isPythonName(name)
	case "rust":
		return isRustName(name)
	}
	return false
}

// isCommon reports whether most languages have a keyword or type of the name.
func isCommon(name string) bool {
	switch name {
	case "break", "case", "const", "continue", "default", "do", "else", "enum", "false", "for", "if", "return", "static", "struct", "switch",
		"true", "while", "int", "char", "float", "double", "long", "short", "void", "bool", "null", "this", "self", "import", "public",
		"private", "protected", "class", "new", "try", "catch", "throw", "throws", "finally", "final", "interface":
		return true
	}
	return false
}

func isGoName(name string) bool {
	switch name {
	case "any", "byte", "chan", "comparable", "complex128", "complex64", "defer", "error", "fallthrough", "float32", "float64", "func", "go",
		"goto", "int16", "int32", "int64", "int8", "interface", "iota", "len", "make", "map", "nil", "package", "range", "rune", "select",
		"string", "type", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr", "var", "append", "cap", "copy", "panic", "_":
		return true
	}
	return false
}

func isJavaName(name string) bool {
	switch name {
	case "String", "Object", "Integer", "Long", "Boolean", "Character", "List", "Map", "Set", "extends", "implements", "abstract", "boolean",
		"byte", "instanceof", "super", "synchronized", "transient", "volatile", "Override", "package", "var", "record", "native":
		return true
	}
	return false
}

func isCName(name string) bool {
	switch name {
	case "unsigned", "signed", "size_t", "extern", "inline", "sizeof", "typedef", "union", "volatile", "uint8_t", "uint16_t", "uint32_t",
		"uint64_t", "int8_t", "int16_t", "int32_t", "int64_t", "NULL", "nullptr", "auto", "template", "typename", "namespace", "using", "std",
		"string", "virtual", "override", "operator", "register", "define", "include", "ifdef", "ifndef", "endif", "elif", "defined":
		return true
	}
	return false
}

func isJavaScriptName(name string) bool {
	switch name {
	case "async", "await", "delete", "export", "exports", "extends", "from", "function", "in", "instanceof", "let", "module", "of", "require",
		"super", "typeof", "undefined", "var", "yield", "Object", "Array", "String", "Number", "Boolean", "prototype", "any", "string", "number",
		"boolean", "type", "Error", "Math", "JSON":
		return true
	}
	return false
}

func isPythonName(name string) bool {
	switch name {
	case "and", "as", "assert", "async", "await", "cls", "def", "del", "elif", "except", "False", "from", "global", "in", "is", "lambda", "None",
		"nonlocal", "not", "or", "pass", "raise", "True", "with", "yield", "str", "bytes", "dict", "list", "object", "set", "tuple", "len",
		"range", "type", "isinstance", "super", "property", "staticmethod", "classmethod", "__all__":
		return true
	}
	return false
}

func isRustName(name string) bool {
	switch name {
	case "as", "async", "await", "crate", "dyn", "extern", "fn", "i128", "i16", "i32", "i64", "i8", "impl", "in", "isize", "let", "loop", "match",
		"mod", "move", "mut", "pub", "ref", "Self", "str", "String", "super", "trait", "type", "u128", "u16", "u32", "u64", "u8", "unsafe",
		"use", "usize", "where", "Vec", "Option", "Some", "None", "Result", "Ok", "Err", "Box", "derive", "f32", "f64":
		return true
	}
	return false
}
