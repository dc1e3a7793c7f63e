//! The whole report, to scroll through on a screen of its own.

use std::io;
use std::time::Duration;

use super::dialogue::{Dialogue, Stop};
use super::keys::{Event, Key};
use super::signals::Notice;
use super::terminal::Terminal;

/// Shows a text until the person has seen enough. `render` makes it for a width.
pub(super) fn show(
    dialogue: &mut Dialogue<'_, '_>,
    render: &dyn Fn(usize) -> String,
    timeout: Option<Duration>,
) -> io::Result<Result<(), Stop>> {
    dialogue.raw.alternate(true);
    let outcome = scroll(dialogue, render, timeout);
    dialogue.raw.alternate(false);
    outcome
}

fn scroll(
    dialogue: &mut Dialogue<'_, '_>,
    render: &dyn Fn(usize) -> String,
    timeout: Option<Duration>,
) -> io::Result<Result<(), Stop>> {
    let mut top = 0_usize;
    loop {
        let (columns, rows) = Terminal::size();
        let text = render(columns);
        let lines: Vec<&str> = text.lines().collect();
        let room = rows.saturating_sub(1).max(1);
        let last = lines.len().saturating_sub(room);
        top = top.min(last);
        draw(dialogue.terminal, &lines, top, room, columns)?;
        let key = match dialogue.event(timeout)? {
            Ok(Event::Key(key)) => key,
            Ok(Event::Notice(Notice::Resized)) => continue,
            Ok(_) => return Ok(Err(Stop::Gone)),
            Err(stop) => return Ok(Err(stop)),
        };
        top = match key {
            Key::Char('q' | 'd' | 'Q' | 'D') | Key::Enter | Key::Escape => return Ok(Ok(())),
            Key::Down | Key::Char('j') => (top + 1).min(last),
            Key::Up | Key::Char('k') => top.saturating_sub(1),
            Key::PageDown | Key::Char(' ' | 'f') => (top + room).min(last),
            Key::PageUp | Key::Char('b') => top.saturating_sub(room),
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => last,
            _ => top,
        };
    }
}

fn draw(terminal: &mut Terminal, lines: &[&str], top: usize, room: usize, columns: usize) -> io::Result<()> {
    let mut out = String::from("\u{1b}[H");
    for row in 0..room {
        out.push_str(lines.get(top + row).copied().unwrap_or("~"));
        out.push_str("\u{1b}[0m\u{1b}[K\r\n");
    }
    let end = (top + room).min(lines.len());
    let status = format!("lines {}-{end} of {}; arrows and blank scroll, q goes back", top + 1, lines.len());
    out.extend(status.chars().take(columns.saturating_sub(1)));
    out.push_str("\u{1b}[K");
    terminal.write(&out)
}
