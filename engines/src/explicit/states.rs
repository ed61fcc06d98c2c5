//! Sets of packed states: one arena of words, found by an open-addressing table of numbers.

/// The states seen at one header.
pub(super) struct States {
    words: usize,
    data: Vec<u64>,
    /// One more than the number of a state, or 0; the length is a power of two.
    slots: Vec<u32>,
    len: usize,
}

impl States {
    pub fn new(words: usize) -> States {
        States { words, data: Vec::new(), slots: vec![0; 64], len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn get(&self, number: u32) -> &[u64] {
        &self.data[number as usize * self.words..][..self.words]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u64]> {
        self.data.chunks_exact(self.words)
    }

    pub fn bytes(&self) -> usize {
        self.data.capacity() * 8 + self.slots.len() * 4
    }

    /// The state's number if it is new.
    pub fn insert(&mut self, state: &[u64]) -> Option<u32> {
        if self.len * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash(state) as usize & mask;
        loop {
            match self.slots[at] {
                0 => break,
                n if self.get(n - 1) == state => return None,
                _ => at = (at + 1) & mask,
            }
        }
        self.data.extend_from_slice(state);
        self.len += 1;
        self.slots[at] = self.len as u32;
        Some(self.len as u32 - 1)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![0u32; mask + 1];
        for number in 0..self.len as u32 {
            let mut at = hash(self.get(number)) as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = number + 1;
        }
        self.slots = slots;
    }
}

/// Multiply and fold; the table takes the low bits.
fn hash(state: &[u64]) -> u64 {
    let mut h = 0u64;
    for &word in state {
        let product = u128::from(h ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
        h = (product as u64) ^ ((product >> 64) as u64).wrapping_add(word.rotate_left(32));
    }
    h ^ (h >> 29)
}
