//! Changes that a vector makes to something after it was built or signed.

/// One change.
pub type Edit<T> = Box<dyn Fn(&mut T)>;

/// The pending changes to one `T`, in order.
pub struct Edits<T: ?Sized>(Vec<Edit<T>>);

impl<T: ?Sized> Default for Edits<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: ?Sized> Edits<T> {
    pub fn add(&mut self, edit: impl Fn(&mut T) + 'static) {
        self.0.push(Box::new(edit));
    }

    pub fn apply(&self, target: &mut T) {
        for edit in &self.0 {
            edit(target);
        }
    }
}
