//! Zstandard streams for the stepwise interface of `engine.rs`.

use zstd_safe::zstd_sys::ZSTD_EndDirective as End;
use zstd_safe::{CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, Strategy};

use super::engine::{Failure, Step};

/// A compression stream.
pub(super) struct Compressor {
    context: CCtx<'static>,
    /// The announced input size, set again after a reset.
    pledged_bytes: Option<u64>,
}

impl Compressor {
    pub(super) fn new(dictionary: &[u8], pledged_bytes: Option<u64>) -> Result<Compressor, &'static str> {
        let mut context = CCtx::try_create().ok_or("Could not initialize zstd instance")?;
        if !dictionary.is_empty() {
            context.load_dictionary(dictionary).map_err(|_| "Failed to load zstd dictionary")?;
        }
        context.set_pledged_src_size(pledged_bytes).map_err(|_| "Could not set pledged src size")?;
        Ok(Compressor { context, pledged_bytes })
    }

    /// Sets a parameter by zstd's number. Returns false if it is invalid.
    pub(super) fn set(&mut self, key: u32, value: u32) -> bool {
        use CParameter as P;
        let parameter = match key {
            100 => P::CompressionLevel(value as i32),
            101 => P::WindowLog(value),
            102 => P::HashLog(value),
            103 => P::ChainLog(value),
            104 => P::SearchLog(value),
            105 => P::MinMatch(value),
            106 => P::TargetLength(value),
            // 0 selects the default strategy.
            107 if value == 0 => return true,
            107 => match strategy(value) {
                Some(strategy) => P::Strategy(strategy),
                None => return false,
            },
            130 => P::TargetCBlockSize(value),
            160 => P::EnableLongDistanceMatching(value == 1),
            161 => P::LdmHashLog(value),
            162 => P::LdmMinMatch(value),
            163 => P::LdmBucketSizeLog(value),
            164 => P::LdmHashRateLog(value),
            200 => P::ContentSizeFlag(value != 0),
            201 => P::ChecksumFlag(value != 0),
            202 => P::DictIdFlag(value != 0),
            400 => P::NbWorkers(value),
            401 => P::JobSize(value),
            402 => P::OverlapSizeLog(value),
            _ => return false,
        };
        self.context.set_parameter(parameter).is_ok()
    }

    pub(super) fn reset(&mut self) -> Option<Failure> {
        let reset = self.context.reset(ResetDirective::SessionOnly);
        let pledged = reset.and_then(|_| self.context.set_pledged_src_size(self.pledged_bytes));
        pledged.err().map(failure)
    }

    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8], flush: i32) -> Step {
        let end = match flush {
            0 => End::ZSTD_e_continue,
            1 => End::ZSTD_e_flush,
            _ => End::ZSTD_e_end,
        };
        let (mut source, mut target) = (InBuffer::around(input), OutBuffer::around(output));
        let result = self.context.compress_stream2(&mut target, &mut source, end);
        Step { consumed: source.pos(), produced: target.pos(), failure: result.err().map(failure) }
    }
}

/// A decompression stream.
pub(super) struct Decompressor(DCtx<'static>);

impl Decompressor {
    pub(super) fn new(dictionary: &[u8]) -> Result<Decompressor, &'static str> {
        let mut context = DCtx::try_create().ok_or("Could not initialize zstd instance")?;
        if !dictionary.is_empty() {
            context.load_dictionary(dictionary).map_err(|_| "Failed to load zstd dictionary")?;
        }
        Ok(Decompressor(context))
    }

    /// Sets a parameter by zstd's number. Returns false if it is invalid.
    pub(super) fn set(&mut self, key: u32, value: u32) -> bool {
        key == 100 && self.0.set_parameter(DParameter::WindowLogMax(value)).is_ok()
    }

    pub(super) fn reset(&mut self) -> Option<Failure> {
        self.0.reset(ResetDirective::SessionOnly).err().map(failure)
    }

    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let (mut source, mut target) = (InBuffer::around(input), OutBuffer::around(output));
        let result = self.0.decompress_stream(&mut target, &mut source);
        Step { consumed: source.pos(), produced: target.pos(), failure: result.err().map(failure) }
    }
}

fn strategy(value: u32) -> Option<Strategy> {
    use Strategy as S;
    let all = [
        S::ZSTD_fast,
        S::ZSTD_dfast,
        S::ZSTD_greedy,
        S::ZSTD_lazy,
        S::ZSTD_lazy2,
        S::ZSTD_btlazy2,
        S::ZSTD_btopt,
        S::ZSTD_btultra,
        S::ZSTD_btultra2,
    ];
    all.get((value as usize).checked_sub(1)?).copied()
}

/// zstd returns negated error codes.
fn failure(result: usize) -> Failure {
    let code = 0_usize.wrapping_sub(result) as i32;
    let name = match code {
        10 => "ZSTD_error_prefix_unknown",
        12 => "ZSTD_error_version_unsupported",
        14 => "ZSTD_error_frameParameter_unsupported",
        16 => "ZSTD_error_frameParameter_windowTooLarge",
        20 => "ZSTD_error_corruption_detected",
        22 => "ZSTD_error_checksum_wrong",
        24 => "ZSTD_error_literals_headerWrong",
        30 => "ZSTD_error_dictionary_corrupted",
        32 => "ZSTD_error_dictionary_wrong",
        34 => "ZSTD_error_dictionaryCreation_failed",
        40 => "ZSTD_error_parameter_unsupported",
        41 => "ZSTD_error_parameter_combination_unsupported",
        42 => "ZSTD_error_parameter_outOfBound",
        44 => "ZSTD_error_tableLog_tooLarge",
        46 => "ZSTD_error_maxSymbolValue_tooLarge",
        48 => "ZSTD_error_maxSymbolValue_tooSmall",
        50 => "ZSTD_error_stabilityCondition_notRespected",
        60 => "ZSTD_error_stage_wrong",
        62 => "ZSTD_error_init_missing",
        64 => "ZSTD_error_memory_allocation",
        66 => "ZSTD_error_workSpace_tooSmall",
        70 => "ZSTD_error_dstSize_tooSmall",
        72 => "ZSTD_error_srcSize_wrong",
        74 => "ZSTD_error_dstBuffer_null",
        80 => "ZSTD_error_noForwardProgress_destFull",
        82 => "ZSTD_error_noForwardProgress_inputEmpty",
        _ => "ZSTD_error_GENERIC",
    };
    Failure::new(zstd_safe::get_error_name(result), name, code)
}
