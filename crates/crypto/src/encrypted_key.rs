//! Private keys encrypted with a passphrase: PBES2 in PKCS #8, and the older PEM encryption headers of RFC 1421. Supports AES in its
//! older modes and triple DES.

use ::der::asn1::ObjectIdentifier;

use super::cipher::{Cipher, Mode};
use super::der::{self, Fields};
use super::digest::Algorithm;
use super::entropy::RandomStream;

/// A cipher that encrypts keys.
#[derive(Debug)]
pub struct KeyCipher {
    /// OpenSSL's name, as in PEM headers.
    name: &'static str,
    mode: Mode,
    key_bytes: usize,
    iv_bytes: usize,
    /// The object identifier; a cipher without one works only with PEM headers.
    oid: Option<ObjectIdentifier>,
}

const PBES2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.13");
const PBKDF2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.12");
const HMAC_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.9");
/// OpenSSL's default number of PBKDF2 iterations.
const ROUNDS: u32 = 2048;
const SALT_BYTES: usize = 16;

const fn aes(name: &'static str, mode: Mode, key_bytes: usize, oid: &str) -> KeyCipher {
    let iv_bytes = if matches!(mode, Mode::Ecb) { 0 } else { 16 };
    KeyCipher { name, mode, key_bytes, iv_bytes, oid: Some(ObjectIdentifier::new_unwrap(oid)) }
}

const fn counter(name: &'static str, key_bytes: usize) -> KeyCipher {
    KeyCipher { name, mode: Mode::Ctr, key_bytes, iv_bytes: 16, oid: None }
}

static KEY_CIPHERS: [KeyCipher; 16] = [
    aes("AES-128-ECB", Mode::Ecb, 16, "2.16.840.1.101.3.4.1.1"),
    aes("AES-128-CBC", Mode::Cbc, 16, "2.16.840.1.101.3.4.1.2"),
    aes("AES-128-OFB", Mode::Ofb, 16, "2.16.840.1.101.3.4.1.3"),
    aes("AES-128-CFB", Mode::Cfb, 16, "2.16.840.1.101.3.4.1.4"),
    aes("AES-192-ECB", Mode::Ecb, 24, "2.16.840.1.101.3.4.1.21"),
    aes("AES-192-CBC", Mode::Cbc, 24, "2.16.840.1.101.3.4.1.22"),
    aes("AES-192-OFB", Mode::Ofb, 24, "2.16.840.1.101.3.4.1.23"),
    aes("AES-192-CFB", Mode::Cfb, 24, "2.16.840.1.101.3.4.1.24"),
    aes("AES-256-ECB", Mode::Ecb, 32, "2.16.840.1.101.3.4.1.41"),
    aes("AES-256-CBC", Mode::Cbc, 32, "2.16.840.1.101.3.4.1.42"),
    aes("AES-256-OFB", Mode::Ofb, 32, "2.16.840.1.101.3.4.1.43"),
    aes("AES-256-CFB", Mode::Cfb, 32, "2.16.840.1.101.3.4.1.44"),
    counter("AES-128-CTR", 16),
    counter("AES-192-CTR", 24),
    counter("AES-256-CTR", 32),
    KeyCipher {
        name: "DES-EDE3-CBC",
        mode: Mode::DesCbc,
        key_bytes: 24,
        iv_bytes: 8,
        oid: Some(ObjectIdentifier::new_unwrap("1.2.840.113549.3.7")),
    },
];

