//! Puts the engine's sources where the wheel takes them from: crates with schemes of their own are
//! built on them.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What is needed of the workspace, apart from the sources of its crates.
const FILES: [&str; 4] = ["Cargo.toml", "Cargo.lock", "LICENSE-MIT", "LICENSE-APACHE"];

fn main() -> io::Result<()> {
    let from = |name| PathBuf::from(env::var(name).expect("cargo sets it"));
    let root = from("CARGO_MANIFEST_DIR").join("../..");
    let out = from("OUT_DIR").join("source");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    for file in FILES {
        copy(&root.join(file), &out.join(file))?;
    }
    for entry in fs::read_dir(root.join("crates"))? {
        let name = entry?.file_name();
        let folder = Path::new("crates").join(&name);
        for part in ["Cargo.toml", "build.rs", "src"] {
            let part = folder.join(part);
            if root.join(&part).exists() {
                copy(&root.join(&part), &out.join(&part))?;
            }
        }
    }
    Ok(())
}

/// Copies a file, or a folder without the tests in it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", from.display());
    if !from.is_dir() {
        fs::create_dir_all(to.parent().expect("within the output"))?;
        return fs::copy(from, to).map(|_| ());
    }
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        if path.file_stem().is_none_or(|stem| stem != "tests") {
            copy(&path, &to.join(path.file_name().expect("it is an entry")))?;
        }
    }
    Ok(())
}
