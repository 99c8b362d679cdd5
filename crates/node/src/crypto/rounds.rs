//! The rounds of PBKDF2 with SHA-256 and SHA-512, which nearly everybody asks for, on the bare compression functions: a round is
//! two of them and nothing else, where the general way also fills buffers and copies states.
//!
//! It is also what keeps a build without optimisation usable, since those functions are compiled with it in any case.

use digest::generic_array::GenericArray;

/// Makes the function for one digest: its word, how many bytes a block has, where it starts, how it is compressed.
macro_rules! rounds {
    ($name:ident, $word:ty, $block_bytes:literal, $compress:path, $start:expr) => {
        /// Adds the rounds after the first, whose output is `first`, for the key as HMAC pads it.
        pub(super) fn $name(key: &[u8; $block_bytes], first: &mut [u8; $block_bytes / 2], rounds: u32) {
            const WORD_BYTES: usize = size_of::<$word>();
            let keyed = |mask: u8| {
                let mut state: [$word; 8] = $start;
                $compress(&mut state, &[GenericArray::from(key.map(|byte| byte ^ mask))]);
                state
            };
            let (inner, outer) = (keyed(0x36), keyed(0x5C));
            // Half a block of digest, then the end of the message: a block of key and half a one came before it.
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
