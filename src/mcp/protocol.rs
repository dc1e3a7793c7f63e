//! JSON-RPC and the revisions of MCP: a body becomes a message, a result becomes a body.
//!
//! Owns what the envelope looks like, the codes of its errors, the revisions and what differs between them. Knows no tool.
//! Ids are kept as the bytes that came, so that they go back as they were.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The revisions that begin with `initialize`, oldest first.
pub const HANDSHAKE_VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The revision in which each request says its version, and nothing is shaken.
pub const STATELESS_VERSION: &str = "2026-07-28";

/// Answers stay below this many bytes: common clients close the connection at 10 MiB.
pub const ANSWER_LIMIT: usize = 9 << 20;
/// Messages in one batch, at most.
const BATCH_LIMIT: usize = 1000;
/// How long lists may be kept, in milliseconds: they change with the program alone.
const LIST_AGE: u64 = 3_600_000;

/// `_meta` members of the stateless revision.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Where a request says who asks.
const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";

/// A request's id, as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Id(String);

impl Id {
    /// Of raw JSON: a string or a number, nothing else.
    pub(super) fn read(raw: &RawValue) -> Option<Self> {
        let text = raw.get();
        matches!(text.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9')).then(|| Self(text.to_owned()))
    }

    /// The same for the same id, however its string was escaped.
    pub fn key(&self) -> String {
        match serde_json::from_str::<String>(&self.0) {
            Ok(text) => format!("\"{text}"),
            Err(_) => self.0.clone(),
        }
    }
}

/// A protocol fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// JSON-RPC's code.
    pub code: i32,
    /// What was wrong, and what was expected.
    pub message: String,
    /// More, for programs.
    pub data: Option<Value>,
}

impl Fault {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Not JSON.
    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(-32700, message)
    }

    /// JSON, but no message of this protocol.
    pub fn request(message: impl Into<String>) -> Self {
        Self::new(-32600, message)
    }

    /// A method that is not there.
    pub fn method(name: &str) -> Self {
        Self::new(-32601, format!("there is no method {:?}", shorten(name)))
    }

    /// Parameters that do not fit the method.
    pub fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// Our own.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }

    /// A resource that is not there; the code depends on the revision.
    pub fn no_resource(uri: &str, era: Era) -> Self {
        let code = if era == Era::Stateless { -32602 } else { -32002 };
        let mut fault = Self::new(code, format!("there is no resource {:?}", shorten(uri)));
        fault.data = Some(json!({ "uri": shorten(uri) }));
        fault
    }

    fn version(requested: &str) -> Self {
        let mut supported = vec![STATELESS_VERSION];
        supported.extend(HANDSHAKE_VERSIONS.iter().rev());
        let mut fault =
            Self::new(-32022, format!("protocol version {:?} is not supported", shorten(requested)));
        fault.data = Some(json!({ "requested": shorten(requested), "supported": supported }));
        fault
    }
}

/// The start of a text that came from outside.
pub fn shorten(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Whether a request belongs to a connection that was shaken, or stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// `initialize` and what follows it.
    Handshake,
    /// [`STATELESS_VERSION`].
    Stateless,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// What its answer carries.
    pub id: Id,
    /// What is wanted.
    pub method: String,
    /// With what; raw, because most methods need little of it.
    pub params: Option<Box<RawValue>>,
}

/// One thing that came.
#[derive(Clone, Debug)]
pub enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification {
        /// What happened.
        method: String,
        /// With what.
        params: Option<Box<RawValue>>,
    },
    /// Answers a request of ours; we make none.
    Response,
    /// Is none of these; answered with the id where there was one.
    Bad(Option<Id>, Fault),
}

/// What a body holds.
#[derive(Clone, Debug)]
pub enum Body {
    /// One message.
    One(Message),
    /// Several, to be answered together.
    Batch(Vec<Message>),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: &'a RawValue,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Null is something, absence is nothing.
fn present<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(reader).map(Some)
}

/// Reads a body.
pub fn read(bytes: &[u8]) -> Body {
    if bytes.first() == Some(&b'[') {
        return match serde_json::from_slice::<Vec<&RawValue>>(bytes) {
            Ok(parts) if parts.is_empty() => bad(Fault::request("a batch holds at least one message")),
            Ok(parts) if parts.len() > BATCH_LIMIT => {
                bad(Fault::request(format!("a batch holds at most {BATCH_LIMIT} messages")))
            }
            Ok(parts) => Body::Batch(parts.iter().map(|part| message(part.get().as_bytes())).collect()),
            Err(error) => bad(not_json(&error)),
        };
    }
    Body::One(message(bytes))
}

fn bad(fault: Fault) -> Body {
    Body::One(Message::Bad(None, fault))
}

fn not_json(error: &serde_json::Error) -> Fault {
    Fault::parse(format!("the message is not JSON (line {}, column {})", error.line(), error.column()))
}

