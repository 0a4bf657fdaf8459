//! What a power loss may leave of an operation, and what must hold of it.
//!
//! The operation is done once under a tracer. Then for every call of it, as if the power went
//! right after, the directories are built that a disk could hold by then: what was synced is
//! there, and of the rest any part ([`crashes`]). Each is looked at as its user would.
//!
//! The model ([`disk`]) has a file system that keeps the order of nothing but what `fsync`
//! orders: the bytes of a file last once that file was synced, a name once its directory was,
//! whichever came first. A rename or exchange is there whole or not at all, and lasts with the
//! directory of its new name. It leaves out permission bits and times; bytes that go over what
//! was synced before; parts of writes but the first half of one, and zeros for it; disks that
//! lie about a sync, or lose what was synced. Where more than twelve changes wait for a sync,
//! the older ones are all there or all not.

mod binding;
mod call;
mod crashes;
mod disk;
mod recording;
mod recovering;
mod replacing;
mod trace;
