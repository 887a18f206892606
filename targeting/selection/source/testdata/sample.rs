#![allow(dead_code)]
use std::{fmt, io::Read as R};
mod m;

/// Doc.
#[derive(Debug)]
pub struct Point<T> where T: Copy { x: T, y: [u8; 4] }
enum E { A(i32), B { c: char } }
pub const MAX: usize = 5;
static TABLE: [u8; 2] = [6, 7];

macro_rules! mac {
	($x:expr) => { $x + 8 };
}

pub fn f<'a, F: Fn(i32) -> i32>(s: &'a str, g: F) -> Result<(i32,), ()> where F: 'a {
	fn inner() -> char { '\'' }
	let c = |x: i32| { x + 9 };
	/* a /* nested */ comment } */
	let r = r#"raw "10" }"#;
	match g(11) { 0..=12 => Ok((c(13),)), _ if s < r => Err(()), _ => { Err(()) } }
}

impl<T: Copy> Point<T> {
	const K: i32 = 14;
	pub fn new(x: T) -> Self { Self { x, y: [15; 4] } }
}

impl<T> fmt::Display for Point<T> where T: Copy + fmt::Display {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", b'}' as i32 + 16) }
}

pub trait Shape: Sized {
	fn area(&self) -> f64;
	fn twice(&self) -> f64 { self.area() * 17. }
}

cfg_x! { pub fn inside() -> i32 { 18 } }

#[cfg(test)]
mod tests {
	#[test]
	fn works() { assert_eq!(super::MAX, 19); }
}
