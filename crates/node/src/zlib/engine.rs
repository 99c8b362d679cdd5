//! Compression and decompression streams of all formats: zlib's three, Brotli and Zstandard.
//!
//! One step is the work of one pool job in Node (`src/node_zlib.cc: CompressionStream::DoThreadPoolWork`). No JavaScript values here.

use std::borrow::Cow;

use phasor_sys::zlib::{self, Stream};

use super::brotli::{Decoder, Encoder};
use super::zstd::{Compressor, Decompressor};

/// Node's constants for formats and directions (`src/node_zlib.cc: node_zlib_mode`).
pub(super) mod mode {
    pub(crate) const DEFLATE: i32 = 1;
    pub(crate) const INFLATE: i32 = 2;
    pub(crate) const GZIP: i32 = 3;
    pub(crate) const GUNZIP: i32 = 4;
    pub(crate) const DEFLATERAW: i32 = 5;
    pub(crate) const INFLATERAW: i32 = 6;
    pub(crate) const UNZIP: i32 = 7;
}

/// `Z_FINISH`.
const FINISH: i32 = 4;

/// A failure with the properties of Node's error.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) message: Cow<'static, str>,
    pub(super) code: Cow<'static, str>,
    pub(super) errno: i32,
}

impl Failure {
    pub(super) fn new(
        message: impl Into<Cow<'static, str>>,
        code: impl Into<Cow<'static, str>>,
        errno: i32,
    ) -> Failure {
        Failure { message: message.into(), code: code.into(), errno }
    }

    pub(super) fn unexpected_end() -> Failure {
        Failure::new("unexpected end of file", "Z_BUF_ERROR", zlib::BUF_ERROR)
    }
}

/// The result of one step.
#[derive(Debug, Default)]
pub(super) struct Step {
    pub(super) consumed: usize,
    pub(super) produced: usize,
    pub(super) failure: Option<Failure>,
}

/// A stream in progress.
pub(super) enum Engine {
    Zlib(Zlib),
    BrotliEncode(Box<Encoder>),
    BrotliDecode(Box<Decoder>),
    ZstdCompress(Compressor),
    ZstdDecompress(Decompressor),
}

impl Engine {
    /// The synchronous function that uses the engine.
    pub(super) fn function(&self) -> &'static str {
        match self {
            Engine::Zlib(zlib) => match zlib.options.mode {
                mode::DEFLATE => "zlib.deflateSync",
                mode::INFLATE => "zlib.inflateSync",
                mode::GZIP => "zlib.gzipSync",
                mode::GUNZIP => "zlib.gunzipSync",
                mode::DEFLATERAW => "zlib.deflateRawSync",
                mode::INFLATERAW => "zlib.inflateRawSync",
                _ => "zlib.unzipSync",
            },
            Engine::BrotliEncode(_) => "zlib.brotliCompressSync",
            Engine::BrotliDecode(_) => "zlib.brotliDecompressSync",
            Engine::ZstdCompress(_) => "zlib.zstdCompressSync",
            Engine::ZstdDecompress(_) => "zlib.zstdDecompressSync",
        }
    }

    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8], flush: i32) -> Step {
        match self {
            Engine::Zlib(zlib) => zlib.step(input, output, flush),
            Engine::BrotliEncode(encoder) => encoder.step(input, output, flush),
            Engine::BrotliDecode(decoder) => decoder.step(input, output, flush),
            Engine::ZstdCompress(compressor) => compressor.step(input, output, flush),
            Engine::ZstdDecompress(decompressor) => decompressor.step(input, output),
        }
    }

    pub(super) fn reset(&mut self) -> Option<Failure> {
        match self {
            Engine::Zlib(zlib) => zlib.reset(),
            Engine::BrotliEncode(encoder) => {
                **encoder = Encoder::new();
                None
            }
            Engine::BrotliDecode(decoder) => {
                **decoder = Decoder::new();
                None
            }
            Engine::ZstdCompress(compressor) => compressor.reset(),
            Engine::ZstdDecompress(decompressor) => decompressor.reset(),
        }
    }

    pub(super) fn params(&mut self, level: i32, strategy: i32) -> Option<Failure> {
        match self {
            Engine::Zlib(zlib) => zlib.params(level, strategy),
            _ => None,
        }
    }
}

