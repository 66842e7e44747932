//! The encodings of text files: UTF-8, UTF-16 with a byte order mark, and what spreadsheets of
//! Windows write, Windows-1252 (which has all printable characters of ISO 8859-1).

/// What the bytes 0x80 to 0x9F are in Windows-1252, by the WHATWG Encoding Standard; none are
/// letters that no text has.
const UPPER: [Option<char>; 32] = [
    Some('€'),
    None,
    Some('‚'),
    Some('ƒ'),
    Some('„'),
    Some('…'),
    Some('†'),
    Some('‡'),
    Some('ˆ'),
    Some('‰'),
    Some('Š'),
    Some('‹'),
    Some('Œ'),
    None,
    Some('Ž'),
    None,
    None,
    Some('‘'),
    Some('’'),
    Some('“'),
    Some('”'),
    Some('•'),
    Some('–'),
    Some('—'),
    Some('˜'),
    Some('™'),
    Some('š'),
    Some('›'),
    Some('œ'),
    None,
    Some('ž'),
    Some('Ÿ'),
];

/// Text, and the encoding that it was taken for unless that is UTF-8.
#[derive(Debug, PartialEq)]
pub(super) struct Decoded {
    pub text: String,
    pub encoding: Option<&'static str>,
}

/// The text in `bytes`; none if they are no text.
pub(super) fn decode(bytes: Vec<u8>) -> Option<Decoded> {
    let (text, encoding) = match bytes.get(..2) {
        Some([0xFF, 0xFE]) => (utf_16(&bytes[2..], u16::from_le_bytes)?, Some("UTF-16")),
        Some([0xFE, 0xFF]) => (utf_16(&bytes[2..], u16::from_be_bytes)?, Some("UTF-16")),
        _ => match String::from_utf8(bytes) {
            Ok(text) => return Some(Decoded { text, encoding: None }),
            Err(error) => (windows_1252(error.as_bytes())?, Some("Windows-1252")),
        },
    };
    // Nearly every file of bytes that are no text has some of these.
    let is_text = |c: char| !c.is_control() || "\t\n\r\u{c}".contains(c);
    text.chars().all(is_text).then_some(Decoded { text, encoding })
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks();
    let units = pairs.iter().map(|&pair| unit(pair));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.ok().filter(|_| rest.is_empty())
}

fn windows_1252(bytes: &[u8]) -> Option<String> {
    let letter = |&byte: &u8| match byte {
        0x80..=0x9F => UPPER[usize::from(byte - 0x80)],
        _ => Some(char::from(byte)),
    };
    bytes.iter().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<(String, Option<&'static str>)> {
        decode(bytes.to_vec()).map(|Decoded { text, encoding }| (text, encoding))
    }

    #[test]
    fn text_of_spreadsheets_is_read_and_its_encoding_told() {
        let bakery = |encoding| Some(("Bäckerei – 5 €\r\n".to_owned(), encoding));
        assert_eq!(read("Bäckerei – 5 €\r\n".as_bytes()), bakery(None));
        let windows = b"B\xe4ckerei \x96 5 \x80\r\n";
        assert_eq!(read(windows), bakery(Some("Windows-1252")));
        let units: Vec<u16> = "\u{feff}Bäckerei – 5 €\r\n".encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(read(&little), bakery(Some("UTF-16")));
        assert_eq!(read(&big), bakery(Some("UTF-16")));
    }

    #[test]
    fn what_is_no_text_is_not_read() {
        let half_a_pair = b"\xff\xfe\x3d\xd8a\0".as_slice();
        for bytes in [b"\x7fELF\x02\x01\x01\0\0\xff", b"a\x81bcdefghi", b"\xff\xfea\0b\0\0\0z\0"] {
            assert_eq!(read(bytes), None, "{bytes:?}");
        }
        assert_eq!(read(half_a_pair), None);
        assert_eq!(read(b"\xff\xfea"), None);
    }
}
