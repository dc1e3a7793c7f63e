//! What policy documents grant more than before: to whom outside, under which condition that is wider or gone, which acts
//! with which one gets at more, on what that was only a part.
//!
//! Owns which of it is told. What stays narrow (named acts on named resources of one's own account, trust to a service) is
//! silent, and so is what everybody may do: that is told by what opens. Which acts and accounts count is data (`policies` in
//! `terraform_signs.toml`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::beside::Beside;
use super::documents::{self, Atom, Conditions, One, Statement, wider};
use super::facts::Attributes;
use super::own::{Own, account, is_account};
use super::place::NAMED;
use super::said::printable;
use crate::knowledge::terraform_signs;
use crate::model::{Action, FactValue};
use crate::wildcard::fits;

/// Acts on things that are looked at one by one; of longer documents nobody knows the rest.
const LOOKED_AT: usize = 20_000;

/// What the documents grant more than before.
pub(super) fn of(r#type: &str, attributes: &Attributes, own: &Own<'_>) -> Option<Beside> {
    if is_limit(r#type, &attributes.before) {
        return None;
    }
    let (before, after) = documents::both(&attributes.before, &attributes.after);
    let none = Vec::new();
    let mut worst: Option<(u8, More)> = None;
    for (name, new) in &after {
        let old = before.get(name).unwrap_or(&none);
        // What is put into a policy that was none is made.
        let look = Look { old, made: old.is_empty(), accounts: accounts(old, new, attributes, own) };
        for more in look.more(new) {
            let rank = more.rank();
            if worst.as_ref().is_none_or(|(known, _)| rank < *known) {
                worst = Some((rank, more));
            }
        }
    }
    let (key, word) = worst?.1.said();
    let mut found = Beside::new(Action::Grant, "access");
    found.tell(key, FactValue::Text(printable(&word)));
    Some(found)
}

