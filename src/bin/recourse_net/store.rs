//! Object stores, for `recourse` (docs/fleet.md).
//!
//! Owns how a question becomes a request. It decides nothing.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::ClientOptions;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    BackoffConfig, Error, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, RetryConfig,
    UpdateVersion,
};
use recourse::attest::beside::LINE_LIMIT;
use recourse::attest::fleet::{Address, Answer, Ask, Kind, REQUEST_PATIENCE};

/// Where Google's storage is: a file with credentials may name another place, and must not.
const GOOGLE: &str = "https://storage.googleapis.com";

/// A store that was opened.
enum Store {
    /// Over HTTP.
    Remote { store: Box<dyn ObjectStore>, prefix: String },
    /// A folder that machines share.
    Folder(PathBuf),
}

/// Answers about the store at an address until nothing is asked any more.
pub(crate) fn answer_about(address: &str) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let (Ok(runtime), Ok(address)) = (runtime, Address::parse(address)) else { return ExitCode::from(2) };
    // No other part of this program chooses one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let store = open(&address);
    super::converse(LINE_LIMIT, |ask: Ask| match &store {
        Ok(Store::Remote { store, prefix }) => runtime.block_on(remote(&**store, prefix, ask)),
        Ok(Store::Folder(folder)) => super::folder::in_folder(folder, ask),
        Err(why) => Answer::Unclear { why: why.clone() },
    })
}

/// Opens a store. Everything that says which one comes from its address; credentials come from the environment.
fn open(address: &Address) -> Result<Store, String> {
    let insecure = address.endpoint.as_deref().is_some_and(|endpoint| endpoint.starts_with("http://"));
    let options = ClientOptions::new()
        // Each request has its own patience; what is large takes longer.
        .with_timeout(patience(LINE_LIMIT))
        .with_connect_timeout(REQUEST_PATIENCE)
        .with_allow_http(insecure);
    // What is unclear is for the caller to look at; it does with its own words.
    let retry = RetryConfig {
        backoff: BackoffConfig { init_backoff: Duration::from_millis(50), ..BackoffConfig::default() },
        max_retries: 1,
        retry_timeout: REQUEST_PATIENCE,
    };
    let opened: object_store::Result<Box<dyn ObjectStore>> = match address.kind {
        Kind::File => return Ok(Store::Folder(PathBuf::from(&address.prefix))),
        Kind::S3 => {
            let mut builder = AmazonS3Builder::from_env()
                .with_bucket_name(&address.bucket)
                .with_client_options(options)
                .with_retry(retry);
            if let Some(endpoint) = &address.endpoint {
                builder = builder.with_endpoint(endpoint);
            }
            if let Some(region) = &address.region {
                builder = builder.with_region(region);
            }
            builder.build().map(|store| Box::new(store) as _)
        }
        Kind::Gcs => GoogleCloudStorageBuilder::from_env()
            .with_bucket_name(&address.bucket)
            .with_base_url(address.endpoint.as_deref().unwrap_or(GOOGLE))
            .with_client_options(options)
            .with_retry(retry)
            .build()
            .map(|store| Box::new(store) as _),
        Kind::Azure => {
            let account = address.account.as_deref().unwrap_or_default();
            let mut builder = MicrosoftAzureBuilder::from_env()
                .with_account(account)
                .with_container_name(&address.bucket)
                .with_client_options(options)
                .with_retry(retry);
            if let Some(endpoint) = &address.endpoint {
                // Where no name of a host says whose it is, the path does.
                builder = builder.with_endpoint(format!("{endpoint}/{account}"));
            }
            builder.build().map(|store| Box::new(store) as _)
        }
    };
    let store = opened.map_err(|error| error.to_string())?;
    Ok(Store::Remote { store, prefix: address.prefix.clone() })
}

/// How long a request may take: a second and a half, and one for each mebibyte.
fn patience(bytes: u64) -> Duration {
    REQUEST_PATIENCE + Duration::from_millis(bytes >> 10)
}

