//! Brotli streams for the stepwise interface of `engine.rs`.

use brotli::enc::StandardAlloc;
use brotli::enc::encode::{BrotliEncoderOperation, BrotliEncoderParameter, BrotliEncoderStateStruct};
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};

use super::engine::{Failure, Step};

/// `BROTLI_OPERATION_FINISH`.
const FINISH: i32 = 2;

/// A compression stream.
pub(super) struct Encoder(BrotliEncoderStateStruct<StandardAlloc>);

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder(BrotliEncoderStateStruct::new(StandardAlloc::default()))
    }

    /// Sets a parameter by Node's number. Returns false if it is invalid.
    pub(super) fn set(&mut self, key: u32, value: u32) -> bool {
        use BrotliEncoderParameter as P;
        // As the C library: switches accept 0 and 1 only, other values are clamped to their ranges.
        let key = match key {
            0 => P::BROTLI_PARAM_MODE,
            1 => P::BROTLI_PARAM_QUALITY,
            2 => P::BROTLI_PARAM_LGWIN,
            3 => P::BROTLI_PARAM_LGBLOCK,
            4 if value <= 1 => P::BROTLI_PARAM_DISABLE_LITERAL_CONTEXT_MODELING,
            5 => P::BROTLI_PARAM_SIZE_HINT,
            6 => P::BROTLI_PARAM_LARGE_WINDOW,
            7 => {
                // Large values have no effect in the C library; clamp them, because they are used as a shift count.
                self.0.params.dist.distance_postfix_bits = value.min(31);
                return true;
            }
            8 => {
                self.0.params.dist.num_direct_distance_codes = value;
                return true;
            }
            _ => return false,
        };
        self.0.set_parameter(key, value)
    }

    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8], flush: i32) -> Step {
        let operation = match flush {
            0 => BrotliEncoderOperation::BROTLI_OPERATION_PROCESS,
            1 => BrotliEncoderOperation::BROTLI_OPERATION_FLUSH,
            FINISH => BrotliEncoderOperation::BROTLI_OPERATION_FINISH,
            _ => BrotliEncoderOperation::BROTLI_OPERATION_EMIT_METADATA,
        };
        let (mut given, mut room) = (input.len(), output.len());
        let (mut consumed, mut produced) = (0, 0);
        let is_well = self.0.compress_stream(
            operation,
            &mut given,
            input,
            &mut consumed,
            &mut room,
            output,
            &mut produced,
            &mut None,
            &mut |_, _, _, _| (),
        );
        let failed = || Failure::new("Compression failed", "ERR_BROTLI_COMPRESSION_FAILED", -1);
        Step { consumed, produced, failure: (!is_well).then(failed) }
    }
}

/// A decompression stream.
pub(super) struct Decoder(BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>);

impl Decoder {
    pub(super) fn new() -> Decoder {
        let alloc = StandardAlloc::default;
        Decoder(BrotliState::new_strict(alloc(), alloc(), alloc()))
    }

    /// Sets a parameter by Node's number. Returns false if it is invalid.
    pub(super) fn set(&mut self, key: u32, value: u32) -> bool {
        match key {
            // This decoder has no option for the ring buffer's growth: accept and ignore the parameter.
            0 => true,
            1 => {
                self.0.large_window = value != 0;
                true
            }
            _ => false,
        }
    }

    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8], flush: i32) -> Step {
        let (mut given, mut room) = (input.len(), output.len());
        let (mut consumed, mut produced, mut total) = (0, 0, 0);
        let result = BrotliDecompressStream(
            &mut given,
            &mut consumed,
            input,
            &mut room,
            &mut produced,
            output,
            &mut total,
            &mut self.0,
        );
        let failure = match result {
            BrotliResult::ResultFailure => {
                let error = self.0.error_code;
                // The C library's name of an error code, from `_ERROR_` on.
                let name = format!("{error:?}").replacen("BROTLI_DECODER", "ERR_", 1);
                Some(Failure::new("Decompression failed", name, error as i32))
            }
            BrotliResult::NeedsMoreInput if flush == FINISH => Some(Failure::unexpected_end()),
            _ => None,
        };
        Step { consumed, produced, failure }
    }
}
