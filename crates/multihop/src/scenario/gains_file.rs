//! The `file` key of `radio.propagation = "measured"`: a table of the gains of links.

use std::collections::{HashMap, HashSet};

use toml::{Table, Value};

use super::remarks::Remarks;
use super::table_file::{self, Fault, TableFile};
use super::topology::NamedTopology;
use crate::config::Error;
use crate::radio::config::gain_fault;

const KEY: &str = "radio.file";
const COLUMNS: [&str; 3] = ["from", "to", "gain_db"];

/// Puts the gains between nodes of `topology` in the file that `radio` names in the place of its
/// name. The file may have the nodes' names, or the numbers that a file of positions gives them.
///
/// # Errors
/// If the file cannot be read or has a fault; names the line.
pub(super) fn read_into(
    radio: &mut Table,
    topology: &NamedTopology,
    remarks: &mut Remarks,
) -> Result<(), Error> {
    let is_measured = radio.get("propagation").and_then(Value::as_str) == Some("measured");
    let Some(Value::String(name)) = radio.get("file").filter(|_| is_measured) else {
        return Ok(());
    };
    if radio.contains_key("gains_db") {
        return Err(Error::new(KEY, "cannot be given together with gains_db"));
    }
    let names = topology.names.nodes();
    let numbers: HashMap<u64, u32> = remarks.node_numbers.iter().copied().zip(0..).collect();
    let node = |written: &str| match names.get(written) {
        Some(&node) => Some(node),
        None if numbers.is_empty() => written.parse().ok(),
        None => numbers.get(&written.parse().ok()?).copied(),
    };
    let gains = table_file::read(KEY, name, remarks, |table| parse(table, topology.nodes(), node))?;
    radio.remove("file");
    radio.insert("gains_db".to_owned(), gains);
    Ok(())
}

/// The gains as a list of lists.
fn parse(
    mut table: TableFile,
    nodes: usize,
    known: impl Fn(&str) -> Option<u32>,
) -> Result<Value, Fault> {
    let [from, to, gain] = table.columns(COLUMNS)?;
    let mut gains = Vec::new();
    let mut links = HashSet::new();
    for row in table.rows() {
        let row = row?;
        let node = |column| known(row.get(column)).ok_or_else(|| row.must_be(column, "a node"));
        let (a, b) = (node(&from)?, node(&to)?);
        let gain_db = row.number(&gain).ok_or_else(|| row.must_be(&gain, "decibels"))?;
        if let Some(fault) = gain_fault((a, b, gain_db), nodes, &mut links) {
            return Err(row.fault(fault));
        }
        gains.push(Value::Array(vec![a.into(), b.into(), gain_db.into()]));
    }
    match gains.is_empty() {
        true => Err(Fault { line: None, text: "has no links: a line for each".to_owned() }),
        false => Ok(Value::Array(gains)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(written: &str) -> Option<u32> {
        written.parse().ok()
    }

    #[test]
    fn gains_are_read_with_decimal_commas_too() {
        let parse = |text| parse(TableFile::new(text).unwrap(), 3, number).unwrap().to_string();
        assert_eq!(parse("to,from,gain_db\n1,0,-80.5\n"), "[[0, 1, -80.5]]");
        assert_eq!(parse("from;to;gain_db\n0;1;-80,5\n"), "[[0, 1, -80.5]]");
    }

    #[test]
    fn a_fault_has_its_line() {
        let fault = |rows: &str| {
            let text = format!("from,to,gain_db\n{rows}");
            let Fault { line, text } =
                parse(TableFile::new(&text).unwrap(), 3, number).unwrap_err();
            (line, text)
        };
        for (rows, line, text) in [
            ("0,1,-80\n1,2,-80\n0,1,-85\n", Some(4), "the link 0 to 1 is listed twice"),
            ("0,1,80\n", Some(2), "gain_db must be -300 to 30 (got 80 from 0 to 1)"),
            ("0,1,nan\n", Some(2), "gain_db must be -300 to 30 (got NaN from 0 to 1)"),
            ("\n0,3,-80\n", Some(3), "must join two nodes of 0 to 2 (got 0 and 3)"),
            ("1,1,-80\n", Some(2), "must join two nodes of 0 to 2 (got 1 and 1)"),
            ("0,a,-80\n", Some(2), "to must be a node (got \"a\")"),
            ("0,1,loud\n", Some(2), "gain_db must be decibels (got \"loud\")"),
            ("", None, "has no links: a line for each"),
        ] {
            assert_eq!(fault(rows), (line, text.to_owned()), "{rows}");
        }
    }
}
