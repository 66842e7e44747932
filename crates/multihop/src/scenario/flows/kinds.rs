//! The kinds of flow: the keys of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::trace_file;
use crate::config::{ConfigError, Error, within};
use crate::kernel::Rng;
use crate::scenario::remarks::Remarks;
use crate::traffic::{
    Codec, Distribution, MAX_BYTES, MAX_OBJECTS, MAX_PACKET_BYTES, MAX_TIME_S, Messages, Pages,
};
use crate::transport::TcpConfig;

/// What a kind of flow says of itself.
pub(super) trait Kind {
    /// Checks its keys, but for those of its transport and of files.
    fn check(&self) -> Result<(), ConfigError>;

    /// The messages of the file that it names; none if it names none. An error's key is within the
    /// flow's table.
    fn messages(&self, _: &mut Remarks) -> Result<Messages, Error> {
        Ok(Messages::default())
    }

    /// What carries it.
    fn carrier(&self) -> Carrier<'_>;

    /// The keys of `[transport]` that differ for this flow.
    fn transport(&mut self) -> Option<&mut TcpConfig> {
        None
    }

    /// Whether data go back, too.
    fn is_two_way(&self) -> bool {
        false
    }

    /// The load of one flow; what is drawn when the network is built comes from `rng`.
    fn load(&self, rng: &mut Rng, messages: &Messages) -> FlowLoad;
}

/// What a flow carries.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowLoad {
    /// Data without end.
    Endless,
    /// What the flow before this one sends back over its connection.
    Answers,
    /// Constant bit rate.
    Cbr(Cbr),
    /// A file of so many bytes.
    File(u64),
    /// Bursts and silences.
    OnOff(OnOff),
    /// Requests and responses.
    RequestResponse(RequestResponse),
    /// Pages.
    Web(Web),
    /// A voice call.
    Voice(Voice),
    /// Messages at given times.
    Trace(Messages),
    /// What programs outside the simulation send.
    Programs,
}

/// What carries a flow's data, with the keys of `[transport]` that differ for this flow.
pub(super) enum Carrier<'a> {
    Tcp(Option<&'a TcpConfig>),
    Udp,
}

/// What carries a flow's data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// TCP.
    Tcp,
    /// UDP.
    #[default]
    Udp,
}

impl Over {
    fn check(self, transport: Option<&TcpConfig>) -> Result<(), ConfigError> {
        match (self, transport) {
            (Over::Udp, Some(_)) => {
                Err(ConfigError::new("transport", "can be given only with over = \"tcp\""))
            }
            _ => Ok(()),
        }
    }

    fn carrier(self, transport: Option<&TcpConfig>) -> Carrier<'_> {
        match self {
            Over::Tcp => Carrier::Tcp(transport),
            Over::Udp => Carrier::Udp,
        }
    }
}

/// TCP that always has data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ftp {
    /// Keys of `[transport]` that differ for this flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TcpConfig>,
}

impl Kind for Ftp {
    fn check(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    fn carrier(&self) -> Carrier<'_> {
        Carrier::Tcp(self.transport.as_ref())
    }

    fn transport(&mut self) -> Option<&mut TcpConfig> {
        self.transport.as_mut()
    }

    fn load(&self, _: &mut Rng, _: &Messages) -> FlowLoad {
        FlowLoad::Endless
    }
}

/// Constant bit rate over UDP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cbr {
    /// Payload of a packet (bytes).
    pub packet_bytes: u32,
    /// Rate of the payload (bit/s).
    pub rate_bps: f64,
}

/// More make a run that does not get on.
const MOST_PACKETS_PER_S: f64 = 1e6;

fn check_packets(packet_bytes: u32, rate_bps: f64) -> Result<(), ConfigError> {
    if !(1..=MAX_PACKET_BYTES).contains(&packet_bytes) {
        let fault = format!("must be 1 to {MAX_PACKET_BYTES} (got {packet_bytes})");
        return Err(ConfigError::new("packet_bytes", fault));
    }
    let most = f64::from(packet_bytes) * 8.0 * MOST_PACKETS_PER_S;
    match (1.0..=most).contains(&rate_bps) {
        true => Ok(()),
        false => {
            let why = format!("{MOST_PACKETS_PER_S} packets of {packet_bytes} bytes a second");
            let fault = format!("must be 1 to {most}, {why} (got {rate_bps})");
            Err(ConfigError::new("rate_bps", fault))
        }
    }
}