async fn remote(store: &dyn ObjectStore, prefix: &str, ask: Ask) -> Answer {
    let place = |at: &str| Path::from(format!("{prefix}/{at}"));
    let late = || Answer::Unclear { why: "it did not answer in time".to_owned() };
    let (at, body, mode) = match ask {
        Ask::Create { at, body, bytes } => match held(body, bytes) {
            Ok(body) => (at, body, PutMode::Create),
            Err(why) => return Answer::Unclear { why },
        },
        Ask::Replace { at, body, over } => {
            let Ok((e_tag, version)) = serde_json::from_str(&over) else {
                return Answer::Unclear { why: "the tag is none of this store's".to_owned() };
            };
            (at, body.into_bytes(), PutMode::Update(UpdateVersion { e_tag, version }))
        }
        Ask::Get { at, bytes } => return read(store, &place(&at), bytes).await.unwrap_or_else(late),
        Ask::List { at } => return list(store, &place(&at)).await.unwrap_or_else(late),
    };
    let patience = patience(body.len() as u64);
    let options = PutOptions { mode, ..PutOptions::default() };
    let place = place(&at);
    let put = store.put_opts(&place, body.into(), options);
    match tokio::time::timeout(patience, put).await {
        Ok(Ok(_)) => Answer::Made {},
        Ok(Err(Error::AlreadyExists { .. } | Error::Precondition { .. })) => Answer::There {},
        Ok(Err(error)) => unclear(&error),
        Err(_) => late(),
    }
}

/// None: it took too long.
async fn read(store: &dyn ObjectStore, place: &Path, encoded: bool) -> Option<Answer> {
    let found = match tokio::time::timeout(REQUEST_PATIENCE, store.get(place)).await.ok()? {
        Ok(found) => found,
        Err(Error::NotFound { .. }) => return Some(Answer::Absent {}),
        Err(error) => return Some(unclear(&error)),
    };
    let tag = tag_of(&found.meta);
    let left = patience(found.meta.size);
    Some(match tokio::time::timeout(left, found.bytes()).await.ok()? {
        Ok(bytes) => answer(bytes.to_vec(), tag, encoded),
        Err(error) => unclear(&error),
    })
}

/// The names of the objects in a folder. None: it took too long.
async fn list(store: &dyn ObjectStore, folder: &Path) -> Option<Answer> {
    let found = tokio::time::timeout(REQUEST_PATIENCE, store.list_with_delimiter(Some(folder))).await.ok()?;
    Some(match found {
        Ok(found) => {
            let names = found.objects.iter().filter_map(|one| one.location.filename());
            Answer::Names { names: names.map(str::to_owned).collect() }
        }
        Err(error) => unclear(&error),
    })
}

/// What an object is called as this very content: the entity tag, and where the store counts them its version.
fn tag_of(meta: &ObjectMeta) -> String {
    serde_json::json!([meta.e_tag, meta.version]).to_string()
}

/// What an object is to hold.
pub(crate) fn held(body: String, encoded: bool) -> Result<Vec<u8>, String> {
    if !encoded {
        return Ok(body.into_bytes());
    }
    STANDARD.decode(body).map_err(|error| format!("what it was to hold is no base64: {error}"))
}

pub(crate) fn answer(bytes: Vec<u8>, tag: String, encoded: bool) -> Answer {
    if encoded {
        return Answer::Found { body: STANDARD.encode(bytes), tag };
    }
    match String::from_utf8(bytes) {
        Ok(body) => Answer::Found { body, tag },
        Err(_) => Answer::Unclear { why: "it holds what is no text".to_owned() },
    }
}

/// The whole chain of causes on one line: the outermost says only that a request failed.
fn unclear(error: &Error) -> Answer {
    let mut why = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !why.contains(&text) {
            why.push_str(": ");
            why.push_str(&text);
        }
        cause = inner.source();
    }
    Answer::Unclear { why: why.chars().take(600).collect() }
}
