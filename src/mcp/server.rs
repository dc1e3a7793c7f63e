//! The loop: messages in, answers out, calls in between.
//!
//! Owns which method goes where, what is in flight, cancellation, batches and the end. Holds no judgement and knows no tool:
//! those are the [`Service`]'s. A service that panics costs its caller an error, never an answer that permits anything.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::framing::{Framing, Reader};
use super::outbox::Outbox;
use super::pool::Pool;
use super::protocol::{
    self, ANSWER_LIMIT, Body, Era, Fault, HANDSHAKE_VERSIONS, Id, Message, Request, STATELESS_VERSION, Shape,
};

/// How long the next of the calls in flight is waited for once the input has ended.
const DRAIN: Duration = Duration::from_secs(20);
/// The same once somebody has asked for the end.
const HURRY: Duration = Duration::from_secs(2);

/// What is served. Results are JSON objects as text.
pub trait Service: Send + Sync + 'static {
    /// How the server is to be used, for the model.
    fn instructions(&self) -> &str;
    /// `tools/list`.
    fn tools(&self) -> &str;
    /// `resources/list`.
    fn resources(&self) -> &str;
    /// `prompts/list`.
    fn prompts(&self) -> &str;
    /// The client has said its name.
    fn met(&self, _client: &str) {}
    /// `tools/call`.
    ///
    /// # Errors
    /// When there is no such tool, or its arguments are no object. What goes wrong in a tool is a result.
    fn call(&self, tool: &str, arguments: Option<&RawValue>) -> Result<String, Fault>;
    /// `resources/read`.
    ///
    /// # Errors
    /// When there is no such resource, or it cannot be read.
    fn resource(&self, uri: &str, era: Era) -> Result<String, Fault>;
    /// `prompts/get`.
    ///
    /// # Errors
    /// When there is no such prompt, or its arguments do not fit.
    fn prompt(&self, name: &str, arguments: Option<&RawValue>) -> Result<String, Fault>;
}

enum Event {
    /// The input ended.
    End,
    /// Somebody wants it to end.
    Stop,
    /// Nobody reads the answers any more.
    Deaf,
}

/// Ends a server from elsewhere.
#[derive(Clone, Debug)]
pub struct Stopper(Sender<Event>);

impl Stopper {
    /// Answers what is in flight, for a moment, and ends.
    pub fn stop(&self) {
        let _ = self.0.send(Event::Stop);
    }
}

/// A server that has not begun yet.
pub struct Server {
    shared: Arc<Shared>,
    events: Receiver<Event>,
    sender: Sender<Event>,
}

impl Server {
    /// Of this service.
    pub fn new(service: Arc<dyn Service>) -> Self {
        let (sender, events) = mpsc::channel();
        let shared = Shared {
            service,
            pool: Arc::default(),
            outbox: Outbox::default(),
            flights: Mutex::default(),
            pending: AtomicUsize::new(0),
            batches: AtomicBool::new(true),
        };
        Self { shared: Arc::new(shared), events, sender }
    }

