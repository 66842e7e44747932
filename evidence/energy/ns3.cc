// Three nodes of 802.11a that hear each other and a UDP flow from the first to the second, on stock ns-3.44:
// prints for each node the energy used (J) and the time in each state (s).
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/energy-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <array>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    // 984 bytes and the headers of UDP and LLC, which are not in our packets of 1000.
    double interval = 0.01;
    double duration = 21;
    std::array<double, 3> watts = {1.3461, 0.9006, 0.7394}; // sending, receiving, idle
    CommandLine command;
    command.AddValue("interval", "seconds between packets", interval);
    command.AddValue("duration", "simulated time", duration);
    command.Parse(argc, argv);

    NodeContainer nodes(3);
    auto positions = CreateObject<ListPositionAllocator>();
    for (const double x : {0.0, 50.0, 100.0})
    {
        positions->Add(Vector(x, 0, 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(nodes);

    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel");
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("OfdmRate6Mbps"),
                                 "ControlMode",
                                 StringValue("OfdmRate6Mbps"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    const auto devices = wifi.Install(phy, mac, nodes);

    BasicEnergySourceHelper sources;
    sources.Set("BasicEnergySourceInitialEnergyJ", DoubleValue(1e6));
    sources.Set("BasicEnergySupplyVoltageV", DoubleValue(1));
    const auto installed = sources.Install(nodes);
    WifiRadioEnergyModelHelper radios;
    radios.Set("TxCurrentA", DoubleValue(watts[0]));
    radios.Set("RxCurrentA", DoubleValue(watts[1]));
    radios.Set("IdleCurrentA", DoubleValue(watts[2]));
    radios.Set("CcaBusyCurrentA", DoubleValue(watts[1]));
    const auto models = radios.Install(devices, installed);

    InternetStackHelper internet;
    internet.Install(nodes);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.255.0");
    const auto interfaces = addresses.Assign(devices);
    UdpClientHelper client(interfaces.GetAddress(1), 9);
    client.SetAttribute("Interval", TimeValue(Seconds(interval)));
    client.SetAttribute("MaxPackets", UintegerValue(1000000));
    client.SetAttribute("PacketSize", UintegerValue(984));
    auto sender = client.Install(nodes.Get(0));
    sender.Start(Seconds(1));
    UdpServerHelper server(9);
    server.Install(nodes.Get(1));

    std::array<std::array<double, 3>, 3> states{};
    for (uint32_t node = 0; node < 3; ++node)
    {
        const auto device = DynamicCast<WifiNetDevice>(devices.Get(node));
        const auto helper = device->GetPhy()->GetState();
        helper->TraceConnectWithoutContext("State", Callback<void, Time, Time, WifiPhyState>([&states, node](Time, Time length, WifiPhyState state) {
            const int place = state == WifiPhyState::TX ? 0 : state == WifiPhyState::IDLE ? 2 : 1;
            states[node][place] += length.GetSeconds();
        }));
    }
    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    for (uint32_t node = 0; node < 3; ++node)
    {
        std::cout << models.Get(node)->GetTotalEnergyConsumption();
        for (const double time : states[node])
        {
            std::cout << ' ' << time;
        }
        std::cout << '\n';
    }
    Simulator::Destroy();
    return 0;
}
