//! The table `[interfaces.antenna]`: what the stations of a kind send and hear with, and where it
//! points.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remarks::Remarks;
use super::table_file::{self, Fault, TableFile};
use crate::config::per_node::PerNode;
use crate::config::{ConfigError, Error, NodeOrName, within};
use crate::radio::Position;
use crate::radio::antenna::{Aim, Antenna, Dish, Pattern, Sector, bearing_deg};
use crate::wire::NodeId;

/// The antennas of a kind of station, and where each points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AntennaTable {
    /// What it sends in which direction.
    pub kind: AntennaKind,
    /// Gain of the main lobe (dBi): 0 for "omni" unless given, that of the width of its beam for
    /// "dish", that of the pattern for "pattern".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub gain_dbi: Option<f64>,
    /// Between the directions with half the power (degrees); "sector", or "dish" in place of the
    /// gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub beam_width_deg: Option<f64>,
    /// The same vertically (degrees); "sector" only, 10 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub vertical_beam_width_deg: Option<f64>,
    /// How much less goes backwards (dB); "sector" only, 25 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub front_to_back_db: Option<f64>,
    /// Bearings clockwise from the main lobe (degrees) and the gain there (dBi); "pattern" only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<[f64; 2]>")]
    pub points: Option<Vec<[f64; 2]>>,
    /// The same from a CSV file with the columns bearing_deg and gain_dbi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// Where the main lobe points, clockwise from north (degrees): for all, or one for each of
    /// `nodes`. 0 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PerNode<f64>")]
    pub bearing_deg: Option<PerNode<f64>>,
    /// In its place, the node that it points at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PerNode<NodeOrName>")]
    pub towards: Option<PerNode<u32>>,
    /// How far below the horizon it points (degrees): for all, or one for each of `nodes`. 0
    /// unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PerNode<f64>")]
    pub tilt_deg: Option<PerNode<f64>>,
    /// Above the ground (m): for all, or one for each of `nodes`; 10 unless given. It counts for
    /// directions alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PerNode<f64>")]
    pub height_m: Option<PerNode<f64>>,
}

/// What an antenna sends in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AntennaKind {
    /// The same in every direction.
    Omni,
    /// A main lobe and a floor (3GPP TR 36.814).
    Sector,
    /// A round aperture (Recommendation ITU-R F.699).
    Dish,
    /// As `points` or `file` has it.
    Pattern,
}

impl AntennaKind {
    fn name(self) -> &'static str {
        match self {
            AntennaKind::Omni => "omni",
            AntennaKind::Sector => "sector",
            AntennaKind::Dish => "dish",
            AntennaKind::Pattern => "pattern",
        }
    }
}

/// A sector's beam as in 3GPP TR 36.814, table A.2.1.1-2 \[degrees, dB\].
const VERTICAL_BEAM_WIDTH_DEG: f64 = 10.0;
const FRONT_TO_BACK_DB: f64 = 25.0;
/// Height of antennas that have none given \[m\]: a house's roof.
pub const HEIGHT_M: f64 = 10.0;
/// Points of a pattern at most: ten for each degree.
const MOST_POINTS: usize = 3600;

impl AntennaTable {
    /// Reads the file of the table of an interface of `members` nodes, at `place`, checks it and
    /// fills in defaults.
    ///
    /// # Errors
    /// The first key that is out of bounds, or another kind's.
    pub fn resolve(
        &mut self,
        place: &str,
        members: &[u32],
        remarks: &mut Remarks,
    ) -> Result<(), Error> {
        if let Some(name) = self.file.take() {
            let key = format!("{place}.file");
            if self.points.is_some() {
                return Err(Error::new(key, "cannot be given together with points"));
            }
            self.points = Some(table_file::read(&key, &name, remarks, points)?);
        }
        self.check(members)
            .map_err(|error| Error::new(format!("{place}.{}", error.key), error.fault))?;
        self.fill_in();
        Ok(())
    }

