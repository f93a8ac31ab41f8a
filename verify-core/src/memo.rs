//! Good signatures, parsed certificates and prepared keys, remembered, so that none is computed or read twice: what makes a log of
//! receipts cheaper than its receipts one by one.
//!
//! Remembered is that a key made a signature over a message, and only after it was found so, which fields the bytes of a certificate
//! have, and the form in which keys are computed with; never what followed from any of them. Every rule is applied again to every
//! receipt, so that the answer is the one of a verifier that remembers nothing. It cannot be seen in an answer what was verified before.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::certificate::{Certificate, CertificateFault};
use crate::crypto::{self, Arithmetic, Ed25519Key, Ed25519Signature, Message, PreparedKey, PublicKey, Signature};
use crate::limits;

/// That a key made a signature over the message with this SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fact {
    pub(crate) digest: [u8; 32],
    pub(crate) signature: [u8; 64],
    pub(crate) key: Key,
}

/// The key of a fact, by its scheme.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    /// x and y, as they stand in quotes.
    P256([u8; 64]),
    Ed25519([u8; 32]),
}

impl Fact {
    pub(crate) fn ecdsa(key: &PublicKey, signature: &Signature, message: &Message<'_>) -> Self {
        Self { digest: message.digest, signature: signature.to_raw(), key: Key::P256(key.coordinates()) }
    }
}

/// Checks signatures and reads certificates, and remembers the good ones, those used last for the longest.
#[derive(Debug)]
pub(crate) struct Memory {
    arithmetic: Arithmetic,
    facts: Mutex<Generations<Fact, ()>>,
    /// By their DER.
    certificates: Mutex<Generations<Vec<u8>, Arc<Certificate>>>,
    /// By x and y.
    keys: Mutex<Generations<[u8; 64], PreparedKey>>,
    computed: AtomicU64,
}

impl Memory {
    /// Remembers nothing but what is `known` already.
    pub(crate) fn new(arithmetic: Arithmetic, known: impl IntoIterator<Item = Fact>) -> Self {
        let mut facts = Generations::of(limits::REMEMBERED_SIGNATURES);
        facts.recent.extend(known.into_iter().map(|fact| (fact, ())));
        let certificates = Mutex::new(Generations::of(limits::REMEMBERED_CERTIFICATES));
        let keys = Mutex::new(Generations::of(limits::REMEMBERED_KEYS));
        Self { arithmetic, facts: Mutex::new(facts), certificates, keys, computed: AtomicU64::new(0) }
    }

    /// Reads exactly one certificate in DER.
    pub(crate) fn certificate(&self, der: &[u8]) -> Result<Arc<Certificate>, CertificateFault> {
        if let Some(certificate) = held(&self.certificates).recall(der) {
            return Ok(certificate);
        }
        let certificate = Arc::new(Certificate::from_der(der)?);
        held(&self.certificates).learn(der.to_vec(), Arc::clone(&certificate));
        Ok(certificate)
    }

    /// Whether `key` made `signature` over the SHA-256 of `message`.
    pub(crate) fn verify(&self, key: &PublicKey, signature: &Signature, message: &[u8]) -> bool {
        let message = Message::new(message);
        self.holds(Fact::ecdsa(key, signature, &message), || crypto::verify(&self.prepared(key), signature, &message))
    }

    /// Whether `key` made `signature` over `message`, by the strict rules.
    pub(crate) fn verify_ed25519(&self, key: &Ed25519Key, signature: &Ed25519Signature, message: &[u8]) -> bool {
        let fact = Fact { digest: crypto::sha256([message]), signature: signature.to_bytes(), key: Key::Ed25519(key.to_bytes()) };
        self.holds(fact, || crypto::verify_ed25519(key, signature, message))
    }

    /// How many signatures were computed, good or not.
    pub(crate) fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    fn prepared(&self, key: &PublicKey) -> PreparedKey {
        let coordinates = key.coordinates();
        if let Some(prepared) = held(&self.keys).recall(&coordinates) {
            return prepared;
        }
        let prepared = self.arithmetic.prepare(key);
        held(&self.keys).learn(coordinates, prepared.clone());
        prepared
    }

