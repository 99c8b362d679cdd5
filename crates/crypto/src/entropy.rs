//! Random numbers for algorithms that need many. The kernel supplies one seed, where an error can still be reported. The numbers are
//! the key stream of that seed and cannot fail.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use phasor_core::random_fill;
use rand_core::{CryptoRng, Error, RngCore};

/// A random byte stream for one operation.
pub struct RandomStream(ChaCha20);

impl RandomStream {
    /// A generator with a seed of the system.
    pub fn new() -> Result<RandomStream, &'static str> {
        let mut seed = [0; 44];
        random_fill(&mut seed).map_err(|_| "failed")?;
        Ok(RandomStream(ChaCha20::new_from_slices(&seed[..32], &seed[32..]).map_err(|_| "failed")?))
    }

    /// Random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.fill_bytes(&mut bytes);
        bytes
    }
}

impl RngCore for RandomStream {
    fn next_u32(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.fill_bytes(&mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn next_u64(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.fill_bytes(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
        self.0.apply_keystream(bytes);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

impl CryptoRng for RandomStream {}
