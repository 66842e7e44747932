use super::*;
use crate::scenario::*;
use crate::mac::MacConfig;
use crate::link::config::LinkConfig;
use crate::profile::Profile;

fn mk(pos: &[(f64,f64)], flows: &[(u32,u32,f64,f64,u32,f64)], dur: f64) -> Scenario {
    let net = Network { positions: pos.iter().map(|&(x,y)| Position{x_m:x,y_m:y}).collect(), warnings: vec![],
      flows: flows.iter().map(|&(s,d,a,b,n,r)| crate::scenario::Flow{ kind: FlowKind::Cbr{packet_bytes:n, rate_bps:r}, source: NodeId(s), destination: NodeId(d), start: Instant::from_secs_f64(a), stop: Instant::from_secs_f64(b), shortest_hops: None}).collect() };
    Scenario { seed: 1, duration_s: dur, profile: Profile::Ns2, radio: Radio{transmit_power_w:0.28183815, frequency_hz:914e6, antenna_height_m:1.5, receive_range_m:250.0, sense_range_m:550.0, capture_db:10.0}, mac: MacConfig::default(), link: LinkConfig{arp:true}, routing: Routing::Static, net }
}
#[test]
fn temp() {
    for b in [64,512,1000,1460] {
        let s = mk(&[(0.,0.),(200.,0.)], &[(0,1,1.0,51.0,b,3e6)], 51.5);
        let r = Simulation::new(&s, Some(1), &Recording::default()).unwrap().run();
        println!("{b} {:?} ev {} tx {} wall {}", r.flows[0].received_packets, r.engine.events, r.engine.transmissions, r.engine.wall_s);
    }
    for n in [2,3,5,10] {
        let mut pos: Vec<(f64,f64)> = vec![]; 
        for i in 0..=n { let a = 2.0*std::f64::consts::PI*(i as f64)/((n+1) as f64); pos.push((50.0*a.cos(), 50.0*a.sin())); }
        let flows: Vec<_> = (0..n).map(|i| (i as u32, n as u32, 1.0+0.01*i as f64, 51.0, 1000, 3e6)).collect();
        let s = mk(&pos, &flows, 51.5);
        let r = Simulation::new(&s, Some(1), &Recording::default()).unwrap().run();
        println!("n={n} {} rts {} cts {} frac {} ev {} wall {}", r.flows.iter().map(|f| f.received_packets.unwrap()).sum::<u64>(), r.mac.rts_sent, r.mac.cts_sent, 1.0 - r.mac.cts_sent as f64/r.mac.rts_sent as f64, r.engine.events, r.engine.wall_s);
    }
    let s = mk(&[(0.,0.),(200.,0.)], &[(0,1,1.0,101.0,1000,3e6),(1,0,1.0,101.0,1000,3e6)], 101.5);
    let r = Simulation::new(&s, Some(1), &Recording::default()).unwrap().run();
    println!("C-2 {:?} rts {} cts {}", r.flows.iter().map(|f| f.received_packets.unwrap()).sum::<u64>(), r.mac.rts_sent, r.mac.cts_sent);
    for rate in [1e5,2e5,3e5,4e5,8e5] {
        let pos: Vec<_> = (0..7).map(|i| (200.0*i as f64, 0.0)).collect();
        let s = mk(&pos, &[(0,6,1.0,101.0,1460,rate)], 101.5);
        let r = Simulation::new(&s, Some(1), &Recording::default()).unwrap().run();
        println!("chain6 {rate} {:?} rts {} col {} ret {}", r.flows[0].received_packets, r.mac.rts_sent, r.mac.collisions, r.mac.retry_drops);
    }
}
#[test]
fn temp_perf() {
    let text = std::fs::read_to_string("/work/main/tests/reference/ns2/random200-10flows-aodv-01.json").unwrap();
    let v: serde_json::Value = serde_json::from_str(&text).unwrap();
    let pos: Vec<(f64,f64)> = v["positions"].as_array().unwrap().iter().map(|p| (p[0].as_f64().unwrap(), p[1].as_f64().unwrap())).collect();
    let flows: Vec<_> = v["flows"].as_array().unwrap().iter().map(|f| (f[0].as_u64().unwrap() as u32, f[1].as_u64().unwrap() as u32, f[2].as_f64().unwrap(), f[3].as_f64().unwrap(), 1000u32, 2e5)).collect();
    let s = mk(&pos, &flows, 110.5);
    for _ in 0..3 {
    let r = Simulation::new(&s, Some(1), &Recording::default()).unwrap().run();
    println!("perf tx {} ev {} wall {} ns/tx {}", r.engine.transmissions, r.engine.events, r.engine.wall_s, r.engine.wall_s*1e9/r.engine.transmissions as f64);
    }
}
