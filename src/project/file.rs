//! Reads `syncline.toml`. What is wrong is said with its line.

use super::{commands, requirement, Model};
use crate::args::{range, CheckKind, EngineName};
use clap::ValueEnum;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use syncline_frontend::reactive::{Input, Number, Requirement, Said, Spec};
use syncline_frontend::{Errors, FrontError, Place};
use toml::Spanned;

/// One model, at the top of the file or below `[[model]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    name: Option<Spanned<String>>,
    sources: Vec<Spanned<String>>,
    #[serde(default)]
    include: Vec<String>,
    #[serde(default)]
    define: Vec<String>,
    #[serde(default)]
    stand_ins: Vec<String>,
    compile_commands: Option<Spanned<String>>,
    init: Option<Spanned<String>>,
    step: Option<Spanned<String>>,
    entry: Option<String>,
    data_model: Option<Spanned<i64>>,
    #[serde(default)]
    checks: Vec<Spanned<String>>,
    engine: Option<Spanned<String>>,
    time: Option<Spanned<f64>>,
    memory: Option<u64>,
    #[serde(default)]
    assumptions: Vec<Spanned<String>>,
    #[serde(default)]
    inputs: BTreeMap<Spanned<String>, Spanned<Values>>,
    #[serde(default)]
    requirements: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// `"0..250"`, `[0, 250]`, or `"any"`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    Text(String),
    Ends(Vec<toml::Value>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Several {
    model: Vec<Spanned<Entry>>,
}

/// The models of a file, in its order.
pub fn read(path: &Path) -> Result<Vec<Model>, Errors> {
    let file = path.display().to_string();
    let whole = |message: String| Errors::from(FrontError::new(Place::file(&file), message));
    let text = std::fs::read_to_string(path).map_err(|e| whole(e.to_string()))?;
    let reader = Reader { file: &file, text: &text, folder: path.parent().unwrap_or(Path::new("")) };
    let wrong = |e: toml::de::Error| {
        let place = e.span().map_or(Place::file(&file), |span| reader.place(&span));
        Errors::from(FrontError::new(place, e.message().trim().replace('\n', " ")))
    };
    let table: toml::Table = toml::from_str(&text).map_err(wrong)?;
    let entries = match table.contains_key("model") {
        true => toml::from_str::<Several>(&text).map_err(wrong)?.model.into_iter().map(Spanned::into_inner).collect(),
        false => vec![toml::from_str::<Entry>(&text).map_err(wrong)?],
    };
    if entries.is_empty() {
        return Err(whole("there is no model".to_string()));
    }
    let (mut models, mut names) = (Vec::new(), BTreeSet::new());
    for entry in entries {
        let span = entry.name.as_ref().map(Spanned::span).unwrap_or_default();
        let model = reader.model(entry)?;
        if !names.insert(model.name.clone()) {
            return Err(reader.error(&span, format!("a second model `{}`", model.name)));
        }
        models.push(model);
    }
    Ok(models)
}

struct Reader<'f> {
    file: &'f str,
    text: &'f str,
    /// What paths are relative to.
    folder: &'f Path,
}

