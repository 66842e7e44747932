// Fixed nodes with a routing protocol or static routes, NewReno or UDP on stock ns-3.44: the counterpart of
// ns2.tcl. Prints "flow INDEX packets" for each flow, then "routing PACKETS BYTES" (IP headers included; of HWMP
// frames without MAC header and check sequence) and "events COUNT", of OLSR also "messages HELLOS TCS FORWARDED", of
// HWMP "messages BEACONS PEERING PREQS PREPS PERRS"; with --arrivals also "arrival INDEX TIME HOPS" for each UDP
// packet that arrives. Lengths in metres, times in seconds.
//
// Kept as ns-3 has them, since it offers no counterpart: AODV's and the retransmission timer's own
// parameters, one retry limit for frames of any length, reception by signal to interference ratio,
// the traffic control layer above the interface queue. Packets have no lifetime in the interface queue,
// since ours have none.
#include "ns3/aodv-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/dsdv-module.h"
#include "ns3/internet-module.h"
#include "ns3/mesh-helper.h"
#include "ns3/mgt-action-headers.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/olsr-module.h"
#include "ns3/propagation-module.h"
#include "ns3/wifi-module.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double TRANSMIT_POWER_DBM = 24.499998; // 0.28183815 W
constexpr uint16_t FIRST_PORT = 5000;
constexpr uint8_t UDP = 17;
constexpr double OUT_OF_REACH = 1e7; // where a node is that has been killed

// The UDP ports of the routing protocols.
const std::map<std::string, uint16_t> ROUTING_PORTS = {{"aodv", 654}, {"olsr", 698}, {"dsdv", 269}, {"hwmp", 0}};

struct Flow
{
    uint32_t source;
    uint32_t destination;
    double start;
    double stop;
    double interval; // between UDP packets; 0 for TCP
    uint32_t tos;    // of UDP packets: their access category
};

struct Options
{
    std::string nodes = "nodes.txt";
    std::string flows = "flows.txt";
    std::string dataMode = "DsssRate2Mbps";
    std::string controlMode = "DsssRate1Mbps";
    std::string manager = "ConstantRate";
    std::string standard = "80211b";
    std::string channel;
    std::string losses; // a file with a line "node node loss" each; by distance if empty
    std::string routes; // a file with a line "node destination next kind" each; `routing` if empty
    std::string stations; // a file with a line "node kind" each, of radios on channels apart; one a node if empty
    std::string routing = "aodv";
    std::string attributes; // of OLSR, DSDV or HWMP: NAME=VALUE, by commas
    std::string kills; // NODE:TIME, by commas
    bool arrivals = false;
    double exponent = 0; // of the log-distance model; two-ray ground if 0
    double referenceLoss = 0;
    double power = TRANSMIT_POWER_DBM;
    double noiseFigure = 7;
    uint32_t guard = 800; // ns
    uint32_t streams = 1;
    uint32_t blockAck = 64; // window of block acknowledgments, MPDUs
    std::string edca;     // NAME:AIFSN:CWMIN:CWMAX:TXOP of each category, microseconds, by commas
    uint32_t aggregate = 0; // bytes of an A-MPDU
    uint32_t rts = 0;
    double receiveThresholdDbm = -64.37;
    double senseThresholdDbm = -78.07;
    double duration = 101;
    uint32_t seed = 1;
    uint32_t segment = 1460;
    uint32_t window = 8;
    uint32_t retryLimit = 7;
    uint32_t queue = 50;
};

