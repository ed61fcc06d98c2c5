//! The names in force: [`super::vocabulary`]'s, except where a mapping file says otherwise.
//!
//! ```text
//! # ours              theirs
//! element or-state    = OR_STATE
//! attribute name      = NAME              everywhere
//! attribute transition.from = SOURCE      of one element
//! value asynchronous  = ASYNC
//! ignore element graphics                 with all that it holds
//! ignore attribute color
//! ```

use super::error::{nearest, Errors};
use super::vocabulary::{Attribute, Element, Keyword, CONNECTORS, TIMES, TRUTHS, TYPES, USAGES};
use crate::model::Position;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Debug)]
pub struct Mapping {
    elements: FxHashMap<String, Element>,
    names: FxHashMap<Element, String>,
    attributes: FxHashMap<(Element, Attribute), String>,
    keywords: FxHashMap<Keyword, String>,
    ignored_elements: FxHashSet<String>,
    ignored_attributes: FxHashSet<String>,
}

impl Default for Mapping {
    fn default() -> Mapping {
        let mut mapping = Mapping {
            elements: FxHashMap::default(),
            names: Element::ALL.iter().map(|&e| (e, e.text().to_string())).collect(),
            attributes: FxHashMap::default(),
            keywords: Keyword::ALL.iter().map(|&k| (k, k.text().to_string())).collect(),
            ignored_elements: FxHashSet::default(),
            ignored_attributes: FxHashSet::default(),
        };
        for &element in Element::ALL {
            for &(attribute, _) in element.attributes() {
                mapping.attributes.insert((element, attribute), attribute.text().to_string());
            }
        }
        mapping.index();
        mapping
    }
}

/// What a line of a mapping file says.
enum Entry {
    Element(Element, String),
    Attribute(Option<Element>, Attribute, String),
    Value(Keyword, String),
    IgnoreElement(String),
    IgnoreAttribute(String),
}

impl Mapping {
    /// Reads a mapping file's text; `file` is its name, for errors.
    pub fn parse(text: &str, file: &str) -> Result<Mapping, Vec<super::Error>> {
        let mut errors = Errors::new(vec![file.to_string()]);
        let mut mapping = Mapping::default();
        let mut everywhere = Vec::new();
        let mut once = FxHashSet::default();
        for (number, line) in text.lines().enumerate() {
            let column = (line.len() - line.trim_start().len()) as u32 + 1;
            let position = Position { file: 0, line: number as u32 + 1, column };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if !once.insert(line.split('=').next().unwrap_or_default().trim().to_string()) {
                errors.report(position, "", "said twice");
            }
            match entry(line) {
                Err(message) => errors.report(position, "", message),
                Ok(Entry::Element(element, name)) => {
                    mapping.names.insert(element, name);
                }
                // What is said of one element holds, wherever the general line stands.
                Ok(Entry::Attribute(None, attribute, name)) => everywhere.push((attribute, name)),
                Ok(Entry::Attribute(Some(element), attribute, name)) => {
                    mapping.attributes.insert((element, attribute), name);
                }
                Ok(Entry::Value(keyword, name)) => {
                    mapping.keywords.insert(keyword, name);
                }
                Ok(Entry::IgnoreElement(name)) => {
                    mapping.ignored_elements.insert(name);
                }
                Ok(Entry::IgnoreAttribute(name)) => {
                    mapping.ignored_attributes.insert(name);
                }
            }
        }
        for (attribute, name) in everywhere {
            for (&(_, own), theirs) in mapping.attributes.iter_mut() {
                if own == attribute && theirs == attribute.text() {
                    theirs.clone_from(&name);
                }
            }
        }
        mapping.index();
        for message in mapping.clashes() {
            errors.report(Position::default(), "", message);
        }
        if errors.is_empty() {
            Ok(mapping)
        } else {
            Err(errors.sorted())
        }
    }

    fn index(&mut self) {
        self.elements = self.names.iter().map(|(&element, name)| (name.clone(), element)).collect();
    }

