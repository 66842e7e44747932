//! The Tcl that movement files need: commands, words, quotes and comments.
//!
//! A line break or `;` ends a command. A word may stand between quotation marks or braces, which
//! may nest, unless a backslash stands before them. `#` begins a comment, and a backslash at the end
//! of a line joins it to the next.
//! Beyond Tcl, `#` ends a command even without `;` before it, and single and typographic quotation
//! marks quote.

/// A command: its words, and the line that it begins on, from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Command<'a> {
    pub line: usize,
    pub words: Vec<Word<'a>>,
}

/// A word, without the quotation marks or braces around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub is_quoted: bool,
}

/// A quotation mark or brace on this line, from 1, has no end.
#[derive(Debug, PartialEq)]
pub(super) struct Unclosed {
    pub line: usize,
}

/// The commands of a text, first to last.
pub(super) struct Commands<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Commands<'a> {
    /// Those of `text`, which begins on `line`.
    pub(super) fn new(text: &'a str, line: usize) -> Commands<'a> {
        Commands { rest: text, line }
    }

    /// Passes over what `is_passed`, which is given the text from each character on.
    fn pass(&mut self, is_passed: impl Fn(&str, char) -> bool) -> &'a str {
        let here = self.rest;
        let mut places = here.char_indices();
        let end = places.find(|&(at, c)| !is_passed(&here[at..], c)).map_or(here.len(), |at| at.0);
        self.skip(end)
    }

    /// Passes over so many bytes.
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.line += passed.matches('\n').count();
        passed
    }

    /// Passes over blanks and joined lines within a command.
    fn skip_blanks(&mut self) {
        loop {
            self.pass(|_, c| c.is_whitespace() && !ends_line(c));
            match joint(self.rest) {
                0 => return,
                bytes => self.skip(bytes),
            };
        }
    }

    fn skip_comment(&mut self) {
        loop {
            self.pass(|rest, c| !ends_line(c) && joint(rest) == 0);
            match joint(self.rest) {
                0 => return,
                bytes => self.skip(bytes),
            };
        }
    }

    /// The word that begins here.
    fn word(&mut self) -> Result<Word<'a>, Unclosed> {
        let line = self.line;
        let opening = self.rest.chars().next().unwrap_or_default();
        let Some(closing) = closing(opening) else {
            let text = self.pass(|rest, c| !c.is_whitespace() && c != ';' && joint(rest) == 0);
            return Ok(Word { text, is_quoted: false });
        };
        self.skip(opening.len_utf8());
        let (mut depth, mut is_escaped) = (1, false);
        let end = self.rest.char_indices().find(|&(_, c)| {
            if !is_escaped {
                depth += usize::from(c == opening && c != closing);
                depth -= usize::from(c == closing);
            }
            is_escaped = c == '\\' && !is_escaped;
            depth == 0
        });
        let (end, _) = end.ok_or(Unclosed { line })?;
        let text = self.skip(end);
        self.skip(closing.len_utf8());
        Ok(Word { text, is_quoted: true })
    }
}

impl<'a> Iterator for Commands<'a> {
    type Item = Result<Command<'a>, Unclosed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.pass(|_, c| c.is_whitespace() || c == ';');
            self.skip_blanks();
            match self.rest.chars().next()? {
                '#' => self.skip_comment(),
                ';' | '\n' | '\r' => {}
                _ => break,
            }
        }
        let mut command = Command { line: self.line, words: Vec::new() };
        loop {
            self.skip_blanks();
            match self.rest.chars().next() {
                None | Some(';') => return Some(Ok(command)),
                Some(c) if ends_line(c) => return Some(Ok(command)),
                Some('#') => self.skip_comment(),
                Some(_) => match self.word() {
                    Ok(word) => command.words.push(word),
                    Err(unclosed) => {
                        self.rest = "";
                        return Some(Err(unclosed));
                    }
                },
            }
        }
    }
}

fn ends_line(c: char) -> bool {
    c == '\n' || c == '\r'
}

/// The mark that closes what `opening` opens; none if it opens nothing.
fn closing(opening: char) -> Option<char> {
    match opening {
        '"' | '\'' => Some(opening),
        '{' => Some('}'),
        '“' | '”' => Some('”'),
        _ => None,
    }
}

/// The bytes of a backslash and a line break, if they stand here; 0 otherwise.
fn joint(rest: &str) -> usize {
    ["\\\n", "\\\r\n"].into_iter().find(|joint| rest.starts_with(joint)).map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each command as its line and its words, joined by bars.
    fn commands(text: &str) -> Vec<(usize, String)> {
        let words = |command: Command| {
            let words: Vec<&str> = command.words.iter().map(|word| word.text).collect();
            (command.line, words.join("|"))
        };
        Commands::new(text, 1).map(|command| words(command.unwrap())).collect()
    }

    #[test]
    fn line_breaks_and_semicolons_end_commands_and_comments_are_none() {
        let text = "a b;\tc \"d; e\" ;# f\r\n# g; h\n\n  i{j k ;;l # m\nn";
        let expected = [(1, "a|b"), (1, "c|d; e"), (4, "i{j|k"), (4, "l"), (5, "n")]
            .map(|(i, w)| (i, w.into()));
        assert_eq!(commands(text), expected);
        for nothing in ["", ";", "\n;\r\n ; ", "# a", "# a \\\n b", ";# a\n"] {
            assert_eq!(commands(nothing), [], "{nothing:?}");
        }
    }

    #[test]
    fn quotes_and_braces_keep_words_together_and_nest() {
        let text = "a {b {c d} e} 'f g' “h i”\n{j\nk} \\\n  l\nm";
        let expected = [(1, "a|b {c d} e|f g|h i"), (2, "j\nk|l"), (5, "m")];
        assert_eq!(commands(text), expected.map(|(i, words)| (i, words.to_owned())));
        let quoted: Vec<bool> = Commands::new("a {a} \"\"", 1)
            .flat_map(|command| command.unwrap().words)
            .map(|word| word.is_quoted)
            .collect();
        assert_eq!(quoted, [false, true, true]);
    }

    #[test]
    fn what_does_not_close_is_a_fault_of_its_line() {
        for text in ["a\nb \"c\nd", "a\nb {c {d}\n", "a\nb 'c"] {
            let last = Commands::new(text, 1).last();
            assert_eq!(last, Some(Err(Unclosed { line: 2 })), "{text:?}");
        }
    }
}
