//! The `file` key of `kind = "trace"`: a table of messages.

use crate::config::Error;
use crate::kernel::Duration;
use crate::scenario::remarks::Remarks;
use crate::scenario::table_file::{self, Fault, TableFile};
use crate::traffic::{MAX_TIME_S, Messages};

/// The key.
const KEY: &str = "file";
/// The columns.
const COLUMNS: [&str; 2] = ["time_s", "bytes"];

/// Reads the messages in `file`, of at most `most` bytes each.
///
/// # Errors
/// If the file cannot be read or has a fault; names the line.
pub(super) fn read(file: &str, most: u64, remarks: &mut Remarks) -> Result<Messages, Error> {
    table_file::read(KEY, file, remarks, |table| parse(table, most))
}

fn parse(mut table: TableFile, most: u64) -> Result<Messages, Fault> {
    let [time, size] = table.columns(COLUMNS)?;
    let mut messages: Vec<(Duration, u64)> = Vec::new();
    for row in table.rows() {
        let row = row?;
        let time_s = row.number(&time).filter(|time_s| (0.0..=MAX_TIME_S).contains(time_s));
        let time_s = time_s.ok_or_else(|| row.must_be(&time, &format!("0 to {MAX_TIME_S}")))?;
        let bytes = row.get(&size).parse().ok().filter(|bytes| (1..=most).contains(bytes));
        let allowed = || format!("a whole number, 1 to {most}");
        let bytes = bytes.ok_or_else(|| row.must_be(&size, &allowed()))?;
        let after = Duration::from_secs_f64(time_s);
        if messages.last().is_some_and(|&(last, _)| after < last) {
            let fault = format!("time_s must not be before that of the line above (got {time_s})");
            return Err(row.fault(fault));
        }
        messages.push((after, bytes));
    }
    if messages.is_empty() {
        return Err(Fault { line: None, text: "has no messages: a line for each".to_owned() });
    }
    Ok(messages.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Result<Messages, Fault> {
        TableFile::new(text).and_then(|table| parse(table, 1500))
    }

    #[test]
    fn messages_are_read_in_the_order_of_time() {
        let text = "bytes,time_s,what\n1200,0,key\n 90 ,0.04,delta\n90,0.04,delta\n";
        let ms = Duration::from_millis;
        let expected = [(ms(0), 1200), (ms(40), 90), (ms(40), 90)];
        assert_eq!(messages(text).as_deref(), Ok(&expected[..]));
    }

    #[test]
    fn a_fault_has_its_line() {
        for (text, line, start) in [
            ("time,bytes\n0,1\n", Some(1), "must name columns time_s and bytes"),
            ("time_s,bytes\n", None, "has no messages"),
            ("time_s,bytes\n0,1\n-1,1\n", Some(3), "time_s must be 0 to"),
            ("time_s,bytes\n2,1\n1,1\n", Some(3), "time_s must not be before"),
            ("time_s,bytes\n0,0\n", Some(2), "bytes must be a whole number, 1 to 1500"),
            ("time_s,bytes\n0,1501\n", Some(2), "bytes must be a whole number, 1 to 1500"),
        ] {
            let Fault { line: found, text: fault } = messages(text).unwrap_err();
            assert!(found == line && fault.starts_with(start), "{text}: {found:?}: {fault}");
        }
    }
}