    /// What ends it.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.sender.clone())
    }

    /// Serves until the input ends, the stopper is used, or nobody reads any more. Answers what came before the end.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn run(
        self,
        input: impl Read + Send + 'static,
        mut output: impl Write + Send + 'static,
    ) -> std::io::Result<()> {
        let (shared, deaf) = (Arc::clone(&self.shared), self.sender.clone());
        thread::Builder::new().name("answers".to_owned()).spawn(move || {
            shared.outbox.write_all(&mut output);
            let _ = deaf.send(Event::Deaf);
        })?;
        let (shared, ended) = (Arc::clone(&self.shared), self.sender.clone());
        thread::Builder::new().name("messages".to_owned()).spawn(move || {
            let mut reader = Reader::new(input);
            // An input that cannot be read has ended.
            while let Ok(Some(frame)) = reader.next_frame() {
                match frame.body {
                    Ok(body) => shared.take(&body, frame.framing),
                    Err(error) => shared
                        .outbox
                        .put(frame.framing, protocol::refusal(None, &Fault::request(error.to_string()))),
                }
            }
            let _ = ended.send(Event::End);
        })?;
        let (mut until, mut hurries) = match self.events.recv() {
            Ok(Event::End) => (Instant::now() + DRAIN, false),
            Ok(Event::Stop) => (Instant::now() + HURRY, true),
            Ok(Event::Deaf) | Err(_) => return Ok(()),
        };
        let mut pending = self.shared.pending.load(Ordering::Acquire);
        while pending > 0 && Instant::now() < until {
            let left = self.shared.pending.load(Ordering::Acquire);
            if left < pending && !hurries {
                until = Instant::now() + DRAIN;
            }
            pending = left;
            match self.events.recv_timeout(Duration::from_millis(2)) {
                Ok(Event::Stop) => {
                    until = until.min(Instant::now() + HURRY);
                    hurries = true;
                }
                Ok(Event::Deaf) => return Ok(()),
                Ok(Event::End) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
        self.shared.outbox.flushed(until);
        Ok(())
    }
}

struct Shared {
    service: Arc<dyn Service>,
    pool: Arc<Pool>,
    outbox: Outbox,
    flights: Mutex<HashMap<String, Vec<Arc<AtomicBool>>>>,
    /// Calls that are not answered yet.
    pending: AtomicUsize,
    /// Whether the revision that was agreed on has batches. Before anything is agreed on, they are taken.
    batches: AtomicBool,
}

/// Where an answer goes.
#[derive(Clone)]
enum Reply {
    Alone(Framing),
    Batch(Arc<Batch>),
}

struct Batch {
    framing: Framing,
    state: Mutex<(usize, Vec<String>)>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn take(self: &Arc<Self>, body: &[u8], framing: Framing) {
        match protocol::read(body) {
            Body::One(message) => self.one(message, &Reply::Alone(framing)),
            Body::Batch(_) if !self.batches.load(Ordering::Acquire) => {
                let fault =
                    Fault::request("this protocol version has no batches; send one message at a time");
                self.outbox.put(framing, protocol::refusal(None, &fault));
            }
            Body::Batch(messages) => {
                let answers = messages
                    .iter()
                    .filter(|message| matches!(message, Message::Request(_) | Message::Bad(..)));
                let batch = Batch { framing, state: Mutex::new((answers.count(), Vec::new())) };
                let reply = Reply::Batch(Arc::new(batch));
                for message in messages {
                    self.one(message, &reply);
                }
            }
        }
    }

    fn one(self: &Arc<Self>, message: Message, reply: &Reply) {
        match message {
            Message::Request(request) => self.request(request, reply),
            Message::Notification { method, params } if method == "notifications/cancelled" => {
                self.cancel(params.as_deref());
            }
            Message::Notification { .. } | Message::Response => {}
            Message::Bad(id, fault) => self.answer(reply, Some(protocol::refusal(id.as_ref(), &fault))),
        }
    }

    /// Sends an answer; `None` where there is to be none.
    fn answer(&self, reply: &Reply, answer: Option<String>) {
        match reply {
            Reply::Alone(framing) => {
                if let Some(body) = answer {
                    self.outbox.put(*framing, body);
                }
            }
            Reply::Batch(batch) => {
                let mut state = locked(&batch.state);
                state.1.extend(answer);
                state.0 = state.0.saturating_sub(1);
                if state.0 > 0 {
                    return;
                }
                let answers = std::mem::take(&mut state.1);
                drop(state);
                self.send_batch(batch.framing, &answers);
            }
        }
    }

    /// One array, or as many as the size of an answer makes necessary.
    fn send_batch(&self, framing: Framing, answers: &[String]) {
        let mut body = String::new();
        for answer in answers {
            if !body.is_empty() && body.len() + answer.len() > ANSWER_LIMIT {
                body.push(']');
                self.outbox.put(framing, std::mem::take(&mut body));
            }
            body.push(if body.is_empty() { '[' } else { ',' });
            body.push_str(answer);
        }
        if !body.is_empty() {
            body.push(']');
            self.outbox.put(framing, body);
        }
    }

    fn request(self: &Arc<Self>, request: Request, reply: &Reply) {
        let params = request.params.as_deref();
        let era = match protocol::era(params) {
            Ok(era) => era,
            Err(fault) => return self.answer(reply, Some(protocol::refusal(Some(&request.id), &fault))),
        };
        if era == Era::Stateless
            && let Some(client) = protocol::client(params)
        {
            self.service.met(&client);
        }
        let done = |text: &str, shape: Shape| Ok((text.to_owned(), shape));
        // Who asks this speaks the stateless revision, whether or not the request says so.
        let era = if request.method == "server/discover" { Era::Stateless } else { era };
        let result = match request.method.as_str() {
            "ping" => done("{}", Shape::Plain),
            "initialize" => self.initialize(params),
            "server/discover" => Ok((self.discover(), Shape::Lasting)),
            "tools/list" => first_page(params).and_then(|()| done(self.service.tools(), Shape::Lasting)),
            "resources/list" => {
                first_page(params).and_then(|()| done(self.service.resources(), Shape::Lasting))
            }
            "resources/templates/list" => {
                first_page(params).and_then(|()| done("{\"resourceTemplates\":[]}", Shape::Lasting))
            }
            "prompts/list" => first_page(params).and_then(|()| done(self.service.prompts(), Shape::Lasting)),
            "tools/call" | "resources/read" | "prompts/get" => {
                return self.start(request, era, reply.clone());
            }
            other => Err(Fault::method(other)),
        };
        self.answer(reply, Some(written(&request.id, result, era)));
    }

    /// Hands a request to a thread.
    fn start(self: &Arc<Self>, request: Request, era: Era, reply: Reply) {
        let cancelled = Arc::new(AtomicBool::new(false));
        let key = request.id.key();
        locked(&self.flights).entry(key.clone()).or_default().push(Arc::clone(&cancelled));
        self.pending.fetch_add(1, Ordering::AcqRel);
        let shared = Arc::clone(self);
        let bytes = request.params.as_ref().map_or(0, |params| params.get().len());
        let work = move || {
            let answer = (!cancelled.load(Ordering::Acquire)).then(|| shared.perform(&request, era));
            let mut flights = locked(&shared.flights);
            if let Some(same) = flights.get_mut(&key) {
                same.retain(|other| !Arc::ptr_eq(other, &cancelled));
                if same.is_empty() {
                    flights.remove(&key);
                }
            }
            drop(flights);
            // Who cancelled does not want to hear of it any more.
            shared.answer(&reply, answer.filter(|_| !cancelled.load(Ordering::Acquire)));
            shared.pending.fetch_sub(1, Ordering::AcqRel);
        };
        self.pool.submit(bytes, Box::new(work));
    }

    /// Does it; a panic becomes an error.
    fn perform(&self, request: &Request, era: Era) -> String {
        let result = catch_unwind(AssertUnwindSafe(|| self.result(request, era))).unwrap_or_else(|_| {
            let said =
                "recourse itself failed on this call; nothing is permitted by it, and a person must decide";
            match request.method.as_str() {
                "tools/call" => Ok((failed(said), Shape::Plain)),
                _ => Err(Fault::internal(said)),
            }
        });
        written(&request.id, result, era)
    }

    fn result(&self, request: &Request, era: Era) -> Result<(String, Shape), Fault> {
        #[derive(Deserialize)]
        struct Named<'a> {
            #[serde(borrow)]
            name: Option<&'a RawValue>,
            #[serde(borrow)]
            uri: Option<&'a RawValue>,
            #[serde(borrow)]
            arguments: Option<&'a RawValue>,
        }
        let params: Named<'_> = protocol::params(request.params.as_deref())?;
        let text = |what: &str, raw: Option<&RawValue>| match raw
            .map(|raw| serde_json::from_str::<String>(raw.get()))
        {
            Some(Ok(text)) => Ok(text),
            Some(Err(_)) => Err(Fault::params(format!("`{what}` is a text"))),
            None => Err(Fault::params(format!("`{what}` is missing"))),
        };
        match request.method.as_str() {
            "tools/call" => {
                Ok((self.service.call(&text("name", params.name)?, params.arguments)?, Shape::Plain))
            }
            "resources/read" => Ok((self.service.resource(&text("uri", params.uri)?, era)?, Shape::Fresh)),
            _ => Ok((self.service.prompt(&text("name", params.name)?, params.arguments)?, Shape::Plain)),
        }
    }

    fn cancel(&self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct Cancelled<'a> {
            #[serde(borrow, rename = "requestId")]
            id: &'a RawValue,
        }
        let Ok(cancelled) = protocol::params::<Cancelled<'_>>(params) else { return };
        let Some(id) = Id::read(cancelled.id) else { return };
        for flight in locked(&self.flights).get(&id.key()).into_iter().flatten() {
            flight.store(true, Ordering::Release);
        }
    }

    fn initialize(&self, params: Option<&RawValue>) -> Result<(String, Shape), Fault> {
        let asked: Value = protocol::params(params)?;
        if let Some(client) = asked.pointer("/clientInfo/name").and_then(Value::as_str) {
            self.service.met(client);
        }
        let Some(asked) = asked.get("protocolVersion").and_then(Value::as_str) else {
            return Err(Fault::params("`protocolVersion` is a text, for example \"2025-11-25\""));
        };
        let version = protocol::negotiate(asked);
        // Batches came with JSON-RPC and left with 2025-06-18.
        self.batches.store(version < HANDSHAKE_VERSIONS[2], Ordering::Release);
        let result = json!({
            "protocolVersion": version,
            "capabilities": capabilities(),
            "serverInfo": protocol::server_info(),
            "instructions": self.service.instructions(),
        });
        Ok((result.to_string(), Shape::Plain))
    }

    fn discover(&self) -> String {
        let mut versions = vec![STATELESS_VERSION];
        versions.extend(HANDSHAKE_VERSIONS.iter().rev());
        let result = json!({
            "supportedVersions": versions,
            "capabilities": capabilities(),
            "instructions": self.service.instructions(),
        });
        result.to_string()
    }
}

fn capabilities() -> Value {
    json!({ "tools": {}, "resources": {}, "prompts": {} })
}

/// The answer to a request, within the size that clients take.
fn written(id: &Id, result: Result<(String, Shape), Fault>, era: Era) -> String {
    match result {
        Ok((text, _)) if text.len() > ANSWER_LIMIT => {
            let fault = Fault::internal("the answer is larger than clients take; ask for less at once");
            protocol::refusal(Some(id), &fault)
        }
        Ok((text, shape)) => protocol::answer(id, &text, era, shape),
        Err(fault) => protocol::refusal(Some(id), &fault),
    }
}

/// Lists have one page.
fn first_page(params: Option<&RawValue>) -> Result<(), Fault> {
    #[derive(Deserialize)]
    struct Page {
        cursor: Option<Value>,
    }
    match protocol::params::<Page>(params)?.cursor {
        None => Ok(()),
        Some(_) => Err(Fault::params("`cursor` is none that was given out; lists have one page")),
    }
}

/// The result of a tool that could not do its work.
pub(super) fn failed(what: &str) -> String {
    json!({ "content": [{ "type": "text", "text": what }], "isError": true }).to_string()
}
