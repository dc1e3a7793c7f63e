//! `cmake --install`: what a project lays where its script says by a whole path. What goes below the prefix is what was installed
//! there before, as a rule.

use super::read::Word;
use super::script::Script;

/// Words that begin the list of what is installed.
const LISTS: [&str; 5] = ["FILES", "PROGRAMS", "DIRECTORY", "TARGETS", "SCRIPT"];

impl Script<'_, '_> {
    /// `install(FILES a b DESTINATION dir RENAME c)`, `file(INSTALL DESTINATION dir TYPE FILE RENAME c FILES a b)`.
    pub(super) fn installed(&mut self, words: &[Word]) {
        let behind = |name: &str| {
            let at = words.iter().position(|word| word.text == name)?;
            words.get(at + 1)
        };
        let Some(into) = behind("DESTINATION").filter(|word| self.plain(Some(word)).is_some_and(is_whole))
        else {
            return;
        };
        let Some(into) = self.place(into) else { return };
        let lists = words.iter().position(|word| LISTS.contains(&word.text.as_str()));
        let listed = words.get(lists.map_or(words.len(), |at| at + 1)..).unwrap_or_default();
        let is_name =
            |word: &&Word| word.quoted || !word.text.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let names: Vec<String> =
            listed.iter().take_while(is_name).filter_map(|word| self.word(word)).collect();
        if names.is_empty() {
            return;
        }
        let into = match behind("RENAME").and_then(|word| self.word(word)) {
            Some(name) => format!("{into}/{name}"),
            None => format!("{into}/"),
        };
        self.act(&format!("cp -r -- {} {into}", names.join(" "), into = into));
    }
}

/// A path from the root, whatever the prefix is.
fn is_whole(path: String) -> bool {
    path.starts_with('/')
}
