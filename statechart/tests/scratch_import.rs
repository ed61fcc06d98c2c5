mod gen;
use gen::Profile;
use syncline_statechart::import;
#[test]
fn importable() {
    let mut words: std::collections::BTreeMap<String, (u64, u64, Profile)> = Default::default();
    let mut refused = 0;
    for index in 0..600u64 {
        for profile in [Profile::Small, Profile::Large] {
            let chart = gen::chart(1, index, profile);
            let text = gen::text::xml(&chart);
            if let Err(errors) = import::from_str(&text, &import::Options::default()) {
                refused += 1;
                for e in errors { let w: String = e.to_string().split(": ").skip(1).collect::<Vec<_>>().join(": "); let w: String = w.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect(); let en = words.entry(w).or_insert((0, index, profile)); en.0 += 1; }
            }
        }
    }
    let mut words: Vec<_> = words.into_iter().collect();
    words.sort_by_key(|w| std::cmp::Reverse(w.1.0));
    for (w, n) in words.iter().take(40) { println!("{n:?} {w}"); }
    println!("{refused} refused of 1200");
}
