//! The rule that would let a command run always: shown before it is written.

use std::io;

use crate::text::{escape, wrap};

use super::dialogue::{Dialogue, Next, Stop};
use super::keys::{Event, Key};
use super::terminal::Terminal;
use super::{Decision, Lasting};

impl Dialogue<'_, '_> {
    /// The rule is shown before it is written, and the same key writes it.
    pub(super) fn rule(&mut self, lasting: &Lasting) -> io::Result<Result<Next, Stop>> {
        let columns = Terminal::size().0.clamp(20, 120);
        let mut page = String::from("always in this project\n\n");
        let file = lasting.file.to_string_lossy();
        for line in wrap(&format!("This rule goes into {}:", escape(&file)), columns) {
            page.push_str(&format!("{line}\n"));
        }
        page.push('\n');
        for line in lasting.rule.lines() {
            page.push_str(&format!("  {}\n", escape(line)));
        }
        page.push('\n');
        for line in wrap(
            "It holds for agents in this project as well. p writes it and runs the command, any other key goes back.",
            columns,
        ) {
            page.push_str(&format!("{line}\n"));
        }
        self.write(&page)?;
        if let Err(stop) = self.settle()? {
            return Ok(Err(stop));
        }
        self.write("Write it? ")?;
        let key = match self.event(self.timeout)? {
            Ok(Event::Key(key)) => key,
            Ok(_) => Key::Other,
            Err(stop) => return Ok(Err(stop)),
        };
        let text = matches!(key, Key::Char(_)) && self.more_follows()?;
        if !text && matches!(key, Key::Char('p' | 'P')) {
            self.write("written\n")?;
            return Ok(Ok(Next::Decided(Decision::Always)));
        }
        self.write("no\n")?;
        Ok(Ok(Next::Keys(Some("no rule was written"))))
    }
}
