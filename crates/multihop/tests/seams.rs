//! The traits that others can implement: each has two users of ours at least, and none is forwarded
//! by hand. `docs/architecture.md` has the table of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common;

/// Public traits that are no seams.
const NO_SEAMS: [(&str, &str); 2] = [
    ("Layer", "hides which protocol all nodes run: `Nodes` is one for each of them"),
    ("Put", "adds numbers in network order to vectors of bytes"),
];

/// What begins and ends the table on the page.
const MARKS: [&str; 2] = ["<!-- seams: made by tests/seams.rs -->", "<!-- /seams -->"];

/// The folder of all crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_owned()
}

/// The sources of the engine and of its Python module without their tests, by path from `crates`.
fn sources() -> BTreeMap<String, String> {
    let of = |name| common::sources(&crates().join(name).join("src"));
    let named = |(path, text): (PathBuf, String)| {
        let name = path.strip_prefix(crates()).expect("below crates").to_string_lossy();
        (name.into_owned(), text)
    };
    ["multihop", "multihop-python"].into_iter().flat_map(of).map(named).collect()
}

/// The name at the beginning of `text`.
fn name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Every public trait, and the file that has it.
fn traits(sources: &BTreeMap<String, String>) -> Vec<(String, &str)> {
    let of = |(file, text): (&'_ String, &'_ String)| {
        let declared = text.lines().filter_map(|line| line.strip_prefix("pub trait "));
        declared.map(|rest| (name(rest), file.clone())).collect::<Vec<_>>()
    };
    let mut all: Vec<(String, String)> = sources.iter().flat_map(of).collect();
    all.sort();
    let file = |file: &String| sources.get_key_value(file).expect("a source").0.as_str();
    all.iter().map(|(name, at)| (name.clone(), file(at))).collect()
}

/// An `impl` block's trait, as it is called there, and its type.
fn implemented(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("impl")?;
    let (of, on) = rest.split_once(" for ")?;
    let of = of.rsplit([' ', ':']).next()?;
    Some((of, on.trim_end_matches(" {")))
}

/// The folder that a file lies in.
fn folder(file: &str) -> &str {
    file.rsplit('/').nth(1).unwrap_or_default()
}

/// Whether the trait `of` that `file` with `text` means is that in `home`, of several of this name.
fn means(file: &str, text: &str, of: &str, home: &str) -> bool {
    let of_home = format!("{}::", folder(home));
    let is_used = |statement: &str| statement.contains(of) && statement.contains(&of_home);
    let stem = file.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    let is_inside = [folder(file), stem].contains(&folder(home));
    is_inside || text.split(';').any(|part| part.contains("use ") && is_used(part))
}

/// The types that implement the trait `of` of the file `home`; `is_one` if no other has its name.
fn users(sources: &BTreeMap<String, String>, of: &str, home: &str, is_one: bool) -> Vec<String> {
    let mut users = Vec::new();
    for (file, text) in sources {
        for (_, on) in text.lines().filter_map(implemented).filter(|(named, _)| *named == of) {
            if is_one || means(file, text, of, home) {
                let python = if file.starts_with("multihop-python") { " (Python)" } else { "" };
                users.push((name(on), python));
            }
        }
    }
    users.sort();
    users.into_iter().map(|(name, python)| format!("`{name}`{python}")).collect()
}

/// Each trait that is a seam, where it is, and its users.
fn seams() -> Vec<(String, String, Vec<String>)> {
    let sources = sources();
    let traits = traits(&sources);
    let is_one = |name: &str| traits.iter().filter(|(other, _)| other == name).count() == 1;
    let all = traits.iter().filter(|(name, _)| !NO_SEAMS.iter().any(|(other, _)| other == name));
    let seam = |(name, home): &(String, &str)| {
        let users = users(&sources, name, home, is_one(name));
        (name.clone(), (*home).to_owned(), users)
    };
    all.map(seam).collect()
}

#[test]
fn every_public_trait_has_two_users() {
    let seams = seams();
    assert!(seams.len() > 15, "{seams:?}");
    let lone: Vec<_> = seams.iter().filter(|(.., users)| users.len() < 2).collect();
    assert!(lone.is_empty(), "traits with fewer than two users: {lone:?}");
}

#[test]
fn what_is_said_to_be_no_seam_is_a_trait_with_one_user() {
    let sources = sources();
    let traits = traits(&sources);
    for (name, why) in NO_SEAMS {
        let (_, home) = traits.iter().find(|(other, _)| other == name).expect(why);
        assert_eq!(users(&sources, name, home, true).len(), 1, "{name} {why}");
    }
}

#[test]
fn no_trait_is_forwarded_by_hand() {
    // A hook that is added later, with a default, would be lost there without an error.
    let sources = sources();
    let traits = traits(&sources);
    let is_ours = |named: &str| traits.iter().any(|(name, _)| name == named);
    let mut found = Vec::new();
    for (file, text) in &sources {
        for (of, on) in text.lines().filter_map(implemented) {
            if is_ours(of) && ["Box<", "&", "Arc<", "Rc<"].iter().any(|way| on.starts_with(way)) {
                found.push(format!("{file}: {of} for {on}"));
            }
        }
    }
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_page_on_architecture_has_them() {
    let page = crates().join("../docs/architecture.md");
    let text = fs::read_to_string(&page).expect("the page");
    let row = |(name, home, users): &(String, String, Vec<String>)| {
        let home = home.trim_start_matches("multihop/src/");
        format!("| `{name}` | `{home}` | {} |\n", users.join(", "))
    };
    let rows: String = seams().iter().map(row).collect();
    let table = format!("\n| trait | in | implemented by |\n|---|---|---|\n{rows}");
    let [from, to] = MARKS.map(|mark| text.find(mark).unwrap_or_else(|| panic!("no {mark}")));
    let from = from + MARKS[0].len();
    if std::env::var_os("UPDATE_SEAMS").is_some() {
        fs::write(&page, format!("{}{table}{}", &text[..from], &text[to..])).expect("the page");
        return;
    }
    let hint = "make it anew: UPDATE_SEAMS=1 cargo test -p multihop --test seams";
    assert_eq!(&text[from..to], table, "{hint}");
}
