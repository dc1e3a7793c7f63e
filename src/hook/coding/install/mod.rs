//! Our hook in agents' configurations and shells' start-up files, and our server in clients' lists: shown, put in, checked and
//! taken out.
//!
//! Changes nothing else in those files; what they
//! held before is kept, so that taking us out gives back the same bytes when nobody changed them meanwhile.

mod edit;
mod line;
mod reached;
mod record;
mod server;
#[cfg(test)]
mod tests;

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::attest::disk::{self, Access, DiskError};
use crate::settings::edit::EditError;

use super::agents::Agent;
use super::clients::Client;
use super::places::{Folders, Piece, Place, Scope};
pub use server::{NAME, entry};

use line::Fault;
use record::{LIMIT, Record, Records, digest};
use server::List;

/// Why nothing was installed or removed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A file or folder.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// On what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The file is not what it should be.
    #[error("{}: {what}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub file: PathBuf,
    /// What it holds now; `None`: there is none.
    pub before: Option<String>,
    /// What it is to hold; `None`: it goes.
    pub after: Option<String>,
}

impl Change {
    /// Whether nothing has to be done.
    pub fn is_none(&self) -> bool {
        self.before == self.after
    }
}

/// What is ours in the files of one agent, client or shell.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Whose hook it is, where it is an agent's.
    agent: Option<Agent>,
    pieces: Vec<Piece>,
    remark: Option<&'static str>,
    data: PathBuf,
    project: bool,
}

impl Installation {
    /// For an agent; `program` is the path by which it starts us, `data` our own folder.
    pub fn new(agent: Agent, scope: &Scope, folders: &Folders, program: &str, data: &Path) -> Self {
        Self {
            agent: Some(agent),
            pieces: agent.pieces(&Place { agent: agent.name(), scope, folders, program }),
            remark: agent.remark(),
            data: data.to_owned(),
            project: matches!(scope, Scope::Project(_)),
        }
    }

    /// Our server in a client's list, started by these words; `None` where the client has none of a project.
    pub fn of_client(
        client: Client,
        scope: &Scope,
        folders: &Folders,
        words: &[String],
        data: &Path,
    ) -> Option<Self> {
        let mut words = words.to_vec();
        let (file, project) = match scope {
            Scope::User => (client.of_user(folders), false),
            Scope::Project(root) => {
                // What stands in a project is read on other machines too.
                NAME.clone_into(words.first_mut()?);
                (client.of_project(root)?, true)
            }
        };
        let piece = Piece::Server { file, list: client.servers.list, form: client.servers.form, words };
        let remark = client.remark(project);
        Some(Self { agent: None, pieces: vec![piece], remark, data: data.to_owned(), project })
    }

    /// A line in the file that a shell reads at its start.
    pub fn of_shell(file: PathBuf, line: String, data: &Path) -> Self {
        let pieces = vec![Piece::Line { file, line }];
        Self { agent: None, pieces, remark: None, data: data.to_owned(), project: false }
    }

