//! Babel by hand: each test names the section that it is about.
