//! Elliptic curves by name: key pairs, point encodings, ECDSA and ECDH. Points are encoded as in SEC 1; numbers are big-endian and as long
//! as the curve's field.

use der::asn1::ObjectIdentifier;

use super::der::padded;
use super::entropy::RandomStream;

/// A supported curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// NIST P-224.
    P224,
    /// NIST P-256.
    P256,
    /// NIST P-384.
    P384,
    /// NIST P-521.
    P521,
    /// secp256k1.
    K256,
}

/// The encoding of a point (SEC 1 section 2.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The x coordinate, and which of two y coordinates.
    Compressed,
    /// Both coordinates.
    Uncompressed,
    /// Uncompressed, with the parity of y in the first byte (ANSI X9.62).
    Hybrid,
}

impl Curve {
    /// All curves.
    pub const ALL: [Curve; 5] = [Curve::P224, Curve::P256, Curve::K256, Curve::P384, Curve::P521];

    /// Finds a curve by the name of OpenSSL, NIST or JSON Web Key.
    pub fn of(name: &str) -> Option<Curve> {
        Some(match name {
            "secp224r1" | "P-224" => Curve::P224,
            "prime256v1" | "P-256" | "secp256r1" => Curve::P256,
            "secp384r1" | "P-384" => Curve::P384,
            "secp521r1" | "P-521" => Curve::P521,
            "secp256k1" => Curve::K256,
            _ => return None,
        })
    }

    /// The name that OpenSSL uses.
    pub fn name(self) -> &'static str {
        match self {
            Curve::P224 => "secp224r1",
            Curve::P256 => "prime256v1",
            Curve::P384 => "secp384r1",
            Curve::P521 => "secp521r1",
            Curve::K256 => "secp256k1",
        }
    }

    /// The object identifier of the curve (RFC 5480).
    pub fn oid(self) -> ObjectIdentifier {
        ObjectIdentifier::new_unwrap(match self {
            Curve::P224 => "1.3.132.0.33",
            Curve::P256 => "1.2.840.10045.3.1.7",
            Curve::P384 => "1.3.132.0.34",
            Curve::P521 => "1.3.132.0.35",
            Curve::K256 => "1.3.132.0.10",
        })
    }

    /// The curve with an object identifier.
    pub fn of_oid(oid: ObjectIdentifier) -> Option<Curve> {
        Curve::ALL.into_iter().find(|curve| curve.oid() == oid)
    }

    /// The length of a coordinate and of a private scalar.
    pub fn field_bytes(self) -> usize {
        match self {
            Curve::P224 => 28,
            Curve::P256 | Curve::K256 => 32,
            Curve::P384 => 48,
            Curve::P521 => 66,
        }
    }
}

/// Evaluates `$body` with the module of the curve's crate bound to the given name.
macro_rules! on_curve {
    ($curve:expr, $ops:ident => $body:expr) => {
        match $curve {
            Curve::P224 => {
                use on_p224 as $ops;
                $body
            }
            Curve::P256 => {
                use on_p256 as $ops;
                $body
            }
            Curve::P384 => {
                use on_p384 as $ops;
                $body
            }
            Curve::P521 => {
                use on_p521 as $ops;
                $body
            }
            Curve::K256 => {
                use on_k256 as $ops;
                $body
            }
        }
    };
}

impl Curve {
    /// Generates a private scalar.
    pub fn generate(self, random: &mut RandomStream) -> Vec<u8> {
        on_curve!(self, ops => ops::generate(random))
    }

    /// The uncompressed public point of a scalar; `None` if the scalar is out of range.
    pub fn public_of(self, secret: &[u8]) -> Option<Vec<u8>> {
        let secret = padded(secret, self.field_bytes())?;
        on_curve!(self, ops => ops::public_of(&secret))
    }

    /// Re-encodes a point; `None` if it is not on the curve.
    pub fn convert(self, point: &[u8], form: Form) -> Option<Vec<u8>> {
        let point = match point {
            // The crates do not support the hybrid encoding.
            [kind @ (6 | 7), both @ ..] if both.len() == 2 * self.field_bytes() => {
                if both.last()? & 1 != kind & 1 {
                    return None;
                }
                [&[4], both].concat()
            }
            _ => point.to_vec(),
        };
        let mut output = on_curve!(self, ops => ops::convert(&point, form == Form::Compressed))?;
        if form == Form::Hybrid {
            output[0] = 6 | output.last()? & 1;
        }
        Some(output)
    }

    /// The x coordinate of the shared point (ECDH).
    pub fn agree(self, secret: &[u8], point: &[u8]) -> Option<Vec<u8>> {
        let secret = padded(secret, self.field_bytes())?;
        let point = self.convert(point, Form::Uncompressed)?;
        on_curve!(self, ops => ops::agree(&secret, &point))
    }

    /// The ECDSA signature as r and s, concatenated.
    pub fn sign(self, secret: &[u8], digest: &[u8], random: &mut RandomStream) -> Option<Vec<u8>> {
        let secret = padded(secret, self.field_bytes())?;
        let digest = self.digest_bits(digest);
        on_curve!(self, ops => ops::sign(&secret, &digest, random))
    }

