# three nodes
$node_(0) set X_ 100.0
$node_(0) set Y_ 100.0
$node_(0) set Z_ 0.0
$node_(1) set X_ 250.0
$node_(1) set Y_ 100.0
$node_(2) set X_ 400.0
$node_(2) set Y_ 100.0
$god_ set-dist 0 1 1
$ns_ at 0.5 "$node_(1) setdest 250.0 300.0 20.0"
$ns_ at 2.0 "$node_(1) setdest 250.0 100.0 0.0"
$ns_ at 2.5 "$god_ set-dist 0 2 2"