    fn check(&self, members: &[u32]) -> Result<(), ConfigError> {
        use AntennaKind::{Dish, Omni, Pattern, Sector};
        let wrong = |key, fault: String| Err(ConfigError::new(key, fault));
        let given = |value: Option<f64>| value.is_some();
        for (key, is_given, owners) in [
            ("beam_width_deg", given(self.beam_width_deg), &[Sector, Dish][..]),
            ("vertical_beam_width_deg", given(self.vertical_beam_width_deg), &[Sector]),
            ("front_to_back_db", given(self.front_to_back_db), &[Sector]),
            ("points", self.points.is_some(), &[Pattern]),
            ("gain_dbi", given(self.gain_dbi), &[Omni, Sector, Dish]),
        ] {
            if is_given && !owners.contains(&self.kind) {
                let owners: Vec<&str> = owners.iter().map(|owner| owner.name()).collect();
                let (owners, chosen) = (owners.join(" or "), self.kind.name());
                return wrong(
                    key,
                    format!("can be given only with kind {owners} (got {chosen:?})"),
                );
            }
        }
        for (key, value, low, high) in [
            ("gain_dbi", self.gain_dbi, -20.0, 60.0),
            ("beam_width_deg", self.beam_width_deg, 0.5, 360.0),
            ("vertical_beam_width_deg", self.vertical_beam_width_deg, 0.5, 180.0),
            ("front_to_back_db", self.front_to_back_db, 0.0, 100.0),
        ] {
            value.map_or(Ok(()), |value| within(key, value, low, high))?;
        }
        match (self.kind, self.gain_dbi, self.beam_width_deg) {
            (Sector, None, _) => {
                return wrong("gain_dbi", "is missing: a sector needs one".to_owned());
            }
            (Sector, _, None) => {
                return wrong("beam_width_deg", "is missing: a sector needs one".to_owned());
            }
            (Dish, None, None) => {
                let fault = "is missing: a dish needs it, or beam_width_deg";
                return wrong("gain_dbi", fault.to_owned());
            }
            (Dish, Some(_), Some(_)) => {
                let fault = "cannot be given together with gain_dbi: one follows from the other";
                return wrong("beam_width_deg", fault.to_owned());
            }
            (Dish, Some(gain_dbi), None) => within("gain_dbi", gain_dbi, 8.0, 48.0)?,
            (Dish, None, Some(width_deg)) => {
                within("beam_width_deg", width_deg, 0.7, 60.0)?;
            }
            _ => {}
        }
        self.check_points()?;
        if self.bearing_deg.is_some() && self.towards.is_some() {
            return wrong("towards", "cannot be given together with bearing_deg".to_owned());
        }
        for (key, values, low, high) in [
            ("bearing_deg", &self.bearing_deg, -360.0, 360.0),
            ("tilt_deg", &self.tilt_deg, -90.0, 90.0),
            ("height_m", &self.height_m, 0.0, 9000.0),
        ] {
            let Some(values) = values else { continue };
            values.check_count(key, members.len())?;
            values.values().iter().try_for_each(|&value| within(key, value, low, high))?;
        }
        match &self.towards {
            None => Ok(()),
            Some(nodes) => nodes.check_count("towards", members.len()),
        }
    }

    fn check_points(&self) -> Result<(), ConfigError> {
        let wrong = |fault: String| Err(ConfigError::new("points", fault));
        let points = match (&self.points, self.kind) {
            (None, AntennaKind::Pattern) => {
                return wrong("is missing: a pattern needs it, or file".to_owned());
            }
            (None, _) => return Ok(()),
            (Some(points), _) => points,
        };
        if !(2..=MOST_POINTS).contains(&points.len()) {
            return wrong(format!("must be 2 to {MOST_POINTS} points (got {})", points.len()));
        }
        if let Some([bearing, gain]) = points.iter().find(|[bearing, gain]| {
            !(0.0..360.0).contains(bearing) || !(-100.0..=60.0).contains(gain)
        }) {
            return wrong(format!(
                "must have bearings from 0 to below 360 and gains of -100 to 60 dBi (got [{bearing}, {gain}])"
            ));
        }
        match points.windows(2).find(|pair| pair[0][0] >= pair[1][0]) {
            None => Ok(()),
            Some(pair) => {
                wrong(format!("must have rising bearings (got {} then {})", pair[0][0], pair[1][0]))
            }
        }
    }

