//! Methods of several forms. A comment says which unit its line is in.

pub struct Reader<T> {
    rest: T,
}

impl<T: Iterator<Item = u8>> Reader<T> {
    pub fn new(rest: T) -> Self {
        Reader { rest } // in: subject::Reader<T>::new
    }

    fn digit(&mut self) -> Option<u8> {
        self.rest.next().filter(|c| c.is_ascii_digit())
    }
}

pub fn first(data: &[u8]) -> Option<u8> {
    match data {
        b"panic" => panic!("no digit in {} bytes", data.len()),
        b"index" => Some(data[data.len()]),
        b"exit" => std::process::exit(3),
        b"recurse" => Some(recurse(1)),
        b"length" => Some(length(data)),
        _ => Reader::new(data.iter().copied()).digit().or_else(|| Reader::new(data.to_vec().into_iter()).digit()),
    }
}

fn recurse(n: u8) -> u8 {
    if n == 0 {
        return 0; // in: subject::recurse
    }
    recurse(std::hint::black_box(n)) + 1
}

#[inline(always)]
fn length(data: &[u8]) -> u8 {
    data.len() as u8 // in: subject::length
}
