//! Language servers over stdio: JSON-RPC 2.0 behind `Content-Length` headers.
//!
//! Captured: bash-language-server 5.8.1, typescript-language-server with
//! TypeScript 5. "LSP specification": version 3.17.

use std::collections::BTreeSet;

use cassette_format::descriptor::{
    Descriptor, Dialect, IdentityFields, MessageFraming, Spelling, TargetId,
};
use cassette_format::schema::ProviderId;

use super::notation::{ignored, texts};

/// The descriptor of `lsp`.
pub(super) fn descriptor() -> Descriptor {
    Descriptor {
        // No probes: each request comes from what a user does or looks at, and an
        // empty answer (no symbols, nothing to hover) would be taken for the
        // truth about a document.
        identity_fields: IdentityFields {
            // LSP specification, progress: made by who asks, named as `token` in
            // `$/progress`. Tokens that are numbers are compared as they are.
            generated: texts(["workDoneToken", "partialResultToken", "token"]),
            match_only: Vec::new(),
        },
        ignored_fields: vec![
            // Captured: the client's own process, another each run.
            ignored("initialize", "/params/processId"),
            // LSP specification, initialize: `clientInfo {name, version}`.
            ignored("initialize", "/params/clientInfo/version"),
            // LSP specification, cancellation: the id of a request, and those are
            // free.
            ignored("$/cancelRequest", "/params/id"),
        ],
        path_fields: texts([
            // Captured.
            "rootUri",
            "uri",
            "scopeUri",
            // LSP specification: initialize.
            "rootPath",
            // LSP specification: location links, renamed files, relative patterns.
            "targetUri",
            "oldUri",
            "newUri",
            "baseUri",
        ]),
        spellings: BTreeSet::from([
            // LSP specification: `WorkspaceEdit.changes{"file:///…": […]}`.
            Spelling::ObjectKeys,
            // Captured; how it is percent-encoded is up to each side.
            Spelling::FileUris,
        ]),
        // In order: LSP specification, changes of a document are meant in the
        // order in which they are sent.
        //
        // No home: a server's state is its documents.
        ..Descriptor::new(
            ProviderId::from_recorded("lsp"),
            TargetId::named("local:lsp"),
            // LSP specification, base protocol; captured.
            MessageFraming::ContentLength,
            Dialect::JsonRpc,
        )
    }
}
