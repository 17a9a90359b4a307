//! Rows and matrices that become larger, for features that are added.

/// Appends zeros to every row of `from` numbers until it has `to`.
pub(crate) fn grow_rows(rows: &mut Vec<f64>, from: usize, to: usize) {
    if from == 0 {
        // Rows without numbers cannot be counted: the caller knows how many there are.
        return;
    }
    let mut grown = Vec::with_capacity(rows.len() / from * to);
    for row in rows.chunks_exact(from) {
        grown.extend_from_slice(row);
        grown.resize(grown.len() + to - from, 0.0);
    }
    *rows = grown;
}

/// Makes a square matrix larger: new rows and columns are zero but for `diagonal`.
pub(crate) fn grow_matrix(matrix: &mut Vec<f64>, from: usize, to: usize, diagonal: f64) {
    grow_rows(matrix, from, to);
    matrix.resize(to * to, 0.0);
    matrix.iter_mut().step_by(to + 1).skip(from).for_each(|v| *v = diagonal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_in_its_place() {
        let mut rows = vec![1.0, 2.0, 3.0, 4.0];
        grow_rows(&mut rows, 2, 3);
        assert_eq!(rows, [1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
        let mut matrix = vec![1.0, 0.0, 2.0, 3.0];
        grow_matrix(&mut matrix, 2, 4, 7.0);
        assert_eq!(matrix, [1.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 7.0]);
        let mut none = Vec::new();
        grow_matrix(&mut none, 0, 2, 5.0);
        assert_eq!(none, [5.0, 0.0, 0.0, 5.0]);
        grow_matrix(&mut none, 2, 2, 9.0);
        assert_eq!(none, [5.0, 0.0, 0.0, 5.0]);
    }
}
