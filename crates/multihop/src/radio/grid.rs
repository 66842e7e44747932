//! Nodes in square cells, so that a search for neighbours need not check every node.

use super::Position;

/// Nodes by cell. Refilling it reuses its memory.
#[derive(Debug, Default)]
pub(super) struct Grid {
    cell_m: f64,
    origin: Position,
    columns: i64,
    rows: i64,
    /// Where each cell's members start, and one entry more for the end.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Grid {
    /// Sorts the nodes at `positions` into cells at least `cell_m` wide.
    pub(super) fn fill(&mut self, positions: &[Position], cell_m: f64) {
        let fold = |f: fn(f64, f64) -> f64, start: f64, get: fn(&Position) -> f64| {
            positions.iter().map(get).fold(start, f)
        };
        let (x0, y0) =
            (fold(f64::min, f64::INFINITY, |p| p.x_m), fold(f64::min, f64::INFINITY, |p| p.y_m));
        let (x1, y1) = (
            fold(f64::max, f64::NEG_INFINITY, |p| p.x_m),
            fold(f64::max, f64::NEG_INFINITY, |p| p.y_m),
        );
        // Nodes far apart would leave most cells empty; wider cells find the same neighbours.
        let widest = (x1 - x0).max(y1 - y0);
        self.cell_m = cell_m.max(widest / (positions.len() as f64).sqrt().max(1.0) / 4.0);
        self.origin = Position { x_m: x0, y_m: y0 };
        self.columns = ((x1 - x0) / self.cell_m).floor() as i64 + 1;
        self.rows = ((y1 - y0) / self.cell_m).floor() as i64 + 1;
        self.starts.clear();
        self.starts.resize((self.columns * self.rows) as usize + 1, 0);
        for p in positions {
            let cell = self.cell(p);
            self.starts[cell] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        // Each cell's start is still its end; every member inserted before it moves it down by one.
        self.members.clear();
        self.members.resize(positions.len(), 0);
        for (node, p) in positions.iter().enumerate().rev() {
            let cell = self.cell(p);
            self.starts[cell] -= 1;
            self.members[self.starts[cell] as usize] = node as u32;
        }
    }

    /// Visits at least all nodes within `cell_m` of `p`.
    pub(super) fn for_each_near(&self, p: &Position, mut visit: impl FnMut(u32)) {
        let (column, row) = self.coordinates(p);
        for r in (row - 1).max(0)..=(row + 1).min(self.rows - 1) {
            for c in (column - 1).max(0)..=(column + 1).min(self.columns - 1) {
                let cell = (r * self.columns + c) as usize;
                let members = self.starts[cell] as usize..self.starts[cell + 1] as usize;
                self.members[members].iter().for_each(|&node| visit(node));
            }
        }
    }

    fn cell(&self, p: &Position) -> usize {
        let (column, row) = self.coordinates(p);
        (row * self.columns + column) as usize
    }

    fn coordinates(&self, p: &Position) -> (i64, i64) {
        let column = ((p.x_m - self.origin.x_m) / self.cell_m).floor() as i64;
        let row = ((p.y_m - self.origin.y_m) / self.cell_m).floor() as i64;
        (column, row)
    }
}
