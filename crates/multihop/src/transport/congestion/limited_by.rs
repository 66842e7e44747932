//! What keeps a sender from sending more.

/// What keeps a sender from sending more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitedBy {
    /// The congestion window.
    Window,
    /// The receiver's window, which is smaller.
    Receiver,
    /// The application has no more data.
    Application,
    /// The pacing clock.
    Pacing,
}

impl LimitedBy {
    /// Whether the network was not asked for all that the congestion window allows: what RFC 9438
    /// section 5.8 calls application-limited.
    pub fn is_application_limited(self) -> bool {
        matches!(self, LimitedBy::Receiver | LimitedBy::Application)
    }
}
