//! Error rates against those of ns-3.44, as `evidence/radios/ns3_error_rates.py` wrote them down.

use std::collections::BTreeMap;

use multihop::radio::{CodeRate, Coding, Constellation};

const TABLE: &str = "../../tests/reference/ns3/error_rates.csv";

fn coding(name: &str) -> Coding {
    use CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
    use Constellation::{Bpsk, Qam16, Qam64, Qam256, Qam1024, Qpsk};
    match name {
        "dbpsk" => Coding::Dbpsk,
        "dqpsk" => Coding::Dqpsk,
        "cck4" => Coding::Cck4,
        "cck8" => Coding::Cck8,
        "bpsk-1/2" => Coding::Ofdm(Bpsk, Half),
        "bpsk-3/4" => Coding::Ofdm(Bpsk, ThreeQuarters),
        "qpsk-1/2" => Coding::Ofdm(Qpsk, Half),
        "qpsk-3/4" => Coding::Ofdm(Qpsk, ThreeQuarters),
        "qam16-1/2" => Coding::Ofdm(Qam16, Half),
        "qam16-3/4" => Coding::Ofdm(Qam16, ThreeQuarters),
        "qam64-2/3" => Coding::Ofdm(Qam64, TwoThirds),
        "qam64-3/4" => Coding::Ofdm(Qam64, ThreeQuarters),
        "qam64-5/6" => Coding::Ofdm(Qam64, FiveSixths),
        "qam256-3/4" => Coding::Ofdm(Qam256, ThreeQuarters),
        "qam256-5/6" => Coding::Ofdm(Qam256, FiveSixths),
        "qam1024-3/4" => Coding::Ofdm(Qam1024, ThreeQuarters),
        "qam1024-5/6" => Coding::Ofdm(Qam1024, FiveSixths),
        other => panic!("no coding {other}"),
    }
}

/// The signal to noise ratio \[dB\] at which 1000 bytes are lost with this chance.
fn snr_db_at(coding: Coding, lost: f64) -> f64 {
    let (mut weak, mut strong) = (-20.0, 50.0);
    for _ in 0..60 {
        let middle = f64::midpoint(weak, strong);
        let bad = coding.bit_error_rate(10f64.powf(middle / 10.0));
        match 1.0 - (1.0 - bad).powi(8000) > lost {
            true => weak = middle,
            false => strong = middle,
        }
    }
    weak
}

#[test]
fn frames_are_lost_at_the_signal_to_noise_ratio_of_ns3() {
    let mut farthest: BTreeMap<String, f64> = BTreeMap::new();
    let mut reader = csv::Reader::from_path(TABLE).expect("the table");
    for record in reader.deserialize() {
        let (name, snr_db, lost): (String, f64, f64) = record.expect("a line");
        let off_db = (snr_db_at(coding(&name), lost) - snr_db).abs();
        let so_far = farthest.entry(name).or_default();
        *so_far = so_far.max(off_db);
    }
    assert_eq!(farthest.len(), 17, "every coding");
    for (name, off_db) in farthest {
        // ns-3 has another formula for CCK than the standard's annex, on the optimistic side.
        let most_db = if name.starts_with("cck") { 0.9 } else { 0.01 };
        assert!(off_db < most_db, "{name}: {off_db} dB");
    }
}
