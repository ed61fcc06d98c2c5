//! `compile_commands.json`: the options the sources are compiled with.

use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Command {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// What of the options matters here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub include: Vec<String>,
    pub define: Vec<String>,
    pub ilp32: Option<bool>,
}

/// The options of the sources, which must be the same for all: they are read as one program.
pub fn read(path: &Path, sources: &[PathBuf]) -> Result<Found, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let commands: Vec<Command> = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut found: Option<(Found, &PathBuf)> = None;
    for source in sources {
        let real = |path: &Path| path.canonicalize().ok();
        let own = commands.iter().find(|c| real(&c.directory.join(&c.file)) == real(source));
        let Some(own) = own else {
            return Err(format!("{} has no command for {}", path.display(), source.display()));
        };
        let options = options(own)?;
        match &found {
            None => found = Some((options, source)),
            Some((other, _)) if *other == options => {}
            Some((_, first)) => {
                let (a, b) = (first.display(), source.display());
                return Err(format!("{a} and {b} are compiled with different options; give them here"));
            }
        }
    }
    Ok(found.map(|(found, _)| found).unwrap_or_default())
}

fn options(command: &Command) -> Result<Found, String> {
    let words = match (&command.arguments, &command.command) {
        (Some(words), _) => words.clone(),
        (None, Some(line)) => split(line),
        (None, None) => Vec::new(),
    };
    let inside = |dir: &str| command.directory.join(dir).display().to_string();
    let mut found = Found::default();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        // The value is in the same word or in the next one.
        let mut value = |option: &str| match word.strip_prefix(option) {
            Some("") => rest.next().cloned(),
            Some(value) => Some(value.to_string()),
            None => None,
        };
        match word.as_str() {
            "-m32" => found.ilp32 = Some(true),
            "-m64" => found.ilp32 = Some(false),
            w if w.starts_with("-isystem") => found.include.extend(value("-isystem").map(|d| inside(&d))),
            w if w.starts_with("-iquote") => found.include.extend(value("-iquote").map(|d| inside(&d))),
            w if w.starts_with("-I") => found.include.extend(value("-I").map(|d| inside(&d))),
            w if w.starts_with("-D") => found.define.extend(value("-D")),
            w if w.starts_with("-U") || w.starts_with("-include") || w.starts_with("-imacros") => {
                return Err(format!("the option `{w}` of {} is not known here", command.file.display()));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The words of a command line, with the shell's quotes.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(q), c) if q == c => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found() {
        let line = r#"gcc -Iinc -I /abs -DA -D "B=\"x y\"" -m32 -O2 -isystem sys -c 'a b.c'"#;
        let command =
            Command { directory: "/d".into(), file: "a b.c".into(), command: Some(line.to_string()), arguments: None };
        let found = options(&command).expect("options");
        assert_eq!(found.include, ["/d/inc", "/abs", "/d/sys"]);
        assert_eq!(found.define, ["A", "B=\"x y\""]);
        assert_eq!(found.ilp32, Some(true));
    }
}
