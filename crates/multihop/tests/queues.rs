//! Recorded queues.

use crate::common::run;
use multihop::simulation::Recording;

#[test]
fn a_queue_is_recorded_by_class() {
    let text = "duration_s = 20\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\nscheme = \"dsr\"\n\
                [transport]\nwindow_segments = 20\n[[flows]]\nkind = \"ftp\"\nsource = 0\n\
                destination = 3\n[[flows]]\nkind = \"ftp\"\nsource = 3\ndestination = 0\n";
    let recording =
        Recording { series_interval_s: Some(0.01), queues: vec![1, 2], ..Recording::default() };
    let queues = run(text, 1, &recording).series.expect("series were asked for").queues;
    assert!(queues.node.iter().all(|&node| node == 1 || node == 2));
    let classes = queues.routing.iter().zip(&queues.acks).zip(&queues.data);
    let sums: Vec<u32> = classes.map(|((routing, acks), data)| routing + acks + data).collect();
    assert_eq!(sums, queues.packets);
    // A relay holds many segments of both flows, but few acknowledgments, which are served first.
    let total = |class: &[u32]| class.iter().sum::<u32>();
    assert!(total(&queues.routing) > 0);
    assert!(total(&queues.data) > 3 * total(&queues.acks) && total(&queues.acks) > 0);
}
