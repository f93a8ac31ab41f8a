//! Parsed is not authentic: two types, and the signature check is the only way from one to the other.

use crate::crypto::{PublicKey, Signature};
use crate::memo::Memory;

/// Bytes of r in a signature.
const R_BYTES: usize = 32;

/// A value together with the bytes that somebody signed, exactly as received.
#[derive(Clone, Debug)]
pub(crate) struct Signed<'a, T> {
    value: T,
    message: &'a [u8],
    signature: &'a [u8],
}

/// A value whose bytes were signed by a key that the caller had reason to trust.
#[derive(Clone, Debug)]
pub(crate) struct Authentic<T>(T);

impl<'a, T> Signed<'a, T> {
    /// `signature` is r and s, 32 bytes big endian each.
    pub(crate) const fn new(value: T, message: &'a [u8], signature: &'a [u8]) -> Self {
        Self { value, message, signature }
    }

    /// The value, without any reason to believe it.
    pub(crate) const fn unauthenticated(&self) -> &T {
        &self.value
    }

    /// The signed bytes and r. The same message signed by one key twice has two values of r; of one signature s can be written
    /// in two ways.
    pub(crate) fn identity(&self) -> [&'a [u8]; 2] {
        [self.message, self.signature.split_at_checked(R_BYTES).map_or(self.signature, |(r, _)| r)]
    }
}

impl<T: Clone> Signed<'_, T> {
    /// The value as authentic, if `key` signed its bytes.
    pub(crate) fn verify(&self, key: &PublicKey, memory: &Memory) -> Option<Authentic<T>> {
        let signature = Signature::from_raw(self.signature)?;
        memory.verify(key, &signature, self.message).then(|| Authentic(self.value.clone()))
    }
}

impl<T> Authentic<T> {
    /// What is read out of an authentic value is as authentic as the value.
    pub(crate) fn read<U, E>(self, read: impl FnOnce(T) -> Result<U, E>) -> Result<Authentic<U>, E> {
        read(self.0).map(Authentic)
    }
}

impl<T> std::ops::Deref for Authentic<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