    /// What a person has to do or know besides.
    pub fn remark(&self) -> Option<&'static str> {
        self.remark
    }

    /// What installing would change.
    ///
    /// # Errors
    /// When a file is there that is not of the expected form; nothing is changed then.
    pub fn wanted(&self) -> Result<Vec<Change>, InstallError> {
        self.pieces.iter().map(|piece| self.with(piece)).collect()
    }

    /// Installs; gives what was changed.
    ///
    /// # Errors
    /// [`InstallError`].
    pub fn write(&self) -> Result<Vec<Change>, InstallError> {
        let changes = self.wanted()?;
        let records = Records::open(&self.data)?;
        for (piece, change) in self.pieces.iter().zip(&changes) {
            let Some(after) = change.after.as_deref().filter(|_| !change.is_none()) else { continue };
            let file = real(&change.file);
            // The first change is the one to go back behind.
            let earlier = records.get(&file)?.filter(|record| {
                change.before.as_deref().is_some_and(|now| digest(now.as_bytes()) == record.after)
            });
            let record = match earlier {
                Some(record) => Record { after: digest(after.as_bytes()), ..record },
                None => Record {
                    before: match piece {
                        // A line of ours from before is nothing to go back to.
                        Piece::Line { .. } => change.before.as_deref().map(line::take),
                        _ => change.before.clone(),
                    },
                    after: digest(after.as_bytes()),
                    folders: [records.made_above(&file), missing_folders(&file)].concat(),
                    file: file.clone(),
                },
            };
            records.keep(&record)?;
            let executable = matches!(piece, Piece::Own { executable: true, .. });
            put(&file, after, executable, self.project)?;
        }
        Ok(changes)
    }

    /// Whether a shell's file has a line that loads the hook, whoever wrote it and whether or not it works.
    pub fn is_loaded(&self) -> bool {
        let loads = |file: &Path| read(file).ok().flatten().is_some_and(|text| line::stands(&text));
        self.pieces.iter().any(|piece| matches!(piece, Piece::Line { file, .. } if loads(file)))
    }

    /// Whether everything stands as it should; says what does not.
    ///
    /// # Errors
    /// [`InstallError`].
    pub fn verify(&self) -> Result<Vec<String>, InstallError> {
        let mut wrong = Vec::new();
        for piece in &self.pieces {
            let file = piece.file();
            let Some(text) = read(file)? else {
                wrong.push(format!("{}: there is no such file", file.display()));
                continue;
            };
            match piece {
                Piece::Shared { entries, .. } => {
                    for entry in entries.iter().filter(|entry| !edit::stands(&text, entry)) {
                        let path = entry.path.join(".");
                        wrong.push(format!(
                            "{}: our entry is not in `{path}`, or not as it should be",
                            file.display()
                        ));
                    }
                }
                Piece::Own { content, executable, .. } => {
                    if text != *content {
                        wrong.push(format!("{}: it is not as it should be", file.display()));
                    }
                    let mode =
                        fs::metadata(file).map_err(|source| io_error(file, source))?.permissions().mode();
                    if *executable && mode & 0o111 == 0 {
                        wrong.push(format!(
                            "{}: it may not be executed, so it is switched off",
                            file.display()
                        ));
                    }
                }
                Piece::Server { list: key, form, words, .. } => {
                    let wanted = server::changed(List { key, form: *form, words }, &text, true);
                    if wanted.is_ok_and(|wanted| wanted != text) {
                        wrong.push(format!("{}: our server is not in its list", file.display()));
                    }
                }
                Piece::Line { .. } if line::stands(&text) => {
                    if let Some(Fault::Sure(fault) | Fault::Unreached(fault)) = fault_of(&text) {
                        wrong.push(format!("the line in {}: {fault}", file.display()));
                    }
                }
                Piece::Line { .. } => {
                    wrong.push(format!("{}: no line loads our hook", file.display()));
                }
            }
        }
        Ok(wrong)
    }

    /// Whether what stands before the line of a shell ends the file.
    pub fn is_unreached(&self) -> bool {
        let ends = |file: &Path| {
            let text = read(file).ok().flatten();
            text.is_some_and(|text| matches!(fault_of(&text), Some(Fault::Unreached(_))))
        };
        self.pieces.iter().any(|piece| matches!(piece, Piece::Line { file, .. } if ends(file)))
    }

    /// What may be wrong with the line of a shell in some shells.
    pub fn doubt(&self) -> Option<String> {
        let text = |file: &Path| read(file).ok().flatten();
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Line { file, .. } => match fault_of(&text(file)?) {
                Some(Fault::Maybe(why)) => Some(format!("the line in {}: {why}", file.display())),
                _ => None,
            },
            _ => None,
        })
    }

    /// What removing would change.
    ///
    /// # Errors
    /// [`InstallError`].
    pub fn unwanted(&self) -> Result<Vec<Change>, InstallError> {
        let records = Records::open(&self.data)?;
        self.pieces.iter().map(|piece| self.without(piece, &records)).collect()
    }

    /// Removes; gives what was changed.
    ///
    /// # Errors
    /// [`InstallError`].
    pub fn remove(&self) -> Result<Vec<Change>, InstallError> {
        let records = Records::open(&self.data)?;
        let changes = self.unwanted()?;
        for change in &changes {
            let file = real(&change.file);
            let record = records.get(&file)?;
            match &change.after {
                _ if change.is_none() => {}
                Some(after) => put(&file, after, false, self.project)?,
                None => {
                    fs::remove_file(&file).map_err(|source| io_error(&file, source))?;
                    for folder in record.iter().flat_map(|record| record.folders.iter().rev()) {
                        // Only when empty.
                        let _ = fs::remove_dir(folder);
                    }
                }
            }
            records.forget(&file);
        }
        Ok(changes)
    }

    /// A command that starts our hook for this agent, wherever the program stands.
    fn is_ours(&self, command: &str) -> bool {
        let words = shell_words::split(command).unwrap_or_default();
        let [program, hook, agent] = &words[..] else { return false };
        Path::new(program).file_name().is_some_and(|name| name == "recourse")
            && hook == "hook"
            && Agent::named(agent) == self.agent
    }

    fn with(&self, piece: &Piece) -> Result<Change, InstallError> {
        let file = piece.file().to_owned();
        let before = read(&file)?;
        let after = match piece {
            Piece::Shared { top, entries, .. } => {
                let text = before.as_deref().unwrap_or_default();
                edit::put(text, top, entries, &|command| self.is_ours(command))
                    .map_err(|error| form(&file, &error))?
            }
            Piece::Own { content, .. } => {
                if let Some(text) = &before
                    && !text.contains("`recourse init ")
                {
                    let what = "it is not one of recourse's; move it away first".to_owned();
                    return Err(InstallError::Form { path: file, what });
                }
                content.clone()
            }
            Piece::Server { list: key, form, words, .. } => {
                let text = before.as_deref().unwrap_or_default();
                server::changed(List { key, form: *form, words }, text, true)
                    .map_err(|what| odd(&file, what))?
            }
            Piece::Line { line, .. } => line::put(before.as_deref().unwrap_or_default(), line),
        };
        Ok(Change { file, before, after: Some(after) })
    }

    fn without(&self, piece: &Piece, records: &Records) -> Result<Change, InstallError> {
        let file = piece.file().to_owned();
        let Some(text) = read(&file)? else { return Ok(Change { file, before: None, after: None }) };
        let record = records.get(&real(&file))?;
        if let Some(record) = record
            && record.after == digest(text.as_bytes())
        {
            return Ok(Change { file, before: Some(text), after: record.before });
        }
        let after = match piece {
            Piece::Shared { entries, .. } => Some(
                edit::take(&text, entries, &|command| self.is_ours(command))
                    .map_err(|error| form(&file, &error))?,
            ),
            Piece::Own { .. } if text.contains("`recourse init ") => None,
            Piece::Own { .. } => Some(text.clone()),
            Piece::Server { list: key, form, words, .. } => {
                let taken = server::changed(List { key, form: *form, words }, &text, false);
                Some(taken.map_err(|what| odd(&file, what))?)
            }
            Piece::Line { .. } => Some(line::take(&text)),
        };
        Ok(Change { file, before: Some(text), after })
    }
}

