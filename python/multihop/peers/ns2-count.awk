# Counts the lines of an ns-2 packet trace by event, layer, reason and packet type.
$1 ~ /^[srfD]$/ { count[$1 " " $4 " " $5 " " $7]++ }
END { for (key in count) print key, count[key] }
