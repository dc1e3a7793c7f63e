//! The course of a question: it is shown, keys are taken, until there is a decision.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::report::{self, Asked, render_all, render_question, safer_form, speak_question};
use crate::text::{escape, width, wrap};

use super::keys::{Event, Key, Keys};
use super::line::{Effect, Line};
use super::signals::{Notice, Signals};
use super::terminal::{Raw, Terminal};
use super::{Abort, Decision, Lasting, Question, Replaceable, pager, spoken};

/// Whoever was typing when the question appeared has to notice it: keys count only after a pause of this length.
const QUIET: Duration = Duration::from_millis(300);

/// What ends the question without a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Refused,
    TimedOut,
    Interrupted,
    Gone,
}

/// A dialogue that is held.
pub(super) struct Dialogue<'t, 'q> {
    question: &'q Question<'q>,
    pub(super) terminal: &'t mut Terminal,
    signals: &'t mut Signals,
    pub(super) raw: &'t Raw,
    pub(super) timeout: Option<Duration>,
    /// Without moving the cursor.
    plain: bool,
    safer: Option<String>,
    /// What has to be typed to run it, because it cannot be told who types.
    code: Option<String>,
}

/// Where a part of the dialogue leads.
pub(super) enum Next {
    /// To the end.
    Decided(Decision),
    /// Back to the keys, with something to say.
    Keys(Option<&'static str>),
}

/// Asks until there is a decision.
pub(super) fn hold(
    question: &Question<'_>,
    code: Option<String>,
    terminal: &mut Terminal,
    signals: &mut Signals,
    raw: &Raw,
    timeout: Option<Duration>,
) -> io::Result<Decision> {
    let known = !matches!(question.replaceable, Replaceable::No | Replaceable::OnTheLine { as_typed: false });
    let safer = question.command.filter(|_| known);
    let safer = safer.and_then(|text| safer_form(question.report, text));
    let plain = Terminal::is_plain();
    let mut dialogue = Dialogue { question, terminal, signals, raw, timeout, plain, safer, code };
    let outcome = dialogue.run()?;
    Ok(outcome.unwrap_or_else(|stop| {
        Decision::Abort(match stop {
            Stop::Refused => Abort::Refused,
            Stop::TimedOut => Abort::TimedOut(timeout.unwrap_or_default()),
            Stop::Interrupted => Abort::Interrupted,
            Stop::Gone => Abort::Gone,
        })
    }))
}

impl<'q> Dialogue<'_, 'q> {
    fn run(&mut self) -> io::Result<Result<Decision, Stop>> {
        let shown = self.screen();
        self.write(&shown)?;
        let mut hint = None;
        loop {
            let keys = self.keys(hint);
            self.write(&keys)?;
            if let Err(stop) = self.settle()? {
                return Ok(Err(stop));
            }
            self.write(&self.invitation())?;
            let next = match self.choose()? {
                Ok(next) => next,
                Err(stop) => return Ok(Err(stop)),
            };
            match next {
                Next::Decided(decision) => return Ok(Ok(decision)),
                Next::Keys(said) => hint = said,
            }
        }
    }

    /// Takes keys until one leads somewhere.
    fn choose(&mut self) -> io::Result<Result<Next, Stop>> {
        loop {
            let key = match self.pressed()? {
                Ok(Some(key)) => key,
                Ok(None) => {
                    self.write("\n")?;
                    return Ok(Ok(Next::Keys(Some("that was a text, not a key: nothing was taken from it"))));
                }
                Err(stop) => return Ok(Err(stop)),
            };
            return match key {
                Key::Char('k') if self.keeps() => {
                    self.write("keep it, then run it\n")?;
                    match self.code.clone() {
                        Some(code) => self.by_name("To run it", &code, Decision::KeepThenRun),
                        None => Ok(Ok(Next::Decided(Decision::KeepThenRun))),
                    }
                }
                Key::Char('r') => {
                    self.write("run it\n")?;
                    match (self.question.typed, self.code.clone()) {
                        (Some(name), _) => self.by_name("To run it all the same", name, Decision::Run),
                        (None, Some(code)) => self.by_name("To run it", &code, Decision::Run),
                        (None, None) => Ok(Ok(Next::Decided(Decision::Run))),
                    }
                }
                Key::Char('s') if self.safer.is_some() => {
                    self.write(if self.on_the_line() {
                        "the safer form, on the line\n"
                    } else {
                        "the safer form\n"
                    })?;
                    let safer = self.safer.clone().unwrap_or_default();
                    Ok(Ok(Next::Decided(Decision::RunInstead(safer))))
                }
                Key::Char('e') if self.editable().is_some() => {
                    self.write("edit\n")?;
                    match self.editable() {
                        // The shell's own editor is a better one.
                        Some(text) if self.on_the_line() => {
                            Ok(Ok(Next::Decided(Decision::Edited(text.to_owned()))))
                        }
                        _ => self.edit(),
                    }
                }
                Key::Char('d') => {
                    self.write("details\n")?;
                    self.details()
                }
                Key::Char('l') if !self.question.looks.is_empty() => {
                    self.write("look first\n")?;
                    self.look()
                }
                Key::Char('w') => match self.allowable() {
                    Some(time) => {
                        self.write("allow it\n")?;
                        Ok(Ok(Next::Decided(Decision::AllowFor(time))))
                    }
                    None => continue,
                },
                Key::Char('p') => match self.lasting() {
                    Some(lasting) => self.rule(lasting),
                    None => continue,
                },
                Key::Char('a' | 'n' | 'q') | Key::Enter | Key::Escape | Key::Ctrl('d') => {
                    Ok(Err(Stop::Refused))
                }
                Key::Char('y') => Ok(Ok(Next::Keys(Some("y is no answer here: r runs it, Enter does not")))),
                _ => continue,
            };
        }
    }

