//! What a chart's states, connectors and transitions must be, beyond names.

use super::error::Errors;
use super::names::Names;
use crate::model::{
    ActionList, Connector, ConnectorData, End, Guard, Segment, SegmentData, State, StateData, StateKind,
};
use cranelift_entity::PrimaryMap;

/// A chart with one state needs no default: `pages` are the states that hold a file's chart.
pub(crate) fn imply_defaults(
    states: &PrimaryMap<State, StateData>,
    pages: impl Iterator<Item = State>,
    segments: &mut PrimaryMap<Segment, SegmentData>,
) {
    for state in pages {
        let data = &states[state];
        let [child] = data.children.as_slice() else { continue };
        if !segments.values().any(|segment| segment.source == End::Default(state)) {
            segments.push(SegmentData {
                source: End::Default(state),
                target: End::State(*child),
                guard: Guard::default(),
                action: ActionList { position: data.position, ..ActionList::default() },
                label: String::new(),
                position: data.position,
            });
        }
    }
}

pub(crate) fn check(
    _states: &PrimaryMap<State, StateData>,
    _connectors: &PrimaryMap<Connector, ConnectorData>,
    _segments: &PrimaryMap<Segment, SegmentData>,
    _names: &Names,
    _errors: &mut Errors,
) {
}
