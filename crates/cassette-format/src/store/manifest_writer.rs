//! `manifest.json` from value to text: fixed order, two-space indent, final
//! newline, and every unknown field as it was written.

use crate::json::write_string;
use crate::schema::{
    Annotations, ConnectionRecord, KindStats, Manifest, RecoveryNote, Redactions, Tool,
    UnknownField, UnknownFields,
};

/// The text of `manifest`. What the reference wrote and
/// [`read_manifest`](super::read_manifest) read comes out byte for byte, save
/// for the order of members, for escapes that JSON does not ask for, and for
/// `null` and empty objects where nothing is meant.
#[must_use]
pub fn write_manifest(manifest: &Manifest) -> Vec<u8> {
    let mut text = Text::default();
    text.object(|text| {
        text.number("schemaVersion", manifest.schema_version.get());
        text.number("projectionVersion", manifest.projection_version.get());
        text.string("status", manifest.status.as_str());
        text.number("frameCount", manifest.frame_count);
        text.number("payloadBytes", manifest.payload_bytes);
        text.number("storedBytes", manifest.stored_bytes);
        text.number("maxFrameBytes", manifest.max_frame_bytes);
        text.key("limits");
        text.object(|text| {
            text.number("maxFrameBytes", manifest.limits.max_frame_bytes);
            text.number("maxStoredBytes", manifest.limits.max_stored_bytes);
            text.unknown(&manifest.limits_unknown);
        });
        text.key("framesByKind");
        text.object(|text| {
            for (kind, stats) in &manifest.frames_by_kind {
                text.key(kind.as_str());
                kind_stats(text, stats, manifest.frames_by_kind_unknown.get(kind));
            }
        });
        text.string("framesSha256", manifest.frames_sha256.as_str());
        text.key("connections");
        text.list(manifest.connections.iter(), connection);
        if !manifest.annotations.is_empty() {
            text.key("annotations");
            annotations(text, &manifest.annotations);
        }
        text.unknown(&manifest.unknown);
    });
    text.output.push(b'\n');
    text.output
}

fn kind_stats(text: &mut Text, stats: &KindStats, unknown: Option<&UnknownFields>) {
    text.object(|text| {
        text.number("frameCount", stats.frame_count);
        text.number("payloadBytes", stats.payload_bytes);
        text.number("storedBytes", stats.stored_bytes);
        text.unknown(unknown.map_or(&[], Vec::as_slice));
    });
}

fn connection(text: &mut Text, record: &ConnectionRecord) {
    text.object(|text| {
        text.string("connectionId", record.connection_id.as_str());
        text.string("provider", record.provider.as_str());
        text.string("agentSessionId", record.agent_session.as_str());
        text.string("rootAgentSessionId", record.root_agent_session.as_str());
        text.number("launchOrdinal", record.launch_ordinal.get());
        text.string("cwdToken", record.cwd_token.as_str());
        text.string("captureOrigin", record.capture_origin.as_str());
        text.unknown(&record.unknown);
    });
}

fn annotations(text: &mut Text, annotations: &Annotations) {
    text.object(|text| {
        if let Some(Tool {
            name,
            version,
            unknown,
        }) = &annotations.tool
        {
            text.key("tool");
            text.object(|text| {
                text.string("name", name);
                text.string("version", version);
                text.unknown(unknown);
            });
        }
        text.optional("agentVersion", annotations.agent_version.as_deref());
        if let Some(argv) = &annotations.argv {
            text.key("argv");
            text.strings(argv);
        }
        text.optional("recordedAt", annotations.recorded_at.as_deref());
        text.optional(
            "origin",
            annotations.origin.as_ref().map(|origin| origin.as_str()),
        );
        if let Some(Redactions {
            count,
            rules,
            unknown,
        }) = &annotations.redactions
        {
            text.key("redactions");
            text.object(|text| {
                text.number("count", *count);
                text.key("rules");
                text.strings(rules);
                text.unknown(unknown);
            });
        }
        text.optional(
            "syncPolicy",
            annotations
                .sync_policy
                .as_ref()
                .map(|policy| policy.as_str()),
        );
        if let Some(note) = &annotations.recovery {
            text.key("recovery");
            recovery(text, note);
        }
        text.unknown(&annotations.unknown);
    });
}

fn recovery(text: &mut Text, note: &RecoveryNote) {
    text.object(|text| {
        text.string("mode", &note.mode);
        text.number("keptFrames", note.kept_frames);
        text.number("droppedBytes", note.dropped_bytes);
        text.string("reason", &note.reason);
        text.unknown(&note.unknown);
    });
}

/// Indented JSON text as it grows.
#[derive(Default)]
struct Text {
    output: Vec<u8>,
    depth: usize,
    /// Whether the innermost container has something in it.
    filled: bool,
}

impl Text {
    fn object(&mut self, write: impl FnOnce(&mut Self)) {
        self.container((b'{', b'}'), write);
    }

    fn list<T>(&mut self, items: impl Iterator<Item = T>, write: impl Fn(&mut Self, T)) {
        self.container((b'[', b']'), |text| {
            for item in items {
                text.next_item();
                write(text, item);
            }
        });
    }

    fn strings(&mut self, items: &[String]) {
        self.list(items.iter(), |text, item| {
            write_string(&mut text.output, item)
        });
    }

    fn container(&mut self, (open, close): (u8, u8), write: impl FnOnce(&mut Self)) {
        self.output.push(open);
        self.depth += 1;
        self.filled = false;
        write(self);
        self.depth -= 1;
        if self.filled {
            self.new_line();
        }
        self.output.push(close);
        self.filled = true;
    }

    fn key(&mut self, key: &str) {
        self.next_item();
        write_string(&mut self.output, key);
        self.output.extend_from_slice(b": ");
    }

    fn number(&mut self, key: &str, number: u64) {
        self.key(key);
        self.output.extend_from_slice(number.to_string().as_bytes());
    }

    fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        write_string(&mut self.output, value);
    }

    fn optional(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.string(key, value);
        }
    }

    fn unknown(&mut self, fields: &[UnknownField]) {
        for field in fields {
            match field.escaped_key() {
                None => self.key(field.key()),
                Some(escaped) => {
                    self.next_item();
                    self.output.extend_from_slice(escaped.as_bytes());
                    self.output.extend_from_slice(b": ");
                }
            }
            self.output.extend_from_slice(field.json().as_bytes());
        }
    }

    fn next_item(&mut self) {
        if self.filled {
            self.output.push(b',');
        }
        self.filled = true;
        self.new_line();
    }

    fn new_line(&mut self) {
        self.output.push(b'\n');
        self.output.resize(self.output.len() + 2 * self.depth, b' ');
    }
}