Options
ReadOptions(int argc, char** argv)
{
    Options options;
    CommandLine command;
    command.AddValue("nodes", "file with a line \"x y\" a node", options.nodes);
    command.AddValue("flows", "file with a line \"source destination start stop interval tos\" a flow", options.flows);
    command.AddValue("data", "mode of unicast data frames", options.dataMode);
    command.AddValue("control", "mode of control and broadcast frames", options.controlMode);
    command.AddValue("manager", "ConstantRate, Minstrel, MinstrelHt or Ideal", options.manager);
    command.AddValue("standard", "80211b, 80211a, 80211g, 80211n, 80211ac or 80211ax", options.standard);
    command.AddValue("channel", "channel settings", options.channel);
    command.AddValue("losses", "file with a line \"node node loss\" a link, dB", options.losses);
    command.AddValue("routes", "file with a line \"node destination next kind\" a static route", options.routes);
    command.AddValue("stations", "file with a line \"node kind\" a radio", options.stations);
    command.AddValue("routing", "aodv, olsr, dsdv or hwmp, without static routes", options.routing);
    command.AddValue("attributes", "NAME=VALUE of the routing protocol, by commas", options.attributes);
    command.AddValue("kills", "NODE:TIME, by commas: nodes out of reach from then on", options.kills);
    command.AddValue("arrivals", "print each UDP packet's arrival", options.arrivals);
    command.AddValue("exponent", "path loss exponent; 0 for two-ray ground", options.exponent);
    command.AddValue("referenceLoss", "loss over 1 m, dB", options.referenceLoss);
    command.AddValue("power", "transmit power, dBm", options.power);
    command.AddValue("noiseFigure", "noise figure, dB", options.noiseFigure);
    command.AddValue("guard", "guard interval, ns", options.guard);
    command.AddValue("streams", "spatial streams", options.streams);
    command.AddValue("blockAck", "MPDUs that a BlockAck tells of", options.blockAck);
    command.AddValue("edca", "NAME:AIFSN:CWMIN:CWMAX:TXOP of each access category, by commas", options.edca);
    command.AddValue("aggregate", "most bytes of an A-MPDU; 0 for none", options.aggregate);
    command.AddValue("rts", "frames from this size on have an RTS", options.rts);
    command.AddValue("receive", "least power at which frames are received, dBm", options.receiveThresholdDbm);
    command.AddValue("sense", "least power at which the medium is busy, dBm", options.senseThresholdDbm);
    command.AddValue("duration", "end of the run", options.duration);
    command.AddValue("seed", "run number of the random streams", options.seed);
    command.AddValue("segment", "bytes of a TCP segment", options.segment);
    command.AddValue("window", "receiver's window, segments", options.window);
    command.AddValue("retries", "retry limit of frames", options.retryLimit);
    command.AddValue("queue", "packets in the interface queue", options.queue);
    command.Parse(argc, argv);
    return options;
}

std::vector<std::pair<std::string, std::string>>
ReadPairs(const std::string& text, char between)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');)
    {
        const auto place = word.find(between);
        pairs.emplace_back(word.substr(0, place), word.substr(place + 1));
    }
    return pairs;
}

void
SetDefaults(const Options& options)
{
    RngSeedManager::SetRun(options.seed);
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(options.rts));
    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
    Config::SetDefault("ns3::WifiMac::MpduBufferSize", UintegerValue(options.blockAck));
    Config::SetDefault("ns3::WifiMac::FrameRetryLimit", UintegerValue(options.retryLimit));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize",
                       QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, options.queue)));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(2 * options.duration)));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(options.segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(options.window * options.segment));
    Config::SetDefault("ns3::TcpSocket::SndBufSize",
                       UintegerValue(8 * options.window * options.segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    for (const auto& [name, value] : ReadPairs(options.routing == "hwmp" ? options.attributes : "", '='))
    {
        Config::SetDefault("ns3::" + name, StringValue(value));
    }
}

NodeContainer
PlaceNodes(const std::string& file)
{
    auto positions = CreateObject<ListPositionAllocator>();
    NodeContainer nodes;
    std::ifstream lines(file);
    for (double x, y; lines >> x >> y;)
    {
        positions->Add(Vector(x, y, 0));
        nodes.Create(1);
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
    return nodes;
}

// The losses given, the same both ways; pairs without one do not hear each other.
Ptr<YansWifiChannel>
ChannelOfLosses(const NodeContainer& nodes, const std::string& file)
{
    auto losses = CreateObject<MatrixPropagationLossModel>();
    std::ifstream lines(file);
    uint32_t a, b;
    for (double loss; lines >> a >> b >> loss;)
    {
        losses->SetLoss(nodes.Get(a)->GetObject<MobilityModel>(),
                        nodes.Get(b)->GetObject<MobilityModel>(),
                        loss,
                        true);
    }
    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationLossModel(losses);
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    return channel;
}

void
SetChannel(YansWifiPhyHelper& phy, const NodeContainer& nodes, const Options& options)
{
    if (!options.losses.empty())
    {
        phy.SetChannel(ChannelOfLosses(nodes, options.losses));
        return;
    }
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    if (options.exponent == 0)
    {
        channel.AddPropagationLoss("ns3::TwoRayGroundPropagationLossModel",
                                   "Frequency",
                                   DoubleValue(914e6),
                                   "HeightAboveZ",
                                   DoubleValue(1.5));
    }
    else
    {
        channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                                   "Exponent",
                                   DoubleValue(options.exponent),
                                   "ReferenceLoss",
                                   DoubleValue(options.referenceLoss));
    }
    phy.SetChannel(channel.Create());
}

// Reception by the error rates of NIST's model, or by the two thresholds of the papers' radio.
void
SetReception(YansWifiPhyHelper& phy, const Options& options)
{
    phy.Set("TxPowerStart", DoubleValue(options.power));
    phy.Set("TxPowerEnd", DoubleValue(options.power));
    if (options.exponent == 0)
    {
        phy.Set("RxSensitivity", DoubleValue(options.receiveThresholdDbm));
        phy.Set("CcaEdThreshold", DoubleValue(options.senseThresholdDbm));
        return;
    }
    phy.Set("ChannelSettings", StringValue(options.channel));
    phy.Set("RxNoiseFigure", DoubleValue(options.noiseFigure));
    phy.Set("Antennas", UintegerValue(options.streams));
    phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(options.streams));
    phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(options.streams));
    phy.SetErrorRateModel("ns3::NistErrorRateModel");
}

