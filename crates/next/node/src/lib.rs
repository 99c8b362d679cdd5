//! Node's core modules: a folder per module, with native functions in Rust (`mod.rs`) and Node's semantics in JavaScript.
//!
//! [`BUILTINS`] is the registry. To add a module, put `name.js` (the body of `(exports, require, module, native)`) into its folder, its
//! native functions, if any, into `mod.rs` as `pub fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>>`, and add an entry
//! to the table. A file that is not in this crate is taken from `crates/node`, which both runtimes share.
//!
//! The engine and the order of the loop do not belong here: they are in `phasor-js`.
#![forbid(unsafe_code)]

pub mod assert;
pub mod buffer;
pub mod child_process;
pub mod console;
pub mod crypto;
pub mod dgram;
pub mod dns;
pub mod encoding;
pub mod event_loop;
pub mod fs;
pub mod http;
pub mod messaging;
pub mod module;
pub mod navigator;
pub mod net;
pub mod os;
pub mod performance;
pub mod process;
pub mod repl;
pub mod stack;
pub mod url;
pub mod util;
pub mod worker_threads;
pub mod zlib;

use phasor_js::{Builtin, Compiled, Natives};

/// An entry of the table.
macro_rules! line {
    ($id:literal, $file:literal, $public:literal, $natives:expr) => {
        Builtin {
            id: $id,
            public: $public,
            source: || source($file, include_str!(concat!(env!("OUT_DIR"), "/", $file))),
            natives: $natives,
        }
    };
}