fn message(bytes: &[u8]) -> Message {
    let envelope: Envelope<'_> = match serde_json::from_slice(bytes) {
        Ok(envelope) => envelope,
        Err(error) if error.is_data() => {
            let fault = Fault::request("a message is a JSON-RPC 2.0 object with each member once");
            // JSON all through, so that the answer may name the id; `is_data` alone stops at the first fault.
            return match serde_json::from_slice::<&RawValue>(bytes) {
                Ok(_) => Message::Bad(id_of(bytes), fault),
                Err(error) => Message::Bad(None, not_json(&error)),
            };
        }
        Err(error) => return Message::Bad(None, not_json(&error)),
    };
    let id = match envelope.id.map(Id::read) {
        Some(None) => {
            let fault = Fault::request("an id is a string or a number");
            return Message::Bad(None, fault);
        }
        Some(id) => id,
        None => None,
    };
    if envelope.jsonrpc.get() != "\"2.0\"" {
        return Message::Bad(id, Fault::request("`jsonrpc` is \"2.0\""));
    }
    let Some(method) = envelope.method else {
        if envelope.result.is_some() || envelope.error.is_some() {
            return Message::Response;
        }
        return Message::Bad(id, Fault::request("a message has a `method`"));
    };
    let Ok(method) = serde_json::from_str::<String>(method.get()) else {
        return Message::Bad(id, Fault::request("`method` is a text"));
    };
    let params = envelope.params.map(ToOwned::to_owned);
    match id {
        Some(id) => Message::Request(Request { id, method, params }),
        None => Message::Notification { method, params },
    }
}

/// The id of an object that is no message, where it has exactly one.
fn id_of(bytes: &[u8]) -> Option<Id> {
    #[derive(Deserialize)]
    struct Only<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
    }
    serde_json::from_slice::<Only<'_>>(bytes).ok().and_then(|only| Id::read(only.id))
}

/// Parameters as an object; none and null are an empty one.
///
/// # Errors
/// [`Fault::params`] for anything else, and for JSON that has no meaning (half a surrogate pair, too deep).
pub fn params<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Result<T, Fault> {
    let text = raw.map_or("{}", |raw| if raw.get() == "null" { "{}" } else { raw.get() });
    if !text.starts_with('{') {
        return Err(Fault::params("`params` is an object"));
    }
    serde_json::from_str(text).map_err(|error| Fault::params(format!("params: {error}")))
}

/// The era of a request, from its `_meta`.
///
/// # Errors
/// When it names a version that is not spoken here, or leaves out what that version demands.
pub fn era(raw: Option<&RawValue>) -> Result<Era, Fault> {
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(borrow, rename = "_meta")]
        meta: Option<&'a RawValue>,
    }
    // A connection of the other era pays nothing for the question.
    if !raw.is_some_and(|raw| raw.get().contains(META_VERSION)) {
        return Ok(Era::Handshake);
    }
    let Ok(Meta { meta: Some(meta) }) = params::<Meta<'_>>(raw) else { return Ok(Era::Handshake) };
    let Ok(meta) = serde_json::from_str::<Value>(meta.get()) else { return Ok(Era::Handshake) };
    let Some(version) = meta.get(META_VERSION) else { return Ok(Era::Handshake) };
    let Some(version) = version.as_str() else {
        return Err(Fault::params(format!("_meta: {META_VERSION} is a text")));
    };
    if HANDSHAKE_VERSIONS.contains(&version) {
        return Ok(Era::Handshake);
    }
    if version != STATELESS_VERSION {
        return Err(Fault::version(version));
    }
    if !meta.get(META_CAPABILITIES).is_some_and(Value::is_object) {
        return Err(Fault::params(format!("_meta: {META_CAPABILITIES} is an object, and required")));
    }
    Ok(Era::Stateless)
}

/// The client's name, where a request of the stateless revision says it.
pub fn client(raw: Option<&RawValue>) -> Option<String> {
    let params: Value = params(raw.filter(|raw| raw.get().contains(META_CLIENT))).ok()?;
    params.get("_meta")?.get(META_CLIENT)?.get("name")?.as_str().map(str::to_owned)
}

/// The version to answer `initialize` with: the one asked for, or else the newest.
pub fn negotiate(asked: &str) -> &'static str {
    HANDSHAKE_VERSIONS.into_iter().find(|version| *version == asked).unwrap_or(HANDSHAKE_VERSIONS[3])
}

/// How the server names itself.
pub fn server_info() -> Value {
    json!({ "name": "recourse", "title": "recourse", "version": env!("CARGO_PKG_VERSION") })
}

/// What a result is the result of; the stateless revision wants more said of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Of anything.
    Plain,
    /// Something that may be kept for a while.
    Lasting,
    /// Something that may be asked for again at once.
    Fresh,
}