void
SetRates(WifiHelper& wifi, const Options& options)
{
    const std::map<std::string, WifiStandard> standards = {{"80211b", WIFI_STANDARD_80211b},
                                                           {"80211a", WIFI_STANDARD_80211a},
                                                           {"80211g", WIFI_STANDARD_80211g},
                                                           {"80211n", WIFI_STANDARD_80211n},
                                                           {"80211ac", WIFI_STANDARD_80211ac},
                                                           {"80211ax", WIFI_STANDARD_80211ax}};
    wifi.SetStandard(standards.at(options.standard));
    const std::string manager = "ns3::" + options.manager + "WifiManager";
    const StringValue control(options.controlMode);
    if (options.manager != "ConstantRate")
    {
        wifi.SetRemoteStationManager(manager, "NonUnicastMode", control);
        return;
    }
    const StringValue data(options.dataMode);
    wifi.SetRemoteStationManager(manager, "DataMode", data, "ControlMode", control, "NonUnicastMode", control);
}

// The access categories' parameters; without them best effort waits DIFS, as DCF does, one slot less than its own.
void
SetCategories(Ptr<WifiMac> mac, const Options& options)
{
    const std::map<std::string, AcIndex> categories = {{"VO", AC_VO}, {"VI", AC_VI}, {"BE", AC_BE}, {"BK", AC_BK}};
    if (options.edca.empty())
    {
        mac->GetQosTxop(AC_BE)->SetAifsn(2);
        mac->GetQosTxop(AC_BE)->SetTxopLimit(Time(0));
    }
    for (const auto& [name, values] : ReadPairs(options.edca, ':'))
    {
        std::istringstream numbers(values);
        std::array<uint32_t, 4> number{};
        for (auto& value : number)
        {
            std::string word;
            std::getline(numbers, word, ':');
            value = std::stoul(word);
        }
        const auto txop = mac->GetQosTxop(categories.at(name));
        txop->SetAifsn(number[0]);
        txop->SetMinCw(number[1]);
        txop->SetMaxCw(number[2]);
        txop->SetTxopLimit(MicroSeconds(number[3]));
    }
}

// Mesh points of 802.11s at fixed rates, whose best effort waits DIFS as DCF does.
NetDeviceContainer
InstallMesh(const YansWifiPhyHelper& phy, const NodeContainer& nodes, const Options& options)
{
    MeshHelper mesh = MeshHelper::Default();
    mesh.SetStackInstaller("ns3::Dot11sStack");
    mesh.SetStandard(WIFI_STANDARD_80211a);
    const StringValue data(options.dataMode), control(options.controlMode);
    mesh.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", data, "ControlMode", control, "NonUnicastMode", control);
    const auto devices = mesh.Install(phy, nodes);
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        const auto point = DynamicCast<MeshPointDevice>(*device);
        DynamicCast<WifiNetDevice>(point->GetInterfaces().at(0))->GetMac()->GetQosTxop(AC_BE)->SetAifsn(2);
    }
    return devices;
}

