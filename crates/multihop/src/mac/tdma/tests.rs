use super::*;

fn table(slots: &str) -> TdmaConfig {
    toml::from_str(&format!("slot_s = 0.01\nguard_s = 0.001\nslots = {slots}")).unwrap()
}

fn at_us(us: u64) -> Instant {
    Instant::from_nanos(us * 1000)
}

#[test]
fn a_station_begins_in_its_slots_alone_and_only_what_ends_before_the_guard_time() {
    // Node 1 has the second and the third of four slots of 10 ms, of which 9 are used.
    let turns = table("[0, [1, 7], 1, 2]").turns(NodeId(1));
    let next = |now_us, time_us| {
        turns.next(at_us(now_us), Duration::from_micros(time_us)).map(|at| at.as_nanos() / 1000)
    };
    assert_eq!(next(0, 4000), Some(10_000), "its first slot");
    assert_eq!(next(10_000, 4000), Some(10_000));
    assert_eq!(next(15_000, 4000), Some(15_000), "it ends with the guard time's start");
    assert_eq!(next(15_001, 4000), Some(20_000), "its next slot");
    assert_eq!(next(25_001, 4000), Some(50_000), "the first of the next frame");
    assert_eq!(next(35_000, 9000), Some(50_000));
    assert_eq!(next(0, 9001), None, "it fits in no slot");
}

#[test]
fn a_node_without_a_slot_and_a_slot_without_a_node_are_wrong() {
    assert_eq!(table("[0, [1, 2], 0]").check_nodes(3), Ok(()));
    let fault = |slots, nodes| table(slots).check_nodes(nodes).unwrap_err().fault;
    assert_eq!(fault("[0, 2]", 3), "must give every node a slot (none for node 1)");
    assert_eq!(fault("[0, 1, 2, 3]", 3), "must be nodes, 0 to 2 (got 3 in slot 3)");
}