/// What is made to say how much others may grant, and grants nothing itself.
pub(super) fn is_limit(r#type: &str, before: &Value) -> bool {
    before.is_null() && terraform_signs().policies.limits.fit(r#type)
}

/// A pattern of acts (`delete*`) that do more than look.
fn is_many(verb: &str) -> bool {
    verb.ends_with('*') && !terraform_signs().policies.looks.iter().any(|look| verb.starts_with(look))
}

/// Statements that deny and deny less than before, where as many stay.
pub(super) fn denies_less(attributes: &Attributes) -> bool {
    let (before, after) = documents::both(&attributes.before, &attributes.after);
    before.iter().any(|(name, old)| {
        let Some(new) = after.get(name) else { return false };
        let denies = |all: &[Statement]| all.iter().filter(|one| !one.allows).cloned().collect::<Vec<_>>();
        let (old, new) = (denies(old), denies(new));
        let gone = |one: &&Statement| !new.contains(one);
        old.iter()
            .filter(gone)
            .flat_map(Statement::atoms)
            .take(LOOKED_AT)
            .any(|atom| !new.iter().any(|one| one.says(&atom)))
    })
}

/// Something that is granted in addition.
enum More {
    /// All acts on all things, but perhaps a few.
    Full(String),
    Outside(String),
    Unbound(String),
    Strong(String),
    Whole(String),
    Spread(String),
    Unseen,
}

impl More {
    fn rank(&self) -> u8 {
        match self {
            Self::Unseen | Self::Full(_) => 0,
            Self::Outside(_) => 1,
            Self::Unbound(_) => 2,
            Self::Strong(_) => 3,
            Self::Whole(_) => 4,
            Self::Spread(_) => 5,
        }
    }

    fn said(self) -> (&'static str, String) {
        match self {
            Self::Full(word) => ("full", word),
            Self::Outside(word) => ("outside", word),
            Self::Unbound(word) => ("unbound", word),
            Self::Strong(word) => ("strong", word),
            Self::Whole(word) => ("whole", word),
            Self::Spread(word) => ("spread", word),
            Self::Unseen => ("unseen", "it is too long to be read".to_owned()),
        }
    }
}

/// Accounts that are one's own, as far as anything says so that the change itself could not make up: what is there, what the
/// grant is about, and of something that is all new the one account that it speaks of.
fn accounts(
    old: &[Statement],
    new: &[Statement],
    attributes: &Attributes,
    own: &Own<'_>,
) -> BTreeSet<String> {
    let mut found = own.accounts().clone();
    let mut add = |text: &str| found.extend(account(text).filter(|text| is_account(text)).map(str::to_owned));
    for side in [&attributes.before, &attributes.after] {
        for (name, value) in side.as_object().into_iter().flatten() {
            let Some(text) = value.as_str().filter(|_| says_where(name)) else { continue };
            add(text);
            text.split('/')
                .filter(|part| text.starts_with("https://sqs.") && is_account(part))
                .for_each(|part| add(&format!("arn:aws:sqs::{part}:q")));
        }
    }
    found.extend(spoken_of(old));
    let named = if found.is_empty() && old.is_empty() { spoken_of(new) } else { BTreeSet::new() };
    if named.len() == 1 { named } else { found }
}

/// Attributes by which a thing, or what a rule is about, is named.
fn says_where(name: &str) -> bool {
    NAMED.contains(&name) || terraform_signs().about.has(name)
}

/// Accounts that statements take for their own.
fn spoken_of(statements: &[Statement]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |text: &str| found.extend(account(text).filter(|text| is_account(text)).map(str::to_owned));
    for statement in statements {
        let Some(whom) = &statement.whom else { continue };
        statement.on().iter().for_each(|on| add(on));
        // A key is always its own account's.
        let all = statement.acts().iter().any(|act| act == "kms:*");
        if all && statement.when.is_empty() {
            whom.words.iter().filter(|word| word.ends_with(":root")).for_each(|word| add(word));
        }
        if whom.words.iter().all(|word| word.starts_with("service:")) {
            let sources = statement.when.iter().filter(|((_, key), _)| key == "aws:sourceaccount");
            sources
                .flat_map(|(_, values)| values)
                .for_each(|value| add(&format!("arn:aws:iam::{value}:root")));
        }
    }
    found
}

/// What is looked at beside what was there.
struct Look<'s> {
    old: &'s [Statement],
    made: bool,
    accounts: BTreeSet<String>,
}

