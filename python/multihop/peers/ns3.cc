// Fixed nodes with AODV, NewReno and bulk flows on stock ns-3.44: the counterpart of ns2.tcl.
// Prints "flow INDEX segments" for each flow, then "events COUNT". Lengths in metres, times in seconds.
//
// Kept as ns-3 has them, since it offers no counterpart: AODV's and the retransmission timer's own
// parameters, one retry limit for frames of any length, reception by signal to interference ratio,
// the traffic control layer above the interface queue.
#include "ns3/aodv-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/wifi-module.h"

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double TRANSMIT_POWER_DBM = 24.499998; // 0.28183815 W
constexpr uint16_t FIRST_PORT = 5000;

struct Flow
{
    uint32_t source;
    uint32_t destination;
    double start;
    double stop;
};

struct Options
{
    std::string nodes = "nodes.txt";
    std::string flows = "flows.txt";
    std::string dataMode = "DsssRate2Mbps";
    std::string controlMode = "DsssRate1Mbps";
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
    command.AddValue("flows", "file with a line \"source destination start stop\" a flow", options.flows);
    command.AddValue("data", "mode of unicast data frames", options.dataMode);
    command.AddValue("control", "mode of control and broadcast frames", options.controlMode);
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

void
SetDefaults(const Options& options)
{
    RngSeedManager::SetRun(options.seed);
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(0));
    Config::SetDefault("ns3::WifiMac::FrameRetryLimit", UintegerValue(options.retryLimit));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize",
                       QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, options.queue)));
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

NetDeviceContainer
InstallRadios(const NodeContainer& nodes, const Options& options)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::TwoRayGroundPropagationLossModel",
                               "Frequency",
                               DoubleValue(914e6),
                               "HeightAboveZ",
                               DoubleValue(1.5));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("TxPowerStart", DoubleValue(TRANSMIT_POWER_DBM));
    phy.Set("TxPowerEnd", DoubleValue(TRANSMIT_POWER_DBM));
    phy.Set("RxSensitivity", DoubleValue(options.receiveThresholdDbm));
    phy.Set("CcaEdThreshold", DoubleValue(options.senseThresholdDbm));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(options.dataMode),
                                 "ControlMode",
                                 StringValue(options.controlMode),
                                 "NonUnicastMode",
                                 StringValue(options.controlMode));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    return wifi.Install(phy, mac, nodes);
}

Ipv4InterfaceContainer
InstallInternet(const NodeContainer& nodes, const NetDeviceContainer& devices)
{
    AodvHelper aodv;
    InternetStackHelper internet;
    internet.SetRoutingHelper(aodv);
    internet.Install(nodes);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.0.0");
    return addresses.Assign(devices);
}

std::vector<Ptr<PacketSink>>
InstallFlows(const NodeContainer& nodes, const Ipv4InterfaceContainer& interfaces, const Options& options)
{
    std::vector<Ptr<PacketSink>> sinks;
    std::ifstream lines(options.flows);
    uint16_t port = FIRST_PORT;
    for (Flow flow; lines >> flow.source >> flow.destination >> flow.start >> flow.stop; ++port)
    {
        const std::string tcp = "ns3::TcpSocketFactory";
        PacketSinkHelper sink(tcp, InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(nodes.Get(flow.destination)).Get(0)));
        BulkSendHelper bulk(tcp, InetSocketAddress(interfaces.GetAddress(flow.destination), port));
        bulk.SetAttribute("SendSize", UintegerValue(options.segment));
        auto sender = bulk.Install(nodes.Get(flow.source));
        sender.Start(Seconds(flow.start));
        sender.Stop(Seconds(flow.stop));
    }
    return sinks;
}

} // namespace

int
main(int argc, char** argv)
{
    const Options options = ReadOptions(argc, argv);
    SetDefaults(options);
    const NodeContainer nodes = PlaceNodes(options.nodes);
    const NetDeviceContainer devices = InstallRadios(nodes, options);
    const auto sinks = InstallFlows(nodes, InstallInternet(nodes, devices), options);
    Simulator::Stop(Seconds(options.duration));
    Simulator::Run();
    for (size_t index = 0; index < sinks.size(); ++index)
    {
        std::cout << "flow " << index << " " << sinks[index]->GetTotalRx() / options.segment << "\n";
    }
    std::cout << "events " << Simulator::GetEventCount() << "\n";
    Simulator::Destroy();
}
