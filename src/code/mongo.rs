//! MongoDB shell text: whether every method that it calls only reads. Anything else is for a person to look at.

use super::CodeEffect;

/// Methods that change nothing, of databases, collections, cursors and values.
const READING: [&str; 57] = [
    "aggregate",
    "batchSize",
    "collation",
    "count",
    "countDocuments",
    "dataSize",
    "distinct",
    "estimatedDocumentCount",
    "executionStats",
    "explain",
    "find",
    "findOne",
    "forEach",
    "getCollection",
    "getCollectionInfos",
    "getCollectionNames",
    "getDB",
    "getIndexes",
    "getLastError",
    "getMongo",
    "getName",
    "getReplicationInfo",
    "getSiblingDB",
    "getUser",
    "getUsers",
    "getRole",
    "getRoles",
    "hasNext",
    "hello",
    "help",
    "hint",
    "hostInfo",
    "isMaster",
    "itcount",
    "latencyStats",
    "limit",
    "listCommands",
    "map",
    "maxTimeMS",
    "next",
    "ping",
    "pretty",
    "printReplicationInfo",
    "printShardingStatus",
    "projection",
    "readPref",
    "serverStatus",
    "size",
    "skip",
    "sort",
    "stats",
    "status",
    "storageSize",
    "toArray",
    "totalSize",
    "validate",
    "version",
];

/// Functions that only print or build values.
const PLAIN: [&str; 15] = [
    "print",
    "printjson",
    "tojson",
    "EJSON",
    "JSON",
    "ObjectId",
    "ISODate",
    "Date",
    "NumberLong",
    "NumberInt",
    "UUID",
    "stringify",
    "length",
    "show",
    "function",
];

/// What the text does: nothing when all that it calls reads.
pub(super) fn analyse(text: &str) -> Vec<CodeEffect> {
    let bare = without_strings(text);
    let harmless = calls(&bare).iter().all(|name| READING.contains(name) || PLAIN.contains(name));
    // `$out` and `$merge` write from within a reading pipeline, as a bare or a quoted key.
    let writes = ["$out", "$merge", "$where"].iter().any(|stage| text.contains(stage));
    if harmless && !writes {
        Vec::new()
    } else {
        vec![CodeEffect::Unknown {
            reason: "the MongoDB shell text may change or delete documents".to_owned(),
        }]
    }
}

/// The text with the inside of string literals left out.
fn without_strings(text: &str) -> String {
    let mut kept = String::new();
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for c in text.chars() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(q) if c == q => {
                quote = None;
                kept.push(c);
            }
            Some(_) => {}
            None => {
                if matches!(c, '"' | '\'' | '`') {
                    quote = Some(c);
                }
                kept.push(c);
            }
        }
    }
    kept
}

/// Names in front of an opening parenthesis.
fn calls(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('(') {
        let before = text[..at].trim_end();
        let start = before
            .rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'))
            .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
        let name = &before[start..];
        if !name.is_empty() {
            found.push(name);
        } else if before.ends_with([']', ')']) {
            // A method that is looked up, or the result of a call that is called.
            found.push("?");
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reading_is_harmless() {
        for text in [
            "db.users.find({deleted: true}).limit(5)",
            "db.getCollectionNames()",
            "db.a.countDocuments({note: 'x.drop()'})",
            "db.version()",
        ] {
            assert!(analyse(text).is_empty(), "{text}");
        }
        for text in [
            "db.users.drop()",
            "db.users['drop']()",
            "db.users.find().forEach(function(d) { db.users.deleteOne(d) })",
            "db.users.aggregate([{$out: 'x'}])",
            "db.dropDatabase ()",
            "db.users.deleteMany({})",
        ] {
            assert!(!analyse(text).is_empty(), "{text}");
        }
    }
}
