//! The public face: what a crate with schemes of its own, or one that runs networks, needs.
//!
//! What is listed here stays, or its change is told in the change log; everything else in this
//! crate is free to change. Modules here are named as those that the items live in.
//!
//! Three crates of others are part of it, as keys are read and described with their types: serde,
//! `schemars` 1 ([`config::Schema`], [`config::SchemaGenerator`]) and `toml` 0.9
//! ([`config::Table`]); reports may be `serde_json` values.
//!
//! ```
//! use multihop::api::scenario::Scenario;
//! use multihop::api::simulation::{Recording, Simulation};
//!
//! let text = "duration_s = 3\n[topology]\nkind = \"chain\"\nhops = 2\n\
//!             [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\nstart_s = 1\n";
//! let scenario = Scenario::from_toml(text, &[])?;
//! let result = Simulation::new(&scenario, Some(1), &Recording::default())?.run();
//! assert!(result.flows[0].delivered_segments > 0);
//! # Ok::<(), multihop::api::scenario::Error>(())
//! ```

/// What steers flows or nodes from outside their protocols.
pub mod agents {
    pub use crate::agents::{FLOW, NODE, Of, Quantities, Quantity, Scale};
}

/// What bounds are worked out from.
pub mod bound {
    pub use crate::bound::{Capacity, Packing};
}

/// The record of events.
pub mod capture {
    pub use crate::capture::{COLUMNS, Column, Events, Passage, Row, SenderState, Type, Words};
}

/// What all tables of a scenario share: documents, errors with a place, checks, named schemes.
pub mod config {
    pub use crate::config::{ConfigError, Error, Named, positive, within};
    pub use schemars::{Schema, SchemaGenerator};
    pub use toml::Table;

    /// Documents, and how one table is read.
    pub mod document {
        pub use crate::config::document::{Document, Override, line_of, read};
    }
    /// JSON with errors that name what was wrong.
    pub mod json {
        pub use crate::config::document::read_json;
    }
    /// Tables with keys of two owners.
    pub mod table {
        pub use crate::config::table::read_beside;
    }
}

/// Simulated time and random streams.
pub mod kernel {
    pub use crate::kernel::{Duration, Instant, Purpose, Rng};
}

/// Queue managements.
pub mod link {
    pub use crate::link::{
        Backlog, Codel, CodelConfig, FqCodel, Lines, Outside, Overflow, Place, QueueDiscipline,
        QueueRule, Verdict,
    };
}

/// Rate controls.
pub mod mac {
    pub use crate::mac::RateSet;

    /// Rules for the rate of each data frame.
    pub mod rates {
        pub use crate::mac::rates::{Minstrel, Outside, RateRule, Step};
    }
}

/// What parts count of their own.
pub mod measure {
    pub use crate::measure::Counts;
}

/// Whose rules apply where ns-2 and the standards differ.
pub mod profile {
    pub use crate::profile::Profile;
}

/// Where nodes are, and which stations they have.
pub mod radio {
    pub use crate::radio::{Position, StationLayout};
}

/// Routing protocols and policies.
pub mod routing {
    pub use crate::routing::{
        Action, Context, DropReason, Layer, Nodes, Protocol, Scheme, Setting, Shared, Timer, World,
    };

    /// AODV and its policies.
    pub mod aodv {
        pub use crate::routing::aodv::{Aodv, AodvConfig, HopCount, OutsidePolicy, Policy};

        /// What policies see of requests.
        pub mod policy {
            pub use crate::routing::aodv::policy::{Copy, Greeting};
        }
        /// The routing table.
        pub mod table {
            pub use crate::routing::aodv::table::{Offer, Route};
        }
    }

    /// DSR and its policies.
    pub mod dsr {
        pub use crate::routing::dsr::{Dsr, DsrConfig, Order, OutsidePolicy, Policy};

        /// Paths that a node knows.
        pub mod cache {
            pub use crate::routing::dsr::cache::{Found, PathCache};
        }
    }

    /// What links cost in Babel, OLSR, HWMP and B.A.T.M.A.N.
    pub mod metric {
        pub use crate::routing::metric::{Link, LinkMetric};
        pub use crate::routing::outside::{OutsidePolicy, TakesPolicy};
    }

    /// Networks of protocols driven by hand, without MAC and radio.
    pub mod harness {
        pub use crate::routing::harness::{Network, data};
    }
}

/// The scenario.
pub mod scenario {
    pub use crate::scenario::{Error, Scenario, free_memory_bytes, schema};
}

/// The list of schemes, to which another crate adds its own.
pub mod schemes {
    pub use crate::schemes::{Finder, OutsidePolicy, Schemes, choices};
}

/// Networks that run, and what comes out.
pub mod simulation {
    pub use crate::simulation::{
        Arrived, FlowReport, FlowSoFar, Heard, Hearing, Outage, Recording, RunResult, Simulation,
        Steering, Trail, schema,
    };
}

/// The parts of TCP that can be another's.
pub mod transport {
    pub use crate::transport::{Acknowledgment, Flavour, LinkFailureCounters, Rules};

    /// Congestion controls.
    pub mod congestion {
        pub use crate::transport::congestion::{
            Ack, CongestionControl, Delivery, LimitedBy, Loss, LostSegment, Outside, RateSample,
            SentSegment, Window, spread,
        };
    }
    /// Reactions to broken routes.
    pub mod link_failure {
        pub use crate::transport::link_failure::{LinkFailureReaction, Outside};
    }
    /// Loss detection over selective acknowledgments.
    pub mod sack {
        pub use crate::transport::sack::{
            Arrived, Circumstances, Detected, LossDetection, Outside, Rack, Report, Scoreboard,
            Snapshot,
        };
    }
}

/// Packets and what is in them.
pub mod wire {
    pub use crate::wire::{
        Body, Carrier, Ecn, Extension, FlowId, IP_HEADER_BYTES, Interface, NodeId, Octets, Packet,
        Part, Parts,
    };

    /// AODV's messages.
    pub mod aodv {
        pub use crate::wire::aodv::{Message, Reply, Request, SequenceNumber};
    }
    /// DSR's header.
    pub mod dsr {
        pub use crate::wire::dsr::{Direction, Header, Path, Request};
    }
    /// UDP datagrams.
    pub mod udp {
        pub use crate::wire::udp::Datagram;
    }
}
