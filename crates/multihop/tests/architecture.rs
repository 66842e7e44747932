//! The rooms: no scheme is named outside its own, and no two folders or files need each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common;

/// A scheme, how code and comments name it, and where that may stand: its rooms, those of schemes
/// that build on it, and the lists of what can be chosen.
struct Scheme {
    words: &'static [&'static str],
    rooms: &'static [&'static str],
}

/// Where what can be chosen is listed: routing and named schemes, then one file a layer.
const LISTS: [&str; 16] = [
    "api.rs",
    "schemes/",
    "routing/mod.rs",
    "mac/mod.rs",
    "mac/access_kind.rs",
    "mac/config",
    "link/mod.rs",
    "link/config.rs",
    "link/service.rs",
    "transport/mod.rs",
    "transport/config",
    "transport/congestion.rs",
    "transport/congestion/flavour.rs",
    "transport/link_failure.rs",
    "transport/link_failure/choice.rs",
    "transport/schemes.rs",
];

const SCHEMES: [Scheme; 24] = [
    Scheme { words: &["aodv"], rooms: &["routing/", "wire/", "capture/pcap/"] },
    Scheme { words: &["dsr"], rooms: &["routing/", "wire/", "capture/pcap/"] },
    Scheme { words: &["ccar", "centralpaths"], rooms: &["routing/ccar/"] },
    Scheme { words: &["dcar"], rooms: &["routing/dcar/"] },
    Scheme { words: &["copas"], rooms: &["routing/copas/"] },
    Scheme { words: &["multipathaodv", "multipath"], rooms: &["routing/multipath/"] },
    Scheme { words: &["semi", "semitcp"], rooms: &["mac/semi/", "transport/semi"] },
    Scheme { words: &["elfn"], rooms: &["transport/link_failure/elfn.rs"] },
    Scheme {
        words: &["standby"],
        rooms: &["transport/link_failure/standby.rs", "routing/multipath/"],
    },
    Scheme { words: &["hoppacer", "hoppacing"], rooms: &["link/hop_pacing"] },
    Scheme { words: &["cubic"], rooms: &["transport/congestion/cubic.rs", "transport/quic/"] },
    Scheme { words: &["vegas"], rooms: &["transport/congestion/vegas.rs"] },
    Scheme {
        words: &["bbr"],
        rooms: &["transport/congestion/bbr/", "transport/congestion/filters.rs"],
    },
    Scheme { words: &["bbr1"], rooms: &["transport/congestion/bbr1/"] },
    Scheme { words: &["westwood"], rooms: &["transport/congestion/westwood.rs"] },
    Scheme {
        words: &["newreno"],
        rooms: &[
            "transport/congestion/",
            "transport/recovery.rs",
            "transport/pacing",
            "transport/quic/",
        ],
    },
    Scheme { words: &["babel"], rooms: &["routing/babel/"] },
    Scheme { words: &["batman"], rooms: &["routing/batman/"] },
    Scheme { words: &["dsdv"], rooms: &["routing/dsdv/"] },
    Scheme { words: &["hwmp"], rooms: &["routing/hwmp/"] },
    Scheme { words: &["olsr"], rooms: &["routing/olsr/"] },
    Scheme { words: &["olsrv2", "olsrv2"], rooms: &["routing/olsrv2/"] },
    Scheme { words: &["tcpap"], rooms: &["transport/pacing"] },
    Scheme { words: &["quic"], rooms: &["transport/quic/"] },
];

/// Every source file of the engine but its tests, with its path from `src`.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = common::sources(&root);
    files.retain(|(path, _)| !path.ends_with("harness.rs"));
    let named = |(path, text): (PathBuf, String)| {
        let name = path.strip_prefix(&root).expect("below src").to_string_lossy();
        (name.into_owned(), text)
    };
    files.into_iter().map(named).collect()
}

/// The words of a line, lower case, `CamelCase` and `snake_case` taken apart; pairs of neighbours
/// joined as well, so that `semi-tcp`, `SemiTcp` and `semi_tcp` are one word too.
fn words(line: &str) -> BTreeSet<String> {
    let mut parts: Vec<String> = Vec::new();
    for run in line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
        let mut part = String::new();
        for c in run.chars() {
            let starts = c.is_uppercase() && part.ends_with(char::is_lowercase);
            if c == '_' || c == '-' || starts {
                parts.push(std::mem::take(&mut part));
            }
            if c != '_' && c != '-' {
                part.push(c);
            }
        }
        parts.push(part);
        parts.push(String::new());
    }
    let lower = |word: &String| word.to_lowercase();
    let joined = parts.windows(2).filter(|pair| !pair[1].is_empty()).map(|pair| pair.concat());
    joined.map(|word| word.to_lowercase()).chain(parts.iter().map(lower)).collect()
}

