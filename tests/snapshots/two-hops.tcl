# two hops
# Stock ns-2.35. Usage: ns SCRIPT SEED [COUNTS-FILE]
# Prints "tcp FLOW acked data_packets retransmits timeouts" and "cbr FLOW received lost".
ns-random [lindex $argv 0]
set counts [lindex $argv 1]

Mac/802_11 set dataRate_ 2000000.0
Mac/802_11 set basicRate_ 1000000.0
Mac/802_11 set RTSThreshold_ 0
Mac/802_11 set ShortRetryLimit_ 7
Mac/802_11 set LongRetryLimit_ 4
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 1.559e-11
Phy/WirelessPhy set CPThresh_ 10.0

set ns_ [new Simulator]
set topography [new Topography]
$topography load_flatgrid 402 2
set god_ [create-god 3]
if {$counts eq ""} {
  set tracing OFF
  set trace [open /dev/null w]
} else {
  set tracing ON
  set trace [open "|awk -f {PEERS/ns2-count.awk} > {$counts}" w]
}
$ns_ trace-all $trace
$ns_ node-config -adhocRouting AODV -llType LL -macType Mac/802_11 \
  -ifqType Queue/DropTail/PriQueue -ifqLen 50 -antType Antenna/OmniAntenna \
  -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
  -channel [new Channel/WirelessChannel] -topoInstance $topography \
  -agentTrace $tracing -routerTrace $tracing -macTrace $tracing -movementTrace OFF
for {set i 0} {$i < 3} {incr i} {
  set node_($i) [$ns_ node]
  $node_($i) random-motion 0
}
proc place {node x y} {
  global node_
  $node_($node) set X_ $x
  $node_($node) set Y_ $y
  $node_($node) set Z_ 0
}
place 0 1 1
place 1 201 1
place 2 401 1

proc ftp {flow source destination start stop window segment} {
  global ns_ node_
  set sender [new Agent/TCP/Newreno]
  $sender set packetSize_ $segment
  $sender set window_ $window
  $sender set fid_ $flow
  set sink [new Agent/TCPSink]
  $ns_ attach-agent $node_($source) $sender
  $ns_ attach-agent $node_($destination) $sink
  $ns_ connect $sender $sink
  set application [new Application/FTP]
  $application attach-agent $sender
  $ns_ at $start "$application start"
  $ns_ at $stop "report-tcp $flow $sender"
  $ns_ at $stop "$application stop"
}
proc report-tcp {flow sender} {
  puts "tcp $flow [$sender set ack_] [$sender set ndatapack_] [$sender set nrexmitpack_] [$sender set nrexmit_]"
}
proc cbr {flow source destination start stop bytes rate} {
  global ns_ node_ monitor
  set sender [new Agent/UDP]
  $sender set packetSize_ $bytes
  $sender set fid_ $flow
  set monitor($flow) [new Agent/LossMonitor]
  $ns_ attach-agent $node_($source) $sender
  $ns_ attach-agent $node_($destination) $monitor($flow)
  $ns_ connect $sender $monitor($flow)
  set application [new Application/Traffic/CBR]
  $application set packetSize_ $bytes
  $application set rate_ $rate
  $application set random_ 0
  $application attach-agent $sender
  $ns_ at $start "$application start"
  $ns_ at $stop "$application stop"
}
ftp 0 0 2 1.0 11.0 8 1460
cbr 1 1 0 2.0 12.0 500 10000.0

proc finish {} {
  global ns_ trace monitor
  foreach flow [array names monitor] {
    puts "cbr $flow [$monitor($flow) set npkts_] [$monitor($flow) set nlost_]"
  }
  $ns_ flush-trace
  close $trace
  exit 0
}
$ns_ at 11.5 "finish"
$ns_ run