impl Look<'_> {
    fn more(&self, new: &[Statement]) -> Vec<More> {
        let added = new.iter().filter(|one| one.allows && !self.old.contains(one));
        let mut found = Vec::new();
        for (at, atom) in added.flat_map(Statement::atoms).enumerate() {
            if at >= LOOKED_AT {
                found.push(More::Unseen);
                break;
            }
            if !self.allowed().any(|old| old.says(&atom)) {
                found.extend(self.atom(&atom));
            }
        }
        found
    }

    fn allowed(&self) -> impl Iterator<Item = &Statement> {
        self.old.iter().filter(|one| one.allows)
    }

    fn atom(&self, atom: &Atom<'_>) -> Option<More> {
        if let Some(key) = self.unbound(atom) {
            return key.map(More::Unbound);
        }
        match atom.whom {
            Some(One::Rest(_) | One::Word("*")) => None,
            Some(One::Word(whom)) => {
                let word = || whom.split_once("federated:").map_or(whom, |(_, rest)| rest).to_owned();
                if self.is_outside(whom, atom.when) {
                    return Some(More::Outside(word()));
                }
                self.whole(atom, false).or_else(|| self.spread(atom))
            }
            None => strong(atom).or_else(|| self.whole(atom, true)).or_else(|| self.spread(atom)),
        }
    }

    /// The condition that bound it before and does not any more; `Some(None)`: it is bound to something else of one's own.
    fn unbound(&self, atom: &Atom<'_>) -> Option<Option<String>> {
        let all: Vec<_> = self.allowed().filter(|old| old.names(atom)).collect();
        let lost = all.iter().filter_map(|old| Some((old, wider(&old.when, atom.when)?)));
        let mut found = None;
        for (old, (key, gone)) in lost {
            let values = |when: &Conditions| {
                let of_key = when.iter().filter(|((_, own), _)| *own == key);
                of_key.flat_map(|(_, values)| values.clone()).collect::<BTreeSet<_>>()
            };
            let (was, now) = (values(&old.when), values(atom.when));
            let other = |value: &String| !was.contains(value);
            // One more topic or bucket of the same account that a service may speak for.
            let mine = |value: &String| {
                !value.contains('*') && account(value).is_none_or(|account| self.accounts.contains(account))
            };
            if !gone && key == "aws:sourcearn" && now.iter().filter(|value| other(value)).all(mine) {
                return Some(None);
            }
            // `token.actions.…:sub` would be taken for a secret and its value.
            let shown = key.rsplit(':').next().filter(|_| key.contains('.')).unwrap_or(&key).to_owned();
            found.get_or_insert(shown);
        }
        found.map(Some)
    }

    /// Whether somebody of another account or of another sort is let in.
    fn is_outside(&self, whom: &str, when: &Conditions) -> bool {
        let policies = &terraform_signs().policies;
        if whom.starts_with("service:") && !whom.contains('*') {
            return false;
        }
        if let Some(issuer) = whom.strip_prefix("federated:") {
            return !self.made || !is_bound(issuer, when);
        }
        // Whose organisation that is, only what is there already says.
        let known = |test: &(String, String), values: &BTreeSet<String>| {
            self.allowed().filter_map(|old| old.when.get(test)).any(|old| values.is_subset(old))
        };
        if when.iter().any(|(test, values)| {
            test.1.starts_with("aws:principalorg") && !test.0.contains("not") && known(test, values)
        }) {
            return false;
        }
        match account(whom) {
            Some(account) if is_account(account) => {
                !self.accounts.contains(account) && !policies.known_accounts.has(account)
            }
            // CloudFront and the like speak for an account of their own.
            Some("cloudfront") => false,
            Some(account) => !self.accounts.contains(account),
            None => true,
        }
    }

    /// All acts of a service. Of what is made it is told on everything alone.
    fn whole(&self, atom: &Atom<'_>, own: bool) -> Option<More> {
        let on = atom.on.word().unwrap_or("*");
        let wide = own && is_all(on);
        if self.made && !wide {
            return None;
        }
        let everything = wide && on.chars().all(|c| c == '*' || c == ':') && atom.when.is_empty();
        match atom.act {
            // Who may do anything but what gives rights may give nobody more.
            One::Rest(except) => {
                let bounded = except.iter().any(|act| act == "iam:*" || act == "*:*" || act == "ram:*");
                let said = format!("all but a few acts on {on}");
                Some(if everything && !bounded { More::Full(said) } else { More::Whole(said) })
            }
            One::Word("*" | "*:*") if everything => Some(More::Full(format!("* on {on}"))),
            One::Word(act) if everything && escalates(act) => Some(More::Full(format!("{act} on {on}"))),
            One::Word(act) => {
                let verb = act.split_once(':').map_or(act, |(_, verb)| verb);
                // Of what somebody has already a star in front of the noun is more than any list of names.
                let all = act == "*" || verb == "*" || !self.made && (verb.starts_with('*') || is_many(verb));
                all.then(|| More::Whole(format!("{act} on {on}")))
            }
        }
    }

    fn spread(&self, atom: &Atom<'_>) -> Option<More> {
        let old = self.allowed().find_map(|old| old.part_of(atom))?;
        let now = [
            atom.on.word(),
            atom.whom.and_then(|whom| match whom {
                One::Word(word) => Some(word),
                One::Rest(_) => None,
            }),
        ];
        let wide = now
            .into_iter()
            .flatten()
            .find(|word| *word != old && (fits(word, old) || word.ends_with(":root")));
        Some(More::Spread(format!("{}, not only {old}", wide.unwrap_or("*"))))
    }
}

