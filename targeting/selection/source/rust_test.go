package source_test

import (
	"slices"
	"testing"
)

func TestRust(t *testing.T) {
	testOutlines(t, "src/lib.rs", []outlineCase{
		{"items", `#![allow(x)]
use std::{fmt, io::Read as R};
mod m;
extern crate core;

/// Doc.
#[derive(Debug)]
pub struct Point<T> where T: Copy {
	x: T, // }
}
pub(crate) struct Unit(i32);
enum E { A(i32), B { c: char } }
const MAX: usize = { 3 };
static mut TABLE: [u8; 2] = [1, 2];
type Alias<'a> = &'a str;
macro_rules! mac {
	($x:expr) => { fn no() {} };
}

pub fn f<'a, F: Fn(i32) -> i32>(s: &'a str, g: F) -> Result<[u8; 4], ()> where F: 'a {
	fn inner() -> char { '}' }
	let c = |x| { x + '\'' as i32 };
	Ok([0; 4])
}
pub const unsafe extern "C" fn h() {}

impl<T: Copy> Point<T> {
	const K: i32 = 1;
	pub fn new() -> Self { Self { } }
}
impl<'a, T> fmt::Display for Point<T> where T: fmt::Display {
	type Out = i32;
	fn fmt(&self) -> fmt::Result { r#"}"#; b'}'; Ok(()) }
}
pub trait Shape: Sized {
	fn area(&self) -> f64;
	fn twice(&self) -> f64 { self.area() * 2. }
}
extern "C" { fn foreign(x: i32); }
/* a /* nested */ } */
cfg_x! { pub fn inside() {} }
register!(a, b);
#[cfg(test)]
mod tests {
	use super::*;
	#[test]
	fn works() {}
}
`, `
1-39 statement <file>
2-2 import use std::{fmt,io::Read as R} [fmt R]
3-3 import mod m
4-4 import extern crate core
7-10 type Point
11-11 type Unit
12-12 type E
13-13 value MAX
14-14 value TABLE
15-15 type Alias
16-18 value mac
20-24 function f
21-21 function f::inner
25-25 function h
27-30 type impl Point of Point
28-28 value Point::K of Point
29-29 function Point::new of Point
31-34 type impl Display for Point of Point
32-32 type <Point as Display>::Out of Point
33-33 function <Point as Display>::fmt of Point
35-38 type Shape
36-36 value Shape::area; of Shape
37-37 function Shape::twice of Shape
39-39 value foreign;
41-41 function inside
42-42 statement register!
43-48 type mod tests
45-45 import tests::use super::*
46-47 function tests::works
`},
	})
	f := mustParse(t, "x.rs", "use a::b;\nmod c;\n#[cfg(test)]\nmod tests { fn helper() {} }\nfn f() {}\n")
	if want := []string{"a::b", "self::c"}; !slices.Equal(f.Imports, want) {
		t.Errorf("imports %q, want %q", f.Imports, want)
	}
	if !f.Find("tests::helper").Test || f.Find("f").Test {
		t.Error("only declarations under cfg(test) are compiled for tests only")
	}
}

func TestRustChanges(t *testing.T) {
	testChanges(t, "x.rs", []changeCase{
		{"comment and format", "fn f(a: i32) -> Vec<i32> { g(a, [1, 2]) }", "/// Doc\nfn f(\n\ta: i32,\n) -> Vec<i32> {\n\tg(\n\t\ta, // a\n\t\t[1, 2,],\n\t)\n}", nil},
		{"tuple", "fn f() { (1) }", "fn f() { (1,) }", []string{"f"}},
		{"method", "impl T { fn f() { 1 } fn g() { 1 } }", "impl T { fn f() { 1 } fn g() { 2 } }", []string{"T::g"}},
		{"attribute", "fn f() {}", "#[inline]\nfn f() {}", []string{"f"}},
		{"test module", "fn f() {}", "fn f() {}\n#[cfg(test)]\nmod tests { #[test] fn g() {} }", []string{"+mod tests", "+tests::g"}},
	})
}
