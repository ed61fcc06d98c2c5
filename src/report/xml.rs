//! Text in XML and HTML, and points in time.

/// The text as content or attribute value. Characters that XML cannot have are shown as U+FFFD.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' | '\r' => out.push(c),
            c if c < ' ' || c == '\u{7f}' || c == '\u{fffe}' || c == '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Seconds since 1970 as `2024-05-31T12:00:00` in universal time.
pub fn time(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Howard Hinnant's civil_from_days: eras of 400 years that begin on 1 March.
    let z = days + 719_468;
    let (era, day) = (z / 146_097, z % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + later;
    format!("{year:04}-{month:02}-{of_month:02}T{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_date() {
        assert_eq!(time(0), "1970-01-01T00:00:00");
        assert_eq!(time(951_782_400), "2000-02-29T00:00:00");
        assert_eq!(time(1_717_156_799), "2024-05-31T11:59:59");
        assert_eq!(time(4_102_444_800), "2100-01-01T00:00:00");
    }

    #[test]
    fn nothing_ends_an_element() {
        assert_eq!(escape("a<b>&\"c\"\u{0}"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}");
    }
}
