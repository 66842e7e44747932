//! For build scripts: a digest of a crate's sources, so that stored results of other sources are
//! never taken for this one's.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// FNV-1a, 64 bits: offset basis and prime.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Gives the crate being built the digest of its own sources: `env!("CRATE_BUILD")`.
///
/// # Errors
/// If they can't be read.
pub fn stamp() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    stamp_as("CRATE_BUILD", Path::new(&root))
}

/// Gives the crate being built the digest of the sources of the crate in folder `root`, as the
/// variable `name`.
///
/// # Errors
/// If they can't be read.
pub fn stamp_as(name: &str, root: &Path) -> io::Result<()> {
    let mut files = vec![root.join("Cargo.toml")];
    collect(&root.join("src"), &mut files)?;
    files.sort();
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    println!("cargo::rerun-if-changed={}", root.join("src").display());
    println!("cargo::rustc-env={name}={:016x}", digest(&files)?);
    Ok(())
}

fn digest(files: &[PathBuf]) -> io::Result<u64> {
    let mut digest = BASIS;
    for file in files {
        // Line ends as in the repository, wherever it was checked out.
        for byte in fs::read(file)?.into_iter().filter(|byte| *byte != b'\r') {
            digest = (digest ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }
    Ok(digest)
}

/// The sources below `folder`, without the tests'.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests");
        if path.is_dir() && !is_test {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            files.push(path);
        }
    }
    Ok(())
}
