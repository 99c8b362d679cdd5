//! The inner loop of PBKDF2 for HMAC-SHA-256 and HMAC-SHA-512 on the bare compression functions. An iteration is two compressions; the
//! generic HMAC also fills buffers and copies states.
//!
//! The loop also keeps debug builds usable, because the crates of the compression functions are always optimized.

use digest::generic_array::GenericArray;

/// Generates the function for one hash: word type, block size, initial state, compression function.
macro_rules! rounds {
    ($name:ident, $word:ty, $block_bytes:literal, $compress:path, $start:expr) => {
        /// XORs all iterations after the first into `first`, the output of iteration 1. `key` is padded as in HMAC.
        pub(super) fn $name(key: &[u8; $block_bytes], first: &mut [u8; $block_bytes / 2], rounds: u32) {
            const WORD_BYTES: usize = size_of::<$word>();
            let keyed = |mask: u8| {
                let mut state: [$word; 8] = $start;
                $compress(&mut state, &[GenericArray::from(key.map(|byte| byte ^ mask))]);
                state
            };
            let (inner, outer) = (keyed(0x36), keyed(0x5C));
            // The padded second block of each hash: a digest of half a block, the end marker, and the message length of one and a half
            // blocks.
            let mut block = [0; $block_bytes];
            block[..$block_bytes / 2].copy_from_slice(first);
            block[$block_bytes / 2] = 0x80;
            let bits: u32 = ($block_bytes + $block_bytes / 2) * 8;
            block[$block_bytes - 4..].copy_from_slice(&bits.to_be_bytes());
            let mut block = [GenericArray::from(block)];
            let mut sum: [$word; 8] = [0; 8];
            for _ in 0..rounds {
                for start in [&inner, &outer] {
                    let mut state = *start;
                    $compress(&mut state, &block);
                    for (at, word) in state.iter().enumerate() {
                        block[0][at * WORD_BYTES..][..WORD_BYTES].copy_from_slice(&word.to_be_bytes());
                    }
                    if std::ptr::eq(start, &outer) {
                        sum.iter_mut().zip(state).for_each(|(sum, word)| *sum ^= word);
                    }
                }
            }
            for (bytes, word) in first.chunks_exact_mut(WORD_BYTES).zip(sum) {
                bytes.iter_mut().zip(word.to_be_bytes()).for_each(|(byte, more)| *byte ^= more);
            }
        }
    };
}

rounds!(
    sha256,
    u32,
    64,
    sha2::compress256,
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,]
);
rounds!(
    sha512,
    u64,
    128,
    sha2::compress512,
    [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ]
);
