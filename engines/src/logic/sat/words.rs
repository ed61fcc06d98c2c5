//! Arithmetic on words: slices of literals, the least significant bit first.

use super::gates::{Gates, Lit, FALSE, TRUE};

pub type Word = Vec<Lit>;

impl Gates {
    pub fn word_not(&self, a: &[Lit]) -> Word {
        a.iter().map(|l| -l).collect()
    }

    pub fn word_map(&mut self, a: &[Lit], b: &[Lit], mut f: impl FnMut(&mut Gates, Lit, Lit) -> Lit) -> Word {
        a.iter().zip(b).map(|(&x, &y)| f(self, x, y)).collect()
    }

    pub fn word_mux(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Word {
        self.word_map(a, b, |g, x, y| g.mux(c, x, y))
    }

    /// The sum and the carry out.
    pub fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Word, Lit) {
        let mut carry = carry;
        let sum = self.word_map(a, b, |g, x, y| {
            let half = g.xor(x, y);
            let sum = g.xor(half, carry);
            carry = g.majority(x, y, carry);
            sum
        });
        (sum, carry)
    }

    pub fn negate(&mut self, a: &[Lit]) -> Word {
        let zero = vec![FALSE; a.len()];
        let not = self.word_not(a);
        self.add(&not, &zero, TRUE).0
    }

    /// `a - b`, and whether `a >= b` as unsigned numbers.
    pub fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Lit) {
        let not = self.word_not(b);
        self.add(a, &not, TRUE)
    }

    pub fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        // Rows for the operand with more known zeros are left out.
        let known = |w: &[Lit]| w.iter().filter(|&&l| l == FALSE).count();
        let (a, b) = if known(a) > known(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut sum = vec![FALSE; width];
        for (shift, &bit) in b.iter().enumerate() {
            if bit == FALSE {
                continue;
            }
            let row: Word = a[..width - shift].iter().map(|&l| self.and(l, bit)).collect();
            let (high, _) = self.add(&sum[shift..], &row, FALSE);
            sum.truncate(shift);
            sum.extend(high);
        }
        sum
    }

    /// Quotient and remainder of unsigned numbers; by zero they are all ones and the dividend, as in SMT-LIB.
    /// Restoring division: a bit of the quotient is whether the divisor can be taken off.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        let mut wide_b = b.to_vec();
        wide_b.push(FALSE);
        let mut rest = vec![FALSE; width + 1];
        let mut quotient = vec![FALSE; width];
        for i in (0..width).rev() {
            rest.pop();
            rest.insert(0, a[i]);
            let (difference, fits) = self.subtract(&rest, &wide_b);
            quotient[i] = fits;
            rest = self.word_mux(fits, &difference, &rest);
        }
        rest.pop();
        (quotient, rest)
    }

    fn absolute(&mut self, a: &[Lit]) -> (Word, Lit) {
        let sign = a[a.len() - 1];
        let negated = self.negate(a);
        (self.word_mux(sign, &negated, a), sign)
    }

    fn negate_if(&mut self, c: Lit, a: &[Lit]) -> Word {
        let negated = self.negate(a);
        self.word_mux(c, &negated, a)
    }

    /// Quotient and remainder of signed numbers, truncated toward zero.
    pub fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let ((x, sx), (y, sy)) = (self.absolute(a), self.absolute(b));
        let (quotient, rest) = self.divide(&x, &y);
        let differ = self.xor(sx, sy);
        (self.negate_if(differ, &quotient), self.negate_if(sx, &rest))
    }

    /// Shifts towards the most significant bit, filling with zeros.
    pub fn shift_left(&mut self, a: &[Lit], by: &[Lit]) -> Word {
        let reversed: Word = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&reversed, by, FALSE);
        shifted.reverse();
        shifted
    }

    /// Shifts towards the least significant bit.
    pub fn shift_right(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Word {
        let width = a.len();
        let mut word = a.to_vec();
        let mut stage = 0;
        while (1usize << stage) < width {
            let distance = 1usize << stage;
            let shifted: Word = (0..width).map(|i| word.get(i + distance).copied().unwrap_or(fill)).collect();
            word = self.word_mux(by[stage], &shifted, &word);
            stage += 1;
        }
        let beyond = self.or_all(&by[stage..]);
        let filled = vec![fill; width];
        self.word_mux(beyond, &filled, &word)
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same = self.word_map(a, b, |g, x, y| -g.xor(x, y));
        self.and_all(&same)
    }

    /// `a < b` as unsigned numbers, or `a <= b`: from the least significant bit up, the higher bit decides.
    pub fn below(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let mut result = if or_equal { TRUE } else { FALSE };
        for (&x, &y) in a.iter().zip(b) {
            result = self.majority(-x, y, result);
        }
        result
    }

    pub fn below_signed(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let flip = |w: &[Lit]| {
            let mut w = w.to_vec();
            if let Some(sign) = w.last_mut() {
                *sign = -*sign;
            }
            w
        };
        self.below(&flip(a), &flip(b), or_equal)
    }
}