/// Parameters of a zlib stream.
#[derive(Debug)]
pub(super) struct ZlibOptions {
    pub(super) mode: i32,
    pub(super) level: i32,
    pub(super) window_bits: i32,
    pub(super) mem_level: i32,
    pub(super) strategy: i32,
    pub(super) dictionary: Vec<u8>,
}

/// A zlib, gzip or raw deflate stream. As `src/node_zlib.cc: ZlibContext::InitZlib`, it is initialized on first use, so that the allocation
/// happens on the pool.
pub(super) struct Zlib {
    options: ZlibOptions,
    /// `None` until the first use.
    stream: Option<Stream>,
    /// True if `UNZIP` has seen the first byte of the gzip magic number.
    saw_gzip_byte: bool,
}

impl Zlib {
    pub(super) fn new(options: ZlibOptions) -> Zlib {
        Zlib { options, stream: None, saw_gzip_byte: false }
    }

    fn begin(&mut self, otherwise: &'static str) -> Result<(), Failure> {
        if self.stream.is_some() {
            return Ok(());
        }
        let ZlibOptions { mode, level, window_bits, mem_level, strategy, .. } = self.options;
        let made = match mode {
            mode::DEFLATE => Stream::deflate(level, window_bits, mem_level, strategy),
            mode::GZIP => Stream::deflate(level, window_bits + 16, mem_level, strategy),
            mode::DEFLATERAW => Stream::deflate(level, -window_bits, mem_level, strategy),
            mode::INFLATERAW => Stream::inflate(-window_bits),
            mode::GUNZIP => Stream::inflate(window_bits + 16),
            mode::UNZIP => Stream::inflate(window_bits + 32),
            _ => Stream::inflate(window_bits),
        };
        let stream = made.map_err(|code| Failure::new(otherwise, code_name(code), code))?;
        self.stream = Some(stream);
        // As Node, an error of the dictionary is not reported here: the next step fails.
        self.give_dictionary();
        Ok(())
    }

    /// Sets the dictionary of the formats that take it in advance. Inflate requests it with `Z_NEED_DICT`.
    fn give_dictionary(&mut self) -> Option<Failure> {
        let given = matches!(self.options.mode, mode::DEFLATE | mode::DEFLATERAW | mode::INFLATERAW);
        if !given || self.options.dictionary.is_empty() {
            return None;
        }
        let code = self.stream.as_mut()?.set_dictionary(&self.options.dictionary);
        (code != zlib::OK).then(|| self.failure(code, "Failed to set dictionary"))
    }

    fn failure(&self, code: i32, otherwise: &'static str) -> Failure {
        let message = self.stream.as_ref().and_then(Stream::message).map(|words| Cow::Owned(words.to_owned()));
        Failure::new(message.unwrap_or(Cow::Borrowed(otherwise)), code_name(code), code)
    }

    fn step(&mut self, input: &[u8], output: &mut [u8], flush: i32) -> Step {
        if let Err(failure) = self.begin("Zlib error") {
            return Step { failure: Some(failure), ..Step::default() };
        }
        self.learn_format(input);
        let (code, consumed, produced) = self.run(input, output, flush);
        let failure = match code {
            zlib::OK | zlib::BUF_ERROR if produced < output.len() && flush == FINISH => {
                Some(self.failure(code, "unexpected end of file"))
            }
            zlib::OK | zlib::BUF_ERROR | zlib::STREAM_END => None,
            zlib::NEED_DICT if self.options.dictionary.is_empty() => Some(self.failure(code, "Missing dictionary")),
            zlib::NEED_DICT => Some(self.failure(code, "Bad dictionary")),
            _ => Some(self.failure(code, "Zlib error")),
        };
        Step { consumed, produced, failure }
    }

    /// `UNZIP` becomes `GUNZIP` after the two magic bytes of gzip, or `INFLATE` at the first other byte.
    fn learn_format(&mut self, input: &[u8]) {
        if self.options.mode != mode::UNZIP || input.is_empty() {
            return;
        }
        let mut rest = input;
        if !self.saw_gzip_byte {
            if rest[0] != 0x1F {
                self.options.mode = mode::INFLATE;
                return;
            }
            self.saw_gzip_byte = true;
            rest = &rest[1..];
        }
        if let Some(second) = rest.first() {
            self.options.mode = if *second == 0x8B { mode::GUNZIP } else { mode::INFLATE };
        }
    }