impl Kind for Cbr {
    fn check(&self) -> Result<(), ConfigError> {
        check_packets(self.packet_bytes, self.rate_bps)
    }

    fn carrier(&self) -> Carrier<'_> {
        Carrier::Udp
    }

    fn load(&self, _: &mut Rng, _: &Messages) -> FlowLoad {
        FlowLoad::Cbr(self.clone())
    }
}

/// A file over TCP: the flow is over when it has arrived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Size, drawn for each flow (bytes).
    pub bytes: Distribution,
    /// Keys of `[transport]` that differ for this flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TcpConfig>,
}

/// Checks the sizes that `key` draws.
fn check_bytes(key: &'static str, bytes: &Distribution) -> Result<(), ConfigError> {
    bytes.check(key, 1.0, MAX_BYTES as f64)
}

impl Kind for File {
    fn check(&self) -> Result<(), ConfigError> {
        check_bytes("bytes", &self.bytes)
    }

    fn carrier(&self) -> Carrier<'_> {
        Carrier::Tcp(self.transport.as_ref())
    }

    fn transport(&mut self) -> Option<&mut TcpConfig> {
        self.transport.as_mut()
    }

    fn load(&self, rng: &mut Rng, _: &Messages) -> FlowLoad {
        FlowLoad::File(self.bytes.draw_whole(rng, 1, MAX_BYTES))
    }
}

/// Packets at a constant rate, on and off in turn, over UDP or TCP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Payload of a packet (bytes); over TCP the length of a message.
    pub packet_bytes: u32,
    /// Rate of the payload while on (bit/s).
    pub rate_bps: f64,
    /// How long it is on (s).
    pub on_s: Distribution,
    /// How long it is off (s).
    pub off_s: Distribution,
    /// What carries it.
    #[serde(default)]
    pub over: Over,
    /// Keys of `[transport]` that differ for this flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TcpConfig>,
}

impl Kind for OnOff {
    fn check(&self) -> Result<(), ConfigError> {
        check_packets(self.packet_bytes, self.rate_bps)?;
        self.on_s.check("on_s", 1e-6, MAX_TIME_S)?;
        self.off_s.check("off_s", 0.0, MAX_TIME_S)?;
        self.over.check(self.transport.as_ref())
    }

    fn carrier(&self) -> Carrier<'_> {
        self.over.carrier(self.transport.as_ref())
    }

    fn transport(&mut self) -> Option<&mut TcpConfig> {
        self.transport.as_mut()
    }

    fn load(&self, _: &mut Rng, _: &Messages) -> FlowLoad {
        FlowLoad::OnOff(self.clone())
    }
}

/// A client at the source that asks, and a server at the destination that answers, over one TCP
/// connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestResponse {
    /// Size of a request (bytes).
    pub request_bytes: Distribution,
    /// Size of a response (bytes).
    pub response_bytes: Distribution,
    /// From a response to the next request (s).
    #[serde(default = "at_once")]
    pub think_s: Distribution,
    /// Requests until the flow is over; by default without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u32>,
    /// Keys of `[transport]` that differ for this flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TcpConfig>,
}

fn at_once() -> Distribution {
    Distribution::Constant(0.0)
}

impl Kind for RequestResponse {
    fn check(&self) -> Result<(), ConfigError> {
        check_bytes("request_bytes", &self.request_bytes)?;
        check_bytes("response_bytes", &self.response_bytes)?;
        self.think_s.check("think_s", 0.0, MAX_TIME_S)?;
        match self.requests {
            Some(0) => Err(ConfigError::new("requests", "must be 1 or more (got 0)")),
            _ => Ok(()),
        }
    }

    fn carrier(&self) -> Carrier<'_> {
        Carrier::Tcp(self.transport.as_ref())
    }

    fn transport(&mut self) -> Option<&mut TcpConfig> {
        self.transport.as_mut()
    }

    fn is_two_way(&self) -> bool {
        true
    }

    fn load(&self, _: &mut Rng, _: &Messages) -> FlowLoad {
        FlowLoad::RequestResponse(self.clone())
    }
}

