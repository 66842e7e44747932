//! The digest of the engine's sources, as `ENGINE_BUILD`.

use std::path::Path;
use std::{env, io};

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    multihop_build::stamp_as("ENGINE_BUILD", &Path::new(&root).join("../multihop"))
}