    /// The next key, a letter as a small one; `None`: what came is a text, and no key.
    fn pressed(&mut self) -> io::Result<Result<Option<Key>, Stop>> {
        loop {
            let key = match self.event(self.timeout)? {
                Ok(Event::Key(key)) => key,
                Ok(_) => continue,
                Err(stop) => return Ok(Err(stop)),
            };
            let text = key == Key::Paste || matches!(key, Key::Char(_)) && self.more_follows()?;
            return Ok(Ok(match key {
                _ if text => None,
                Key::Char(c) => Some(Key::Char(c.to_ascii_lowercase())),
                other => Some(other),
            }));
        }
    }

    /// The next event; what ends the question is told apart.
    pub(super) fn event(&mut self, timeout: Option<Duration>) -> io::Result<Result<Event, Stop>> {
        let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let event = Keys { terminal: self.terminal, signals: self.signals }.next(end)?;
        Ok(stopped(event))
    }

    pub(super) fn more_follows(&mut self) -> io::Result<bool> {
        Keys { terminal: self.terminal, signals: self.signals }.more_follows()
    }

    /// Waits until nobody types.
    pub(super) fn settle(&mut self) -> io::Result<Result<(), Stop>> {
        let end = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut keys = Keys { terminal: self.terminal, signals: self.signals };
        if let Some(event) = keys.settle(QUIET, end)? {
            return Ok(stopped(event).and(Err(Stop::Refused)));
        }
        Ok(Ok(()))
    }

    /// To run it, exactly this has to be typed.
    fn by_name(&mut self, why: &str, name: &str, then: Decision) -> io::Result<Result<Next, Stop>> {
        let ask = format!("{why}, type {name} : ");
        Ok(match self.line(&ask, "")? {
            Ok(Some(typed)) if typed == name => Ok(Next::Decided(then)),
            Ok(Some(_)) => Ok(Next::Decided(Decision::Abort(Abort::Mistyped))),
            Ok(None) => Ok(Next::Keys(None)),
            Err(stop) => Err(stop),
        })
    }

    fn edit(&mut self) -> io::Result<Result<Next, Stop>> {
        let Some(text) = self.editable() else { return Ok(Ok(Next::Keys(None))) };
        let (help, ask, start) = if self.plain {
            (
                "Type the command to run instead, then Enter. An empty line goes back. It is judged before it runs.",
                "New command: ",
                "",
            )
        } else {
            ("Enter takes it, Escape goes back. It is judged again before it runs.", "> ", text)
        };
        for line in wrap(help, Terminal::size().0.saturating_sub(2)) {
            self.write(&format!("{line}\n"))?;
        }
        let typed = match self.line(ask, start)? {
            Ok(typed) => typed.unwrap_or_default(),
            Err(stop) => return Ok(Err(stop)),
        };
        Ok(Ok(if typed.trim().is_empty() {
            Next::Keys(None)
        } else if typed == text {
            Next::Keys(Some("nothing was changed"))
        } else {
            Next::Decided(Decision::Edited(typed))
        }))
    }

