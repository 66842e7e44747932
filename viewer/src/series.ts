/** Values over time: congestion windows, goodput, queues. */

import type { Facts } from "./facts";
import { NONE, Record, search } from "./record";

/** A value that holds from each time [s] until the next. */
export interface Steps {
  times: number[];
  values: number[];
}

export class Series {
  /** Congestion window of each flow [segments]. */
  readonly windows: Steps[] = [];
  /** When each flow delivered a packet for the first time [s]. */
  readonly deliveries: number[][] = [];
  private readonly places = new Map<number, number>();
  /** The packets of each flow that have been delivered. */
  private readonly seen: Set<number>[] = [];
  private readonly queues = new Map<number, Steps>();
  private known = 0;
  private windowsKnown = 0;

  constructor(private readonly facts: Facts, private readonly record: Record) {
    this.extend();
  }

  /** Take in the flows and rows that are new. */
  extend(): void {
    const { facts, record } = this;
    for (const flow of facts.flows.slice(this.places.size)) {
      this.places.set(flow.id, this.places.size);
      this.windows.push({ times: [], values: [] });
      this.deliveries.push([]);
      this.seen.push(new Set());
    }
    const { rows, values } = record.column("cwnd");
    for (; this.windowsKnown < rows.length; this.windowsKnown++) {
      const row = rows[this.windowsKnown];
      const steps = this.windows[this.places.get(record.flow(row)) ?? NONE];
      steps?.times.push(record.time[row] / 1e9);
      steps?.values.push(values[this.windowsKnown]);
    }
    this.addDeliveries();
    this.known = record.length;
    this.queues.clear();
  }

  /** The value at a time; none before the first. */
  static at(steps: Steps, time: number): number | null {
    const at = search(steps.times, time) - 1;
    return at < 0 ? null : steps.values[at];
  }

  /** Packets in a node's queue. */
  queue(node: number): Steps {
    let steps = this.queues.get(node);
    if (steps) return steps;
    this.queues.set(node, (steps = { times: [], values: [] }));
    const { starts, rows } = this.record.byNode;
    for (let at = starts[node]; at < starts[node + 1]; at++) {
      const row = rows[at];
      if (this.record.queue[row] === NONE) continue;
      steps.times.push(this.record.time[row] / 1e9);
      steps.values.push(this.record.queue[row]);
    }
    return steps;
  }

  /** Whether there is a congestion window of any flow. */
  get hasWindows(): boolean {
    return this.windows.some(({ times }) => times.length > 0);
  }

  /** Goodput of a flow in the `width` seconds before a time [bit/s]; none if its destination is not recorded. */
  goodput(place: number, time: number, width: number): number | null {
    const { starts } = this.record.byNode;
    const { destination } = this.facts.flows[place];
    if (starts[destination] === starts[destination + 1]) return null;
    const times = this.deliveries[place];
    const packets = search(times, time) - search(times, time - width);
    return (packets * 8 * this.facts.flows[place].payload) / width;
  }

  private addDeliveries(): void {
    const { record } = this;
    const [deliver, acknowledgment] = [record.code("deliver"), this.facts.words.content.indexOf("tcp-ack")];
    for (let row = this.known; row < record.length; row++) {
      if (record.event[row] !== deliver) continue;
      const packet = record.packet[row];
      const place = this.places.get(record.packetFlow[packet]);
      if (place === undefined || record.packetContent[packet] === acknowledgment) continue;
      const number = record.packetNumber[packet];
      if (this.seen[place].has(number)) continue;
      this.seen[place].add(number);
      this.deliveries[place].push(record.time[row] / 1e9);
    }
  }
}

/** Of each of so many parts of a span an extreme and the last value: at its middle and its end. */
export function sampled(steps: Steps, from: number, to: number, parts: number,
  extreme: (a: number, b: number) => number): (number | null)[] {
  const found: (number | null)[] = [];
  let value = Series.at(steps, from);
  let at = search(steps.times, from);
  for (let part = 1; part <= parts; part++) {
    const end = from + ((to - from) * part) / parts;
    let reached = value;
    for (; at < steps.times.length && steps.times[at] <= end; at++) {
      value = steps.values[at];
      reached = reached === null ? value : extreme(reached, value);
    }
    found.push(reached, value);
  }
  return found;
}

/** The times of what `sampled` finds. */
export function sampleTimes(from: number, to: number, parts: number): number[] {
  return Array.from({ length: 2 * parts }, (_, at) => from + ((to - from) * (at + 1)) / (2 * parts));
}
