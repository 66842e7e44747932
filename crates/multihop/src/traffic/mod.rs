//! Applications, which feed transport. FTP always has data, so it is only a start and a stop.

mod cbr;

pub use cbr::Cbr;