    /// Shows what would be run to know more; it runs when it is wanted then.
    fn look(&mut self) -> io::Result<Result<Next, Stop>> {
        let columns = Terminal::size().0.clamp(20, 120);
        let mut text = String::from("\n");
        for line in wrap("These only read. What they tell is judged, and you are asked again.", columns) {
            text.push_str(&format!("{line}\n"));
        }
        for command in self.question.looks {
            text.push_str(&format!("  {}\n", escape(command)));
        }
        self.write(&text)?;
        if let Err(stop) = self.settle()? {
            return Ok(Err(stop));
        }
        self.write(match self.plain {
            true => "Press l to run them, any other key to go back: ",
            false => "[l] run them   [any other key] go back: ",
        })?;
        let yes = match self.pressed()? {
            Ok(key) => key == Some(Key::Char('l')),
            Err(stop) => return Ok(Err(stop)),
        };
        self.write(if yes { "look\n" } else { "\n" })?;
        Ok(Ok(if yes { Next::Decided(Decision::Look) } else { Next::Keys(None) }))
    }

    fn details(&mut self) -> io::Result<Result<Next, Stop>> {
        let question = self.question;
        let style = Terminal::style();
        if self.plain {
            // No marks under words: they say nothing when they are read aloud.
            let style = report::Style { color: false, ..style };
            let text = render_all(question.report, None, style);
            self.write(&format!("\n{text}"))?;
            return Ok(Ok(Next::Keys(None)));
        }
        let render = move |width: usize| {
            let style = report::Style { width: width.saturating_sub(1), ..style };
            render_all(question.report, question.command, style)
        };
        if let Err(stop) = pager::show(self, &render, self.timeout)? {
            return Ok(Err(stop));
        }
        Ok(Ok(Next::Keys(None)))
    }

    /// A line that is typed; `None` when the person goes back.
    fn line(&mut self, ask: &str, start: &str) -> io::Result<Result<Option<String>, Stop>> {
        let mut line = Line::new(start);
        self.write(ask)?;
        self.show(ask, &mut line)?;
        loop {
            let key = match self.event(self.timeout)? {
                Ok(Event::Key(key)) => key,
                // It is drawn anew, for the new size.
                Ok(_) => Key::Other,
                Err(stop) => return Ok(Err(stop)),
            };
            let before = line.text();
            match line.press(if self.plain { without_moving(key) } else { key }) {
                Effect::Done => {
                    self.write("\n")?;
                    return Ok(Ok(Some(line.text())));
                }
                Effect::Back => {
                    self.write("\n")?;
                    return Ok(Ok(None));
                }
                _ if self.plain => self.echo(&before, &line.text())?,
                _ => self.show(ask, &mut line)?,
            }
        }
    }

    /// Draws the line in its row.
    fn show(&mut self, ask: &str, line: &mut Line) -> io::Result<()> {
        if self.plain {
            return Ok(());
        }
        let columns = Terminal::size().0;
        // A long question stays on its own row.
        let ask = if width(ask) + 20 > columns { "> " } else { ask };
        let (shown, cursor) = line.view(columns.saturating_sub(width(ask)));
        let column = width(ask) + cursor;
        self.terminal.write(&format!("\r{ask}{shown}\u{1b}[K\r\u{1b}[{}C", column.max(1)))
    }

    /// What was typed or taken back at the end, as a terminal would echo it.
    fn echo(&mut self, before: &str, after: &str) -> io::Result<()> {
        match after.strip_prefix(before) {
            Some(new) => self.terminal.write(&escape(new)),
            None => {
                let gone = before.strip_prefix(after).map_or(0, |gone| width(&escape(gone)));
                self.terminal.write(&"\u{8} \u{8}".repeat(gone))
            }
        }
    }

    /// A key keeps what can be kept.
    fn keeps(&self) -> bool {
        self.question.keeps.is_some_and(|keeps| keeps.suffices)
    }