impl KeyCipher {
    /// Finds a cipher by OpenSSL's name, case-insensitively.
    pub fn of(name: &str) -> Option<&'static KeyCipher> {
        let other = match name.to_ascii_lowercase().as_str() {
            "aes128" => "aes-128-cbc",
            "aes192" => "aes-192-cbc",
            "aes256" => "aes-256-cbc",
            "des3" => "des-ede3-cbc",
            _ => name,
        };
        KEY_CIPHERS.iter().find(|cipher| cipher.name.eq_ignore_ascii_case(other))
    }

    fn of_oid(oid: ObjectIdentifier) -> Option<&'static KeyCipher> {
        KEY_CIPHERS.iter().find(|cipher| cipher.oid == Some(oid))
    }

    fn run(&self, is_encrypting: bool, key: &[u8], iv: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
        let mut cipher = Cipher::new(self.mode, key.len(), is_encrypting, key, iv, None).ok()?;
        let mut output = cipher.update(bytes).ok()?;
        output.extend(cipher.finish().ok()?);
        Some(output)
    }
}

/// True if the bytes look like `EncryptedPrivateKeyInfo`, which begins with an algorithm where PKCS #8 has a version.
pub fn is_encrypted(bytes: &[u8]) -> bool {
    let Some(mut fields) = Fields::of_sequence(bytes) else { return false };
    fields.sequence().and_then(|mut algorithm| algorithm.oid()).is_some() && fields.octets().is_some()
}

/// Decrypts `EncryptedPrivateKeyInfo`: "unsupported" for another cipher, "badDecrypt" for a wrong passphrase.
pub fn decrypt(bytes: &[u8], passphrase: &[u8]) -> Result<Vec<u8>, &'static str> {
    let (parameters, data) = read(bytes).ok_or("unsupported")?;
    let mut key = vec![0; parameters.cipher.key_bytes];
    if !parameters.hash.pbkdf2(passphrase, &parameters.salt, parameters.rounds, &mut key) {
        return Err("unsupported");
    }
    parameters.cipher.run(false, &key, &parameters.iv, data).ok_or("badDecrypt")
}

struct Parameters {
    cipher: &'static KeyCipher,
    hash: Algorithm,
    salt: Vec<u8>,
    rounds: u32,
    iv: Vec<u8>,
}

fn read(bytes: &[u8]) -> Option<(Parameters, &[u8])> {
    let mut outer = Fields::of_sequence(bytes)?;
    let mut algorithm = outer.sequence()?;
    let data = outer.octets()?;
    algorithm.oid().filter(|oid| *oid == PBES2)?;
    let mut schemes = algorithm.sequence()?;
    let mut derivation = schemes.sequence()?;
    derivation.oid().filter(|oid| *oid == PBKDF2)?;
    let mut fields = derivation.sequence()?;
    let (salt, rounds) = (fields.octets()?.to_vec(), fields.small()?);
    // Skip the optional key length: the cipher determines it.
    let _ = fields.integer();
    let hash = match fields.sequence() {
        Some(mut hash) => keyed_hash(hash.oid()?)?,
        None => Algorithm::Sha1,
    };
    let mut encryption = schemes.sequence()?;
    let cipher = KeyCipher::of_oid(encryption.oid()?)?;
    let iv = encryption.octets()?.to_vec();
    Some((Parameters { cipher, hash, salt, rounds: rounds.max(1), iv }, data))
}

fn keyed_hash(oid: ObjectIdentifier) -> Option<Algorithm> {
    Some(match oid.to_string().as_str() {
        "1.2.840.113549.2.7" => Algorithm::Sha1,
        "1.2.840.113549.2.8" => Algorithm::Sha224,
        "1.2.840.113549.2.9" => Algorithm::Sha256,
        "1.2.840.113549.2.10" => Algorithm::Sha384,
        "1.2.840.113549.2.11" => Algorithm::Sha512,
        _ => return None,
    })
}

