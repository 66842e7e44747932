# nodes 6 to 8, by hand
$n(6) set X_ -10.0; $n(6) set Y_ 1e2 ;# west
$n(7) set X_ 250.0;	$n(7) set Y_ 100.0
$n(8) set X_ 400
$n(8) set Y_ 100
$ns at 0.9 {$n(7) setdest 250.0 300.0 20.0; $n(8) setdest 1 1 1}
$ns at 0.5 "$n(6) set X_ 120"
$ns initial_node_pos $n(6) 20
