//! Tables that a scenario names as files: comma-separated values (RFC 4180).
//!
//! Spreadsheets write semicolons or tabs between the columns where the comma is the decimal mark,
//! as in most of Europe. The heading tells: what separates its names separates the columns. Where
//! that is no comma, one in a number is its decimal mark. Their first line may say `sep=;`, rows may
//! be empty, and people put comments behind `#`: all of these are passed over.

use std::borrow::Cow;

use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord, Trim};

use super::file;
use super::remarks::Remarks;
use crate::config::Error;
use crate::config::shown::shown;

/// What is wrong, and the line of the file, from 1.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub line: Option<u64>,
    pub text: String,
}

/// What a comment begins with.
const COMMENT: char = '#';
/// A minus sign as typesetters write it.
const MINUS: char = '\u{2212}';

/// A table as read so far: its heading.
pub(super) struct TableFile<'a> {
    lines: Lines<'a>,
    heading: StringRecord,
    separator: u8,
    reader: Reader<&'a [u8]>,
}

/// A column of the table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    /// Its name as the file has it.
    pub name: String,
    place: usize,
}

/// A line below the heading.
pub(super) struct Row {
    line: Option<u64>,
    has_decimal_commas: bool,
    record: StringRecord,
}

/// Reads the table in `file`, given at `key`, by `parse`.
///
/// # Errors
/// If the file cannot be read or has a fault; names the file and the line.
pub(super) fn read<T>(
    key: &str,
    file: &str,
    remarks: &mut Remarks,
    parse: impl FnOnce(TableFile) -> Result<T, Fault>,
) -> Result<T, Error> {
    let text = file::text(key, file, remarks)?;
    let told = |Fault { line, text }| file::error(key, file, line, text);
    let table = TableFile::new(&text).map_err(told)?;
    let rows = table.rows_in_comments();
    if rows > 0 {
        let these = if rows == 1 { "row that begins" } else { "rows that begin" };
        remarks.warn(format!("{file}: passes over {rows} {these} with #, the mark of a comment"));
    }
    parse(table).map_err(told)
}

impl<'a> TableFile<'a> {
    pub(super) fn new(text: &'a str) -> Result<TableFile<'a>, Fault> {
        let lines = Lines::of(text);
        let separator = separator_of(lines.text);
        let mut builder = ReaderBuilder::new();
        builder.delimiter(separator).comment(Some(COMMENT as u8)).trim(Trim::All);
        let mut reader = builder.from_reader(lines.text.as_bytes());
        let heading = reader.headers().map_err(|error| fault_of(lines, &error))?.clone();
        Ok(TableFile { lines, heading, separator, reader })
    }

    /// How many comments have as many columns as the heading, as a row would.
    fn rows_in_comments(&self) -> usize {
        let separator = char::from(self.separator);
        let is_row = |line: &&str| line.split(separator).count() == self.heading.len();
        self.lines.text.lines().filter(|line| line.starts_with(COMMENT)).filter(is_row).count()
    }

    /// The column with one of these `names`, in letters of either case, if there is one.
    ///
    /// # Errors
    /// If there are two.
    pub(super) fn column(&self, names: &[&str]) -> Result<Option<Column>, Fault> {
        let is_named = |known: &str| names.iter().any(|name| known.eq_ignore_ascii_case(name));
        let mut found = self.heading.iter().enumerate().filter(|(_, known)| is_named(known));
        let first = found.next().map(|(place, name)| Column { name: name.to_owned(), place });
        match (&first, found.next()) {
            (Some(first), Some((_, other))) if first.name.eq_ignore_ascii_case(other) => {
                Err(self.fault(format!("the column {other} is there twice")))
            }
            (Some(Column { name, .. }), Some((_, other))) => {
                Err(self.fault(format!("the columns {name} and {other} say the same")))
            }
            _ => Ok(first),
        }
    }

    /// The columns of these names, which must be there.
    pub(super) fn columns<const N: usize>(&self, names: [&str; N]) -> Result<[Column; N], Fault> {
        let mut found = Vec::new();
        for name in names {
            found.extend(self.column(&[name])?);
        }
        let (last, others) = names.split_last().expect("a table has columns");
        let wanted = format!("{} and {last}", others.join(", "));
        found.try_into().map_err(|_| self.missing(&wanted))
    }

    /// The fault of a heading without the columns that are `wanted`.
    pub(super) fn missing(&self, wanted: &str) -> Fault {
        let by = match self.separator {
            b';' => "semicolons",
            b'\t' => "tabs",
            _ => "commas",
        };
        let heading: Vec<&str> = self.heading.iter().collect();
        let got = shown(&heading.join(&char::from(self.separator).to_string()));
        // Programs such as NumPy put the heading behind a mark of a comment.
        let starts_with_comment = self.lines.text.starts_with(COMMENT);
        let hint =
            if starts_with_comment { "; a line that begins with # is a comment" } else { "" };
        self.fault(format!("must name columns {wanted}, separated by {by} (got {got}){hint}"))
    }

    /// The rows that are not empty, first to last.
    pub(super) fn rows(&mut self) -> impl Iterator<Item = Result<Row, Fault>> {
        let (mut lines, has_decimal_commas) = (self.lines, self.separator != b',');
        self.reader.records().filter_map(move |record| match record {
            Ok(record) if record.iter().all(str::is_empty) => None,
            Ok(record) => {
                Some(Ok(Row { line: lines.at(record.position()), has_decimal_commas, record }))
            }
            Err(error) => Some(Err(fault_of(lines, &error))),
        })
    }

    fn fault(&self, text: String) -> Fault {
        let mut lines = self.lines;
        Fault { line: lines.at(self.heading.position()), text }
    }
}

impl Row {
    /// What stands in `column`.
    pub(super) fn get(&self, column: &Column) -> &str {
        &self.record[column.place]
    }