    /// Names that would mean two things.
    fn clashes(&self) -> Vec<String> {
        let mut messages = Vec::new();
        let mut same = |what: &str, names: &mut Vec<&str>| {
            names.sort_unstable();
            for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
                messages.push(format!("two {what} have the name `{}`", pair[0]));
            }
        };
        same("elements", &mut Element::ALL.iter().map(|&e| self.element_name(e)).collect());
        for &element in Element::ALL {
            let mut names: Vec<&str> =
                element.attributes().iter().map(|&(a, _)| self.attribute_name(element, a)).collect();
            same(&format!("attributes of `{}`", element.text()), &mut names);
        }
        for group in [TIMES, USAGES, TYPES, TRUTHS, CONNECTORS] {
            same("values", &mut group.iter().map(|&k| self.keyword_name(k)).collect());
        }
        let ignored = Element::ALL.iter().filter(|&&e| self.ignored_elements.contains(self.element_name(e)));
        messages.extend(ignored.map(|e| format!("the element `{}` is ignored and used", self.element_name(*e))));
        messages
    }

    pub(crate) fn element(&self, name: &str) -> Option<Element> {
        self.elements.get(name).copied()
    }

    pub(crate) fn element_name(&self, element: Element) -> &str {
        self.names.get(&element).map_or(element.text(), String::as_str)
    }

    pub(crate) fn attribute(&self, element: Element, name: &str) -> Option<Attribute> {
        element.attributes().iter().map(|&(a, _)| a).find(|&a| self.attribute_name(element, a) == name)
    }

    pub(crate) fn attribute_name(&self, element: Element, attribute: Attribute) -> &str {
        self.attributes.get(&(element, attribute)).map_or(attribute.text(), String::as_str)
    }

    pub(crate) fn keyword(&self, group: &[Keyword], name: &str) -> Option<Keyword> {
        group.iter().copied().find(|&k| self.keyword_name(k) == name)
    }

    pub(crate) fn keyword_name(&self, keyword: Keyword) -> &str {
        self.keywords.get(&keyword).map_or(keyword.text(), String::as_str)
    }

    pub(crate) fn ignores_element(&self, name: &str) -> bool {
        self.ignored_elements.contains(name)
    }

    /// Namespaces and the place of a schema are not the chart's affair.
    pub(crate) fn ignores_attribute(&self, name: &str) -> bool {
        name == "xmlns"
            || ["xmlns:", "xsi:", "xml:"].iter().any(|prefix| name.starts_with(prefix))
            || self.ignored_attributes.contains(name)
    }
}

fn entry(line: &str) -> Result<Entry, String> {
    let (what, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if what == "ignore" {
        return match rest.split_once(char::is_whitespace).map(|(kind, name)| (kind, name.trim())) {
            Some(("element", name)) => Ok(Entry::IgnoreElement(name.to_string())),
            Some(("attribute", name)) => Ok(Entry::IgnoreAttribute(name.to_string())),
            _ => Err("`ignore` is followed by `element NAME` or `attribute NAME`".into()),
        };
    }
    if !["element", "attribute", "value"].contains(&what) {
        return Err(format!("`{what}`: a line begins with element, attribute, value or ignore"));
    }
    let Some((ours, theirs)) = rest.split_once('=').map(|(ours, theirs)| (ours.trim(), theirs.trim().to_string()))
    else {
        return Err(format!("`{what} OURS = THEIRS` is what a line looks like"));
    };
    if theirs.is_empty() || theirs.contains(char::is_whitespace) {
        return Err("a name has one character or more and no spaces".into());
    }
    let unknown = |word: &str, known: Vec<&'static str>| {
        let hint = nearest(word, known).unwrap_or_default();
        format!("unknown {what} `{word}`; the nearest is `{hint}`")
    };
    let element = |word: &str| {
        Element::from_text(word).ok_or_else(|| unknown(word, Element::ALL.iter().map(|e| e.text()).collect()))
    };
    match what {
        "element" => Ok(Entry::Element(element(ours)?, theirs)),
        "attribute" => {
            let (place, word) = match ours.split_once('.') {
                Some((place, word)) => (Some(element(place)?), word),
                None => (None, ours),
            };
            let known = |a: Attribute| place.is_none_or(|e| e.attributes().iter().any(|&(own, _)| own == a));
            let attribute = Attribute::from_text(word).filter(|&a| known(a)).ok_or_else(|| {
                unknown(word, Attribute::ALL.iter().filter(|&&a| known(a)).map(|a| a.text()).collect())
            })?;
            Ok(Entry::Attribute(place, attribute, theirs))
        }
        _ => {
            let word = Keyword::from_text(ours)
                .ok_or_else(|| unknown(ours, Keyword::ALL.iter().map(|k| k.text()).collect()))?;
            Ok(Entry::Value(word, theirs))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_replaces_names() {
        let text = "# site 7\nelement or-state = OR\n attribute name = NAME\nattribute transition.from = SRC\n\
                    value input = in\nignore element graphics\nignore attribute x\n";
        let mapping = Mapping::parse(text, "m").unwrap();
        assert_eq!(mapping.element("OR"), Some(Element::OrState));
        assert_eq!(mapping.element("or-state"), None);
        assert_eq!(mapping.attribute(Element::OrState, "NAME"), Some(Attribute::Name));
        assert_eq!(mapping.attribute(Element::Transition, "SRC"), Some(Attribute::From));
        assert_eq!(mapping.attribute(Element::Transition, "from"), None);
        assert_eq!(mapping.keyword(USAGES, "in"), Some(Keyword::Input));
        assert!(mapping.ignores_element("graphics") && mapping.ignores_attribute("x"));
    }

    #[test]
    fn bad_mappings_have_a_line() {
        let text = "element orstate = A\nelement state = B\nelement and-state = B\nvalue\nattribute event.kind = k\n";
        let errors = Mapping::parse(text, "m").unwrap_err();
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "m: two elements have the name `B`",
                "m:1:1: unknown element `orstate`; the nearest is `or-state`",
                "m:4:1: `value OURS = THEIRS` is what a line looks like",
                "m:5:1: unknown attribute `kind`; the nearest is `name`",
            ]
        );
    }
}