/// Whether `line` only talks to readers.
fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Whether `file` may name the scheme called `name` on `line`, though it is not its room.
fn may_name(file: &str, line: &str, name: &str) -> bool {
    // A header cites its source, whose title may name others; formats say whose fields they have.
    let is_header = line.trim_start().starts_with("//!");
    let is_format = file.starts_with("wire/") && is_comment(line);
    // Named schemes choose a transport for their routing.
    let is_choice = file.ends_with("scheme.rs") || file == "routing/fixed.rs";
    match name {
        // The base protocols may be spoken of, and a packet has a place for DSR's header.
        "aodv" | "dsr" => is_comment(line) || line.contains("dsr: None"),
        "newreno" | "standby" | "quic" => is_header || is_choice || is_comment(line),
        _ => is_header || is_format,
    }
}

#[test]
fn every_file_of_tests_is_a_part_of_a_program() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let program = fs::read_to_string(tests.join("networks.rs")).expect("the program");
    let manifest = fs::read_to_string(tests.join("../Cargo.toml")).expect("the manifest");
    for entry in fs::read_dir(&tests).expect("the folder of tests") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let is_run = program.contains(&format!("mod {name};"))
            || manifest.contains(&format!("name = \"{name}\""));
        assert!(is_run || path.extension().is_some_and(|kind| kind != "rs"), "{name} is never run");
    }
}

#[test]
fn no_scheme_is_named_outside_its_rooms_and_the_lists() {
    let mut found = Vec::new();
    for (file, text) in sources() {
        if LISTS.iter().any(|list| file.starts_with(list)) {
            continue;
        }
        let is_in = |scheme: &&Scheme| scheme.rooms.iter().any(|room| file.starts_with(room));
        let others: Vec<&Scheme> = SCHEMES.iter().filter(|scheme| !is_in(scheme)).collect();
        for (number, line) in (1..).zip(text.lines()) {
            let said = words(line);
            for scheme in &others {
                let name = scheme.words.iter().find(|name| said.contains(**name));
                if name.is_some_and(|_| !may_name(&file, line, scheme.words[0])) {
                    found.push(format!("{file}:{number}: {}", line.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} lines:\n{}", found.len(), found.join("\n"));
}

/// For each folder, those whose items it uses.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let folder_of = |file: &str| file.split('/').next().unwrap_or(file).replace(".rs", "");
    for (file, text) in sources() {
        let folder = folder_of(&file);
        for line in text.lines().filter(|line| !is_comment(line)) {
            for part in line.split("crate::").skip(1) {
                let used: String =
                    part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if !used.is_empty() && used != folder {
                    uses.entry(folder.clone()).or_default().insert(used);
                }
            }
        }
    }
    uses
}

/// No two of them need each other, whether at once or by others.
fn assert_no_circle(mut open: BTreeMap<String, BTreeSet<String>>) {
    // Takes away, again and again, those that need none of those left.
    loop {
        let left: BTreeSet<String> = open.keys().cloned().collect();
        let before = open.len();
        open.retain(|_, used| used.iter().any(|other| left.contains(other)));
        if open.len() == before {
            break;
        }
    }
    let circle: Vec<String> = open
        .iter()
        .map(|(name, used)| format!("{name} -> {}", Vec::from_iter(used.clone()).join(", ")))
        .collect();
    assert!(circle.is_empty(), "a circle among:\n{}", circle.join("\n"));
}

#[test]
fn no_two_folders_need_each_other() {
    assert_no_circle(uses());
}

/// The paths that the `use` of one tree names: `a::{b, c::d}` names `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let Some((start, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or(tree).trim().to_owned()];
    };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let mut depth = 0;
    let parts = inner.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| paths(&format!("{}{}", start.trim(), part.trim()))).collect()
}

/// For each file, named by its module, those whose items it uses; what it only hands on is not
/// used, and a module and those in it are at home with each other.
fn files_used() -> BTreeMap<String, BTreeSet<String>> {
    let module_of =
        |file: &str| file.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
    let all: BTreeMap<String, String> =
        sources().into_iter().map(|(file, text)| (module_of(&file), text)).collect();
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, text) in &all {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
        for tree in code.split("\nuse ").skip(1).filter_map(|rest| rest.split_once(';')) {
            for path in paths(tree.0) {
                let mut here: Vec<&str> = module.split("::").collect();
                let mut segments = path.split("::").peekable();
                match segments.peek() {
                    Some(&"crate") => here.clear(),
                    Some(&"super") => {}
                    _ => continue, // another crate's, or a child's
                }
                while let Some(step) = segments.next_if(|step| ["crate", "super"].contains(step)) {
                    here.truncate(here.len() - usize::from(step == "super"));
                }
                here.extend(segments);
                let named = (1..=here.len()).rev().map(|len| here[..len].join("::"));
                let Some(other) = { named }.find(|named| all.contains_key(named)) else { continue };
                let is_within = |a: &str, b: &str| format!("{a}::").starts_with(&format!("{b}::"));
                if !is_within(module, &other) && !is_within(&other, module) {
                    used.entry(module.clone()).or_default().insert(other);
                }
            }
        }
    }
    used
}

#[test]
fn no_two_files_need_each_other() {
    assert_no_circle(files_used());
}