NetDeviceContainer
InstallRadios(const NodeContainer& nodes, const Options& options)
{
    YansWifiPhyHelper phy;
    SetChannel(phy, nodes, options);
    SetReception(phy, options);
    if (options.routing == "hwmp")
    {
        return InstallMesh(phy, nodes, options);
    }
    WifiHelper wifi;
    SetRates(wifi, options);
    wifi.ConfigHeOptions("GuardInterval", TimeValue(NanoSeconds(std::max(options.guard, 800U))));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    for (const std::string category : {"VO", "VI", "BE", "BK"})
    {
        Config::SetDefault("ns3::WifiMac::" + category + "_MaxAmpduSize", UintegerValue(options.aggregate));
        Config::SetDefault("ns3::WifiMac::" + category + "_MaxAmsduSize", UintegerValue(0));
    }
    const auto devices = wifi.Install(phy, mac, nodes);
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        const auto wifiDevice = DynamicCast<WifiNetDevice>(*device);
        if (const auto ht = wifiDevice->GetHtConfiguration())
        {
            ht->SetAttribute("ShortGuardIntervalSupported", BooleanValue(options.guard < 800));
            SetCategories(wifiDevice->GetMac(), options);
        }
    }
    return devices;
}

// The radios of a channel.
struct Kind
{
    NodeContainer nodes;
    NetDeviceContainer devices;
};

std::vector<Kind>
InstallKinds(const NodeContainer& nodes, const Options& options)
{
    std::vector<Kind> kinds(options.stations.empty() ? 1 : 0);
    if (options.stations.empty())
    {
        kinds[0].nodes = nodes;
    }
    std::ifstream lines(options.stations);
    for (uint32_t node, kind; lines >> node >> kind;)
    {
        kinds.resize(std::max<size_t>(kinds.size(), kind + 1));
        kinds[kind].nodes.Add(nodes.Get(node));
    }
    for (auto& kind : kinds)
    {
        kind.devices = InstallRadios(kind.nodes, options);
    }
    return kinds;
}

void
SetRouting(InternetStackHelper& internet, const Options& options)
{
    AodvHelper aodv;
    OlsrHelper olsr;
    DsdvHelper dsdv;
    for (const auto& [name, value] : ReadPairs(options.routing == "hwmp" ? "" : options.attributes, '='))
    {
        const StringValue text(value);
        options.routing == "olsr" ? olsr.Set(name, text) : dsdv.Set(name, text);
    }
    if (!options.routes.empty())
    {
        internet.SetRoutingHelper(Ipv4StaticRoutingHelper());
    }
    else if (options.routing == "olsr")
    {
        internet.SetRoutingHelper(olsr);
    }
    else if (options.routing == "dsdv")
    {
        internet.SetRoutingHelper(dsdv);
    }
    else if (options.routing == "aodv")
    {
        internet.SetRoutingHelper(aodv);
    }
}

// Returns each node's first address.
std::vector<Ipv4Address>
InstallInternet(const NodeContainer& nodes, const std::vector<Kind>& kinds, const Options& options)
{
    InternetStackHelper internet;
    Ipv4StaticRoutingHelper given;
    SetRouting(internet, options);
    internet.Install(nodes);
    std::vector<Ipv4Address> first(nodes.GetN());
    std::map<std::pair<uint32_t, size_t>, std::pair<Ipv4Address, uint32_t>> interfaces; // by node and kind
    for (size_t kind = 0; kind < kinds.size(); ++kind)
    {
        Ipv4AddressHelper addresses;
        addresses.SetBase(("10." + std::to_string(kind) + ".0.0").c_str(), "255.255.0.0");
        const auto assigned = addresses.Assign(kinds[kind].devices);
        for (uint32_t place = 0; place < assigned.GetN(); ++place)
        {
            const auto node = kinds[kind].nodes.Get(place)->GetId();
            const auto address = assigned.GetAddress(place);
            interfaces[{node, kind}] = {address, assigned.Get(place).second};
            if (first[node] == Ipv4Address())
            {
                first[node] = address;
            }
        }
    }
    if (!options.routes.empty() || options.routing == "hwmp")
    {
        NeighborCacheHelper().PopulateNeighborCache(); // no ARP
    }
    std::ifstream lines(options.routes);
    for (uint32_t node, destination, next, kind; lines >> node >> destination >> next >> kind;)
    {
        given.GetStaticRouting(nodes.Get(node)->GetObject<Ipv4>())
            ->AddHostRouteTo(first[destination], interfaces.at({next, kind}).first, interfaces.at({node, kind}).second);
    }
    return first;
}

