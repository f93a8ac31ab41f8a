//! Good signatures, remembered, so that none is computed twice: what makes a log of receipts cheaper than its receipts one by one.
//!
//! Remembered is that a key made a signature over a message, and only after it was found so; never what followed from it. Every rule is
//! applied again to every receipt, so that the answer is the one of a verifier that remembers nothing. It cannot be seen in an answer
//! what was verified before.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::crypto::{self, Arithmetic, Ed25519Key, Ed25519Signature, Message, PublicKey, Signature};
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

/// Checks signatures and remembers the good ones, those used last for the longest.
#[derive(Debug)]
pub(crate) struct Memory {
    arithmetic: Arithmetic,
    facts: Mutex<Facts>,
    computed: AtomicU64,
}

impl Memory {
    /// Remembers nothing but what is `known` already.
    pub(crate) fn new(arithmetic: Arithmetic, known: impl IntoIterator<Item = Fact>) -> Self {
        let facts = Facts { recent: known.into_iter().collect(), older: BTreeSet::new() };
        Self { arithmetic, facts: Mutex::new(facts), computed: AtomicU64::new(0) }
    }

    /// Whether `key` made `signature` over the SHA-256 of `message`.
    pub(crate) fn verify(&self, key: &PublicKey, signature: &Signature, message: &[u8]) -> bool {
        let message = Message::new(message);
        self.holds(Fact::ecdsa(key, signature, &message), || crypto::verify(key, signature, &message, self.arithmetic))
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

    /// Two threads may compute the same fact; nobody waits while another one computes.
    fn holds(&self, fact: Fact, compute: impl FnOnce() -> bool) -> bool {
        // Whole at every moment, even behind a panic: a fact is inserted by one call or not at all.
        let facts = || self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        if facts().recalls(&fact) {
            return true;
        }
        self.computed.fetch_add(1, Ordering::Relaxed);
        let holds = compute();
        if holds {
            facts().learn(fact);
        }
        holds
    }
}

/// Two generations. What is used is in the recent one; when that is full, it becomes the older one, and the older one is forgotten.
#[derive(Debug)]
struct Facts {
    recent: BTreeSet<Fact>,
    older: BTreeSet<Fact>,
}

impl Facts {
    fn recalls(&mut self, fact: &Fact) -> bool {
        self.recent.contains(fact) || self.older.take(fact).map(|fact| self.learn(fact)).is_some()
    }

    fn learn(&mut self, fact: Fact) {
        if self.recent.len() >= limits::REMEMBERED_SIGNATURES / 2 {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(fact);
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
