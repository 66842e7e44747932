//! The public face: what `api.rs` lists is what `face.txt` says, and nothing else can be seen.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What a `use` tree names, each with its whole path.
fn names(prefix: &str, tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((before, rest)) = tree.split_once('{') else { return vec![format!("{prefix}{tree}")] };
    let inner = rest.strip_suffix('}').expect("a closed brace");
    let names = inner.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(|name| format!("{prefix}{before}{name}")).collect()
}

/// Every item of the face by its path in it, with where it comes from.
fn face() -> BTreeSet<String> {
    let (mut items, mut modules, mut statement) = (BTreeSet::new(), Vec::new(), String::new());
    for line in read("src/api.rs").lines().map(str::trim) {
        if line.starts_with("//") || line.is_empty() {
            continue;
        }
        if let Some(module) = line.strip_prefix("pub mod ").and_then(|l| l.strip_suffix(" {")) {
            modules.push(module.to_owned());
        } else if line == "}" && statement.is_empty() {
            modules.pop();
        } else {
            statement += line;
            let Some(tree) = statement.strip_suffix(';') else { continue };
            let tree = tree.strip_prefix("pub use ").expect("nothing but modules and pub use");
            for source in names("", tree) {
                let name = source.rsplit("::").next().expect("a name");
                assert!(name != "*" && name != "self", "{source} lists nothing by name");
                items.insert(format!("{}::{name}", modules.join("::")));
            }
            statement.clear();
        }
    }
    items
}

/// `UPDATE_FACE=1` writes the list anew.
#[test]
fn the_face_is_what_is_listed() {
    let items: String = face().into_iter().map(|item| item + "\n").collect();
    if std::env::var_os("UPDATE_FACE").is_some() {
        fs::write(root().join("tests/face.txt"), &items).expect("the list is written");
    }
    assert_eq!(items, read("tests/face.txt"), "UPDATE_FACE=1 writes tests/face.txt anew");
}

#[test]
fn nothing_but_the_face_can_be_seen() {
    let text = read("src/lib.rs");
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[1].starts_with("pub ")) {
        assert!(pair[0] == "#[doc(hidden)]" || pair[1] == "pub mod api;", "{}", pair[1]);
    }
}

/// Those of other crates and of our own that stand for them.
#[test]
fn crates_with_schemes_of_their_own_use_the_face_alone() {
    let top = root().join("../..");
    let mut folders = vec![
        top.join("examples"),
        top.join("python/multihop/templates/crate"),
        top.join("crates/multihop-emulate/src"),
    ];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.to_string_lossy();
            if !name.ends_with(".rs") && !name.ends_with(".rs.txt") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            for used in text.split("multihop::").skip(1) {
                assert!(
                    used.starts_with("api::"),
                    "{name}: multihop::{}",
                    &used[..used.len().min(30)]
                );
            }
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} files");
}