    fn run(&mut self, input: &[u8], output: &mut [u8], flush: i32) -> (i32, usize, usize) {
        let Some(stream) = self.stream.as_mut() else { return (zlib::STREAM_ERROR, 0, 0) };
        let (mut consumed, mut produced) = (0, 0);
        let mut go_on = |stream: &mut Stream, consumed: &mut usize, produced: &mut usize| {
            let step = stream.step(&input[*consumed..], &mut output[*produced..], flush);
            *consumed += step.consumed;
            *produced += step.produced;
            step.code
        };
        let mut code = go_on(stream, &mut consumed, &mut produced);
        let mode = self.options.mode;
        if code == zlib::NEED_DICT && mode != mode::INFLATERAW && !self.options.dictionary.is_empty() {
            code = match stream.set_dictionary(&self.options.dictionary) {
                zlib::OK => go_on(stream, &mut consumed, &mut produced),
                // `Z_NEED_DICT` distinguishes a wrong dictionary from corrupt input.
                zlib::DATA_ERROR => zlib::NEED_DICT,
                other => other,
            };
        }
        // Another gzip member follows, or garbage, which fails in the next round. Zero bytes are padding.
        while mode == mode::GUNZIP && code == zlib::STREAM_END && input.get(consumed).is_some_and(|byte| *byte != 0) {
            stream.reset();
            code = go_on(stream, &mut consumed, &mut produced);
        }
        (code, consumed, produced)
    }

    fn reset(&mut self) -> Option<Failure> {
        if let Err(failure) = self.begin("Failed to init stream before reset") {
            return Some(failure);
        }
        let code = self.stream.as_mut().map_or(zlib::OK, Stream::reset);
        if code != zlib::OK {
            return Some(self.failure(code, "Failed to reset stream"));
        }
        self.give_dictionary()
    }

    fn params(&mut self, level: i32, strategy: i32) -> Option<Failure> {
        if let Err(failure) = self.begin("Failed to init stream before set parameters") {
            return Some(failure);
        }
        // As Node, the parameters of a gzip stream are validated and then ignored.
        if !matches!(self.options.mode, mode::DEFLATE | mode::DEFLATERAW) {
            return None;
        }
        match self.stream.as_mut().map_or(zlib::OK, |stream| stream.params(level, strategy)) {
            zlib::OK | zlib::BUF_ERROR => None,
            code => Some(self.failure(code, "Failed to set parameters")),
        }
    }
}

fn code_name(code: i32) -> &'static str {
    match code {
        0 => "Z_OK",
        1 => "Z_STREAM_END",
        2 => "Z_NEED_DICT",
        -1 => "Z_ERRNO",
        -2 => "Z_STREAM_ERROR",
        -3 => "Z_DATA_ERROR",
        -4 => "Z_MEM_ERROR",
        -5 => "Z_BUF_ERROR",
        -6 => "Z_VERSION_ERROR",
        _ => "Z_UNKNOWN_ERROR",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every decompressor, with its flush value for the end of input.
    fn decompressors() -> Vec<(Engine, i32)> {
        let zlib = |mode, window_bits| {
            let options =
                ZlibOptions { mode, level: 6, window_bits, mem_level: 8, strategy: 0, dictionary: b"words".to_vec() };
            (Engine::Zlib(Zlib::new(options)), FINISH)
        };
        vec![
            zlib(mode::INFLATE, 15),
            zlib(mode::INFLATERAW, 15),
            zlib(mode::GUNZIP, 0),
            zlib(mode::UNZIP, 0),
            (Engine::BrotliDecode(Box::new(Decoder::new())), 2),
            (Engine::ZstdDecompress(Decompressor::new(b"").unwrap()), 2),
        ]
    }

    #[test]
    fn random_input_never_panics() {
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        for round in 0..200 {
            let mut noise = [0; 300];
            for byte in &mut noise {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *byte = (seed >> 56) as u8;
            }
            // Half of the rounds have a valid gzip header.
            if round % 2 == 0 {
                noise[..4].copy_from_slice(&[0x1F, 0x8B, 8, 0]);
            }
            for (mut engine, finish) in decompressors() {
                let mut at = 0;
                let mut output = [0; 64];
                for _ in 0..1000 {
                    let step = engine.step(&noise[at..], &mut output, finish);
                    at += step.consumed;
                    assert!(at <= noise.len() && step.produced <= output.len());
                    if step.failure.is_some() || step.produced < output.len() {
                        break;
                    }
                }
                engine.reset();
            }
        }
    }
}