impl Reader<'_> {
    fn place(&self, span: &Range<usize>) -> Place {
        let before = &self.text[..span.start.min(self.text.len())];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
        Place { file: self.file.to_string(), line, column }
    }

    fn error(&self, span: &Range<usize>, message: impl Into<String>) -> Errors {
        FrontError::new(self.place(span), message).into()
    }

    /// A string, at its first character.
    fn said(&self, text: &Spanned<String>) -> Said {
        let mut span = text.span();
        let raw = &self.text[span.clone()];
        let quotes = raw.len() - raw.trim_start_matches(['"', '\'']).len();
        span.start += if quotes >= 3 { 3 } else { quotes.min(1) };
        Said { text: text.get_ref().clone(), place: self.place(&span) }
    }

    fn path(&self, relative: &str) -> PathBuf {
        match self.folder.as_os_str().is_empty() {
            true => PathBuf::from(relative),
            false => self.folder.join(relative),
        }
    }

    fn model(&self, entry: Entry) -> Result<Model, Errors> {
        let Some(first) = entry.sources.first() else {
            return Err(FrontError::new(Place::file(self.file), "`sources` is empty").into());
        };
        let name = match &entry.name {
            Some(name) if !is_name(name.get_ref()) => {
                return Err(self.error(&name.span(), "a name is made of letters, digits, `_`, `-` and `.`"));
            }
            Some(name) => name.get_ref().clone(),
            None => stem(first.get_ref()),
        };
        let files: Vec<PathBuf> = entry.sources.iter().map(|s| self.path(s.get_ref())).collect();
        for (file, said) in files.iter().zip(&entry.sources) {
            if !file.is_file() {
                return Err(self.error(&said.span(), format!("there is no file `{}`", file.display())));
            }
        }
        let mut model = Model {
            name,
            include: entry.include.iter().map(|dir| self.path(dir).display().to_string()).collect(),
            define: entry.define.clone(),
            stand_ins: entry.stand_ins.clone(),
            ilp32: entry.data_model.as_ref().map(|m| self.data_model(m)).transpose()?,
            entry: entry.entry.clone(),
            checks: entry.checks.iter().map(|c| self.check(c)).collect::<Result<_, _>>()?,
            engine: entry.engine.as_ref().map(|e| self.engine(e)).transpose()?,
            time: entry.time.as_ref().map(|t| self.time(t)).transpose()?,
            memory: entry.memory,
            spec: self.spec(&entry)?,
            files,
        };
        if let Some(said) = &entry.compile_commands {
            let found = commands::read(&self.path(said.get_ref()), &model.files);
            let found = found.map_err(|words| self.error(&said.span(), words))?;
            model.include.extend(found.include);
            model.define.extend(found.define);
            model.ilp32 = model.ilp32.or(found.ilp32);
        }
        Ok(model)
    }

    fn spec(&self, entry: &Entry) -> Result<Spec, Errors> {
        let mut inputs: Vec<_> = entry.inputs.iter().collect();
        inputs.sort_by_key(|(name, _)| name.span().start);
        let mut requirements: Vec<_> = entry.requirements.iter().collect();
        requirements.sort_by_key(|(name, _)| name.span().start);
        Ok(Spec {
            init: entry.init.as_ref().map(|s| self.said(s)),
            step: entry.step.as_ref().map(|s| self.said(s)),
            inputs: inputs.into_iter().map(|(name, values)| self.input(name, values)).collect::<Result<_, _>>()?,
            assumptions: entry.assumptions.iter().map(|a| self.said(a)).collect(),
            requirements: requirements.into_iter().map(|(n, r)| self.requirement(n, r)).collect::<Result<_, _>>()?,
        })
    }

    fn input(&self, name: &Spanned<String>, values: &Spanned<Values>) -> Result<Input, Errors> {
        let wrong = || self.error(&values.span(), "a range is `\"0..250\"`, `[0, 250]` or `\"any\"`");
        let number = |value: &toml::Value| match value {
            toml::Value::Integer(n) => Some(Number::Int(i128::from(*n))),
            toml::Value::Float(x) if x.is_finite() => Some(Number::Float(*x)),
            _ => None,
        };
        let range = match values.get_ref() {
            Values::Text(text) if text == "any" => None,
            Values::Text(text) => Some(range(text).map_err(|_| wrong())?),
            Values::Ends(ends) => match ends.as_slice() {
                [lo, hi] => Some(number(lo).zip(number(hi)).ok_or_else(wrong)?),
                _ => return Err(wrong()),
            },
        };
        Ok(Input { name: self.said(name), range })
    }

    fn requirement(&self, name: &Spanned<String>, text: &Spanned<String>) -> Result<Requirement, Errors> {
        let key = name.get_ref();
        if !key.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
            return Err(self.error(&name.span(), "the name of a requirement is made of letters, digits and `_`"));
        }
        let whole = self.said(text);
        Ok(Requirement { name: key.clone(), kind: requirement::parse(&whole)?, whole })
    }

    fn data_model(&self, model: &Spanned<i64>) -> Result<bool, Errors> {
        match model.get_ref() {
            32 => Ok(true),
            64 => Ok(false),
            _ => Err(self.error(&model.span(), "a data model is 32 or 64")),
        }
    }

    fn check(&self, check: &Spanned<String>) -> Result<CheckKind, Errors> {
        CheckKind::from_str(check.get_ref(), false).map_err(|_| {
            let words = format!("there is no check `{}`", check.get_ref());
            self.error(&check.span(), format!("{words}; there are overflow, shift, div, bounds, pointer and all"))
        })
    }

    fn engine(&self, engine: &Spanned<String>) -> Result<EngineName, Errors> {
        EngineName::from_str(engine.get_ref(), false).map_err(|_| {
            let all = EngineName::value_variants().iter().filter_map(|e| e.to_possible_value());
            let names: Vec<String> = all.map(|v| v.get_name().to_string()).collect();
            let words = format!("there is no engine `{}`; there are {}", engine.get_ref(), names.join(", "));
            self.error(&engine.span(), words)
        })
    }

    fn time(&self, time: &Spanned<f64>) -> Result<f64, Errors> {
        match std::time::Duration::try_from_secs_f64(*time.get_ref()) {
            Ok(_) => Ok(*time.get_ref()),
            Err(_) => Err(self.error(&time.span(), "not a number of seconds")),
        }
    }
}

/// Names of models become names of files and of targets.
fn is_name(text: &str) -> bool {
    let fits = |c: char| matches!(c, '_' | '-' | '.') || c.is_ascii_alphanumeric();
    !text.is_empty() && !text.starts_with(['.', '-']) && text.chars().all(fits)
}

pub fn stem(path: &str) -> String {
    let stem = Path::new(path).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let fits = |c: char| if c == '_' || c == '-' || c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = stem.chars().map(fits).collect();
    if is_name(&name) {
        name
    } else {
        "model".to_string()
    }
}
