//! Statecharts to synchronous processes. The place is kept; the importer, the step semantics and the
//! reference simulator are not written yet, and nothing depends on this crate.
