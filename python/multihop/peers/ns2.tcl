# @title@
# Stock ns-2.35. Usage: ns SCRIPT SEED [COUNTS-FILE]
# Prints "tcp FLOW acked data_packets retransmits timeouts" and "cbr FLOW received lost".
ns-random [lindex $argv 0]
set counts [lindex $argv 1]

Mac/802_11 set dataRate_ @data_rate_bps@
Mac/802_11 set basicRate_ @basic_rate_bps@
Mac/802_11 set RTSThreshold_ 0
Mac/802_11 set ShortRetryLimit_ @short_retry_limit@
Mac/802_11 set LongRetryLimit_ @long_retry_limit@
Phy/WirelessPhy set RXThresh_ @receive_threshold_w@
Phy/WirelessPhy set CSThresh_ @sense_threshold_w@
Phy/WirelessPhy set CPThresh_ @capture_ratio@

set ns_ [new Simulator]
set topography [new Topography]
$topography load_flatgrid @width_m@ @height_m@
set god_ [create-god @nodes@]
if {$counts eq ""} {
  set tracing OFF
  set trace [open /dev/null w]
} else {
  set tracing ON
  set trace [open "|awk -f {@counter@} > {$counts}" w]
}
$ns_ trace-all $trace
$ns_ node-config -adhocRouting @routing@ -llType LL -macType Mac/802_11 \
  -ifqType @queue@ -ifqLen @queue_packets@ -antType Antenna/OmniAntenna \
  -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
  -channel [new Channel/WirelessChannel] -topoInstance $topography \
  -agentTrace $tracing -routerTrace $tracing -macTrace $tracing -movementTrace OFF
for {set i 0} {$i < @nodes@} {incr i} {
  set node_($i) [$ns_ node]
  $node_($i) random-motion 0
}
proc place {node x y} {
  global node_
  $node_($node) set X_ $x
  $node_($node) set Y_ $y
  $node_($node) set Z_ 0
}
@positions@

proc ftp {flow source destination start stop window segment} {
  global ns_ node_
  set sender [new Agent/TCP@tcp@]
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
@flows@

proc finish {} {
  global ns_ trace monitor
  foreach flow [array names monitor] {
    puts "cbr $flow [$monitor($flow) set npkts_] [$monitor($flow) set nlost_]"
  }
  $ns_ flush-trace
  close $trace
  exit 0
}
$ns_ at @duration_s@ "finish"
$ns_ run
