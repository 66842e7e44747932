//! Impossible movement, and the one-line error for each.

use std::fs;
use std::path::PathBuf;

use multihop::scenario::Scenario;

const FLOW: &str = "[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 1\n";

/// Line 9 is the first key below `kind`.
fn random_waypoint(keys: &str) -> String {
    format!(
        "duration_s = 10\n\n[topology]\nkind = \"random\"\nnodes = 9\narea_m = [300, 300]\n[mobility]\n\
         kind = \"random-waypoint\"\n{keys}\n{FLOW}"
    )
}

fn message(text: &str) -> String {
    match Scenario::from_toml(text, &[]) {
        Ok(_) => format!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn random_waypoint_keys() {
    #[rustfmt::skip]
    let cases = [
        ("speed_mps = [5, 1]",
         "line 9: mobility.speed_mps: must be a least and a greatest speed, 0 to 10000 m/s (got 5, 1)"),
        ("speed_mps = [-1, 1]",
         "line 9: mobility.speed_mps: must be a least and a greatest speed, 0 to 10000 m/s (got -1, 1)"),
        ("speed_mps = [0, 0]",
         "line 9: mobility.speed_mps: must be a least and a greatest speed, 0 to 10000 m/s (got 0, 0)"),
        ("speed_mps = [1, nan]",
         "line 9: mobility.speed_mps: must be a least and a greatest speed, 0 to 10000 m/s (got 1, NaN)"),
        ("speed_mps = 5",
         "line 9: mobility.speed_mps: must be a list of two numbers (got 5)"),
        ("pause_s = -1",
         "line 9: mobility.pause_s: must be 0 to 10000000 seconds (got -1)"),
        ("pause_s = inf",
         "line 9: mobility.pause_s: must be 0 to 10000000 seconds (got inf)"),
        ("fixed_nodes = \"ends\"",
         r#"line 9: mobility.fixed_nodes: must be "none", "flow-ends" or a list of nodes (got "ends")"#),
        ("fixed_nodes = 3",
         r#"line 9: mobility.fixed_nodes: must be "none", "flow-ends" or a list of nodes (got 3)"#),
        ("fixed_nodes = [0, 9]",
         "line 9: mobility.fixed_nodes.1: must be a node, 0 to 8 (got 9)"),
        ("steady_state = true\nspeed_mps = [0, 20]",
         "line 9: mobility.steady_state: needs a least speed above 0: down to 0 the mean speed falls for ever"),
        ("area_m = [300, 0.5]",
         "line 9: mobility.area_m: must be 1 to 10000000 metres (got 0.5)"),
        ("seed = 9007199254740992",
         "line 9: mobility.seed: must be 0 to 9007199254740991 (got 9007199254740992)"),
        ("pause = 3",
         "line 9: mobility.pause: unknown key; did you mean `pause_s`?"),
    ];
    for (keys, expected) in cases {
        assert_eq!(message(&random_waypoint(keys)), expected);
    }
}

#[test]
fn topologies_that_contradict_random_waypoint() {
    let chain = |keys: &str| {
        message(&random_waypoint(keys).replace(
            "kind = \"random\"\nnodes = 9\narea_m = [300, 300]",
            "kind = \"chain\"\nhops = 2\nspacing_m = 200",
        ))
    };
    assert_eq!(
        chain(""),
        "line 7: mobility.area_m: is missing; must be a width and a height in metres, for this topology \
         has no area"
    );
    assert_eq!(
        chain("area_m = [300, 300]"),
        "line 9: mobility.area_m: must hold every moving node; node 2 starts at (400, 0), outside 300 m \
         by 300 m"
    );
    assert_eq!(
        chain("area_m = [400, 300]\nsteady_state = true"),
        "line 10: mobility.steady_state: needs topology.kind = \"random\": it chooses the places of \
         moving nodes"
    );
    assert!(chain("area_m = [400, 300]").starts_with("accepted"));
}

/// A temporary folder for a test's files, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("multihop-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, content: &[u8]) -> String {
        let path = self.0.join("move.tcl");
        fs::write(&path, content).expect("a file");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const PLACES: &str =
    "$node_(0) set X_ 1\n$node_(0) set Y_ 2\n$node_(1) set X_ 3\n$node_(1) set Y_ 4\n";

#[test]
fn movement_files() {
    let folder = Folder::new("bad-files");
    let go = "$ns_ at 1.0 \"$node_(1) setdest 9.0 9.0 1.0\"\n";
    #[rustfmt::skip]
    let cases: [(&str, &str); 8] = [
        ("", "gives node 0 no X_"),
        ("$node_(0) set X_ 1\n", "gives node 0 no Y_"),
        ("$node_(0) set X_ 1\n$node_(0) set X_ 2\n",
         "line 2: sets X_ of node 0 to 2, after 1 before"),
        ("$node_(2) set X_ 1\n",
         "line 1: must name a node, 0 to 1 (got 2); others are taken in the order of their numbers where \
          there are 2 of them (got 1)"),
        ("$ns_ at 1.0 \"$node_(1) set",
         "line 1: is no line of a setdest file, or is cut short; understood are $node_(N) set X_ METRES, \
          $ns_ at SECONDS \"$node_(N) setdest X Y SPEED\" and $ns_ at SECONDS \"$node_(N) set X_ METRES\", \
          whatever the variables are called"),
        ("$ns_ at 1.0 \"$node_(1) setdest 99.0 9.0 1.0\"",
         "line 1: puts node 1 at (99, 9), outside the area of 50 m by 50 m"),
        ("$ns_ at -1.0 \"$node_(1) setdest 9.0 9.0 1.0\"",
         "line 1: time must be 0 to 9000000000 seconds (got -1.0)"),
        ("$ns_ at 1.0 \"$node_(1) setdest 9.0 9.0 nan\"", "line 1: speed must be a number (got nan)"),
    ];
    let topology = |file: &str| {
        format!(
            "duration_s = 10\n[topology]\nkind = \"setdest\"\nnodes = 2\nfile = \"{file}\"\n\
             area_m = [50, 50]\n{FLOW}"
        )
    };
    for (content, expected) in cases {
        let file = folder.file(content.as_bytes());
        let expected = format!("line 5: topology.file: {file}: {expected}");
        assert_eq!(message(&topology(&file)), expected);
    }
    let file = folder.file(format!("{PLACES}{go}").as_bytes());
    assert!(message(&topology(&file)).starts_with("accepted"));
    let file = folder.file(b"\x7fELF\0\xff");
    assert_eq!(
        message(&topology(&file)),
        format!(
            "line 5: topology.file: {file} is no text: neither UTF-8 nor Windows-1252, nor UTF-16 with its mark"
        )
    );
    assert_eq!(
        message(&topology("/no/such/file.tcl")),
        "line 5: topology.file: /no/such/file.tcl does not exist"
    );
    let folder_itself = message(&topology(&folder.0.display().to_string()));
    assert!(folder_itself.ends_with("is no regular file"), "{folder_itself}");
}

#[test]
fn movement_files_of_another_topology() {
    let folder = Folder::new("other-topology");
    let with = |file: &str, hops: u32| {
        message(&format!(
            "duration_s = 10\n[topology]\nkind = \"chain\"\nhops = {hops}\n[mobility]\nkind = \"setdest\"\n\
             {file}\n{FLOW}"
        ))
    };
    assert_eq!(with("", 1), "line 5: mobility.file: is missing");
    let file = folder.file(PLACES.as_bytes());
    let key = format!("file = \"{file}\"");
    assert_eq!(
        with(&key, 1),
        format!("line 7: mobility.file: {file}: puts node 0 elsewhere than the topology: (0, 0)")
    );
    let file = folder.file(b"$ns_ at 1.0 \"$node_(1) setdest -9.0 9.0 1.0\"\n");
    assert!(with(&key, 1).starts_with("accepted"));
    assert_eq!(
        with(&format!("{key}\narea_m = [200, 10]"), 1),
        format!(
            "line 7: mobility.file: {file}: line 1: puts node 1 at (-9, 9), outside the area of 200 m \
             by 10 m"
        )
    );
}
