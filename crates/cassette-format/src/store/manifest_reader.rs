//! `manifest.json` from text to value.

use std::collections::BTreeMap;

use super::field::{FieldError, FieldProblem, Object, problem, sole_value, wrong_kind};
use crate::json::{ScanError, Value, ValueKind, decode_string, elements};
use crate::schema::{
    AgentSessionId, Annotations, CaptureOrigin, CassetteStatus, ChunkKind, ConnectionId,
    ConnectionRecord, CwdToken, FramesDigest, KindStats, LaunchOrdinal, Manifest, Origin,
    ProjectionVersion, ProviderId, RecoveryNote, Redactions, SchemaVersion, SyncPolicy, TapeLimits,
    Tool, UnknownFields,
};

/// Reads the text of a manifest. Values are not judged: an unknown version,
/// status or origin is kept for the caller to refuse. Absent fields and `null`
/// are 0, empty or none; fields that are not known are kept.
///
/// # Errors
/// What is not one JSON object; a known field twice, in another case or of
/// another kind.
pub fn read_manifest(text: &[u8]) -> Result<Manifest, FieldError> {
    let names = [
        "schemaVersion",
        "projectionVersion",
        "status",
        "frameCount",
        "payloadBytes",
        "storedBytes",
        "maxFrameBytes",
        "limits",
        "framesByKind",
        "framesSha256",
        "connections",
        "annotations",
    ];
    let object = Object::read(text, sole_value(text)?, "", names)?;
    let (limits, limits_unknown) = match object.value("limits") {
        Some(value) => limits(text, value)?,
        None => (
            TapeLimits {
                max_frame_bytes: 0,
                max_stored_bytes: 0,
            },
            Vec::new(),
        ),
    };
    let (frames_by_kind, frames_by_kind_unknown) = object
        .value("framesByKind")
        .map_or_else(|| Ok(Kinds::default()), |value| kinds(text, value))?;
    Ok(Manifest {
        schema_version: SchemaVersion::new(object.unsigned("schemaVersion")?),
        projection_version: ProjectionVersion::new(object.unsigned("projectionVersion")?),
        status: CassetteStatus::named(&object.text("status")?),
        frame_count: object.unsigned("frameCount")?,
        payload_bytes: object.unsigned("payloadBytes")?,
        stored_bytes: object.unsigned("storedBytes")?,
        max_frame_bytes: object.unsigned("maxFrameBytes")?,
        limits,
        limits_unknown,
        frames_by_kind,
        frames_by_kind_unknown,
        frames_sha256: FramesDigest::from_recorded(object.text("framesSha256")?),
        connections: list(text, &object, "connections", connection)?,
        annotations: object.value("annotations").map_or_else(
            || Ok(Annotations::default()),
            |value| annotations(text, value),
        )?,
        unknown: object.unknown(),
    })
}

/// Reads the two versions alone: the rest of another version may have any shape.
pub(super) fn read_versions(text: &[u8]) -> Result<(SchemaVersion, ProjectionVersion), FieldError> {
    let names = ["schemaVersion", "projectionVersion"];
    let object = Object::read(text, sole_value(text)?, "", names)?;
    let schema = SchemaVersion::new(object.unsigned("schemaVersion")?);
    let projection = ProjectionVersion::new(object.unsigned("projectionVersion")?);
    Ok((schema, projection))
}

fn limits(text: &[u8], value: Value) -> Result<(TapeLimits, UnknownFields), FieldError> {
    let object = Object::read(text, value, "/limits", ["maxFrameBytes", "maxStoredBytes"])?;
    let limits = TapeLimits {
        max_frame_bytes: object.unsigned("maxFrameBytes")?,
        max_stored_bytes: object.unsigned("maxStoredBytes")?,
    };
    Ok((limits, object.unknown()))
}

/// What there is of each kind, and its unknown fields.
type Kinds = (
    BTreeMap<ChunkKind, KindStats>,
    BTreeMap<ChunkKind, UnknownFields>,
);

fn kinds(text: &[u8], value: Value) -> Result<Kinds, FieldError> {
    let all = Object::read(text, value, "/framesByKind", [])?;
    let (mut kinds, mut unknown) = Kinds::default();
    for member in &all.others {
        let name = decode_string(text, member.key);
        let pointer = all.pointer_to(&name);
        let fields = ["frameCount", "payloadBytes", "storedBytes"];
        let object = Object::read(text, member.value, pointer, fields)?;
        let stats = KindStats {
            frame_count: object.unsigned("frameCount")?,
            payload_bytes: object.unsigned("payloadBytes")?,
            stored_bytes: object.unsigned("storedBytes")?,
        };
        if kinds.insert(ChunkKind::named(&name), stats).is_some() {
            let twice = FieldProblem::Twice;
            let pointer = all.pointer_to(&name);
            return Err(problem(text, member.key.start, pointer, twice));
        }
        let others = object.unknown();
        if !others.is_empty() {
            unknown.insert(ChunkKind::named(&name), others);
        }
    }
    Ok((kinds, unknown))
}