    /// Two threads may compute the same fact; nobody waits while another one computes.
    fn holds(&self, fact: Fact, compute: impl FnOnce() -> bool) -> bool {
        if held(&self.facts).recall(&fact).is_some() {
            return true;
        }
        self.computed.fetch_add(1, Ordering::Relaxed);
        let holds = compute();
        if holds {
            held(&self.facts).learn(fact, ());
        }
        holds
    }
}

/// Whole at every moment, even behind a panic: what is remembered is inserted by one call or not at all.
fn held<T>(remembered: &Mutex<T>) -> MutexGuard<'_, T> {
    remembered.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Two generations. What is used is in the recent one; when that is full, it becomes the older one, and the older one is forgotten.
#[derive(Debug)]
struct Generations<K, V> {
    /// How many entries one generation holds.
    most: usize,
    recent: BTreeMap<K, V>,
    older: BTreeMap<K, V>,
}

impl<K: Ord, V: Clone> Generations<K, V> {
    /// For `most` entries in all.
    const fn of(most: usize) -> Self {
        Self { most: most / 2, recent: BTreeMap::new(), older: BTreeMap::new() }
    }

    fn recall<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        if let Some(value) = self.recent.get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.older.remove_entry(key)?;
        self.learn(key, value.clone());
        Some(value)
    }

    fn learn(&mut self, key: K, value: V) {
        if self.recent.len() >= self.most {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(number: usize) -> Fact {
        let mut digest = [0; 32];
        digest[..8].copy_from_slice(&number.to_be_bytes());
        Fact { digest, signature: [0; 64], key: Key::Ed25519([0; 32]) }
    }

    /// Whether the fact had to be computed.
    fn computes(memory: &Memory, fact: Fact, result: bool) -> bool {
        let mut computed = false;
        let compute = || {
            computed = true;
            result
        };
        assert_eq!(memory.holds(fact, compute), result);
        computed
    }

    #[test]
    fn a_good_signature_is_computed_once_and_a_broken_one_each_time() {
        let memory = Memory::new(Arithmetic::PORTABLE, [fact(0)]);
        assert!(!computes(&memory, fact(0), true), "what is known");
        assert!(computes(&memory, fact(1), true));
        assert!(!computes(&memory, fact(1), true));
        for _ in 0..2 {
            assert!(computes(&memory, fact(2), false));
        }
        assert!(computes(&memory, fact(2), true));
        assert_eq!(memory.computed(), 4);
    }

    #[test]
    fn every_part_of_a_fact_counts() {
        let memory = Memory::new(Arithmetic::PORTABLE, [fact(0)]);
        let others = [
            Fact { digest: [1; 32], ..fact(0) },
            Fact { signature: [1; 64], ..fact(0) },
            Fact { key: Key::Ed25519([1; 32]), ..fact(0) },
            Fact { key: Key::P256([0; 64]), ..fact(0) },
        ];
        for other in others {
            assert!(computes(&memory, other.clone(), false), "{other:?}");
        }
    }

    #[test]
    fn what_is_used_stays_and_the_rest_is_forgotten_within_the_limit() {
        let memory = Memory::new(Arithmetic::PORTABLE, []);
        let held = || {
            let facts = memory.facts.lock().unwrap();
            facts.recent.len() + facts.older.len()
        };
        for number in 0..3 * limits::REMEMBERED_SIGNATURES {
            computes(&memory, fact(number), true);
            assert!(!computes(&memory, fact(0), true), "the fact in use was forgotten at {number}");
            assert!(held() <= limits::REMEMBERED_SIGNATURES);
        }
        assert!(computes(&memory, fact(1), true), "a fact that nobody used is still there");
        assert!(!computes(&memory, fact(3 * limits::REMEMBERED_SIGNATURES - 1), true));
    }
}
