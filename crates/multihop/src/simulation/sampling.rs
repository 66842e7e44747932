//! Sampling the time series.

use super::Simulation;
use super::event::Event;

impl Simulation {
    /// Takes one sample of every series.
    pub(super) fn on_sample(&mut self) {
        let now = self.clock.now();
        let recorder = &mut self.monitor.recorder;
        let Some(interval) = recorder.interval() else { return };
        for flow in &self.endpoints.flows {
            let lasts = flow.start <= now && now <= flow.stop;
            recorder.sample_flow(now, flow.id, self.endpoints.progress(flow), lasts);
        }
        let stations = &self.stations;
        recorder.sample_queues(now, |node| {
            let queues = stations.layout.all_of(node).map(|station| &stations[station].queue);
            queues.map(|queue| queue.len_by_class()).fold([0; 3], |sum, of_class| {
                [sum[0] + of_class[0], sum[1] + of_class[1], sum[2] + of_class[2]]
            })
        });
        self.clock.schedule(now + interval, Event::Sample);
    }
}
