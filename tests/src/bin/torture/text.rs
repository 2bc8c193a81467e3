//! Damage to text: words, lines, numbers and line ends.

use crate::mutate::Random;

/// Words that replace a number or a name.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "4294967296",
    "18446744073709551615",
    "9223372036854775808",
    "99999999999999999999999",
    "1e400",
    "-1e-400",
    "nan",
    "inf",
    "0x10",
    "1.5",
    "1_000",
    "--1",
    "+",
    "",
    "\u{fc}",
    "(1,0,0)",
    "none",
    "/dev/zero",
    "../x",
];

/// Damages the text up to and including a mark, or all of it if there is no mark.
pub fn damage_before(
    mut bytes: Vec<u8>,
    mark: &[u8],
    donor: &[u8],
    random: &mut Random,
) -> Vec<u8> {
    let mark_position = bytes.windows(mark.len()).position(|it| it == mark);
    let tail = match mark_position {
        // the mark is usually kept
        Some(at) if random.below(8) > 0 => bytes.split_off(at),
        Some(at) => bytes.split_off(at + mark.len()),
        None => Vec::new(),
    };
    let mut damaged = damage(bytes, donor, random);
    damaged.extend(tail);
    damaged
}

/// Damages a text once.
pub fn damage(bytes: Vec<u8>, donor: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|&it| it == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    if lines.is_empty() {
        return bytes;
    }
    let (at, to) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(14) {
        0..=4 => {
            lines[at] = replace_word(
                &lines[at],
                WORDS[random.below(WORDS.len())].as_bytes(),
                random,
            )
        }
        5 => {
            let donor: Vec<&[u8]> = donor
                .split(|it| it.is_ascii_whitespace())
                .filter(|it| it.len() < 40)
                .collect();
            if !donor.is_empty() {
                lines[at] = replace_word(&lines[at], donor[random.below(donor.len())], random);
            }
        }
        6 => drop(lines.remove(at)),
        7 => lines.insert(to, lines[at].clone()),
        8 => lines.swap(at, to),
        9 => {
            let end: &[u8] =
                [&b"\r\n"[..], b"\r", b" \t\n", b"\n\n", b"\0\n", b"\\\n"][random.below(6)];
            let entire = random.below(2) == 0;
            for line in lines
                .iter_mut()
                .skip(if entire { 0 } else { at })
                .take(if entire { usize::MAX } else { 1 })
            {
                if line.pop_if(|it| *it == b'\n').is_some() {
                    line.extend(end);
                }
            }
        }
        10 => {
            // a long line, or a long word
            let length = [300, 5_000, 70_000][random.below(3)];
            let byte = b"0 9a-(,#"[random.below(8)];
            let position = random.below(lines[at].len() + 1);
            lines[at].splice(position..position, vec![byte; length]);
        }
        11 => {
            let position = random.below(lines[at].len() + 1);
            let byte = random.below(256) as u8;
            lines[at].insert(position, byte);
        }
        12 => lines.insert(0, b"\xef\xbb\xbf".to_vec()),
        _ => lines.truncate(at),
    }
    lines.concat()
}

/// Replaces a word or digits of a line.
fn replace_word(line: &[u8], word: &[u8], random: &mut Random) -> Vec<u8> {
    let is_part = |it: &u8| it.is_ascii_alphanumeric() || b".-+_".contains(it);
    let mut words = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let length = line[at..].iter().take_while(|it| is_part(it)).count();
        if length > 0 {
            words.push(at..at + length);
        }
        at += length.max(1);
    }
    let mut new = line.to_vec();
    if !words.is_empty() {
        let chosen = words[random.below(words.len())].clone();
        new.splice(chosen, word.iter().copied());
    }
    new
}