/// The source of a builtin. In debug builds the variable `PHASOR_BUILTINS` names folders, separated by colons, whose files replace the
/// sources in the program, so that a change of a source needs no build: `PHASOR_BUILTINS=crates/next/node/src:crates/node/src`.
fn source(file: &str, text: &'static str) -> &'static str {
    if cfg!(debug_assertions)
        && let Some(folders) = std::env::var_os("PHASOR_BUILTINS")
        && let Some(read) =
            std::env::split_paths(&folders).find_map(|path| std::fs::read_to_string(path.join(file)).ok())
    {
        return read.leak();
    }
    text
}

/// The compiled code of [`BUILTINS`]. None if `PHASOR_BUILTINS` replaces the sources.
pub fn compiled() -> Option<Compiled> {
    let is_replaced = cfg!(debug_assertions) && std::env::var_os("PHASOR_BUILTINS").is_some();
    (!is_replaced).then(|| Compiled { code: phasor_builtins::code, self_hosted: phasor_builtins::self_hosted() })
}

/// A module that users may require.
macro_rules! public {
    ($id:literal, $file:literal) => {
        line!($id, $file, true, None)
    };
    ($id:literal, $file:literal, $natives:expr) => {
        line!($id, $file, true, Some(&$natives))
    };
}

/// A module for other builtins only.
macro_rules! internal {
    ($id:literal, $file:literal) => {
        line!($id, $file, false, None)
    };
    ($id:literal, $file:literal, $natives:expr) => {
        line!($id, $file, false, Some(&$natives))
    };
}

/// A public module that only re-exports part of another.
macro_rules! part {
    ($id:literal, $source:literal) => {
        Builtin { id: $id, public: true, source: || $source, natives: None }
    };
}

/// An alias for a Node-internal module id that `--expose-internals` scripts use.
macro_rules! alias {
    ($id:literal, $source:literal) => {
        Builtin { id: $id, public: false, source: || $source, natives: None }
    };
}

/// A builtin that consists of native functions only, for use by other builtins.
macro_rules! natives {
    ($id:literal, $natives:expr) => {
        Builtin {
            id: $id,
            public: false,
            source: || "'use strict'; module.exports = native;",
            natives: Some(&$natives),
        }
    };
}

const ASSERT: Natives = Natives { name: "assert", make: assert::natives };
const BUFFER: Natives = Natives { name: "buffer", make: buffer::natives };
const CHILD_PROCESS: Natives = Natives { name: "child_process", make: child_process::natives };
const CONSOLE: Natives = Natives { name: "console", make: console::natives };
const CRYPTO: Natives = Natives { name: "crypto", make: crypto::natives };
const DGRAM: Natives = Natives { name: "dgram", make: dgram::natives };
const DNS: Natives = Natives { name: "dns", make: dns::natives };
const ENCODING: Natives = Natives { name: "encoding", make: encoding::natives };
const EVENT_LOOP: Natives = Natives { name: "event_loop", make: event_loop::natives };
const FS: Natives = Natives { name: "fs", make: fs::natives };
const HTTP: Natives = Natives { name: "http", make: http::natives };
const MESSAGING: Natives = Natives { name: "messaging", make: messaging::natives };
const MODULE: Natives = Natives { name: "module", make: module::natives };
const NAVIGATOR: Natives = Natives { name: "navigator", make: navigator::natives };
const NET: Natives = Natives { name: "net", make: net::natives };
const OS: Natives = Natives { name: "os", make: os::natives };
const PERFORMANCE: Natives = Natives { name: "performance", make: performance::natives };
const PROCESS: Natives = Natives { name: "process", make: process::natives };
const REPL: Natives = Natives { name: "repl", make: repl::natives };
const STACK: Natives = Natives { name: "stack", make: stack::natives };
const URL: Natives = Natives { name: "url", make: url::natives };
const UTIL: Natives = Natives { name: "util", make: util::natives };
const WORKER_THREADS: Natives = Natives { name: "worker_threads", make: worker_threads::natives };
const ZLIB: Natives = Natives { name: "zlib", make: zlib::natives };

/// All builtin modules, sorted by id.
pub const BUILTINS: &[Builtin] = &[
    part!("_http_agent", "module.exports = require('internal/http/agent');"),
    part!("_http_client", "module.exports = require('internal/http/client');"),
    part!("_http_common", "module.exports = require('internal/http/common');"),
    part!("_http_incoming", "module.exports = require('internal/http/incoming');"),
    part!("_http_outgoing", "module.exports = require('internal/http/outgoing').published;"),
    part!("_http_server", "module.exports = require('internal/http/server').published;"),
    part!("_stream_duplex", "module.exports = require('stream').Duplex;"),
    part!("_stream_passthrough", "module.exports = require('stream').PassThrough;"),
    part!("_stream_readable", "module.exports = require('stream').Readable;"),
    part!("_stream_transform", "module.exports = require('stream').Transform;"),
    part!("_stream_writable", "module.exports = require('stream').Writable;"),
    public!("assert", "assert/assert.js"),
    public!("assert/strict", "assert/strict.js"),
    public!("async_hooks", "async_hooks/async_hooks.js", phasor_js::ASYNC_CONTEXT),
    public!("buffer", "buffer/buffer.js", BUFFER),
    public!("child_process", "child_process/child_process.js"),
    public!("cluster", "cluster/cluster.js"),
    public!("console", "console/console.js"),
    public!("constants", "os/constants.js"),
    public!("crypto", "crypto/crypto.js", CRYPTO),
    public!("dgram", "dgram/dgram.js"),
    public!("diagnostics_channel", "diagnostics_channel/diagnostics_channel.js"),
    public!("dns", "dns/dns.js"),
    public!("dns/promises", "dns/promises.js"),
    public!("domain", "domain/domain.js"),
    public!("events", "events/events.js"),
    public!("fs", "fs/fs.js", FS),
    public!("fs/promises", "fs/promises.js", FS),
    public!("http", "http/http.js"),
    public!("http2", "tls/http2.js"),
    public!("https", "tls/https.js"),
    public!("inspector", "inspector/inspector.js"),
    public!("inspector/promises", "inspector/promises.js"),
    internal!("internal/abort", "internal/abort.js"),
    internal!("internal/abort_controller", "internal/abort_controller.js"),
    internal!("internal/abort_transfer", "internal/abort_transfer.js"),
    internal!("internal/assert/assertion_error", "assert/assertion_error.js"),
    internal!("internal/assert/call_tracker", "assert/call_tracker.js"),
    internal!("internal/assert/diff", "assert/diff.js"),
    internal!("internal/assert/source_text", "assert/source_text.js", ASSERT),
    internal!("internal/async_hooks", "async_hooks/hooks.js", phasor_js::ASYNC_CONTEXT),
    internal!("internal/async_hooks/emitter", "async_hooks/emitter.js"),
    internal!("internal/async_hooks/promise_hooks", "async_hooks/promise_hooks.js"),
    internal!("internal/async_hooks/promises", "async_hooks/promises.js", phasor_js::ASYNC_CONTEXT),
    internal!("internal/async_hooks/storage", "async_hooks/storage.js", phasor_js::ASYNC_CONTEXT),
    internal!("internal/async_hooks/tracking", "async_hooks/tracking.js"),
    internal!("internal/blob", "buffer/blob.js", BUFFER),
    internal!("internal/bootstrap", "internal/bootstrap.js"),
    internal!("internal/buffer/conversions", "buffer/conversions.js", BUFFER),
    internal!("internal/buffer/encodings", "buffer/encodings.js", BUFFER),
    internal!("internal/buffer/making", "buffer/making.js", BUFFER),
    internal!("internal/buffer/methods", "buffer/methods.js", BUFFER),
    internal!("internal/buffer/natives", "buffer/natives.js", BUFFER),
    internal!("internal/buffer/numbers", "buffer/numbers.js"),
    internal!("internal/channels", "diagnostics_channel/runtime_channels.js"),
    internal!("internal/child_process", "child_process/inside.js", CHILD_PROCESS),
    internal!("internal/child_process/arguments", "child_process/arguments.js"),
    internal!("internal/child_process/channel", "child_process/channel.js"),
    internal!("internal/child_process/child", "child_process/child.js", CHILD_PROCESS),
    internal!("internal/child_process/passing", "child_process/passing.js"),
    internal!("internal/child_process/stdio", "child_process/stdio.js"),
    internal!("internal/child_process/sync", "child_process/sync.js"),
    internal!("internal/child_process/wire", "child_process/wire.js"),
    internal!("internal/clone", "messaging/clone.js", MESSAGING),
    internal!("internal/clone_symbols", "messaging/clone_symbols.js"),
    internal!("internal/cluster/member", "cluster/member.js"),
    internal!("internal/cluster/primary", "cluster/primary.js"),
    internal!("internal/cluster/role", "cluster/role.js"),
    internal!("internal/cluster/sharing", "cluster/sharing.js"),
    internal!("internal/cluster/talk", "cluster/talk.js"),
    internal!("internal/cluster/worker", "cluster/worker.js"),
    internal!("internal/console", "console/global.js", CONSOLE),
    internal!("internal/console/class", "console/class.js", UTIL),
    internal!("internal/crypto/agreement", "crypto/agreement.js", CRYPTO),
    internal!("internal/crypto/arguments", "crypto/arguments.js"),
    internal!("internal/crypto/certificate", "crypto/certificate.js", CRYPTO),
    internal!("internal/crypto/cipher", "crypto/cipher.js", CRYPTO),
    internal!("internal/crypto/constants", "crypto/constants.js"),
    internal!("internal/crypto/cryptokey", "crypto/cryptokey.js"),
    internal!("internal/crypto/derive", "crypto/derive.js", CRYPTO),
    internal!("internal/crypto/diffie_hellman", "crypto/diffie_hellman.js", CRYPTO),
    internal!("internal/crypto/encoding", "crypto/encoding.js", CRYPTO),
    internal!("internal/crypto/encodings", "crypto/encodings.js"),
    internal!("internal/crypto/envelope", "crypto/envelope.js", CRYPTO),
    internal!("internal/crypto/hash", "crypto/hash.js", CRYPTO),
    internal!("internal/crypto/keypair", "crypto/keypair.js", CRYPTO),
    internal!("internal/crypto/keys", "crypto/keys.js", CRYPTO),
    internal!("internal/crypto/known", "crypto/known.js"),
    internal!("internal/crypto/legacy", "crypto/legacy.js"),
    internal!("internal/crypto/primes", "crypto/primes.js", CRYPTO),
    internal!("internal/crypto/random", "crypto/random.js", CRYPTO),
    internal!("internal/crypto/sign", "crypto/sign.js", CRYPTO),
    internal!("internal/crypto/subtle", "crypto/subtle.js", CRYPTO),
    internal!("internal/crypto/trouble", "crypto/trouble.js"),
    internal!("internal/crypto/web_algorithms", "crypto/web_algorithms.js"),
    internal!("internal/crypto/web_keys", "crypto/web_keys.js", CRYPTO),
    internal!("internal/crypto/web_values", "crypto/web_values.js"),
    internal!("internal/crypto/webcrypto", "crypto/webcrypto.js"),
    internal!("internal/crypto/x509", "crypto/x509.js"),
    internal!("internal/crypto/x509_fields", "crypto/x509_fields.js"),
    internal!("internal/crypto/x509_matching", "crypto/x509_matching.js"),
    internal!("internal/dgram", "dgram/handle.js", DGRAM),
    internal!("internal/dgram/options", "dgram/options.js"),
    internal!("internal/dgram/sending", "dgram/sending.js"),
    internal!("internal/dns/cares_wrap", "dns/cares_wrap.js", DNS),
    internal!("internal/dns/channel", "dns/channel.js", DNS),
    internal!("internal/dns/lookup", "dns/lookup.js"),
    internal!("internal/dns/resolver", "dns/resolver.js"),
    internal!("internal/dns/system", "dns/system.js", DNS),
    internal!("internal/domexception", "internal/domexception.js"),
    internal!("internal/encoding", "encoding/encoding.js", ENCODING),
    internal!("internal/errors", "internal/errors.js"),
    internal!("internal/errors/messages", "internal/error_messages.js"),
    internal!("internal/errors/system", "internal/system_errors.js", UTIL),
    internal!("internal/event", "internal/event.js"),
    internal!("internal/event_listeners", "internal/event_listeners.js"),
    internal!("internal/event_target", "internal/event_target.js"),
    internal!("internal/events/trouble", "events/trouble.js"),
    internal!("internal/events/waiting", "events/waiting.js"),
    internal!("internal/fetch/headers", "fetch/headers.js"),
    internal!("internal/fetch/response", "fetch/response.js"),
    internal!("internal/fs/arguments", "fs/arguments.js"),
    internal!("internal/fs/calls", "fs/calls.js"),
    internal!("internal/fs/constants", "fs/constants.js"),
    internal!("internal/fs/copy", "fs/copy.js"),
    internal!("internal/fs/dir", "fs/dir.js", FS),
    internal!("internal/fs/file_handle", "fs/file_handle.js"),
    internal!("internal/fs/glob", "fs/glob.js"),
    internal!("internal/fs/handle_symbols", "fs/handle_symbols.js"),
    internal!("internal/fs/open_as_blob", "fs/open_as_blob.js", FS),
    internal!("internal/fs/run", "fs/run.js", FS),
    internal!("internal/fs/stats", "fs/stats.js", FS),
    internal!("internal/fs/steps", "fs/steps.js"),
    internal!("internal/fs/streams", "fs/streams.js"),
    internal!("internal/fs/sync_write_stream", "fs/sync_write_stream.js"),
    internal!("internal/fs/utils", "fs/exposed.js"),
    internal!("internal/fs/watch", "fs/watch.js", FS),
    internal!("internal/fs/web_stream", "fs/web_stream.js"),
    internal!("internal/gc", "internal/gc.js"),
    alias!("internal/http", "exports.kOutHeaders = require('internal/http/outgoing_headers').kOutHeaders;"),
    internal!("internal/http/agent", "http/agent.js"),
    internal!("internal/http/characters", "http/characters.js"),
    internal!("internal/http/client", "http/client.js"),
    internal!("internal/http/common", "http/common.js", HTTP),
    internal!("internal/http/connection", "http/connection.js"),
    internal!("internal/http/incoming", "http/incoming.js"),
    internal!("internal/http/outgoing", "http/outgoing.js"),
    internal!("internal/http/outgoing_headers", "http/outgoing_headers.js"),
    internal!("internal/http/response", "http/response.js"),
    internal!("internal/http/script_parser", "http/script_parser.js", HTTP),
    internal!("internal/http/server", "http/server.js"),
    internal!("internal/http/status", "http/status.js"),
    internal!("internal/json", "stack/json.js"),
    internal!("internal/language", "internal/language.js"),
    internal!("internal/main", "internal/main.js"),
    internal!("internal/message_event", "messaging/message_event.js"),
    internal!("internal/messaging", "messaging/messaging.js", MESSAGING),
    internal!("internal/modules/check", "module/check.js"),
    internal!("internal/modules/cjs", "module/cjs.js", MODULE),
    internal!("internal/modules/cjs_resolve", "module/cjs_resolve.js", MODULE),
    internal!("internal/modules/dynamic", "module/dynamic.js"),
    natives!("internal/modules/engine", phasor_js::MODULES),
    internal!("internal/modules/esm", "module/esm.js", MODULE),
    internal!("internal/modules/esm_required", "module/esm_required.js"),
    internal!("internal/modules/esm_resolve", "module/esm_resolve.js", MODULE),
    internal!("internal/modules/esm_source", "module/esm_source.js", MODULE),
    internal!("internal/modules/eval", "module/eval.js"),
    internal!("internal/modules/file_url", "module/file_url.js"),
    internal!("internal/modules/hook_chain", "module/hook_chain.js"),
    internal!("internal/modules/hooked", "module/hooked.js"),
    internal!("internal/modules/hooks", "module/hooks.js"),
    internal!("internal/modules/hooks_thread", "module/hooks_thread.js"),
    internal!("internal/modules/imported_require", "module/imported_require.js"),
    internal!("internal/modules/link_error", "module/link_error.js", MODULE),
    internal!("internal/modules/package", "module/package.js", MODULE),
    internal!("internal/modules/preload_graph", "module/preload_graph.js", MODULE),
    internal!("internal/modules/read", "module/read.js", MODULE),
    internal!("internal/modules/reference_error", "module/reference_error.js"),
    internal!("internal/modules/register", "module/register.js"),
    internal!("internal/modules/source_map", "module/source_map.js", MODULE),
    internal!("internal/modules/source_maps", "module/source_maps.js", MODULE),
    internal!("internal/modules/syntax_error", "module/syntax_error.js", STACK),
    internal!("internal/modules/typescript", "module/typescript.js", MODULE),
    internal!("internal/modules/warnings", "module/warnings.js"),
    internal!("internal/modules/wasm", "module/wasm.js"),
    internal!("internal/navigator", "navigator/navigator.js", NAVIGATOR),
    internal!("internal/net", "net/addresses.js", NET),
    internal!("internal/net/blocklist", "net/blocklist.js"),
    internal!("internal/net/connect", "net/connect.js"),
    internal!("internal/net/handles", "net/handles.js", NET),
    internal!("internal/net/server", "net/server.js"),
    internal!("internal/net/socket", "net/socket.js", NET),
    internal!("internal/net/socketaddress", "net/socketaddress.js"),
    internal!("internal/net/stream_io", "net/stream_io.js", NET),
    internal!("internal/options", "internal/options.js"),
    internal!("internal/os/constants", "os/os_constants.js", OS),
    internal!("internal/package_script", "module/package_script.js"),
    internal!("internal/path/glob", "path/glob.js"),
    internal!("internal/performance", "performance/performance.js", PERFORMANCE),
    internal!("internal/performance/entry", "performance/entry.js"),
    internal!("internal/performance/histogram", "performance/histogram.js", PERFORMANCE),
    internal!("internal/performance/marks", "performance/marks.js", PERFORMANCE),
    internal!("internal/performance/node_timing", "performance/node_timing.js", PERFORMANCE),
    internal!("internal/performance/observer", "performance/observer.js"),
    internal!("internal/performance/resource_timing", "performance/resource_timing.js"),
    internal!("internal/performance/spans", "performance/spans.js", PERFORMANCE),
    internal!("internal/performance/timeline", "performance/timeline.js"),
    internal!("internal/performance/timerify", "performance/timerify.js", PERFORMANCE),
    internal!("internal/port", "messaging/port.js", MESSAGING),
    internal!("internal/primordials", "internal/primordials.js"),
    internal!("internal/process/binding", "process/binding.js", PROCESS),
    internal!("internal/process/env", "process/env.js"),
    internal!("internal/process/env_handler", "process/env_handler.js", PROCESS),
    internal!("internal/process/exceptions", "process/exceptions.js", PROCESS),
    internal!("internal/process/finalization", "process/finalization.js"),
    internal!("internal/process/marks", "process/marks.js"),
    internal!("internal/process/rare", "process/rare.js", PROCESS),
    internal!("internal/process/signals", "process/signals.js", PROCESS),
    internal!("internal/process/spans", "process/spans.js"),
    internal!("internal/process/stdio", "process/stdio.js"),
    internal!("internal/process/trace_hint", "process/trace_hint.js"),
    internal!("internal/process/usage", "process/usage.js", PROCESS),
    internal!("internal/process/warnings", "process/warnings.js", PROCESS),
    internal!("internal/readline/editing", "readline/editing.js"),
    internal!("internal/readline/interface", "readline/interface.js"),
    internal!("internal/readline/keypress", "readline/keypress.js"),
    internal!("internal/readline/keys", "readline/keys.js"),
    internal!("internal/readline/plan", "readline/plan.js"),
    internal!("internal/repl", "repl/repl.js", REPL),
    internal!("internal/repl/complete", "repl/complete.js", REPL),
    internal!("internal/repl/errors", "repl/errors.js"),
    internal!("internal/resources", "internal/resources.js", PROCESS),
    internal!("internal/scheduler", "scheduler/scheduler.js", phasor_js::SCHEDULER),
    internal!("internal/scheduler/immediates", "scheduler/immediates.js"),
    internal!("internal/scheduler/list_heap", "scheduler/list_heap.js"),
    internal!("internal/scheduler/rejections", "scheduler/rejections.js"),
    internal!("internal/scheduler/state", "scheduler/state.js", phasor_js::SCHEDULER),
    internal!("internal/scheduler/ticks", "scheduler/ticks.js", phasor_js::SCHEDULER),
    internal!("internal/scheduler/timers", "scheduler/timers.js", phasor_js::SCHEDULER),
    internal!("internal/stack", "stack/stack.js", STACK),
    internal!("internal/streams/abort", "stream/abort.js"),
    internal!("internal/streams/compose", "stream/compose.js"),
    internal!("internal/streams/destroy", "stream/destroy.js"),
    internal!("internal/streams/duplex", "stream/duplex.js"),
    internal!("internal/streams/duplexify", "stream/duplexify.js"),
    internal!("internal/streams/finished", "stream/finished.js"),
    internal!("internal/streams/flags", "stream/flags.js"),
    internal!("internal/streams/from", "stream/from.js"),
    internal!("internal/streams/kinds", "stream/kinds.js"),
    internal!("internal/streams/lazy_transform", "stream/lazy_transform.js"),
    internal!("internal/streams/legacy", "stream/legacy.js"),
    internal!("internal/streams/operators", "stream/operators.js"),
    internal!("internal/streams/pair", "stream/pair.js"),
    internal!("internal/streams/pipeline", "stream/pipeline.js"),
    internal!("internal/streams/readable", "stream/readable.js"),
    internal!("internal/streams/readable_iterate", "stream/readable_iterate.js"),
    internal!("internal/streams/readable_pipe", "stream/readable_pipe.js"),
    internal!("internal/streams/readable_state", "stream/readable_state.js"),
    internal!("internal/streams/state", "stream/state.js"),
    internal!("internal/streams/transform", "stream/transform.js"),
    internal!("internal/streams/writable", "stream/writable.js"),
    internal!("internal/streams/writable_state", "stream/writable_state.js"),
    internal!("internal/test/binding", "process/test_binding.js"),
    internal!("internal/test_runner/context", "test_runner/context.js"),
    internal!("internal/test_runner/given", "test_runner/given.js"),
    internal!("internal/test_runner/mock", "test_runner/mock.js"),
    internal!("internal/test_runner/report", "test_runner/report.js"),
    internal!("internal/test_runner/tree", "test_runner/tree.js"),
    alias!("internal/timers", "exports.kTimeout = require('internal/net/stream_io').kTimeout;"),
    internal!("internal/timers/legacy", "timers/legacy.js"),
    internal!("internal/tls/identity", "tls/identity.js"),
    internal!("internal/tls/refusing", "tls/refusing.js"),
    internal!("internal/tls/socket", "tls/socket.js"),
    internal!("internal/tty/colors", "tty/colors.js"),
    internal!("internal/tty/cursor", "tty/cursor.js"),
    internal!("internal/tty/handle", "tty/handle.js", PROCESS),
    internal!("internal/url", "url/whatwg.js", URL),
    internal!("internal/url/files", "url/files.js"),
    internal!("internal/url/search_params", "url/search_params.js", URL),
    internal!("internal/util", "internal/util.js"),
    internal!("internal/util/colors", "util/colors.js"),
    internal!("internal/util/comparisons", "util/comparisons.js", UTIL),
    internal!("internal/util/contents", "util/contents.js", UTIL),
    internal!("internal/util/diff", "util/diff.js"),
    internal!("internal/util/dotenv", "util/dotenv.js"),
    internal!("internal/util/format", "util/format.js", UTIL),
    internal!("internal/util/inspect", "util/inspect.js", UTIL),
    internal!("internal/util/kinds", "util/kinds.js"),
    internal!("internal/util/layout", "util/layout.js"),
    internal!("internal/util/mime", "util/mime.js"),
    internal!("internal/util/names", "util/names.js", UTIL),
    internal!("internal/util/packages", "util/packages.js"),
    internal!("internal/util/parse_args", "util/parse_args.js"),
    internal!("internal/util/stacks", "util/stacks.js"),
    internal!("internal/util/text", "util/text.js"),
    internal!("internal/util/types", "util/types.js", UTIL),
    internal!("internal/v8/deserializer", "v8/deserializer.js"),
    internal!("internal/v8/serializer", "v8/serializer.js", UTIL),
    internal!("internal/validators", "internal/validators.js"),
    internal!("internal/vm/cache", "vm/cache.js"),
    internal!("internal/vm/engine", "vm/engine.js", phasor_js::SCRIPTS),
    internal!("internal/vm/place", "vm/place.js", STACK),
    internal!("internal/vm/realm", "vm/realm.js", STACK),
    internal!("internal/wasi/call", "wasi/call.js"),
    internal!("internal/wasi/functions", "wasi/functions.js"),
    internal!("internal/wasi/numbers", "wasi/numbers.js"),
    internal!("internal/wasi/paths", "wasi/paths.js"),
    internal!("internal/wasi/preview1", "wasi/preview1.js"),
    internal!("internal/wasm/streaming", "wasm/streaming.js"),
    internal!("internal/webstreams/adapters", "webstreams/adapters.js"),
    internal!("internal/webstreams/compression", "webstreams/compression.js"),
    internal!("internal/webstreams/encoding", "webstreams/encoding.js"),
    internal!("internal/webstreams/readable", "webstreams/readable.js"),
    internal!("internal/webstreams/readable_byob", "webstreams/readable_byob.js"),
    internal!("internal/webstreams/readable_bytes", "webstreams/readable_bytes.js"),
    internal!("internal/webstreams/readable_iterate", "webstreams/readable_iterate.js"),
    internal!("internal/webstreams/readable_pipe", "webstreams/readable_pipe.js"),
    internal!("internal/webstreams/readable_tee", "webstreams/readable_tee.js"),
    internal!("internal/webstreams/shared", "webstreams/shared.js"),
    internal!("internal/webstreams/strategies", "webstreams/strategies.js"),
    internal!("internal/webstreams/transfer", "webstreams/transfer.js"),
    internal!("internal/webstreams/transform", "webstreams/transform.js"),
    internal!("internal/webstreams/writable", "webstreams/writable.js"),
    internal!("internal/worker", "worker_threads/worker.js", WORKER_THREADS),
    internal!("internal/worker/environment", "worker_threads/environment.js"),
    internal!("internal/worker/main", "worker_threads/main.js", WORKER_THREADS),
    internal!("internal/worker/options", "worker_threads/options.js"),
    internal!("internal/worker/process", "worker_threads/process.js"),
    internal!("internal/worker/stdio", "worker_threads/stdio.js"),
    internal!("internal/worker/threads", "worker_threads/threads.js", WORKER_THREADS),
    internal!("internal/worker/thrown", "worker_threads/thrown.js"),
    internal!("internal/zlib/constants", "zlib/constants.js"),
    internal!("internal/zlib/options", "zlib/options.js"),
    internal!("internal/zlib/streams", "zlib/streams.js", ZLIB),
    public!("module", "module/module.js"),
    public!("net", "net/net.js"),
    public!("node:test", "test_runner/test.js"),
    public!("os", "os/os.js", OS),
    public!("path", "path/path.js"),
    part!("path/posix", "module.exports = require('path').posix;"),
    part!("path/win32", "module.exports = require('path').win32;"),
    public!("perf_hooks", "performance/perf_hooks.js"),
    public!("phasor:loop", "event_loop/loop.js", EVENT_LOOP),
    public!("process", "process/process.js", PROCESS),
    public!("punycode", "punycode/punycode.js"),
    public!("querystring", "querystring/querystring.js"),
    public!("readline", "readline/readline.js"),
    public!("readline/promises", "readline/promises.js"),
    public!("repl", "repl/server.js", REPL),
    public!("stream", "stream/stream.js"),
    public!("stream/consumers", "stream/consumers.js"),
    public!("stream/promises", "stream/promises.js"),
    public!("stream/web", "webstreams/web.js"),
    public!("string_decoder", "string_decoder/string_decoder.js"),
    public!("sys", "util/sys.js"),
    public!("timers", "timers/timers.js"),
    public!("timers/promises", "timers/promises.js"),
    public!("tls", "tls/tls.js"),
    public!("tty", "tty/tty.js"),
    public!("url", "url/url.js"),
    public!("util", "util/util.js"),
    public!("util/types", "util/types_module.js"),
    public!("v8", "v8/v8.js"),
    public!("vm", "vm/vm.js", MODULE),
    public!("wasi", "wasi/wasi.js"),
    public!("worker_threads", "worker_threads/worker_threads.js", WORKER_THREADS),
    public!("zlib", "zlib/zlib.js", ZLIB),
];
