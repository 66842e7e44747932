//! The access categories of EDCA, the enhanced distributed channel access of IEEE Std 802.11e-2005:
//! what each waits before it sends, and which packets are whose.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::config::{ConfigError, within};
use crate::kernel::Duration;
use crate::wire::{Body, Packet, PacketKind};

/// An access category, the highest priority first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Voice.
    Voice,
    /// Video.
    Video,
    /// Best effort.
    #[default]
    BestEffort,
    /// Background.
    Background,
}

/// How many categories there are.
pub const CATEGORIES: usize = 4;

impl Category {
    /// All of them, the highest priority first.
    pub const ALL: [Category; CATEGORIES] =
        [Category::Voice, Category::Video, Category::BestEffort, Category::Background];

    /// As scenarios and results name it.
    pub fn name(self) -> &'static str {
        match self {
            Category::Voice => "voice",
            Category::Video => "video",
            Category::BestEffort => "best-effort",
            Category::Background => "background",
        }
    }

    /// Its place among all.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What a category waits, and how long it may send.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Slots that the medium has to be idle for beyond SIFS before a countdown goes on, 2 to 15.
    pub aifsn: u32,
    /// Smallest contention window (slots).
    pub cw_min: u32,
    /// Largest contention window (slots).
    pub cw_max: u32,
    /// How long one turn may last (s): exchanges follow each other after SIFS; 0: a turn is one
    /// exchange.
    pub txop_limit_s: f64,
}

/// The parameters of the categories (`mac.edca = true`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CategoriesConfig {
    /// Of voice; unless given 2, a quarter of the PHY's window, half of it, 1.504 ms.
    pub voice: Parameters,
    /// Of video; unless given 2, half of the PHY's window, the window, 3.008 ms.
    pub video: Parameters,
    /// Of best effort; unless given 3, the PHY's windows, 0.
    pub best_effort: Parameters,
    /// Of background; unless given 7, the PHY's windows, 0.
    pub background: Parameters,
    /// The category of routing's packets; voice unless given. Those of ARP are best effort.
    pub control: Category,
}

impl CategoriesConfig {
    /// Fills in what the table does not set, for a PHY with these windows.
    pub fn fill_in(table: &mut Table, cw_min: u32, cw_max: u32) {
        let share = |of: u32| ((cw_min + 1) / of).max(2) - 1;
        for (category, aifsn, windows, txop_limit_s) in [
            (Category::Voice, 2, [share(4), share(2)], 1.504e-3),
            (Category::Video, 2, [share(2), cw_min], 3.008e-3),
            (Category::BestEffort, 3, [cw_min, cw_max], 0.0),
            (Category::Background, 7, [cw_min, cw_max], 0.0),
        ] {
            let own = table.entry(category.name()).or_insert_with(|| Table::new().into());
            // What is wrong with another value is said when the table is read.
            let Value::Table(own) = own else { continue };
            own.entry("aifsn").or_insert(aifsn.into());
            own.entry("cw_min").or_insert(i64::from(windows[0]).into());
            own.entry("cw_max").or_insert(i64::from(windows[1]).into());
            own.entry("txop_limit_s").or_insert(txop_limit_s.into());
        }
        table.entry("control").or_insert(Category::Voice.name().into());
    }

    /// Of each category.
    pub fn all(&self) -> [Parameters; CATEGORIES] {
        [self.voice, self.video, self.best_effort, self.background]
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        let most_cw = f64::from(MOST_CW);
        for (keys, parameters) in KEYS.into_iter().zip(self.all()) {
            let Parameters { aifsn, cw_min, cw_max, txop_limit_s } = parameters;
            within(keys[0], aifsn.into(), 2.0, 15.0)?;
            within(keys[1], cw_min.into(), 1.0, most_cw)?;
            within(keys[2], cw_max.into(), cw_min.into(), most_cw)?;
            within(keys[3], txop_limit_s, 0.0, MOST_TXOP_S)?;
        }
        Ok(())
    }

    /// How long a turn of each category may last.
    pub fn txop_limits(&self) -> [Duration; CATEGORIES] {
        self.all().map(|parameters| Duration::from_secs_f64(parameters.txop_limit_s))
    }
}

/// The longest turn that beacons can announce: 255 times 32 µs.
const MOST_TXOP_S: f64 = 8.16e-3;
/// The widest window that they can, with exponents of 4 bits.
pub(super) const MOST_CW: u32 = 32_767;

/// The keys of each category's parameters.
#[rustfmt::skip]
const KEYS: [[&str; 4]; CATEGORIES] = [
    ["categories.voice.aifsn", "categories.voice.cw_min",
     "categories.voice.cw_max", "categories.voice.txop_limit_s"],
    ["categories.video.aifsn", "categories.video.cw_min",
     "categories.video.cw_max", "categories.video.txop_limit_s"],
    ["categories.best-effort.aifsn", "categories.best-effort.cw_min",
     "categories.best-effort.cw_max", "categories.best-effort.txop_limit_s"],
    ["categories.background.aifsn", "categories.background.cw_min",
     "categories.background.cw_max", "categories.background.txop_limit_s"],
];

/// Which packets belong to which category.
#[derive(Clone, Debug)]
pub struct Classes {
    of_flows: Arc<[Category]>,
    control: Category,
}

impl Classes {
    /// Those of these flows, and of routing.
    pub fn new(of_flows: Arc<[Category]>, control: Category) -> Classes {
        Classes { of_flows, control }
    }

    /// The category of `packet`: its flow's, for acknowledgments as well as for data.
    pub fn of(&self, packet: &Packet) -> Category {
        let flow = match &packet.body {
            Body::Tcp(segment) => segment.flow,
            Body::Udp(datagram) => datagram.flow,
            _ if packet.kind() == PacketKind::Arp => return Category::BestEffort,
            _ => return self.control,
        };
        self.of_flows.get(flow.index()).copied().unwrap_or_default()
    }
}
