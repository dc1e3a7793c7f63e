//! What following a program may cost: how large a value may grow, and how much may be handled in all.
//!
//! Lists that are put into themselves grow without end in a few steps, so that steps alone are no bound.

use std::collections::BTreeMap;

use crate::model::Value;

use super::{Machine, Object, STEPS};

/// Parts of one value.
const PARTS: usize = 12_000;
/// Values in each other.
const DEPTH: usize = 60;
/// Bytes of one text.
pub(super) const TEXT: usize = 1 << 16;
/// Parts of all values that are handled.
const WORK: usize = 4_000_000;
/// How much dearer it is to keep a value than to hand it on.
const KEPT: usize = 8;

impl Machine<'_> {
    /// A value within its bounds: one that is larger may be anything.
    pub(super) fn bounded(&mut self, object: Object) -> Object {
        match weight(&object) {
            Some(parts) => {
                self.spend(parts);
                object
            }
            None => {
                self.spend(PARTS);
                Object::Unknown
            }
        }
    }

    /// The same for a value that a variable keeps.
    pub(super) fn kept(&mut self, object: Object) -> Object {
        let parts = weight(&object);
        self.spend(KEPT * parts.unwrap_or(PARTS));
        if parts.is_some() { object } else { Object::Unknown }
    }

    /// The variables as they are now, for the time behind a way that may be taken.
    pub(super) fn snapshot(&mut self) -> Vec<BTreeMap<String, Object>> {
        let mut all = 0;
        for object in self.frames.iter_mut().flat_map(BTreeMap::values_mut) {
            match weight(object) {
                Some(parts) => all += parts,
                // It grew where two ways met.
                None => *object = Object::Unknown,
            }
        }
        self.spend(all);
        self.frames.clone()
    }

    /// Ends the program where it has cost too much.
    fn spend(&mut self, parts: usize) {
        self.work += parts;
        if self.work > WORK && !self.ended {
            self.unknown("code that handles more than is followed");
            self.steps = STEPS + 1;
            self.ended = true;
        }
    }

    /// A step more; `false` when there were too many.
    pub(super) fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps > STEPS && !self.ended {
            self.unknown("code that runs longer than it is followed");
            self.ended = true;
        }
        !self.ended
    }
}

/// How many parts a value has; `None` when it is too large or too deep.
fn weight(object: &Object) -> Option<usize> {
    let mut parts = 0;
    count(object, 0, &mut parts).then_some(parts)
}

/// Counts the parts of a value; `false` when there are too many.
fn count(object: &Object, depth: usize, parts: &mut usize) -> bool {
    *parts += 1;
    if depth > DEPTH || *parts > PARTS {
        return false;
    }
    match object {
        Object::Text { value: Value::Known(text), .. } | Object::Path { value: Value::Known(text), .. } => {
            *parts += text.len() / 64;
            text.len() <= TEXT
        }
        Object::Text { value, .. } | Object::Path { value, .. } | Object::Handle(value) => {
            let texts = value.choices().unwrap_or_default();
            let length = texts.iter().map(String::len).sum::<usize>();
            *parts += texts.len() + length / 64;
            length <= TEXT
        }
        Object::List(list) | Object::Either(list) => list.iter().all(|one| count(one, depth + 1, parts)),
        Object::Many(element) | Object::Member(element, _) => count(element, depth + 1, parts),
        Object::Map(entries) => entries.iter().all(|(_, value)| count(value, depth + 1, parts)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::code::analyse;
    use crate::code::effect::CodeEffect;

    /// Whether such a program ends in time as something unknown.
    fn unknown(language: &str, text: &str) {
        let effects = analyse(language, text, &[]);
        let unknown = |effect: &CodeEffect| match effect {
            CodeEffect::Unknown { .. } => true,
            CodeEffect::Delete { path, .. } => path.as_known().is_none(),
            _ => false,
        };
        assert!(effects.iter().any(unknown), "{text}\n{effects:?}");
    }

    #[test]
    fn what_doubles_is_not_followed_to_its_end() {
        let rounds = (0..60).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        for change in [
            "x.extend(x)",
            "x=x+x",
            "x+=x",
            "x=[x,x]",
            "x=[*x,*x]",
            "x=[{'a':x,'b':x}]",
            "x.append(x)",
            "x.append([x,x])",
            "x[0]=[x,x]",
            "x=[y for y in [x,x]]",
            "x=list(map(lambda y:[y,y],[x,x]))",
            "x=(lambda a:[a,a])(x)",
            "if i: x=[x,x]\n  else: x={'a':x}",
            "x=[''.join(x)*1,''.join(x)+''.join(x)]",
        ] {
            let text = format!(
                "import os\nx=['ab','cd']\nfor i in [{rounds}]:\n  {change}\nfor f in x: os.remove(f)"
            );
            unknown("python", &text);
        }
        let deep = (0..8).map(|d| format!("{}for i{d} in [{rounds}]:\n", "  ".repeat(d))).collect::<String>();
        unknown(
            "python",
            &format!("import os\nx=[]\n{deep}{}x.append([i0,x])\nos.remove(x[0])", "  ".repeat(8)),
        );
        let deep = (0..20)
            .map(|d| {
                format!(
                    "{}while q:\n {}x{d}=x{}+[x{}]\n",
                    " ".repeat(d),
                    " ".repeat(d),
                    (d + 1) % 20,
                    (d + 3) % 20
                )
            })
            .collect::<String>();
        let variables = (0..20).map(|n| format!("x{n}=['a']\n")).collect::<String>();
        unknown("python", &format!("import os\n{variables}{deep}for f in x0: os.remove(f)"));
        unknown("perl", &format!("my @x=('a','b'); for my $i ({rounds}) {{ @x=(@x,@x) }} unlink @x;"));
        unknown("perl", &format!("my @x=('a','b'); for my $i ({rounds}) {{ push @x,@x }} unlink @x;"));
        unknown("ruby", &format!("x=['a','b'];[{rounds}].each {{ |i| x.concat(x) }}\nFile.delete(*x)"));
        unknown("ruby", &format!("x='ab';[{rounds}].each {{ |i| x << x }}\nFile.delete(x)"));
        unknown(
            "node",
            &format!(
                "const fs=require('fs');let x=['a'];for(const i of [{rounds}]) x=[...x,...x];for(const f of x)fs.unlinkSync(f)"
            ),
        );
        unknown(
            "php",
            &format!(
                "$x=['a','b'];foreach([{rounds}] as $i){{$x=array_merge($x,$x);}}foreach($x as $f)unlink($f);"
            ),
        );
    }
}