/// An act with which one gets at more rights, at secrets, or at what others keep.
fn strong(atom: &Atom<'_>) -> Option<More> {
    let policies = &terraform_signs().policies;
    let act = atom.act.word()?;
    if act == "*" || act.ends_with(":*") {
        return None;
    }
    let on = atom.on.word().unwrap_or("*");
    let is = |known: &str| fits(known, act) || fits(act, known);
    let bound = |(op, key): &(String, String)| {
        !op.contains("not")
            && !op.starts_with("null")
            && policies.bounding.iter().any(|start| key.starts_with(start))
    };
    let everything = on.chars().all(|c| c == '*' || c == ':') && atom.when.is_empty();
    if everything && escalates(act) {
        return Some(More::Full(format!("{act} on {on}")));
    }
    let everywhere = policies.always.iter().any(is);
    let broad = is_all(on) && policies.strong.iter().any(is) && !atom.when.keys().any(bound);
    (everywhere || broad).then(|| More::Strong(format!("{act} on {on}")))
}

/// An act by which one gives oneself all rights, where it is allowed on everything.
fn escalates(act: &str) -> bool {
    terraform_signs().policies.escalates.iter().any(|known| fits(known, act) || fits(act, known))
}

/// All things, or all of a sort: `*`, `arn:aws:iam::1:role/*`.
fn is_all(on: &str) -> bool {
    if on == "*" || on.chars().all(|c| c == '*' || c == ':') {
        return true;
    }
    let parts: Vec<&str> = on.splitn(6, ':').collect();
    let [_, _, service, _, account, thing] = parts[..] else { return false };
    let sort = thing.strip_suffix(['*']).map(|sort| sort.trim_end_matches('*'));
    let whole = sort.is_some_and(|sort| {
        let name = sort.trim_end_matches(['/', ':']);
        name.is_empty() || !account.is_empty() && name != sort && !name.contains(['/', ':', '*'])
    });
    // Whoever's it is.
    whole || service == "iam" && account == "*"
}

/// Whether a condition says whose tokens of an issuer count.
fn is_bound(issuer: &str, when: &Conditions) -> bool {
    let asks = |(op, _): &(String, String)| {
        !op.contains("not") && !op.starts_with("null") && !op.ends_with("ifexists")
    };
    let mut tests = when.iter().filter(|(test, _)| asks(test));
    // Users of a company's own directory, and applications of public ones.
    if !issuer.contains("oidc-provider/") {
        let guest = |value: &String| value == "unauthenticated";
        return tests.clone().next().is_some() && !when.values().flatten().any(guest);
    }
    tests.any(|((_, key), values)| {
        !key.ends_with(":aud") && !values.is_empty() && !values.iter().any(|value| is_loose(value))
    })
}

/// A subject of which not even the place is named: `repo:acme/*`, `system:serviceaccount:*`.
fn is_loose(subject: &str) -> bool {
    let least = if subject.starts_with("system:serviceaccount:") { 1 } else { 2 };
    named_in(subject).is_some_and(|names| names < least)
}

/// How many names stand whole in front of a subject's star; `None`: it has none.
pub(super) fn named_in(subject: &str) -> Option<usize> {
    const SORTS: [&str; 10] = [
        "repo",
        "system",
        "serviceaccount",
        "project_path",
        "organization",
        "project",
        "workspace",
        "pipeline",
        "repository",
        "org",
    ];
    let (named, _) = subject.split_once('*')?;
    let whole = named.rfind(['/', ':']).map_or("", |at| &named[..at]);
    Some(whole.split(['/', ':']).filter(|part| !part.is_empty() && !SORTS.contains(part)).count())
}
