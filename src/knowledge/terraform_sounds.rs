//! What the name of an attribute sounds like, by its words (`terraform_signs.toml`, `sounding`): what guards, what opens, what is
//! kept, how many there are, what is renewed, who is named. Says nothing of the way in which a change goes.

use serde::Deserialize;

use super::tool_words::Words;

/// Words of names of attributes.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Sounding {
    guards: Words,
    opens: Words,
    exposes: Words,
    spares: Words,
    kept: Words,
    spans: Words,
    many: Words,
    plurals: Words,
    counts: Words,
    renews: Words,
    watches: Words,
    rights: Words,
    lets: Words,
    whom: Words,
    covers: Words,
    turns: Words,
    times: Words,
    others: Words,
    plain: Words,
    gives: Words,
    eases: Words,
    moments: Words,
    bounds: Words,
    stops: Words,
    lighter: Words,
}

/// What a name sounds like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sounds {
    /// Switched off, it guards less.
    pub guards: bool,
    /// Switched on, it lets in or takes away.
    pub opens: bool,
    /// A smaller number keeps less.
    pub kept: bool,
    /// A smaller number is fewer of what serves.
    pub many: bool,
    /// A greater number renews less often.
    pub renews: bool,
    /// Of what tells somebody, a longer time tells later.
    pub watches: bool,
    /// One more may do more.
    pub rights: bool,
    /// One less is copied, told or guarded no more.
    pub covers: bool,
    /// Nothing says that fewer of them, or none, gives others less.
    pub serves: bool,
    /// Nothing says that it is not missed when it is switched off.
    pub does: bool,
    /// Switched on, something of that sort is switched off.
    pub stops: bool,
    /// A smaller number may be less of what is there.
    pub amounts: bool,
    /// It bounds what others ask for; 0 is no bound.
    pub bounds: bool,
}

impl Sounding {
    /// Of a type of this name less may well be meant: what only shows something, keeps others quiet or takes away.
    pub fn is_lighter(&self, r#type: &str) -> bool {
        self.lighter.fit(r#type)
    }

    /// What a path sounds like, by the words of its last part; by those in front of it where that alone says nothing.
    pub fn of(&self, path: &str) -> Sounds {
        if self.others.iter().any(|name| super::terraform_names::ends_so(path, name)) {
            return Sounds::default();
        }
        let parts: Vec<&str> = path.split('.').collect();
        let own = parts.iter().rev().take_while(|part| self.plain.has(part)).count() + 1;
        let words: Vec<&str> = parts
            .iter()
            .skip(parts.len().saturating_sub(own))
            .flat_map(|part| part.split(['_', '-']))
            .filter(|word| !word.is_empty())
            .collect();
        let has = |list: Words| words.iter().any(|word| list.has(word));
        let turned = words.iter().filter(|word| self.turns.has(word)).count() % 2 == 1;
        // A guard of what is outside guards; what deletes copies deletes.
        let takes = has(self.opens) && !has(self.spares);
        let guards = has(self.guards) && !takes;
        let opens = takes || has(self.exposes) && !guards;
        let numbers = !turned && !has(self.times);
        let ends_in = |list: Words| words.last().is_some_and(|word| list.has(word));
        let kept = has(self.kept) && !turned && (numbers || has(self.spans)) && !has(self.renews);
        // What a block is about holds of all that stands in it.
        let around = |list: Words| path.split(['.', '_', '-']).any(|word| list.has(word));
        let gives = around(self.gives);
        let eases = around(self.eases) || takes || has(self.exposes);
        let stop = words.iter().filter(|word| self.stops.has(word)).count() == 1;
        Sounds {
            guards: if turned { opens } else { guards },
            opens: if turned { guards } else { opens },
            kept,
            many: has(self.many) && (ends_in(self.plurals) || has(self.counts)) && numbers,
            renews: has(self.renews) && !turned,
            watches: has(self.watches) && !turned && !kept,
            rights: (has(self.rights) || has(self.lets) && has(self.whom)) && numbers,
            covers: ends_in(self.covers) && !turned && !gives,
            serves: !gives && !turned,
            does: !turned && !eases,
            stops: stop && !around(self.eases) && !has(self.exposes) && !has(self.lets),
            bounds: ends_in(self.bounds) && !turned,
            amounts: numbers && !eases && !around(self.moments),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sounds;
    use crate::knowledge::terraform_signs;

    #[test]
    fn words_of_names_say_what_they_are_about() {
        let of = |path: &str| terraform_signs().sounding.of(path);
        let none = Sounds::default();
        // What any name says in which nothing tells otherwise.
        let of = |path: &str| Sounds {
            serves: false,
            does: false,
            stops: false,
            amounts: false,
            bounds: false,
            ..of(path)
        };
        for path in ["session_recording_enabled", "settings.rate_limiting.enabled", "delete_protection_check"]
        {
            assert_eq!(of(path), Sounds { guards: true, ..none }, "{path}");
        }
        for path in ["verification_skip_enabled", "key_export_enabled", "disable_cspm", "delete_volume"] {
            assert_eq!(of(path), Sounds { opens: true, ..none }, "{path}");
        }
        assert!(of("backup_quantity").kept && !of("backup_start_hour").kept && !of("keep_alive").kept);
        assert!(of("pool.replicas").many && of("instance_number").many && !of("max_nodes").many);
        assert!(of("scopes").rights && of("allowed_tenants").rights && !of("denied_tenants").rights);
        for path in ["display_color", "public_key", "instance_type", "name"] {
            assert_eq!(of(path), none, "{path}");
        }
    }

    #[test]
    fn names_of_which_less_is_no_loss_say_so() {
        let of = |path: &str| terraform_signs().sounding.of(path);
        for path in ["nat_ips", "monitor.alarm_arn", "rules.targets", "automatic"] {
            assert!(of(path).serves && of(path).does, "{path}");
        }
        for path in
            ["allowed_hosts", "ingress.cidr_blocks", "security_rule.destination_port_ranges", "members"]
        {
            assert!(!of(path).serves && !of(path).covers, "{path}");
        }
        for path in ["debug_mode", "allow_forking", "preview_environments", "disable_thing"] {
            assert!(!of(path).does, "{path}");
        }
        assert!(
            of("disable_integrity_thing").stops && of("disabled").stops && !of("disable_public_thing").stops
        );
        assert!(of("thing_total").amounts && !of("thing_timeout").amounts && !of("priority").amounts);
    }
}
