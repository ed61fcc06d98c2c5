//! What an engine's process says to the one that started it, and what it hears from there.

use crate::answer::Message;
use crate::chart::Charted;
use crate::process::Link;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};
use syncline_engines::portfolio::{read_fact, write_fact, News};
use syncline_engines::task::Annotations;
use syncline_ir::{Program, Prop};

/// How often progress is worth a line.
const OFTEN: Duration = Duration::from_millis(50);
/// Facts that are handed on at once, and the longest, as text.
const MAX_FACTS: usize = 400;
const LONGEST_FACT: usize = 2000;

/// The way to the one that started this process.
pub struct Outbox {
    to: RefCell<PipeWriter>,
    progress: Cell<Option<Instant>>,
    /// Whether there are others that facts may help.
    others: bool,
}

impl Outbox {
    /// The way out, and the way in.
    pub fn new(link: Link, others: bool) -> (Outbox, PipeReader) {
        (Outbox { to: RefCell::new(link.to), progress: Cell::new(None), others }, link.from)
    }

    /// Says something. If nobody listens any more this process is about to end.
    pub fn send(&self, message: Message) {
        let _ = self.to.borrow_mut().write_all(message.write().as_bytes());
    }

    /// Says what is being done, now and then.
    pub fn progress(&self, text: &str) {
        if self.progress.get().is_none_or(|last| last.elapsed() >= OFTEN) {
            self.progress.set(Some(Instant::now()));
            self.send(Message::Progress(text.to_string()));
        }
    }

    /// Hands on what is proved of a program.
    pub fn facts(&self, about: &About, annotations: &Annotations) {
        if !self.others {
            return;
        }
        let each = annotations.iter().flat_map(|(place, formulas)| formulas.iter().map(move |f| write_fact(place, f)));
        let facts: Vec<String> = each.filter(|text| text.len() <= LONGEST_FACT).take(MAX_FACTS).collect();
        if !facts.is_empty() {
            self.send(Message::Facts(about.name.to_string(), facts));
        }
    }
}

/// What is told to a process.
#[derive(Serialize, Deserialize)]
pub enum Word {
    /// Another one has decided the property.
    Decided(u32),
    /// A fact about the program that the word names.
    Fact(String, String),
}

impl Word {
    /// As a line, its end included.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// What is heard about one program.
pub struct About {
    name: &'static str,
    pub news: News,
}

/// What is heard, by the program it is about: entities have numbers that mean nothing in another one.
pub struct Heard {
    lowered: About,
    /// That in which values that leave their range end the run.
    confined: About,
}

impl Heard {
    pub fn new() -> Heard {
        let about = |name| About { name, news: News::default() };
        Heard { lowered: about("lowered"), confined: about("confined") }
    }

    /// What is about this program.
    pub fn about(&self, program: &Arc<Program>, chart: &Option<Arc<Charted>>) -> &About {
        let confined = chart.as_ref().and_then(|c| c.confined.as_ref());
        match confined.is_some_and(|confined| Arc::ptr_eq(confined, program)) {
            true => &self.confined,
            false => &self.lowered,
        }
    }

    fn news(&self) -> [&About; 2] {
        [&self.lowered, &self.confined]
    }

    /// Takes in a word.
    pub fn take(&self, word: &Word) {
        match word {
            Word::Decided(prop) => self.news().iter().for_each(|a| a.news.add_decided(Prop::from_u32(*prop))),
            Word::Fact(name, text) => {
                let about = self.news().into_iter().find(|a| a.name == *name);
                if let (Some(about), Some((place, formula))) = (about, read_fact(text)) {
                    about.news.add_fact(place, formula);
                }
            }
        }
    }

    /// Takes in what comes, as long as this process lives.
    pub fn listen(&self, from: PipeReader) {
        let about = |a: &About| About { name: a.name, news: a.news.clone() };
        let heard = Heard { lowered: about(&self.lowered), confined: about(&self.confined) };
        std::thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if let Ok(word) = serde_json::from_str(&line) {
                    heard.take(&word);
                }
            }
        });
    }
}