fn form(path: &Path, error: &EditError) -> InstallError {
    InstallError::Form { path: path.to_owned(), what: error.to_string() }
}

fn odd(path: &Path, what: String) -> InstallError {
    InstallError::Form { path: path.to_owned(), what: format!("{what}; nothing was changed") }
}

fn io_error(path: &Path, source: io::Error) -> InstallError {
    InstallError::Io { path: path.to_owned(), source }
}

/// The file behind links: a link into somebody's collection of settings stays a link.
fn real(file: &Path) -> PathBuf {
    fs::canonicalize(file).unwrap_or_else(|_| file.to_owned())
}

fn read(file: &Path) -> Result<Option<String>, InstallError> {
    match fs::metadata(file) {
        Ok(found) if found.len() > LIMIT => {
            let what = "larger than a settings file can be".to_owned();
            return Err(InstallError::Form { path: file.to_owned(), what });
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(file, error)),
    }
    match fs::read(file) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| InstallError::Form {
            path: file.to_owned(),
            what: "it is not valid UTF-8; nothing was changed".to_owned(),
        }),
        Err(error) => Err(io_error(file, error)),
    }
}

/// The folders above a file that are not there, the outermost first.
fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        file.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    missing.retain(|folder| !folder.as_os_str().is_empty());
    missing.reverse();
    missing
}

/// Writes a file in one step, with the rights that it had.
fn put(file: &Path, text: &str, executable: bool, project: bool) -> Result<(), InstallError> {
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|source| io_error(folder, source))?;
    }
    let before = fs::metadata(file).ok().map(|found| found.permissions().mode() & 0o7777);
    let fresh = if project { 0o644 } else { 0o600 } | if executable { 0o100 } else { 0 };
    disk::write_atomic(file, text.as_bytes(), Access::Private)?;
    let mode = before.unwrap_or(fresh) | if executable { 0o100 } else { 0 };
    fs::set_permissions(file, Permissions::from_mode(mode)).map_err(|source| io_error(file, source))
}

/// What is wrong with the lines that load the hook, with PATH and home as they are here.
fn fault_of(text: &str) -> Option<Fault> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    line::fault(text, &path, dirs::home_dir().as_deref())
}