/// A reader at the source who loads pages from a server at the destination, over one TCP
/// connection. The defaults are those of the HTTP model of 3GPP TR 25.892 and 3GPP2 C.R1002.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Web {
    /// Size of a request (bytes).
    pub request_bytes: Distribution,
    /// Size of a page's main object (bytes).
    pub main_bytes: Distribution,
    /// Size of an embedded object (bytes).
    pub object_bytes: Distribution,
    /// Embedded objects of a page, rounded down. Default: Pareto of shape 1.1 from 2 to 55, less 2;
    /// what is drawn above 55 counts as 55.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<Distribution>,
    /// From the arrival of a main object to the requests for the embedded ones (s).
    pub parsing_s: Distribution,
    /// From a complete page to the request for the next (s).
    pub reading_s: Distribution,
    /// Keys of `[transport]` that differ for this flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<TcpConfig>,
}

impl Default for Web {
    fn default() -> Web {
        let Pages { request_bytes, main_bytes, object_bytes, objects, parsing_s, reading_s } =
            Pages::default();
        let transport = None;
        Web { request_bytes, main_bytes, object_bytes, objects, parsing_s, reading_s, transport }
    }
}

impl Web {
    /// What the pages are like.
    pub(super) fn pages(&self) -> Pages {
        Pages {
            request_bytes: self.request_bytes.clone(),
            main_bytes: self.main_bytes.clone(),
            object_bytes: self.object_bytes.clone(),
            objects: self.objects.clone(),
            parsing_s: self.parsing_s.clone(),
            reading_s: self.reading_s.clone(),
        }
    }
}

impl Kind for Web {
    fn check(&self) -> Result<(), ConfigError> {
        check_bytes("request_bytes", &self.request_bytes)?;
        check_bytes("main_bytes", &self.main_bytes)?;
        check_bytes("object_bytes", &self.object_bytes)?;
        if let Some(objects) = &self.objects {
            objects.check("objects", 0.0, MAX_OBJECTS)?;
        }
        self.parsing_s.check("parsing_s", 0.0, MAX_TIME_S)?;
        self.reading_s.check("reading_s", 0.0, MAX_TIME_S)
    }

    fn carrier(&self) -> Carrier<'_> {
        Carrier::Tcp(self.transport.as_ref())
    }

    fn transport(&mut self) -> Option<&mut TcpConfig> {
        self.transport.as_mut()
    }

    fn is_two_way(&self) -> bool {
        true
    }

    fn load(&self, _: &mut Rng, _: &Messages) -> FlowLoad {
        FlowLoad::Web(self.clone())
    }
}

/// A voice call, one direction of it: a packet every 20 ms over RTP and UDP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    /// How speech is coded.
    #[serde(default)]
    pub codec: Codec,
    /// From when a packet is sent to when it is played; a later one is lost (s).
    #[serde(default = "playout_s")]
    pub playout_s: f64,
}

fn playout_s() -> f64 {
    0.15
}

impl Kind for Voice {
    fn check(&self) -> Result<(), ConfigError> {
        within("playout_s", self.playout_s, 0.0, 10.0)
    }

    fn carrier(&self) -> Carrier<'_> {
        Carrier::Udp
    }

    fn load(&self, _: &mut Rng, _: &Messages) -> FlowLoad {
        FlowLoad::Voice(self.clone())
    }
}

/// Messages at the times of a file, over TCP or UDP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// A file of comma-separated values with the columns `time_s`, from the flow's start on, and
    /// `bytes`, of a message over TCP, of a packet over UDP. A relative name is relative to the
    /// scenario's folder.
    pub file: String,
    /// What carries it.
    #[serde(default)]
    pub over: Over,
    /// Keys of `[transport]` that differ for this flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TcpConfig>,
}

impl Kind for Trace {
    fn check(&self) -> Result<(), ConfigError> {
        self.over.check(self.transport.as_ref())
    }

    fn messages(&self, remarks: &mut Remarks) -> Result<Messages, Error> {
        let most = if self.over == Over::Tcp { MAX_BYTES } else { MAX_PACKET_BYTES.into() };
        trace_file::read(&self.file, most, remarks)
    }

    fn carrier(&self) -> Carrier<'_> {
        self.over.carrier(self.transport.as_ref())
    }

    fn transport(&mut self) -> Option<&mut TcpConfig> {
        self.transport.as_mut()
    }

    fn load(&self, _: &mut Rng, messages: &Messages) -> FlowLoad {
        FlowLoad::Trace(messages.clone())
    }
}