    fn editable(&self) -> Option<&'q str> {
        self.question.command.filter(|_| self.question.replaceable != Replaceable::No)
    }

    fn on_the_line(&self) -> bool {
        matches!(self.question.replaceable, Replaceable::OnTheLine { .. })
    }

    /// Never what has to be typed to run.
    fn allowable(&self) -> Option<Duration> {
        self.question.allowable.filter(|_| self.question.typed.is_none() && self.code.is_none())
    }

    fn lasting(&self) -> Option<&'q Lasting> {
        self.question.lasting.filter(|_| self.question.typed.is_none() && self.code.is_none())
    }

    fn screen(&self) -> String {
        let question = self.question;
        let place = place(question.cwd);
        let asked = Asked {
            report: question.report,
            text: question.command,
            place: &place,
            actor: question.actor,
            note: question.note,
            safer: self.safer.as_deref(),
            keeps: question.keeps,
        };
        let style = Terminal::style();
        let text = if self.plain { speak_question(&asked, style) } else { render_question(&asked, style) };
        format!("\n{text}")
    }

    /// The keys, and before them what has to be said.
    fn keys(&self, hint: Option<&str>) -> String {
        let mut keys = vec![("r", "run it once".to_owned())];
        if self.question.typed.is_some() {
            keys = vec![("r", "run it, by typing what will be lost".to_owned())];
        } else if self.code.is_some() {
            keys = vec![("r", "run it, by typing a code".to_owned())];
        }
        if let Some(keeps) = self.question.keeps.filter(|keeps| keeps.suffices) {
            let what = if keeps.all { "keep it, then run it" } else { "keep what can be kept, then run it" };
            keys.insert(0, ("k", what.to_owned()));
        }
        if self.safer.is_some() {
            let what = if self.on_the_line() { "take the safer form" } else { "run the safer form" };
            keys.push(("s", what.to_owned()));
        }
        if self.editable().is_some() {
            keys.push(("e", "edit it".to_owned()));
        }
        if !self.question.looks.is_empty() {
            keys.push(("l", "look first, read-only".to_owned()));
        }
        keys.push(("d", "details".to_owned()));
        if let Some(time) = self.allowable() {
            keys.push(("w", format!("run it, and again here for {}", spoken(time))));
        }
        if self.lasting().is_some() {
            keys.push(("p", "always in this project".to_owned()));
        }
        keys.push(("Enter", "do not run it".to_owned()));
        let columns = Terminal::size().0.clamp(20, 120);
        let mut out = String::from("\n");
        if let Some(hint) = hint {
            out.push_str(&format!("{hint}\n"));
        }
        if self.plain {
            let said: Vec<String> = keys.iter().map(|(key, what)| format!("{key} to {what}")).collect();
            let said = said
                .join(", ")
                .replace("d to details", "d to read the details")
                .replace("p to always in", "p to allow it always in")
                .replace("to do not run", "not to run");
            for line in wrap(&format!("Press {said}."), columns) {
                out.push_str(&format!("{line}\n"));
            }
            return out;
        }
        let mut row = String::new();
        for (key, what) in &keys {
            let item = format!("[{key}] {what}");
            if !row.is_empty() && 2 + width(&row) + 3 + width(&item) > columns {
                out.push_str(&format!("  {row}\n"));
                row.clear();
            }
            if !row.is_empty() {
                row.push_str("   ");
            }
            // One that is too long by itself goes on below its beginning.
            let mut lines = wrap(&item, columns.saturating_sub(7)).into_iter();
            row.push_str(&lines.next().unwrap_or_default());
            for line in lines {
                out.push_str(&format!("  {row}\n"));
                row = format!("    {line}");
            }
        }
        out.push_str(&format!("  {row}\n"));
        out
    }

    /// The last words before keys count.
    fn invitation(&self) -> String {
        match self.timeout {
            Some(time) => {
                let whole = format!("Your decision (none in {}: not run): ", spoken(time));
                // The echo of a key stands behind it.
                if width(&whole) + 20 < Terminal::size().0 { whole } else { "Your decision: ".to_owned() }
            }
            None => "Your decision: ".to_owned(),
        }
    }

    pub(super) fn write(&mut self, text: &str) -> io::Result<()> {
        self.terminal.write(text)
    }
}

fn stopped(event: Event) -> Result<Event, Stop> {
    match event {
        Event::Key(Key::Ctrl('c' | '\\')) => Err(Stop::Refused),
        Event::Notice(Notice::End(_)) => Err(Stop::Interrupted),
        Event::TimedOut => Err(Stop::TimedOut),
        Event::Gone => Err(Stop::Gone),
        other => Ok(other),
    }
}

/// Keys that need no moving of the cursor; the others do nothing.
fn without_moving(key: Key) -> Key {
    match key {
        Key::Char(_) | Key::Enter | Key::Escape | Key::Backspace | Key::Ctrl('d' | 'u' | 'w') => key,
        _ => Key::Other,
    }
}

/// A directory for people.
fn place(cwd: &Path) -> String {
    let name = cwd.to_string_lossy();
    if nix::unistd::Uid::effective().is_root() { format!("{name} (as root)") } else { name.into_owned() }
}
