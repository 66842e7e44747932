//! The `file` key of `kind = "trace"`: messages as comma-separated values (RFC 4180).

use csv::{ReaderBuilder, Trim};

use crate::config::Error;
use crate::kernel::Duration;
use crate::scenario::file;
use crate::traffic::{MAX_TIME_S, Messages};

/// The key.
const KEY: &str = "file";
/// The columns.
const COLUMNS: [&str; 2] = ["time_s", "bytes"];

/// Reads the messages in `file`, of at most `most` bytes each.
///
/// # Errors
/// If the file cannot be read or has a fault; names the line.
pub(super) fn read(file: &str, most: u64) -> Result<Messages, Error> {
    parse(&file::text(KEY, file)?, most)
        .map_err(|(line, fault)| file::error(KEY, file, line, fault))
}

type Fault = (Option<u64>, String);

fn parse(text: &str, most: u64) -> Result<Messages, Fault> {
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text.as_bytes());
    let heading = reader.headers().map_err(|error| fault_of(&error))?.clone();
    let place = |name| heading.iter().position(|known| known == name);
    let [Some(time), Some(bytes)] = COLUMNS.map(place) else {
        let got: Vec<&str> = heading.iter().collect();
        let wanted = COLUMNS.join(" and ");
        let fault =
            format!("must name columns {wanted}, separated by commas (got {})", got.join(","));
        return Err((Some(1), fault));
    };
    let mut messages: Vec<(Duration, u64)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| fault_of(&error))?;
        let at = |fault| (record.position().map(csv::Position::line), fault);
        let (time, bytes) = (&record[time], &record[bytes]);
        let time_s: f64 = time
            .parse()
            .ok()
            .filter(|time: &f64| (0.0..=MAX_TIME_S).contains(time))
            .ok_or_else(|| at(format!("time_s must be 0 to {MAX_TIME_S} (got \"{time}\")")))?;
        let bytes: u64 =
            bytes.parse().ok().filter(|bytes| (1..=most).contains(bytes)).ok_or_else(|| {
                at(format!("bytes must be a whole number, 1 to {most} (got \"{bytes}\")"))
            })?;
        let after = Duration::from_secs_f64(time_s);
        if messages.last().is_some_and(|&(last, _)| after < last) {
            return Err(at(format!(
                "time_s must not be before that of the line above (got {time})"
            )));
        }
        messages.push((after, bytes));
    }
    if messages.is_empty() {
        return Err((None, "has no messages: a line for each".to_owned()));
    }
    Ok(messages.into())
}

fn fault_of(error: &csv::Error) -> Fault {
    (error.position().map(csv::Position::line), error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_in_the_order_of_time() {
        let text = "bytes,time_s,what\n1200,0,key\n 90 ,0.04,delta\n90,0.04,delta\n";
        let ms = Duration::from_millis;
        let expected = [(ms(0), 1200), (ms(40), 90), (ms(40), 90)];
        assert_eq!(parse(text, 1500).as_deref(), Ok(&expected[..]));
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
            let (found, fault) = parse(text, 1500).unwrap_err();
            assert!(found == line && fault.starts_with(start), "{text}: {found:?}: {fault}");
        }
    }
}
