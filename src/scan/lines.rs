//! Where a text that was taken out of a file stands in it.

/// A place in a file: line and column from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

/// Where each part of a text begins in the file; between two of them both go on alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    parts: Vec<(usize, Position)>,
}

impl Lines {
    /// A text that stands in the file as it is, from there on.
    pub fn at(line: usize, column: usize) -> Self {
        let mut lines = Self::default();
        lines.push(0, line, column);
        lines
    }

    /// From this byte of the text on, it stands there in the file.
    pub fn push(&mut self, offset: usize, line: usize, column: usize) {
        self.parts.push((offset, Position { line, column }));
    }

    /// The lines of a text that stand one below the other, from this line on, each indented by so many columns.
    pub fn indented(text: &str, line: usize, column: usize) -> Self {
        let mut lines = Self::default();
        let mut offset = 0;
        for (number, one) in text.split('\n').enumerate() {
            lines.push(offset, line + number, column);
            offset += one.len() + 1;
        }
        lines
    }

    /// The same for the part of the text from this byte on, which stands at this place.
    #[must_use]
    pub fn behind(&self, offset: usize, at: Position) -> Self {
        let later = self.parts.iter().filter(|(start, _)| *start > offset);
        let parts = std::iter::once((0, at)).chain(later.map(|(start, at)| (start - offset, *at)));
        Self { parts: parts.collect() }
    }

    /// Adds to `target`, from its byte `to` on, where this part of the text stands.
    pub fn copy(&self, part: std::ops::Range<usize>, to: usize, text: &str, target: &mut Self) {
        let first = self.position(text, part.start);
        target.push(to, first.line, first.column);
        for (start, at) in self.parts.iter().filter(|(start, _)| *start > part.start && *start < part.end) {
            target.push(to + start - part.start, at.line, at.column);
        }
    }

    /// The places of a text that was taken out of `text`, which itself stands where `outer` says.
    #[must_use]
    pub fn through(&self, text: &str, outer: &Self) -> Self {
        let moved = self.parts.iter().map(|(start, at)| {
            let line: usize = text.split_inclusive('\n').take(at.line - 1).map(str::len).sum();
            let rest = text.get(line..).unwrap_or("");
            let column = rest.char_indices().nth(at.column - 1).map_or(rest.len(), |(at, _)| at);
            (*start, outer.position(text, line + column))
        });
        Self { parts: moved.collect() }
    }

    /// Where a byte of the text stands in the file.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let at = self.parts.partition_point(|(start, _)| *start <= offset).saturating_sub(1);
        let Some((start, from)) = self.parts.get(at) else { return Position { line: 1, column: 1 } };
        let between = text.get(*start..offset.min(text.len()).max(*start)).unwrap_or("");
        match between.rfind('\n') {
            Some(last) => Position {
                line: from.line + between.matches('\n').count(),
                column: between.get(last + 1..).unwrap_or("").chars().count() + 1,
            },
            None => Position { line: from.line, column: from.column + between.chars().count() },
        }
    }

    /// The first line.
    pub fn first(&self) -> usize {
        self.parts.first().map_or(1, |(_, at)| at.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_in_its_part() {
        let text = "ab\ncd";
        let whole = Lines::at(3, 5);
        assert_eq!(whole.position(text, 1), Position { line: 3, column: 6 });
        assert_eq!(whole.position(text, 4), Position { line: 4, column: 2 });
        let block = Lines::indented(text, 10, 7);
        assert_eq!(block.position(text, 3), Position { line: 11, column: 7 });
        assert_eq!(block.position(text, 99), Position { line: 11, column: 9 });
        assert_eq!(Lines::default().position("", 4), Position { line: 1, column: 1 });
    }
}