    /// The number in `column`; none if it is none.
    pub(super) fn number(&self, column: &Column) -> Option<f64> {
        let mut written = Cow::from(self.get(column));
        if written.contains(MINUS) {
            written = written.replace(MINUS, "-").into();
        }
        if self.has_decimal_commas && !written.contains('.') {
            written = written.replacen(',', ".", 1).into();
        }
        written.parse().ok()
    }

    /// The line of the file, from 1.
    pub(super) fn line(&self) -> Option<u64> {
        self.line
    }

    /// A fault of this row.
    pub(super) fn fault(&self, text: String) -> Fault {
        Fault { line: self.line, text }
    }

    /// The fault of what stands in `column`, which must be `allowed`.
    pub(super) fn must_be(&self, column: &Column, allowed: &str) -> Fault {
        let got = shown(self.get(column));
        self.fault(format!("{} must be {allowed} (got \"{got}\")", column.name))
    }
}

/// What separates the names of the heading.
fn separator_of(text: &str) -> u8 {
    let heading = text.lines().find(|line| !is_passed_over(line)).unwrap_or_default();
    // Every second part is between quotation marks.
    let is_there = |c| heading.split('"').step_by(2).any(|part| part.contains(c));
    match (is_there(';'), is_there('\t')) {
        (true, _) => b';',
        (false, true) => b'\t',
        (false, false) => b',',
    }
}

/// Whether a line between two records is none itself.
fn is_passed_over(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with(COMMENT)
}

/// Which lines of a text records begin on. The reader's own count is that of whatever it passes
/// over before them.
#[derive(Clone, Copy)]
struct Lines<'a> {
    /// What follows a first line that says the separator, else everything.
    text: &'a str,
    byte: usize,
    /// Line feeds before it.
    feeds: u64,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        let text = text.trim_start_matches('\u{feff}');
        match text.split_once('\n') {
            Some((first, rest)) if first.starts_with("sep=") => {
                Lines { text: rest, byte: 0, feeds: 1 }
            }
            _ => Lines { text, byte: 0, feeds: 0 },
        }
    }

    /// The line at a position that is not before those asked for earlier, from 1.
    fn at(&mut self, position: Option<&csv::Position>) -> Option<u64> {
        let byte = position?.byte() as usize;
        self.feeds += feeds(self.text.get(self.byte..byte)?);
        self.byte = byte;
        let passed_over =
            self.text[byte..].split_inclusive('\n').take_while(|&l| is_passed_over(l));
        Some(1 + self.feeds + passed_over.map(feeds).sum::<u64>())
    }
}

