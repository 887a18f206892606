package source_test

import (
	"slices"
	"testing"
)

func TestJava(t *testing.T) {
	testOutlines(t, "p/C.java", []outlineCase{
		{"members", `package a.b;

import java.util.*;
import static x.Y.z;

/** Doc. */
@Deprecated
public final class C<T extends Comparable<T>> extends D implements E, F {
	private static final int[] TABLE = {
		1, 2,
	};
	int a = 1, b[], c = f(1, 2);
	Map<String, List<Integer>> map = new HashMap<String, List<Integer>>();

	static {
		init();
	}

	{ a = 2; }

	public C(final int x, String... names) throws IOException {
		this.a = x;
	}

	@Override @SuppressWarnings({"a", "b"})
	public <K, V> Map<K, V> f(Map<K, V> m, int[] a, java.util.List<String> l) {
		return new HashMap<K, V>() {
			public int size() { return 0; }
		};
	}

	abstract int g();

	class Inner {
		void h() {}
	}
}
`, `
1-1 statement <file>
3-3 import import java.util.*
4-4 import import x.Y.z
7-37 type C
9-11 value C.TABLE of C
12-12 value C.a [a b c] of C
13-13 value C.map of C
15-17 statement C.<clinit> of C
19-19 statement C.<init> of C
21-23 function C.C(int,String...) of C
25-30 function C.f(Map,int[],List) of C
32-32 function C.g() of C
34-36 type C.Inner of C
35-35 function C.Inner.h() of Inner
`},
		{"enum", `enum Op implements X {
	@A ADD("+") {
		int apply(int a) { return a; }
	},
	SUB, MUL(2),
	;
	final String s;
	Op() { this(""); }
}
`, `
1-9 type Op
2-4 value Op.ADD of Op
3-3 function Op.ADD.apply(int) of Op
5-5 value Op.SUB of Op
5-5 value Op.MUL of Op
7-7 value Op.s of Op
8-8 function Op.Op() of Op
`},
		{"records, interfaces and annotations", `public record Point<T>(int x, @A T y) implements I {
	static int n;
	public Point {
		check(x);
	}
}
sealed interface I permits Point {
	int K = 3;
	default int f() { return K; }
	record Empty() {}
}
@interface A {
	String[] value() default {"a"};
	int n() default 1;
}
`, `
1-6 type Point
2-2 value Point.n of Point
3-5 function Point.Point of Point
7-11 type I
8-8 value I.K of I
9-9 function I.f() of I
10-10 type I.Empty of I
12-15 type A
13-13 function A.value() of A
14-14 function A.n() of A
`},
		{"literals", `class C {
	String s = """
		{ "quoted \""" { """;
	char c = '"', d = '\'', e = '{';
	/* { */ int f() { return "}".length(); } // }
	int g() { return a < b ? 1 : c > d ? 2 : 3; }
}
`, `
1-7 type C
2-3 value C.s of C
4-4 value C.c [c d e] of C
5-5 function C.f() of C
6-6 function C.g() of C
`},
		{"missing brace", `class C {
	void f() {
		if (x {
	}
	void g() {}
}
`, `
1-6 type C
2-6 function C.f() of C
`},
	})
	f := mustParse(t, "C.java", "package a.b;\nimport java.util.*;\nimport static x.Y.z;\n")
	if want := []string{"java.util.*", "x.Y.z"}; f.Package != "a.b" || !slices.Equal(f.Imports, want) {
		t.Errorf("package %q, imports %q", f.Package, f.Imports)
	}
}

func TestJavaChanges(t *testing.T) {
	testChanges(t, "C.java", []changeCase{
		{"comment and format", "class C { int[] a = {1, 2}; int f() { return 1; } }", "class C {\n\t/** a */\n\tint[] a = {\n\t\t1,\n\t\t2,\n\t};\n\tint f()\n\t{\n\t\treturn 1; // one\n\t}\n}", nil},
		{"method", "class C { int f() { return 1; } int g() { return 1; } }", "class C { int f() { return 1; } int g() { return 2; } }", []string{"C.g()"}},
		{"new method", "class C { }", "class C { int f() { return 1; } }", []string{"+C.f()"}},
		{"overload", "class C { int f(int a) { return 1; } }", "class C { int f() { return 1; } int f(int a) { return 1; } }", []string{"+C.f()"}},
		{"supertype", "class C { int f() { return 1; } }", "class C extends D { int f() { return 1; } }", []string{"C"}},
		{"annotation", "class C { int f() { return 1; } }", "class C { @A int f() { return 1; } }", []string{"C.f()"}},
		{"operators", "class C { int f() { return a - -b; } }", "class C { int f() { return a --b; } }", []string{"C.f()"}},
	})
}
