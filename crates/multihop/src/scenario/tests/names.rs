//! What nodes are called, where names stand for them, and files in other encodings and numberings.

use super::*;
use crate::scenario::EventTable;

const NAMED: &str = "duration_s = 9\n[topology]\nkind = \"chain\"\nhops = 2\n\
                     names = [\"church\", \"school\", \"last\"]\n";

/// A folder with a `file` of these bytes, gone with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str, files: &[(&str, &[u8])]) -> Folder {
        let folder = std::env::temp_dir().join(format!("multihop-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (file, bytes) in files {
            fs::write(folder.join(file), bytes).unwrap();
        }
        Folder(folder)
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn fault(text: &str) -> String {
    Scenario::from_toml(text, &[]).unwrap_err().to_string()
}

/// The names in the resolved scenario.
fn names(scenario: &Scenario) -> serde_json::Value {
    serde_json::to_value(scenario).unwrap()["topology"]["names"].clone()
}

fn of_positions(file: &str) -> String {
    format!("duration_s = 9\ntopology = {{ kind = \"positions\", file = \"{file}\" }}\n")
}

#[test]
fn names_stand_for_nodes_and_are_kept() {
    let text = format!(
        "{NAMED}[[flows]]\nkind = \"ftp\"\nsource = \"school\"\ndestination = \"last\"\n\
         [[events]]\nkind = \"link-cut\"\nat_s = 1\nnode = \"church\"\nneighbour = \"school\"\n\
         [mobility]\nkind = \"random-waypoint\"\narea_m = [400, 9]\nfixed_nodes = [\"last\", 0]\n"
    );
    let named = scenario(&text);
    let numbered = ["\"school\"", "\"last\"", "\"church\""].into_iter().zip(["1", "2", "0"]);
    let head = NAMED.len();
    let body =
        numbered.fold(text[head..].to_owned(), |text, (name, node)| text.replace(name, node));
    assert_eq!(named, scenario(&format!("{NAMED}{body}")));
    assert_eq!(named, read_back(&named));
    assert!(matches!(&named.events[0], EventTable::LinkCut(cut) if cut.neighbour == 1));
    assert_eq!(names(&named), serde_json::json!(["church", "school", "last"]));
    // Without names a result is what it was.
    assert_eq!(names(&scenario(&format!("{CHAIN}{FTP}"))), serde_json::Value::Null);
}

#[test]
fn names_stand_for_the_ends_of_links() {
    let text = "duration_s = 9\n[topology]\nkind = \"links\"\nnodes = 3\nnames = [\"a\", \"b\", \"c\"]\n\
                links = [[\"a\", \"b\"], [1, \"c\"]]\n[[flows]]\nkind = \"ftp\"\nsource = \"a\"\ndestination = 2\n";
    let Topology::Links(links) = &*scenario(text).topology else { panic!("links") };
    assert_eq!(links.links, [[0, 1], [1, 2]]);
}

#[test]
fn a_wrong_name_is_told_with_its_place() {
    let with = |from: &str, to: &str| fault(&format!("{NAMED}{FTP}").replace(from, to));
    assert_eq!(
        with("source = 0", "source = \"scool\""),
        "line 8: flows.0.source: must be a node's number or name (got \"scool\"); did you mean \"school\"?"
    );
    assert_eq!(
        with("\"last\"", "\"church\""),
        "line 5: topology.names.2: must not be the name of node 0 (got \"church\")"
    );
    for name in [" ".to_owned(), "x".repeat(61)] {
        let start = "line 5: topology.names.2: must be 1 to 60 characters (got \"";
        assert!(with("last", &name).starts_with(start), "{}", with("last", &name));
    }
    assert_eq!(
        with(", \"last\"", ""),
        "line 5: topology.names: must be as many as there are nodes, 3 (got 2)"
    );
    assert_eq!(with("\"last\"", "7"), "line 5: topology.names.2: must be text (got 7)");
}

#[test]
fn a_warning_says_what_nodes_and_flows_are_called() {
    let text =
        format!("{NAMED}[[flows]]\nkind = \"ftp\"\nname = \"call\"\nsource = 0\ndestination = 2\n");
    let far = with(&text, &[("topology.spacing_m", "900")]).unwrap();
    let [warning] = &far.network(1).unwrap().warnings[..] else { panic!("one warning") };
    let start = "flow 0 (call): node church (0) can never reach node last (2): no path";
    assert!(warning.starts_with(start), "{warning}");
}

#[test]
fn a_file_gives_names_which_are_made_one_for_each_node() {
    let long = "x".repeat(70);
    let rows = format!("x_m,y_m,name\n0,0,roof\n1,0,\n2,0,roof\n3,0,1\n4,0,roof 2\n5,0,{long}\n");
    let folder = Folder::new("names", &[("a.csv", rows.as_bytes())]);
    let ends = "[[flows]]\nkind = \"ftp\"\nsource = \"roof 2\"\ndestination = \"roof\"\n";
    let read = scenario(&format!("{}{ends}", of_positions(&folder.path("a.csv"))));
    // The second has its number for a name, so the fourth can't have that.
    let cut = format!("{} 2", "x".repeat(52));
    let expected = serde_json::json!(["roof", "1", "roof 2", "1 2", "roof 2 2", cut]);
    assert_eq!(names(&read), expected);
    let network = read.network(1).unwrap();
    assert_eq!((network.flows[0].source.0, network.flows[0].destination.0), (2, 0));
    let made = "so 4 of them got a number";
    assert!(network.warnings.iter().any(|said| said.ends_with(made)), "{:?}", network.warnings);
    assert_eq!(read.topology, read_back(&read).topology);
}

#[test]
fn ids_of_a_file_are_names_and_speak_in_the_file_of_gains_too() {
    let folder = Folder::new(
        "ids",
        &[
            ("numbers.csv", b"id,x_m,y_m\n30,9,0\n10,0,0\n20,5,0\n"),
            ("words.csv", b"id,x_m,y_m\nap-3,9,0\nap-1,0,0\nap-2,5,0\n"),
            ("numbers-gains.csv", b"from,to,gain_db\n10,20,-80\n30,20,-81\n"),
            ("words-gains.csv", b"from,to,gain_db\nap-1,ap-2,-80\nap-3,2,-81\n"),
            ("wrong.csv", b"from,to,gain_db\n0,1,-80\n"),
        ],
    );
    let read = |kind: &str, gains: &str, end: &str| {
        let text = format!(
            "{}[[flows]]\nkind = \"ftp\"\nsource = \"{end}\"\ndestination = 1\n[mac]\nphy = \"802.11a\"\n\
             [radio]\nreception = \"sinr\"\npropagation = \"measured\"\nfile = \"{}\"\n",
            of_positions(&folder.path(&format!("{kind}.csv"))),
            folder.path(gains),
        );
        Scenario::from_toml(&text, &[])
    };
    let numbers = read("numbers", "numbers-gains.csv", "30").unwrap();
    assert_eq!(names(&numbers), serde_json::json!(["10", "20", "30"]));
    assert_eq!(numbers.radio.gains_db, Some(vec![(0, 1, -80.0), (2, 1, -81.0)]));
    let network = numbers.network(1).unwrap();
    assert_eq!((network.flows[0].source.0, network.node_numbers), (2, vec![10, 20, 30]));
    let said = "in the order of their numbers: 10 is node 0, 20 is node 1, 30 is node 2";
    assert!(network.warnings[0].ends_with(said), "{:?}", network.warnings);
    let words = read("words", "words-gains.csv", "ap-3").unwrap();
    assert_eq!(names(&words), serde_json::json!(["ap-3", "ap-1", "ap-2"]));
    assert_eq!(words.radio.gains_db, Some(vec![(1, 2, -80.0), (0, 2, -81.0)]));
    let said = "in the order of the lines: ap-3 is node 0, ap-1 is node 1, ap-2 is node 2";
    let warnings = words.network(1).unwrap().warnings;
    assert!(warnings[0].ends_with(said), "{warnings:?}");
    let wrong = read("numbers", "wrong.csv", "30").unwrap_err().to_string();
    assert!(wrong.ends_with("line 2: from must be a node (got \"0\")"), "{wrong}");
}

#[test]
fn every_file_may_be_in_the_encoding_of_a_spreadsheet() {
    let moves = "# B\u{e4}ckerei\n$node_(0) set X_ 0\n$node_(0) set Y_ 0\n$node_(1) set X_ 9\n$node_(1) set Y_ 0\n";
    let texts = [
        ("places.csv", "name;x_m;y_m\nB\u{e4}ckerei;0,5;0\nK\u{e4}serei;9;0\n"),
        ("gains.csv", "from;to;gain_db;wo\nB\u{e4}ckerei;1;-80,5;\u{e4}\n"),
        ("trace.csv", "time_s;bytes;was\n1;90;\u{e4}\n"),
        ("moves.tcl", moves),
    ];
    let latin = texts.map(|(_, text)| text.chars().map(|c| c as u8).collect::<Vec<u8>>());
    let wide = texts.map(|(_, text)| {
        let units = format!("\u{feff}{text}");
        units.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    });
    let garbage = texts.map(|_| b"\x7fELF\0\xff\x01".to_vec());
    let read = |test: &str, contents: &[Vec<u8>; 4]| {
        let files: Vec<(&str, &[u8])> =
            texts.iter().zip(contents).map(|((name, _), bytes)| (*name, &bytes[..])).collect();
        let folder = Folder::new(test, &files);
        let [places, gains, trace, moves] = texts.map(|(name, _)| folder.path(name));
        let trace = format!(
            "[[flows]]\nkind = \"trace\"\nsource = 0\ndestination = 1\nfile = \"{trace}\"\n"
        );
        let ftp = FTP.replace('4', "1");
        let all = [
            format!("{}{ftp}", of_positions(&places)),
            format!(
                "{}{ftp}[mac]\nphy = \"802.11a\"\n[radio]\nreception = \"sinr\"\n\
                 propagation = \"measured\"\nfile = \"{gains}\"\n",
                CHAIN.replace("hops = 4", "hops = 1\nnames = [\"B\u{e4}ckerei\", \"b\"]")
            ),
            format!("{}{trace}", CHAIN.replace('4', "1")),
            format!(
                "duration_s = 9\n[topology]\nkind = \"setdest\"\nnodes = 2\nfile = \"{moves}\"\n{ftp}"
            ),
        ];
        all.map(|text| match Scenario::from_toml(&text, &[]) {
            Ok(read) => read.network(1).unwrap().warnings.concat(),
            Err(error) => error.to_string(),
        })
    };
    for (said, warnings) in
        [("Windows-1252", read("latin", &latin)), ("UTF-16", read("wide", &wide))]
    {
        for warned in warnings {
            assert!(warned.ends_with(&format!("is not UTF-8, and was read as {said}")), "{warned}");
        }
    }
    for error in read("garbage", &garbage) {
        let fault = "is no text: neither UTF-8 nor Windows-1252, nor UTF-16 with its mark";
        assert!(error.ends_with(fault), "{error}");
    }
    for error in read("packed", &texts.map(|_| vec![0x1f, 0x8b, 8, 0])) {
        assert!(error.ends_with("is compressed (gzip): unpack it first"), "{error}");
    }
}
