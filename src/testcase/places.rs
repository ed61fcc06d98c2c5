//! Which token a site is, where one source position is that of many.
//!
//! Generated code has `#line` directives that give the same file and line to much of the text (CIL's
//! `<compiler builtins>`). Sites and tokens at one position are told apart by the function they are in, and within a
//! function by their order.

use super::text::{Editor, Spot};
use std::collections::{BTreeMap, HashMap};
use syncline_frontend::hir::{Loc, Unit};
use syncline_ir::{InstData, Origin, OriginData, Program, Prop, Site};

pub fn of_origin(program: &Program, origin: Origin) -> Option<Spot> {
    match &program.origins[origin] {
        OriginData::Source { file, line, column } => {
            Some(Spot { file: program.files[*file as usize].clone(), line: *line, column: *column })
        }
        OriginData::None | OriginData::Element(_) => None,
    }
}

pub fn of_loc(unit: &Unit, loc: Loc) -> Spot {
    let file = unit.files.get(loc.file as usize).cloned().unwrap_or_default();
    Spot { file, line: loc.line, column: loc.column }
}

/// Sites of one name at one position, in one function.
type Group = (String, Spot, String);

pub struct Places {
    /// The function a site is in; none for those of variables.
    functions: HashMap<Site, String>,
    properties: HashMap<Prop, String>,
    /// Functions by the token that opens their body, with the one that closes it.
    bodies: BTreeMap<usize, (usize, String)>,
    groups: HashMap<Group, Vec<Site>>,
}

impl Places {
    pub fn new(program: &Program, unit: &Unit, editor: &Editor) -> Places {
        let (mut functions, mut properties) = (HashMap::new(), HashMap::new());
        for proc in program.procs.values() {
            let name = proc.name.trim_end_matches(".start");
            for &inst in proc.layout.iter().flat_map(|&b| &proc.blocks[b].insts) {
                match proc.insts[inst].data {
                    InstData::Havoc { site } => drop(functions.insert(site, name.to_string())),
                    InstData::Assert { prop, .. } => drop(properties.insert(prop, name.to_string())),
                    _ => {}
                }
            }
        }
        let mut bodies = BTreeMap::new();
        for function in unit.functions.values().filter(|f| f.body.is_some()) {
            for token in editor.words_at(&of_loc(unit, function.loc), &function.name) {
                if let Some((open, close)) = editor.body(token) {
                    bodies.insert(open, (close, function.name.clone()));
                }
            }
        }
        let mut groups: HashMap<Group, Vec<Site>> = HashMap::new();
        for (site, data) in program.sites.iter() {
            if let (Some(spot), Some(function)) = (of_origin(program, data.origin), functions.get(&site)) {
                groups.entry((function.clone(), spot, data.name.clone())).or_default().push(site);
            }
        }
        Places { functions, properties, bodies, groups }
    }

    /// The sites that share name, position and function with this one, in order, itself included.
    pub fn alike(&self, site: Site, spot: &Spot, name: &str) -> &[Site] {
        let function = self.functions.get(&site).cloned().unwrap_or_default();
        self.groups.get(&(function, spot.clone(), name.to_string())).map_or(&[], Vec::as_slice)
    }

    pub fn same_function(&self, a: Site, b: Site) -> bool {
        self.functions.get(&a) == self.functions.get(&b)
    }

    fn inside(&self, function: Option<&String>, tokens: Vec<usize>) -> Vec<usize> {
        let enclosing = |t: usize| {
            let (_, (close, name)) = self.bodies.range(..=t).next_back()?;
            (t <= *close).then_some(name)
        };
        let here: Vec<usize> = tokens.iter().copied().filter(|&t| enclosing(t) == function).collect();
        // A function's own name is outside its body.
        if here.is_empty() {
            tokens
        } else {
            here
        }
    }

    /// Of the tokens at the property's position those in its function.
    pub fn of_property(&self, prop: Prop, tokens: Vec<usize>) -> Vec<usize> {
        self.inside(self.properties.get(&prop), tokens)
    }

    /// Of the tokens at the site's position those that are the site's.
    pub fn of_site(&self, site: Site, spot: &Spot, name: &str, tokens: Vec<usize>) -> Vec<usize> {
        if tokens.len() < 2 {
            return tokens;
        }
        let tokens = self.inside(self.functions.get(&site), tokens);
        let alike = self.alike(site, spot, name);
        match alike.iter().position(|&s| s == site) {
            // As many of the one as of the other.
            Some(n) if alike.len() > 1 && tokens.len() == alike.len() => vec![tokens[n]],
            _ => tokens,
        }
    }
}
