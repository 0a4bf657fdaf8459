//! As much of HTTP/1.1 as agents ask a model with.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// One request; the connection is closed after its answer.
pub(super) struct Request {
    pub(super) path: String,
    pub(super) body: Value,
}

impl Request {
    /// Nothing where the other side has asked for nothing.
    pub(super) fn read(stream: &TcpStream) -> std::io::Result<Option<Self>> {
        let mut reader = BufReader::new(stream);
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(None);
        }
        let path = first.split(' ').nth(1).unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default().to_owned();
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let header = header.trim().to_ascii_lowercase();
            let Some((name, value)) = header.split_once(':') else {
                break;
            };
            match name {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "transfer-encoding" => is_chunked = value.contains("chunked"),
                _ => {}
            }
        }
        let body = if is_chunked {
            chunks(&mut reader)?
        } else {
            let mut body = vec![0; length];
            reader.read_exact(&mut body)?;
            body
        };
        let body = serde_json::from_slice(&body).unwrap_or_default();
        Ok(Some(Self { path, body }))
    }
}

fn chunks(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = u64::from_str_radix(size.trim(), 16).unwrap_or(0);
        reader.take(size).read_to_end(&mut body)?;
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Answers with one document.
pub(super) fn answer(mut stream: TcpStream, status: &str, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Answers with events, one write each; the name of each is its `type`, if it has one. A text
/// stands for itself.
pub(super) fn stream(mut stream: TcpStream, events: &[Value]) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    )?;
    for event in events {
        let name = event["type"]
            .as_str()
            .map(|name| format!("event: {name}\n"));
        let data = event
            .as_str()
            .map_or_else(|| event.to_string(), str::to_owned);
        let event = format!("{}data: {data}\n\n", name.unwrap_or_default());
        stream.write_all(event.as_bytes())?;
    }
    Ok(())
}
