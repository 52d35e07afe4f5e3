//! Decomposition of a sum of constraints into independent ones.
//!
//! Given constraints that add up to one without certain variables, the sum is split into several sums without these
//! variables, as fine as possible: the weights `(1, …, 1)` are a point of the cone of non-negative weights under which
//! the variables cancel, and every such point is a sum of extreme rays of that cone.

use bolide_base::Rational;

/// Non-negative weight vectors that add up to `(1, …, 1)`, each an extreme ray of the cone of weights under which all
/// rows cancel. `rows[v][n]` is the coefficient of variable `v` in constraint `n`; the weights `(1, …, 1)` must
/// cancel every row.
pub(super) fn decompose(rows: &[Vec<Rational>], columns: usize) -> Vec<Vec<Rational>> {
    let mut rest: Vec<Rational> = vec![Rational::ONE; columns];
    let mut out = Vec::new();
    while rest.iter().any(|w| !w.is_zero()) {
        let mut ray = extreme_ray(rows, rest.clone());
        // As much of the ray as fits into what is left; at least one weight becomes zero.
        let factor = rest
            .iter()
            .zip(&ray)
            .filter(|(_, r)| !r.is_zero())
            .map(|(w, r)| w / r)
            .min()
            .expect("a ray is not zero");
        for (w, r) in rest.iter_mut().zip(&mut ray) {
            *r *= &factor;
            *w -= &*r;
        }
        out.push(ray);
    }
    out
}

/// An extreme ray whose support lies in that of `point`.
fn extreme_ray(rows: &[Vec<Rational>], mut point: Vec<Rational>) -> Vec<Rational> {
    while let Some(direction) = another_direction(rows, &point) {
        // Moving against the direction as far as possible clears a weight.
        let step = point
            .iter()
            .zip(&direction)
            .filter(|(_, d)| d.is_positive())
            .map(|(p, d)| p / d)
            .min()
            .expect("a direction has a positive entry");
        for (p, d) in point.iter_mut().zip(&direction) {
            p.sub_mul(&step, d);
        }
    }
    point
}

/// A vector on the support of `point` that cancels all rows and is not a multiple of `point`; it has a positive entry.
fn another_direction(rows: &[Vec<Rational>], point: &[Rational]) -> Option<Vec<Rational>> {
    let support: Vec<usize> = (0..point.len()).filter(|&n| !point[n].is_zero()).collect();
    let mut matrix: Vec<Vec<Rational>> =
        rows.iter().map(|r| support.iter().map(|&n| r[n].clone()).collect()).collect();
    let pivots = reduce(&mut matrix, support.len());
    let free: Vec<usize> = (0..support.len()).filter(|c| !pivots.contains(&Some(*c))).collect();
    if free.len() < 2 {
        return None;
    }
    let chosen = free[0];
    let mut direction = vec![Rational::ZERO; point.len()];
    direction[support[chosen]] = Rational::ONE;
    for (row, pivot) in matrix.iter().zip(&pivots) {
        if let Some(c) = pivot {
            direction[support[*c]] = -row[chosen].clone();
        }
    }
    Some(direction)
}

/// Gauss-Jordan elimination; the pivot column of each row, none for rows that are zero.
fn reduce(matrix: &mut [Vec<Rational>], columns: usize) -> Vec<Option<usize>> {
    let mut pivots = vec![None; matrix.len()];
    let mut next = 0;
    for c in 0..columns {
        let Some(found) = (next..matrix.len()).find(|&r| !matrix[r][c].is_zero()) else { continue };
        matrix.swap(next, found);
        let factor = matrix[next][c].recip();
        matrix[next].iter_mut().for_each(|x| *x *= &factor);
        let pivot_row = matrix[next].clone();
        for (r, row) in matrix.iter_mut().enumerate() {
            if r != next && !row[c].is_zero() {
                let k = row[c].clone();
                for (x, p) in row.iter_mut().zip(&pivot_row) {
                    x.sub_mul(&k, p);
                }
            }
        }
        pivots[next] = Some(c);
        next += 1;
        if next == matrix.len() {
            break;
        }
    }
    pivots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entries: &[i64]) -> Vec<Rational> {
        entries.iter().map(|&n| Rational::from(n)).collect()
    }

    #[test]
    fn two_pairs_that_share_a_variable() {
        // x, -x and x, -x: two rays of two constraints each.
        let rows = [row(&[1, -1, 1, -1])];
        let rays = decompose(&rows, 4);
        assert_eq!(rays.len(), 2);
        let total: Rational = rays.iter().flatten().fold(Rational::ZERO, |a, b| a + b);
        assert_eq!(total, Rational::from(4));
        for ray in &rays {
            assert_eq!(ray.iter().filter(|w| !w.is_zero()).count(), 2);
            assert!(ray.iter().all(|w| !w.is_negative()));
        }
    }

    #[test]
    fn constraints_without_the_variables_stand_alone() {
        assert_eq!(decompose(&[], 3).len(), 3);
    }
}