std::vector<Ptr<PacketSink>>
InstallFlows(const NodeContainer& nodes, const std::vector<Ipv4Address>& addresses, const Options& options)
{
    std::vector<Ptr<PacketSink>> sinks;
    std::ifstream lines(options.flows);
    uint16_t port = FIRST_PORT;
    for (Flow flow; lines >> flow.source >> flow.destination >> flow.start >> flow.stop >> flow.interval >> flow.tos; ++port)
    {
        const bool isUdp = flow.interval > 0;
        const std::string factory = isUdp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory";
        PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(nodes.Get(flow.destination)).Get(0)));
        const InetSocketAddress to(addresses.at(flow.destination), port);
        ApplicationContainer sender;
        if (isUdp)
        {
            UdpClientHelper client(to);
            client.SetAttribute("Interval", TimeValue(Seconds(flow.interval)));
            client.SetAttribute("MaxPackets", UintegerValue(0));
            client.SetAttribute("PacketSize", UintegerValue(options.segment));
            client.SetAttribute("Tos", UintegerValue(flow.tos));
            sender = client.Install(nodes.Get(flow.source));
        }
        else
        {
            BulkSendHelper bulk(factory, to);
            bulk.SetAttribute("SendSize", UintegerValue(options.segment));
            sender = bulk.Install(nodes.Get(flow.source));
        }
        sender.Start(Seconds(flow.start));
        sender.Stop(Seconds(flow.stop));
    }
    return sinks;
}

// The routing protocol's packets that nodes send which are in reach.
struct Control
{
    uint16_t port;
    uint64_t packets = 0;
    uint64_t bytes = 0;

    void Count(Ptr<const Packet> packet, Ptr<Ipv4> sender, uint32_t)
    {
        if (sender->GetObject<MobilityModel>()->GetPosition().y >= OUT_OF_REACH)
        {
            return;
        }
        const auto copy = packet->Copy();
        Ipv4Header ip;
        UdpHeader udp;
        copy->RemoveHeader(ip);
        if (ip.GetProtocol() == UDP && copy->PeekHeader(udp) && udp.GetDestinationPort() == port)
        {
            ++packets;
            bytes += packet->GetSize();
        }
    }
};

// OLSR's messages, by what they are.
struct Messages
{
    uint64_t hellos = 0;
    uint64_t tcs = 0;
    uint64_t forwarded = 0;

    void Count(const olsr::PacketHeader&, const olsr::MessageList& messages)
    {
        for (const auto& message : messages)
        {
            const bool isTc = message.GetMessageType() == olsr::MessageHeader::TC_MESSAGE;
            const bool isOwn = message.GetHopCount() == 0;
            ++(!isTc ? hellos : isOwn ? tcs : forwarded);
        }
    }
};

// The frames of a mesh, each attempt but a node's first left out; and who has sent which packet.
struct Frames
{
    enum Kind { BEACON, PEERING, PREQ, PREP, PERR, OTHER };

    std::array<uint64_t, OTHER + 1> of{};
    uint64_t packets = 0;
    uint64_t bytes = 0;
    std::map<uint64_t, std::set<uint32_t>> senders;

    static Kind KindOf(Ptr<Packet> body, const WifiMacHeader& mac)
    {
        WifiActionHeader action;
        if (mac.IsBeacon())
        {
            return BEACON;
        }
        if (!mac.IsAction() || !body->RemoveHeader(action))
        {
            return OTHER;
        }
        if (action.GetCategory() == WifiActionHeader::SELF_PROTECTED)
        {
            return PEERING;
        }
        uint8_t element = 0;
        body->CopyData(&element, 1);
        const std::map<uint8_t, Kind> elements = {{130, PREQ}, {131, PREP}, {132, PERR}};
        return elements.contains(element) ? elements.at(element) : OTHER;
    }

    void Count(uint32_t node, Ptr<const Packet> packet)
    {
        const auto body = packet->Copy();
        WifiMacHeader mac;
        WifiMacTrailer check;
        body->RemoveHeader(mac);
        body->RemoveTrailer(check);
        const bool isControl = mac.IsBeacon() || mac.IsAction();
        if ((!isControl && !mac.IsData()) || !senders[packet->GetUid()].insert(node).second || !isControl)
        {
            return;
        }
        ++packets;
        bytes += body->GetSize();
        ++of.at(KindOf(body, mac));
    }
};