/// Encrypts a key as `EncryptedPrivateKeyInfo`.
pub fn encrypt(cipher: &KeyCipher, bytes: &[u8], passphrase: &[u8]) -> Result<Vec<u8>, &'static str> {
    let oid = cipher.oid.ok_or("noObject")?;
    let mut random = RandomStream::new()?;
    let (salt, iv) = (random.bytes(SALT_BYTES), random.bytes(cipher.iv_bytes));
    let mut key = vec![0; cipher.key_bytes];
    Algorithm::Sha256.pbkdf2(passphrase, &salt, ROUNDS, &mut key);
    let data = cipher.run(true, &key, &iv, bytes).ok_or("failed")?;
    let hash = der::sequence(&[&der::oid(HMAC_SHA256), &der::null()]);
    let derivation = der::sequence(&[&der::octets(&salt), &der::small(ROUNDS), &hash]);
    let schemes = der::sequence(&[
        &der::sequence(&[&der::oid(PBKDF2), &derivation]),
        &der::sequence(&[&der::oid(oid), &der::octets(&iv)]),
    ]);
    Ok(der::sequence(&[&der::sequence(&[&der::oid(PBES2), &schemes]), &der::octets(&data)]))
}

/// The key of PEM encryption: iterated MD5 with the start of the IV as salt (`EVP_BytesToKey`).
fn pem_key(cipher: &KeyCipher, passphrase: &[u8], iv: &[u8]) -> Option<Vec<u8>> {
    let salt = iv.get(..8)?;
    let (mut key, mut last) = (Vec::new(), Vec::new());
    while key.len() < cipher.key_bytes {
        last = Algorithm::Md5.digest(&[&last, passphrase, salt]);
        key.extend_from_slice(&last);
    }
    key.truncate(cipher.key_bytes);
    Some(key)
}

/// Decrypts the body of a PEM block with encryption headers.
pub fn decrypt_pem(cipher: &str, iv: &[u8], bytes: &[u8], passphrase: &[u8]) -> Result<Vec<u8>, &'static str> {
    let cipher = KeyCipher::of(cipher).ok_or("unsupported")?;
    let key = pem_key(cipher, passphrase, iv).ok_or("unsupported")?;
    cipher.run(false, &key, iv, bytes).ok_or("badDecrypt")
}

/// Encrypts a PEM block: returns the headers and the encrypted bytes.
pub fn encrypt_pem(cipher: &KeyCipher, bytes: &[u8], passphrase: &[u8]) -> Result<(String, Vec<u8>), &'static str> {
    // The IV is also the salt of the key, so ECB cannot be used.
    if cipher.iv_bytes == 0 {
        return Err("headerCipher");
    }
    let iv = RandomStream::new()?.bytes(cipher.iv_bytes);
    let key = pem_key(cipher, passphrase, &iv).ok_or("failed")?;
    let sealed = cipher.run(true, &key, &iv, bytes).ok_or("failed")?;
    let (name, vector) = (cipher.name, faster_hex::hex_string(&iv).to_ascii_uppercase());
    Ok((format!("Proc-Type: 4,ENCRYPTED\nDEK-Info: {name},{vector}\n\n"), sealed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encrypted_keys_need_the_right_passphrase() {
        for cipher in &KEY_CIPHERS {
            if cipher.oid.is_none() || cipher.iv_bytes == 0 {
                continue;
            }
            let sealed = encrypt(cipher, b"some key or other", b"secret").expect("sealed");
            assert!(is_encrypted(&sealed));
            assert_eq!(decrypt(&sealed, b"secret"), Ok(b"some key or other".to_vec()));
            assert_ne!(decrypt(&sealed, b"other"), Ok(b"some key or other".to_vec()));
            let (headers, sealed) = encrypt_pem(cipher, b"some key or other", b"secret").expect("sealed");
            let (_, vector) = headers.trim().rsplit_once(',').expect("a vector");
            let mut iv = vec![0; vector.len() / 2];
            faster_hex::hex_decode(vector.as_bytes(), &mut iv).expect("hex");
            assert_eq!(decrypt_pem(cipher.name, &iv, &sealed, b"secret"), Ok(b"some key or other".to_vec()));
        }
        assert_eq!(KeyCipher::of("aes256").map(|cipher| cipher.name), Some("AES-256-CBC"));
        assert_eq!(encrypt(KeyCipher::of("aes-128-ctr").expect("known"), b"", b""), Err("noObject"));
        assert_eq!(decrypt(b"nonsense", b""), Err("unsupported"));
    }
}