fn connection(text: &[u8], value: Value, pointer: String) -> Result<ConnectionRecord, FieldError> {
    let names = [
        "connectionId",
        "provider",
        "agentSessionId",
        "rootAgentSessionId",
        "launchOrdinal",
        "cwdToken",
        "captureOrigin",
    ];
    let object = Object::read(text, value, pointer, names)?;
    Ok(ConnectionRecord {
        connection_id: ConnectionId::from_recorded(object.text("connectionId")?),
        provider: ProviderId::from_recorded(object.text("provider")?),
        agent_session: AgentSessionId::from_recorded(object.text("agentSessionId")?),
        root_agent_session: AgentSessionId::from_recorded(object.text("rootAgentSessionId")?),
        launch_ordinal: LaunchOrdinal::new(object.unsigned("launchOrdinal")?),
        cwd_token: CwdToken::from_recorded(object.text("cwdToken")?),
        capture_origin: CaptureOrigin::named(&object.text("captureOrigin")?),
        unknown: object.unknown(),
    })
}

fn annotations(text: &[u8], value: Value) -> Result<Annotations, FieldError> {
    let names = [
        "tool",
        "agentVersion",
        "argv",
        "recordedAt",
        "origin",
        "redactions",
        "syncPolicy",
        "recovery",
    ];
    let object = Object::read(text, value, "/annotations", names)?;
    let argv = object
        .value("argv")
        .map(|_| list(text, &object, "argv", string))
        .transpose()?;
    Ok(Annotations {
        tool: object
            .value("tool")
            .map(|value| tool(text, value))
            .transpose()?,
        agent_version: object.string("agentVersion")?,
        argv,
        recorded_at: object.string("recordedAt")?,
        origin: object.string("origin")?.map(|name| Origin::named(&name)),
        redactions: object
            .value("redactions")
            .map(|value| redactions(text, value))
            .transpose()?,
        sync_policy: object
            .string("syncPolicy")?
            .map(|name| SyncPolicy::named(&name)),
        recovery: object
            .value("recovery")
            .map(|value| recovery(text, value))
            .transpose()?,
        unknown: object.unknown(),
    })
}

fn tool(text: &[u8], value: Value) -> Result<Tool, FieldError> {
    let object = Object::read(text, value, "/annotations/tool", ["name", "version"])?;
    Ok(Tool {
        name: object.text("name")?,
        version: object.text("version")?,
        unknown: object.unknown(),
    })
}

fn redactions(text: &[u8], value: Value) -> Result<Redactions, FieldError> {
    let object = Object::read(text, value, "/annotations/redactions", ["count", "rules"])?;
    Ok(Redactions {
        count: object.unsigned("count")?,
        rules: list(text, &object, "rules", string)?,
        unknown: object.unknown(),
    })
}

fn recovery(text: &[u8], value: Value) -> Result<RecoveryNote, FieldError> {
    let names = ["mode", "keptFrames", "droppedBytes", "reason"];
    let object = Object::read(text, value, "/annotations/recovery", names)?;
    Ok(RecoveryNote {
        mode: object.text("mode")?,
        kept_frames: object.unsigned("keptFrames")?,
        dropped_bytes: object.unsigned("droppedBytes")?,
        reason: object.text("reason")?,
        unknown: object.unknown(),
    })
}

fn string(text: &[u8], value: Value, pointer: String) -> Result<String, FieldError> {
    if value.kind == ValueKind::String {
        return Ok(decode_string(text, value.span).into_owned());
    }
    Err(wrong_kind(text, value, pointer, "a string"))
}

/// The elements of the list `name`; none when absent.
fn list<T, const N: usize>(
    text: &[u8],
    object: &Object<'_, N>,
    name: &'static str,
    read: fn(&[u8], Value, String) -> Result<T, FieldError>,
) -> Result<Vec<T>, FieldError> {
    let Some(value) = object.list(name)? else {
        return Ok(Vec::new());
    };
    let pointer = object.pointer_to(name);
    let element = |(at, element): (usize, Result<Value, ScanError>)| {
        let pointer = format!("{pointer}/{at}");
        match element {
            Ok(value) => read(text, value, pointer),
            Err(error) => {
                let not_json = FieldProblem::NotJson(error);
                Err(problem(text, error.offset, pointer, not_json))
            }
        }
    };
    elements(text, value.span)
        .enumerate()
        .map(element)
        .collect()
}
