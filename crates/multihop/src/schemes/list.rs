//! The list of schemes, one line each.

use super::Schemes;
use super::named::{
    considerate, elfn, learned, linux, quic, reservation, semi_tcp, tcp_ap, windows,
};
use crate::routing::aodv::AodvConfig;
use crate::routing::babel::BabelConfig;
use crate::routing::batman::BatmanConfig;
use crate::routing::ccar::CcarTable;
use crate::routing::copas::CopasTable;
use crate::routing::dcar::DcarTable;
use crate::routing::direct::Direct;
use crate::routing::dsdv::DsdvConfig;
use crate::routing::dsr::DsrConfig;
use crate::routing::etx::{DsrEtxTable, EtxTable};
use crate::routing::fixed::Static;
use crate::routing::hwmp::HwmpConfig;
use crate::routing::iru::IruTable;
use crate::routing::multipath::MultipathConfig;
use crate::routing::olsr::OlsrConfig;
use crate::routing::olsrv2::Olsr2Config;

/// The routing scheme of a scenario that names none.
pub const DEFAULT_ROUTING: &str = "aodv";

/// The schemes of this crate.
pub fn standard() -> Schemes {
    Schemes::default()
        .with_routing::<AodvConfig>()
        .with_routing::<BabelConfig>()
        .with_routing::<BatmanConfig>()
        .with_routing::<CcarTable>()
        .with_routing::<CopasTable>()
        .with_routing::<DcarTable>()
        .with_routing::<Direct>()
        .with_routing::<DsdvConfig>()
        .with_routing::<DsrConfig>()
        .with_routing::<EtxTable>()
        .with_routing::<DsrEtxTable>()
        .with_routing::<HwmpConfig>()
        .with_routing::<IruTable>()
        .with_routing::<MultipathConfig>()
        .with_routing::<OlsrConfig>()
        .with_routing::<Olsr2Config>()
        .with_routing::<Static>()
        .with_named(elfn::NAMED)
        .with_named(considerate::NAMED)
        .with_named(tcp_ap::NAMED)
        .with_named(linux::NAMED)
        .with_named(quic::NAMED)
        .with_named(semi_tcp::NAMED)
        .with_named(windows::NAMED)
        .with_named(reservation::NAMED)
        .with_named(learned::NAMED)
}