/// The answer that carries a result, an object in JSON.
pub fn answer(id: &Id, result: &str, era: Era, shape: Shape) -> String {
    let mut text = String::with_capacity(result.len() + id.0.len() + 120);
    text.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    text.push_str(&id.0);
    text.push_str(",\"result\":{");
    let inner = result.get(1..).unwrap_or("}");
    if era == Era::Stateless {
        text.push_str("\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
        text.push_str(&server_info().to_string());
        text.push('}');
        match shape {
            Shape::Plain => {}
            Shape::Lasting => text.push_str(&format!(",\"ttlMs\":{LIST_AGE},\"cacheScope\":\"public\"")),
            Shape::Fresh => text.push_str(",\"ttlMs\":0,\"cacheScope\":\"private\""),
        }
        if inner != "}" {
            text.push(',');
        }
    }
    text.push_str(inner);
    text.push('}');
    text
}

/// The answer that carries a fault.
pub fn refusal(id: Option<&Id>, fault: &Fault) -> String {
    let mut error = json!({ "code": fault.code, "message": fault.message });
    if let (Some(data), Some(members)) = (&fault.data, error.as_object_mut()) {
        members.insert("data".to_owned(), data.clone());
    }
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}", id.map_or("null", |id| id.0.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Request {
        match read(text.as_bytes()) {
            Body::One(Message::Request(request)) => request,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn fault(text: &str) -> (Option<String>, i32) {
        match read(text.as_bytes()) {
            Body::One(Message::Bad(id, fault)) => (id.map(|id| id.0), fault.code),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn ids_go_back_as_they_came() {
        for id in [
            "1",
            "-7",
            "0",
            "9007199254740993",
            "1.50",
            "\"\"",
            "\"1\"",
            "\"\\u0061\\n\"",
            "99999999999999999999999",
        ] {
            let request = request(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}"));
            let answer = answer(&request.id, "{}", Era::Handshake, Shape::Plain);
            assert_eq!(answer, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"));
        }
        let key = |text: &str| Id(text.to_owned()).key();
        assert_eq!(key("\"a\""), key("\"\\u0061\""));
        assert_ne!(key("\"1\""), key("1"));
    }

    #[test]
    fn what_is_no_message_is_told() {
        for (text, id, code) in [
            ("", None, -32700),
            ("this is not json", None, -32700),
            ("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":", None, -32700),
            ("42", None, -32600),
            ("null", None, -32600),
            ("{}", None, -32600),
            ("[]", None, -32600),
            ("[1", None, -32700),
            ("{\"id\":8,\"method\":\"ping\"}", Some("8"), -32600),
            ("{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}", Some("7"), -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":9}", Some("9"), -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":5}", Some("10"), -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", None, -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", None, -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", None, -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"method\":\"x\"}", Some("3"), -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}}", None, -32700),
        ] {
            assert_eq!(fault(text), (id.map(str::to_owned), code), "{text}");
        }
        assert!(matches!(
            read(b"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}"),
            Body::One(Message::Response)
        ));
        assert!(matches!(read(b"[1,{}]"), Body::Batch(parts) if parts.len() == 2));
        let deep = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}{}}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert_eq!(request(&deep).method, "ping");
    }

    #[test]
    fn eras_by_what_a_request_says() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let of = |text: &str| era(Some(&raw(text))).map_err(|fault| fault.code);
        assert_eq!(era(None).unwrap(), Era::Handshake);
        assert_eq!(of("{\"_meta\":{\"progressToken\":1}}"), Ok(Era::Handshake));
        let meta =
            |version: &str, more: &str| format!("{{\"_meta\":{{\"{META_VERSION}\":{version}{more}}}}}");
        let capable = format!(",\"{META_CAPABILITIES}\":{{}}");
        assert_eq!(of(&meta("\"2026-07-28\"", &capable)), Ok(Era::Stateless));
        assert_eq!(of(&meta("\"2025-11-25\"", "")), Ok(Era::Handshake));
        assert_eq!(of(&meta("\"2026-07-28\"", "")), Err(-32602));
        assert_eq!(of(&meta("\"1900-01-01\"", &capable)), Err(-32022));
        assert_eq!(of(&meta("7", &capable)), Err(-32602));
        // A name inside an argument is no version.
        assert_eq!(of(&format!("{{\"arguments\":{{\"command\":\"{META_VERSION}\"}}}}")), Ok(Era::Handshake));
        let id = Id("1".to_owned());
        let lasting = answer(&id, "{\"tools\":[]}", Era::Stateless, Shape::Lasting);
        let lasting: Value = serde_json::from_str(&lasting).unwrap();
        assert_eq!(lasting["result"]["resultType"], "complete");
        assert_eq!(lasting["result"]["cacheScope"], "public");
        let plain: Value = serde_json::from_str(&answer(&id, "{}", Era::Stateless, Shape::Plain)).unwrap();
        assert_eq!(plain["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "recourse");
        assert_eq!(negotiate("2024-11-05"), "2024-11-05");
        assert_eq!(negotiate("2099-01-01"), "2025-11-25");
    }
}
