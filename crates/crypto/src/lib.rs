//! Cryptography for Node's `crypto`: ciphers, digests, keys and their encodings, signatures, key agreement, primes. No JavaScript here.
//!
//! The algorithms are those of RustCrypto; what it lacks (OCB, CCM and XTS modes, encrypted keys, DSA and DH, SPKAC) is written here.
#![forbid(unsafe_code)]

pub mod cipher;
pub mod curves;
pub mod der;
pub mod digest;
pub mod dsa_dh;
pub mod encrypted_key;
pub mod entropy;
pub mod key;
mod pbkdf2_loop;
pub mod pem;
pub mod primes;
pub mod rsa;
pub mod signature;
pub mod spkac;