void
PrintMeshArrival(Frames* frames, const Ipv4Header& ip, Ptr<const Packet> packet, uint32_t)
{
    UdpHeader udp;
    if (ip.GetProtocol() == UDP && packet->PeekHeader(udp) && udp.GetDestinationPort() >= FIRST_PORT)
    {
        std::cout << "arrival " << udp.GetDestinationPort() - FIRST_PORT << " " << Simulator::Now().GetSeconds() << " "
                  << frames->senders[packet->GetUid()].size() << "\n";
    }
}

void
PrintArrival(const Ipv4Header& ip, Ptr<const Packet> packet, uint32_t)
{
    UdpHeader udp;
    if (ip.GetProtocol() != UDP || !packet->PeekHeader(udp) || udp.GetDestinationPort() < FIRST_PORT)
    {
        return;
    }
    const int hops = 64 - ip.GetTtl() + 1;
    std::cout << "arrival " << udp.GetDestinationPort() - FIRST_PORT << " " << Simulator::Now().GetSeconds()
              << " " << hops << "\n";
}

void
KillNodes(const NodeContainer& nodes, const std::string& kills)
{
    for (const auto& [node, time] : ReadPairs(kills, ':'))
    {
        const auto index = std::stoul(node);
        const auto place = nodes.Get(index)->GetObject<MobilityModel>();
        const Vector away(OUT_OF_REACH * (index + 1), OUT_OF_REACH, 0);
        Simulator::Schedule(Seconds(std::stod(time)), &MobilityModel::SetPosition, place, away);
    }
}

} // namespace

int
main(int argc, char** argv)
{
    const Options options = ReadOptions(argc, argv);
    SetDefaults(options);
    const NodeContainer nodes = PlaceNodes(options.nodes);
    const auto kinds = InstallKinds(nodes, options);
    const auto sinks = InstallFlows(nodes, InstallInternet(nodes, kinds, options), options);
    Messages messages;
    Frames frames;
    Control control{ROUTING_PORTS.at(options.routing)};
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto ip = (*node)->GetObject<Ipv4L3Protocol>();
        ip->TraceConnectWithoutContext("Tx", MakeCallback(&Control::Count, &control));
        if (const auto olsr = (*node)->GetObject<olsr::RoutingProtocol>())
        {
            olsr->TraceConnectWithoutContext("Tx", MakeCallback(&Messages::Count, &messages));
        }
        if (const auto point = DynamicCast<MeshPointDevice>((*node)->GetDevice(0)))
        {
            const auto phy = DynamicCast<WifiNetDevice>(point->GetInterfaces().at(0))->GetPhy();
            const auto id = (*node)->GetId();
            phy->TraceConnectWithoutContext(
                "PhyTxBegin",
                Callback<void, Ptr<const Packet>, double>(
                    [&frames, id](Ptr<const Packet> packet, double) { frames.Count(id, packet); }));
        }
        if (options.arrivals && options.routing == "hwmp")
        {
            ip->TraceConnectWithoutContext("LocalDeliver", MakeBoundCallback(&PrintMeshArrival, &frames));
        }
        else if (options.arrivals)
        {
            ip->TraceConnectWithoutContext("LocalDeliver", MakeCallback(&PrintArrival));
        }
    }
    KillNodes(nodes, options.kills);
    Simulator::Stop(Seconds(options.duration));
    Simulator::Run();
    for (size_t index = 0; index < sinks.size(); ++index)
    {
        std::cout << "flow " << index << " " << sinks[index]->GetTotalRx() / options.segment << "\n";
    }
    std::cout << "routing " << control.packets + frames.packets << " " << control.bytes + frames.bytes << "\n";
    if (options.routing == "olsr")
    {
        std::cout << "messages " << messages.hellos << " " << messages.tcs << " " << messages.forwarded << "\n";
    }
    if (options.routing == "hwmp")
    {
        std::cout << "messages";
        for (int kind = Frames::BEACON; kind <= Frames::PERR; ++kind)
        {
            std::cout << " " << frames.of.at(kind);
        }
        std::cout << "\n";
    }
    std::cout << "events " << Simulator::GetEventCount() << "\n";
    Simulator::Destroy();
}
