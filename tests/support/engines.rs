//! Which engines a suite asks.

/// The engines a variable of the environment names, with their options and commas between them, of which nothing is
/// demanded; or the usual ones, with what each must decide of a hundred safe and violated properties.
pub fn engines(variable: &str, usual: &[(&str, u64, u64)]) -> Vec<(String, u64, u64)> {
    match std::env::var(variable) {
        Ok(list) => list.split(',').map(|engine| (engine.to_string(), 0, 0)).collect(),
        Err(_) => usual.iter().map(|&(engine, safe, violated)| (engine.to_string(), safe, violated)).collect(),
    }
}
