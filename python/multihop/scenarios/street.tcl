# Four lanes of a street, two each way; cars turn into the opposite lane at its ends.
$node_(0) set X_ 24.9
$node_(0) set Y_ 2.0
$node_(0) set Z_ 0.0
$node_(1) set X_ 85.3
$node_(1) set Y_ 5.0
$node_(1) set Z_ 0.0
$node_(2) set X_ 59.6
$node_(2) set Y_ 9.0
$node_(2) set Z_ 0.0
$node_(3) set X_ 74.6
$node_(3) set Y_ 12.0
$node_(3) set Z_ 0.0
$node_(4) set X_ 141.0
$node_(4) set Y_ 2.0
$node_(4) set Z_ 0.0
$node_(5) set X_ 212.2
$node_(5) set Y_ 5.0
$node_(5) set Z_ 0.0
$node_(6) set X_ 205.2
$node_(6) set Y_ 9.0
$node_(6) set Z_ 0.0
$node_(7) set X_ 174.8
$node_(7) set Y_ 12.0
$node_(7) set Z_ 0.0
$node_(8) set X_ 274.0
$node_(8) set Y_ 2.0
$node_(8) set Z_ 0.0
$node_(9) set X_ 338.5
$node_(9) set Y_ 5.0
$node_(9) set Z_ 0.0
$node_(10) set X_ 254.4
$node_(10) set Y_ 9.0
$node_(10) set Z_ 0.0
$node_(11) set X_ 342.2
$node_(11) set Y_ 12.0
$node_(11) set Z_ 0.0
$node_(12) set X_ 392.8
$node_(12) set Y_ 2.0
$node_(12) set Z_ 0.0
$node_(13) set X_ 374.8
$node_(13) set Y_ 5.0
$node_(13) set Z_ 0.0
$node_(14) set X_ 414.0
$node_(14) set Y_ 9.0
$node_(14) set Z_ 0.0
$node_(15) set X_ 394.4
$node_(15) set Y_ 12.0
$node_(15) set Z_ 0.0
$node_(16) set X_ 513.0
$node_(16) set Y_ 2.0
$node_(16) set Z_ 0.0
$node_(17) set X_ 519.8
$node_(17) set Y_ 5.0
$node_(17) set Z_ 0.0
$node_(18) set X_ 572.4
$node_(18) set Y_ 9.0
$node_(18) set Z_ 0.0
$node_(19) set X_ 553.7
$node_(19) set Y_ 12.0
$node_(19) set Z_ 0.0
$node_(20) set X_ 707.3
$node_(20) set Y_ 2.0
$node_(20) set Z_ 0.0
$node_(21) set X_ 623.6
$node_(21) set Y_ 5.0
$node_(21) set Z_ 0.0
$node_(22) set X_ 681.3
$node_(22) set Y_ 9.0
$node_(22) set Z_ 0.0
$node_(23) set X_ 701.9
$node_(23) set Y_ 12.0
$node_(23) set Z_ 0.0
$node_(24) set X_ 811.7
$node_(24) set Y_ 2.0
$node_(24) set Z_ 0.0
$node_(25) set X_ 761.1
$node_(25) set Y_ 5.0
$node_(25) set Z_ 0.0
$node_(26) set X_ 816.7
$node_(26) set Y_ 9.0
$node_(26) set Z_ 0.0
$node_(27) set X_ 780.5
$node_(27) set Y_ 12.0
$node_(27) set Z_ 0.0
$node_(28) set X_ 855.3
$node_(28) set Y_ 2.0
$node_(28) set Z_ 0.0
$node_(29) set X_ 928.6
$node_(29) set Y_ 5.0
$node_(29) set Z_ 0.0
$node_(30) set X_ 868.6
$node_(30) set Y_ 9.0
$node_(30) set Z_ 0.0
$node_(31) set X_ 919.5
$node_(31) set Y_ 12.0
$node_(31) set Z_ 0.0
$node_(32) set X_ 1008.0
$node_(32) set Y_ 2.0
$node_(32) set Z_ 0.0
$node_(33) set X_ 1020.8
$node_(33) set Y_ 5.0
$node_(33) set Z_ 0.0
$node_(34) set X_ 1022.0
$node_(34) set Y_ 9.0
$node_(34) set Z_ 0.0
$node_(35) set X_ 1019.0
$node_(35) set Y_ 12.0
$node_(35) set Z_ 0.0
$node_(36) set X_ 1096.2
$node_(36) set Y_ 2.0
$node_(36) set Z_ 0.0
$node_(37) set X_ 1186.4
$node_(37) set Y_ 5.0
$node_(37) set Z_ 0.0
$node_(38) set X_ 1129.8
$node_(38) set Y_ 9.0
$node_(38) set Z_ 0.0
$node_(39) set X_ 1140.2
$node_(39) set Y_ 12.0
$node_(39) set Z_ 0.0
$ns_ at 0.000 "$node_(0) setdest 1199.0 2.0 14.2"
$ns_ at 0.000 "$node_(1) setdest 1199.0 5.0 11.3"
$ns_ at 0.000 "$node_(10) setdest 1.0 9.0 12.7"
$ns_ at 0.000 "$node_(11) setdest 1.0 12.0 11.9"
$ns_ at 0.000 "$node_(12) setdest 1199.0 2.0 12.1"
$ns_ at 0.000 "$node_(13) setdest 1199.0 5.0 11.1"
$ns_ at 0.000 "$node_(14) setdest 1.0 9.0 12.5"
$ns_ at 0.000 "$node_(15) setdest 1.0 12.0 11.2"
$ns_ at 0.000 "$node_(16) setdest 1199.0 2.0 12.3"
$ns_ at 0.000 "$node_(17) setdest 1199.0 5.0 10.1"
$ns_ at 0.000 "$node_(18) setdest 1.0 9.0 12.8"
$ns_ at 0.000 "$node_(19) setdest 1.0 12.0 10.9"
$ns_ at 0.000 "$node_(2) setdest 1.0 9.0 12.2"
$ns_ at 0.000 "$node_(20) setdest 1199.0 2.0 14.3"
$ns_ at 0.000 "$node_(21) setdest 1199.0 5.0 11.7"
$ns_ at 0.000 "$node_(22) setdest 1.0 9.0 13.6"
$ns_ at 0.000 "$node_(23) setdest 1.0 12.0 12.1"
$ns_ at 0.000 "$node_(24) setdest 1199.0 2.0 13.4"
$ns_ at 0.000 "$node_(25) setdest 1199.0 5.0 12.9"
$ns_ at 0.000 "$node_(26) setdest 1.0 9.0 14.2"
$ns_ at 0.000 "$node_(27) setdest 1.0 12.0 12.9"
$ns_ at 0.000 "$node_(28) setdest 1199.0 2.0 11.2"
$ns_ at 0.000 "$node_(29) setdest 1199.0 5.0 12.1"
$ns_ at 0.000 "$node_(3) setdest 1.0 12.0 13.9"
$ns_ at 0.000 "$node_(30) setdest 1.0 9.0 12.7"
$ns_ at 0.000 "$node_(31) setdest 1.0 12.0 13.4"
$ns_ at 0.000 "$node_(32) setdest 1199.0 2.0 12.2"
$ns_ at 0.000 "$node_(33) setdest 1199.0 5.0 13.9"
$ns_ at 0.000 "$node_(34) setdest 1.0 9.0 12.0"
$ns_ at 0.000 "$node_(35) setdest 1.0 12.0 10.1"
$ns_ at 0.000 "$node_(36) setdest 1199.0 2.0 13.5"
$ns_ at 0.000 "$node_(37) setdest 1199.0 5.0 13.0"
$ns_ at 0.000 "$node_(38) setdest 1.0 9.0 10.9"
$ns_ at 0.000 "$node_(39) setdest 1.0 12.0 14.9"
$ns_ at 0.000 "$node_(4) setdest 1199.0 2.0 10.1"
$ns_ at 0.000 "$node_(5) setdest 1199.0 5.0 12.2"
$ns_ at 0.000 "$node_(6) setdest 1.0 9.0 10.0"
$ns_ at 0.000 "$node_(7) setdest 1.0 12.0 13.6"
$ns_ at 0.000 "$node_(8) setdest 1199.0 2.0 14.7"
$ns_ at 0.000 "$node_(9) setdest 1199.0 5.0 10.2"
$ns_ at 0.979 "$node_(37) setdest 1199.0 9.0 5.0"
$ns_ at 1.789 "$node_(37) setdest 1.0 9.0 13.0"
$ns_ at 4.813 "$node_(2) setdest 1.0 5.0 5.0"
$ns_ at 5.305 "$node_(3) setdest 1.0 2.0 5.0"
$ns_ at 5.623 "$node_(2) setdest 1199.0 5.0 12.2"
$ns_ at 7.315 "$node_(3) setdest 1199.0 2.0 13.9"
$ns_ at 7.625 "$node_(36) setdest 1199.0 12.0 5.0"
$ns_ at 9.635 "$node_(36) setdest 1.0 12.0 13.5"
$ns_ at 12.789 "$node_(7) setdest 1.0 2.0 5.0"
$ns_ at 12.830 "$node_(33) setdest 1199.0 9.0 5.0"
$ns_ at 13.640 "$node_(33) setdest 1.0 9.0 13.9"
$ns_ at 14.799 "$node_(7) setdest 1199.0 2.0 13.6"
$ns_ at 15.666 "$node_(32) setdest 1199.0 12.0 5.0"
$ns_ at 17.676 "$node_(32) setdest 1.0 12.0 12.2"
$ns_ at 19.963 "$node_(10) setdest 1.0 5.0 5.0"
$ns_ at 20.430 "$node_(6) setdest 1.0 5.0 5.0"
$ns_ at 20.773 "$node_(10) setdest 1199.0 5.0 12.7"
$ns_ at 21.240 "$node_(6) setdest 1199.0 5.0 10.0"
$ns_ at 22.357 "$node_(29) setdest 1199.0 9.0 5.0"
$ns_ at 23.167 "$node_(29) setdest 1.0 9.0 12.1"
$ns_ at 28.682 "$node_(11) setdest 1.0 2.0 5.0"
$ns_ at 28.913 "$node_(24) setdest 1199.0 12.0 5.0"
$ns_ at 30.692 "$node_(11) setdest 1199.0 2.0 11.9"
$ns_ at 30.698 "$node_(28) setdest 1199.0 12.0 5.0"
$ns_ at 30.923 "$node_(24) setdest 1.0 12.0 13.4"
$ns_ at 32.708 "$node_(28) setdest 1.0 12.0 11.2"
$ns_ at 33.050 "$node_(14) setdest 1.0 5.0 5.0"
$ns_ at 33.860 "$node_(14) setdest 1199.0 5.0 12.5"
$ns_ at 33.956 "$node_(25) setdest 1199.0 9.0 5.0"
$ns_ at 34.395 "$node_(20) setdest 1199.0 12.0 5.0"
$ns_ at 34.766 "$node_(25) setdest 1.0 9.0 12.9"
$ns_ at 35.135 "$node_(15) setdest 1.0 2.0 5.0"
$ns_ at 36.405 "$node_(20) setdest 1.0 12.0 14.3"
$ns_ at 37.145 "$node_(15) setdest 1199.0 2.0 11.2"
$ns_ at 44.651 "$node_(18) setdest 1.0 5.0 5.0"
$ns_ at 45.461 "$node_(18) setdest 1199.0 5.0 12.8"
$ns_ at 49.189 "$node_(21) setdest 1199.0 9.0 5.0"
$ns_ at 49.999 "$node_(21) setdest 1.0 9.0 11.7"
$ns_ at 50.032 "$node_(22) setdest 1.0 5.0 5.0"
$ns_ at 50.716 "$node_(19) setdest 1.0 2.0 5.0"
$ns_ at 50.842 "$node_(22) setdest 1199.0 5.0 13.6"
$ns_ at 52.726 "$node_(19) setdest 1199.0 2.0 10.9"
$ns_ at 55.782 "$node_(16) setdest 1199.0 12.0 5.0"
$ns_ at 57.454 "$node_(26) setdest 1.0 5.0 5.0"
$ns_ at 57.792 "$node_(16) setdest 1.0 12.0 12.3"
$ns_ at 57.936 "$node_(23) setdest 1.0 2.0 5.0"
$ns_ at 58.264 "$node_(26) setdest 1199.0 5.0 14.2"
$ns_ at 59.946 "$node_(23) setdest 1199.0 2.0 12.1"
