//! Certificate revocation lists.

use crate::der;
use crate::edits::Edits;
use crate::pki::{Algorithm, Extension, Key, Name};

pub const CRL_NUMBER: &str = "2.5.29.20";
pub const ISSUING_DISTRIBUTION_POINT: &str = "2.5.29.28";
pub const REASON_CODE: &str = "2.5.29.21";
pub const KEY_COMPROMISE: u8 = 1;
pub const REMOVE_FROM_CRL: u8 = 8;

/// A CRL before it is signed.
pub struct Crl {
    /// `None` writes version 1, which has no extensions.
    pub version: Option<u64>,
    /// What the signed part says of the signature.
    pub stated_algorithm: Algorithm,
    pub issuer: Name,
    pub issuer_key: Key,
    pub this_update: &'static str,
    pub next_update: Option<&'static str>,
    pub revoked: Vec<Vec<u8>>,
    /// Entries in DER, after those of `revoked`.
    pub more_entries: Vec<Vec<u8>>,
    pub extensions: Vec<Extension>,
    /// Changes to the members of the part that will be signed, from version to extensions.
    pub members: Edits<Vec<Vec<u8>>>,
    /// How the list is signed.
    pub algorithm: Algorithm,
    /// Changes to the signed DER.
    pub afterwards: Edits<Vec<u8>>,
}

impl Crl {
    pub fn new(issuer: &str, issuer_key: &Key, this_update: &'static str, next_update: &'static str) -> Self {
        Self {
            version: Some(1),
            stated_algorithm: Algorithm::Sha256,
            issuer: Name::of(issuer),
            issuer_key: issuer_key.clone(),
            this_update,
            next_update: Some(next_update),
            revoked: Vec::new(),
            more_entries: Vec::new(),
            extensions: vec![Extension::new(CRL_NUMBER, false, der::integer(1)), Extension::authority_key(issuer_key)],
            members: Edits::default(),
            algorithm: Algorithm::Sha256,
            afterwards: Edits::default(),
        }
    }

    pub fn der(&self) -> Vec<u8> {
        let reason = Extension::new(REASON_CODE, false, der::enumerated(KEY_COMPROMISE));
        let revoked = self.revoked.iter().map(|serial| self.entry(der::unsigned(serial), &reason));
        let entries: Vec<_> = revoked.chain(self.more_entries.iter().cloned()).collect();
        let extensions: Vec<_> = self.extensions.iter().map(Extension::der).collect();
        let mut members = vec![
            self.version.map(der::integer).unwrap_or_default(),
            self.stated_algorithm.der(),
            self.issuer.der(),
            der::time(self.this_update),
            self.next_update.map(der::time).unwrap_or_default(),
        ];
        if !entries.is_empty() {
            members.push(der::sequence(&entries));
        }
        if self.version.is_some() && !extensions.is_empty() {
            members.push(der::context(0, &der::sequence(&extensions)));
        }
        self.members.apply(&mut members);
        let mut out = self.issuer_key.seal(self.algorithm, &der::sequence(&members));
        self.afterwards.apply(&mut out);
        out
    }

    /// An entry for the INTEGER `serial`, with one extension.
    pub fn entry(&self, serial: Vec<u8>, extension: &Extension) -> Vec<u8> {
        der::sequence(&[serial, der::time(self.this_update), der::sequence(&[extension.der()])])
    }
}