fn feeds(text: &str) -> u64 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u64
}

/// Puts the reader's errors in the user's terms.
fn fault_of(mut lines: Lines, error: &csv::Error) -> Fault {
    let line = lines.at(error.position());
    let text = match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let columns = if *len == 1 { "column" } else { "columns" };
            format!("has {len} {columns}; the heading has {expected_len}")
        }
        _ => error.to_string(),
    };
    Fault { line, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers in the columns `a` and `b`.
    fn numbers(text: &str) -> Result<Vec<[Option<f64>; 2]>, Fault> {
        let mut table = TableFile::new(text)?;
        let columns = table.columns(["a", "b"])?;
        table
            .rows()
            .map(|row| row.map(|row| columns.each_ref().map(|column| row.number(column))))
            .collect()
    }

    #[test]
    fn the_heading_says_what_separates_the_columns_and_marks_decimals() {
        let [half, two] = [Some(0.5), Some(2.0)];
        for text in ["a,b\n0.5,2\n", "b;c;a\r\n2;x;0,5\r\n", "A\tB\n0,5\t2,0\n", "a;b\n0.5;2.0\n"] {
            assert_eq!(numbers(text), Ok(vec![[half, two]]), "{text}");
        }
        assert_eq!(numbers("\u{feff}\"c;d\",a,b\n1,0.5,2\n"), Ok(vec![[half, two]]));
        // With a mark for thousands a number is none.
        assert_eq!(numbers("a;b\n1.234,5;2\n"), Ok(vec![[None, two]]));
        assert_eq!(numbers("a,b\n\"0,5\",2\n"), Ok(vec![[None, two]]));
    }

    #[test]
    fn what_people_and_spreadsheets_add_is_passed_over() {
        let wanted = Ok(vec![[Some(-0.5), Some(2.0)]]);
        for text in [
            "# sites; of 2024\n\na,b\n# the roof\n-0.5,2\n",
            "sep=;\r\na;b\r\n-0,5;2\r\n;\r\n;\r\n",
            "\u{feff}sep=\t\na\tb\n\u{2212}0,5\t2\n",
        ] {
            assert_eq!(numbers(text), wanted, "{text}");
        }
        // A name that begins so is in quotation marks.
        assert_eq!(numbers("c,a,b\n\"#1\",-0.5,2\n"), wanted);
        let table = TableFile::new("# a,b,c\na,b\n#1,2\n\"#3\",4\n# so, it is\n").unwrap();
        assert_eq!(table.rows_in_comments(), 2);
    }

    #[test]
    fn a_fault_has_its_line_whatever_is_empty_above() {
        let fault = |text| numbers(text).map_err(|fault| (fault.line, fault.text)).unwrap_err();
        let wanted = "must name columns a and b, separated by";
        assert_eq!(fault("\na;c\n"), (Some(2), format!("{wanted} semicolons (got a;c)")));
        assert_eq!(fault("a,c\n"), (Some(1), format!("{wanted} commas (got a,c)")));
        let behind = format!("{wanted} commas (got 1,2); a line that begins with # is a comment");
        assert_eq!(fault("# a,b\n1,2\n"), (Some(2), behind));
        assert_eq!(fault("a,b,A\n"), (Some(1), "the column A is there twice".to_owned()));
        let columns = "has 3 columns; the heading has 2".to_owned();
        assert_eq!(fault("a,b\r\n\r\n\r\n1,2,3\r\n"), (Some(4), columns.clone()));
        assert_eq!(fault("sep=,\n#1\na,b\n1,2\n# 2\n1,2,3\n"), (Some(6), columns));
        assert_eq!(fault("a,b\n1\n"), (Some(2), "has 1 column; the heading has 2".to_owned()));
    }
}