    fn fill_in(&mut self) {
        match self.kind {
            AntennaKind::Omni => _ = self.gain_dbi.get_or_insert(0.0),
            AntennaKind::Sector => {
                self.vertical_beam_width_deg.get_or_insert(VERTICAL_BEAM_WIDTH_DEG);
                self.front_to_back_db.get_or_insert(FRONT_TO_BACK_DB);
            }
            AntennaKind::Dish | AntennaKind::Pattern => {}
        }
        self.height_m.get_or_insert(PerNode::All(HEIGHT_M));
    }

    /// The antenna itself.
    pub fn antenna(&self) -> Antenna {
        // What a kind needs is there: it was checked, and filled in.
        let given = |value: Option<f64>| value.unwrap_or_default();
        match self.kind {
            AntennaKind::Omni => Antenna::omni(given(self.gain_dbi)),
            AntennaKind::Sector => {
                let sector = Sector {
                    beam_width_deg: given(self.beam_width_deg),
                    vertical_beam_width_deg: given(self.vertical_beam_width_deg),
                    front_to_back_db: given(self.front_to_back_db),
                };
                Antenna { pattern: Pattern::Sector(sector), gain_dbi: given(self.gain_dbi) }
            }
            AntennaKind::Dish => {
                let of_beam = || Dish::gain_of_beam(given(self.beam_width_deg));
                let gain_dbi = self.gain_dbi.unwrap_or_else(of_beam);
                Antenna { pattern: Pattern::Dish(Dish::with_gain(gain_dbi)), gain_dbi }
            }
            AntennaKind::Pattern => {
                let points = self.points.as_deref().unwrap_or_default();
                let peak_dbi = points.iter().map(|&[_, gain]| gain).fold(f64::MIN, f64::max);
                let relative = points.iter().map(|&[bearing, gain]| (bearing, gain - peak_dbi));
                let pattern = Pattern::Measured(relative.collect());
                Antenna { pattern, gain_dbi: peak_dbi }
            }
        }
    }

    /// How the antenna of `node`, the one at `place` of the interface's nodes, is aimed.
    pub fn aim(&self, place: usize, node: NodeId, positions: &[Position]) -> Aim {
        let of = |values: &Option<PerNode<f64>>, usual: f64| {
            values.as_ref().map_or(usual, |values| values.of(place))
        };
        let there = self.towards.as_ref().map(|nodes| &positions[nodes.of(place) as usize]);
        let towards_deg = there.map(|there| bearing_deg(&positions[node.index()], there));
        Aim {
            bearing_deg: towards_deg.unwrap_or_else(|| of(&self.bearing_deg, 0.0)),
            tilt_deg: of(&self.tilt_deg, 0.0),
            height_m: of(&self.height_m, HEIGHT_M),
        }
    }

    /// The nodes that it points at.
    pub fn targets(&self) -> &[u32] {
        self.towards.as_ref().map_or(&[], PerNode::values)
    }
}

/// The points of a pattern's file.
fn points(mut table: TableFile) -> Result<Vec<[f64; 2]>, Fault> {
    let [bearing, gain] = table.columns(["bearing_deg", "gain_dbi"])?;
    let mut points = Vec::new();
    for row in table.rows() {
        let row = row?;
        let bearing_deg = row.number(&bearing).ok_or_else(|| row.must_be(&bearing, "degrees"))?;
        let gain_dbi = row.number(&gain).ok_or_else(|| row.must_be(&gain, "dBi"))?;
        points.push([bearing_deg, gain_dbi]);
    }
    Ok(points)
}
