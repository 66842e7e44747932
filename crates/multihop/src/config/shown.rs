//! How much of a foreign text a message repeats.

/// Most characters that are repeated.
const MOST: usize = 40;

/// The beginning of `text`, on one line and without characters that a terminal would obey.
pub fn shown(text: &str) -> String {
    let mut start: String =
        text.chars().take(MOST).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        start.push_str("...");
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_repeats_one_short_line_of_it() {
        assert_eq!(shown("x_m;y_m"), "x_m;y_m");
        assert_eq!(shown("a\u{1b}[2J\nb"), "a?[2J?b");
        assert_eq!(shown(&"é".repeat(41)), format!("{}...", "é".repeat(40)));
    }
}
