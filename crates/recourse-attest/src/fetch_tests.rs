use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Instant;

use super::*;

/// A server on this machine that answers each connection with this, and counts them.
fn serve(answer: impl Fn(usize, TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for (count, stream) in listener.incoming().enumerate() {
            let stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            answer(count, stream);
        }
    });
    base
}

fn body(text: &'static str) -> impl Fn(usize, TcpStream) + Send + 'static {
    move |_, mut stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len());
    }
}

#[test]
fn a_document_within_the_limit() {
    let base = serve(body("{\"a\":1}"));
    assert_eq!(HttpFetch::new().get(&base, 7).unwrap(), b"{\"a\":1}");
    let error = HttpFetch::new().get(&base, 6).unwrap_err();
    assert!(error.why.contains("larger than 6 bytes") && !error.transient, "{error}");
    // A body without a length is cut at the limit, too.
    let endless = serve(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b' '; 4096]).is_ok() {}
    });
    assert!(HttpFetch::new().get(&endless, 100_000).unwrap_err().why.contains("larger than"));
}

#[test]
fn redirects_are_not_followed() {
    let target = serve(body("secret"));
    let base = serve(move |_, mut stream| {
        let _ = write!(stream, "HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
    });
    let error = HttpFetch::new().get(&base, 100).unwrap_err();
    assert!(error.why.contains("302") && !error.transient, "{error}");
}

#[test]
fn only_some_failures_are_worth_another_attempt() {
    for (status, transient) in
        [(404, false), (410, false), (403, false), (429, true), (500, true), (503, true)]
    {
        let base = serve(move |_, mut stream| {
            let _ = write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n");
        });
        assert_eq!(HttpFetch::new().get(&base, 100).unwrap_err().transient, transient, "{status}");
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert!(HttpFetch::new().get(&format!("http://{closed}"), 100).unwrap_err().transient);
}

#[test]
fn a_slow_answer_is_given_up() {
    let base = serve(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
    });
    let start = Instant::now();
    let error = HttpFetch::with_timeout(Duration::from_millis(400)).get(&base, 5000).unwrap_err();
    assert!(error.transient, "{error}");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn what_is_never_asked() {
    for url in [
        "http://recourse.example/",
        "http://10.0.0.1/",
        "http://[::ffff:10.0.0.1]/",
        "http://127.1/",
        "file:///etc/passwd",
        "https://169.254.169.254/latest/meta-data",
        "https://[fe80::1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://0.0.0.0/",
    ] {
        let error = HttpFetch::with_timeout(Duration::from_millis(500)).get(url, 100).unwrap_err();
        assert!(!error.transient, "{url}: {error}");
    }
}

#[test]
fn addresses_of_the_surroundings() {
    for (ip, forbidden) in [
        ("169.254.169.254", true),
        ("169.254.1.1", true),
        ("100.100.100.200", true),
        ("168.63.129.16", true),
        ("0.0.0.0", true),
        ("0.1.2.3", true),
        ("224.0.0.1", true),
        ("255.255.255.255", true),
        ("fe80::1", true),
        ("febf::1", true),
        ("fd00:ec2::254", true),
        ("fd20:ce::254", true),
        ("::", true),
        ("ff02::1", true),
        ("::ffff:169.254.169.254", true),
        ("64:ff9b::a9fe:a9fe", true),
        ("2002:a9fe:a9fe::1", true),
        ("::a9fe:a9fe", true),
        ("127.0.0.1", false),
        ("::1", false),
        ("10.1.2.3", false),
        ("192.168.1.1", false),
        ("93.184.216.34", false),
        ("2606:2800:220:1::1", false),
        ("fd12:3456::1", false),
    ] {
        assert_eq!(is_forbidden(ip.parse().unwrap()), forbidden, "{ip}");
    }
}