    /// Verifies an ECDSA signature, two numbers of the length of the order.
    pub fn verify(self, point: &[u8], digest: &[u8], signature: &[u8]) -> bool {
        let digest = self.digest_bits(digest);
        on_curve!(self, ops => ops::verify(point, &digest, signature)).is_some()
    }

    /// The leftmost bits of the digest, as many as the order of the curve has (SEC 1 section 4.1.3). Only the order of P-521 is not a whole
    /// number of bytes, and every digest is shorter than that order.
    fn digest_bits(self, digest: &[u8]) -> Vec<u8> {
        let count = self.field_bytes();
        let digest = &digest[..digest.len().min(count)];
        [&vec![0; count - digest.len()][..], digest].concat()
    }
}

/// Generates a module with the same functions for the crate of each curve.
macro_rules! curve_module {
    ($module:ident, $curve:ident, $kind:ident) => {
        mod $module {
            use $curve::elliptic_curve::ecdh::diffie_hellman;
            use $curve::elliptic_curve::sec1::ToEncodedPoint;
            use $curve::{FieldBytes, NonZeroScalar, ProjectivePoint, PublicKey, Scalar, SecretKey};

            use super::super::entropy::RandomStream;

            fn secret_of(secret: &[u8]) -> Option<SecretKey> {
                SecretKey::from_slice(secret).ok()
            }

            fn field_of(bytes: &[u8]) -> FieldBytes {
                let mut field = FieldBytes::default();
                if field.len() == bytes.len() {
                    field.copy_from_slice(bytes);
                }
                field
            }

            pub(super) fn generate(random: &mut RandomStream) -> Vec<u8> {
                SecretKey::random(random).to_bytes().to_vec()
            }

            pub(super) fn public_of(secret: &[u8]) -> Option<Vec<u8>> {
                Some(secret_of(secret)?.public_key().to_encoded_point(false).as_bytes().to_vec())
            }

            pub(super) fn convert(point: &[u8], compress: bool) -> Option<Vec<u8>> {
                let point = PublicKey::from_sec1_bytes(point).ok()?;
                Some(point.to_encoded_point(compress).as_bytes().to_vec())
            }

            pub(super) fn agree(secret: &[u8], point: &[u8]) -> Option<Vec<u8>> {
                let (secret, point) = (secret_of(secret)?, PublicKey::from_sec1_bytes(point).ok()?);
                let shared = diffie_hellman(secret.to_nonzero_scalar(), point.as_affine());
                Some(shared.raw_secret_bytes().to_vec())
            }

            pub(super) fn sign(secret: &[u8], digest: &[u8], random: &mut RandomStream) -> Option<Vec<u8>> {
                let secret = secret_of(secret)?.to_nonzero_scalar();
                let digest = field_of(digest);
                // Signing fails with negligible probability (r or s is zero); retry with another nonce.
                for _ in 0..8 {
                    let nonce: Scalar = *NonZeroScalar::random(&mut *random);
                    let made = ecdsa::hazmat::sign_prehashed::<$curve::$kind, Scalar>(&secret, nonce, &digest);
                    if let Ok((signature, _)) = made {
                        return Some(signature.to_bytes().to_vec());
                    }
                }
                None
            }

            pub(super) fn verify(point: &[u8], digest: &[u8], signature: &[u8]) -> Option<()> {
                let point = ProjectivePoint::from(*PublicKey::from_sec1_bytes(point).ok()?.as_affine());
                let signature = ecdsa::Signature::<$curve::$kind>::from_slice(signature).ok()?;
                ecdsa::hazmat::verify_prehashed(&point, &field_of(digest), &signature).ok()
            }
        }
    };
}

curve_module!(on_p224, p224, NistP224);
curve_module!(on_p256, p256, NistP256);
curve_module!(on_p384, p384, NistP384);
curve_module!(on_p521, p521, NistP521);
curve_module!(on_k256, k256, Secp256k1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ecdsa_and_ecdh_work_on_every_curve() {
        let mut random = RandomStream::new().expect("random");
        for curve in Curve::ALL {
            let (one, other) = (curve.generate(&mut random), curve.generate(&mut random));
            let [mine, theirs] = [&one, &other].map(|secret| curve.public_of(secret).expect("a point"));
            assert_eq!(curve.agree(&one, &theirs), curve.agree(&other, &mine));
            for digest_bytes in [16, 20, 32, 48, 64] {
                let digest = random.bytes(digest_bytes);
                let signature = curve.sign(&one, &digest, &mut random).expect("a signature");
                assert!(curve.verify(&mine, &digest, &signature), "{curve:?} {digest_bytes}");
                assert!(!curve.verify(&theirs, &digest, &signature));
                assert!(!curve.verify(&mine, &[1; 20], &signature));
            }
            for form in [Form::Compressed, Form::Hybrid] {
                let point = curve.convert(&mine, form).expect("a point");
                assert_eq!(curve.convert(&point, Form::Uncompressed), Some(mine.clone()));
            }
            assert_eq!(curve.public_of(&[0]), None);
            assert_eq!(curve.public_of(&vec![0xFF; curve.field_bytes()]), None);
        }
    }
}
