/** State of every node's MAC and queue at an instant: snapshots, and what happened since. */

import { NONE, Record } from "./record";

const BETWEEN = 16384;

export class State {
  /** Code of the MAC's state; none before it is known. */
  readonly mac: Int8Array;
  /** Packets in the interface queue. */
  readonly queue: Int32Array;
  /** The most that any queue held. */
  fullest = 0;
  /** The node with the fullest queue over time. */
  busiest = 0;

  private readonly snapshots: { mac: Int8Array; queue: Int32Array }[] = [];
  private readonly isMac: number;
  /** Packets times ns in each queue, and since when it holds what it holds. */
  private readonly held: Float64Array;
  private readonly since: Float64Array;
  private known = 0;
  private done = 0;

  constructor(private readonly record: Record) {
    this.mac = new Int8Array(record.nodes).fill(NONE);
    this.queue = new Int32Array(record.nodes);
    this.isMac = record.code("mac");
    this.held = new Float64Array(record.nodes);
    this.since = new Float64Array(record.nodes);
    this.extend();
  }

  /** Take in the rows that are new. */
  extend(): void {
    const { record, held, since } = this;
    this.seek(this.known);
    for (let row = this.known; row < record.length; row++) {
      if (row % BETWEEN === 0) this.snapshots.push({ mac: this.mac.slice(), queue: this.queue.slice() });
      const packets = record.queue[row];
      if (packets !== NONE) {
        const node = record.node[row];
        held[node] += this.queue[node] * (record.time[row] - since[node]);
        since[node] = record.time[row];
        this.fullest = Math.max(this.fullest, packets);
      }
      this.apply(row);
    }
    this.done = this.known = record.length;
    this.busiest = held.indexOf(held.reduce((most, value) => Math.max(most, value), 0));
  }

  /** Bring the state to what it was after so many rows. */
  seek(rows: number): void {
    if (rows < this.done || rows - this.done > BETWEEN) {
      const snapshot = Math.min(Math.floor(rows / BETWEEN), this.snapshots.length - 1);
      this.mac.set(this.snapshots[snapshot].mac);
      this.queue.set(this.snapshots[snapshot].queue);
      this.done = snapshot * BETWEEN;
    }
    while (this.done < rows) this.apply(this.done++);
  }

  private apply(row: number): void {
    const { event, node, state, queue } = this.record;
    if (event[row] === this.isMac) this.mac[node[row]] = state[row];
    else if (queue[row] !== NONE) this.queue[node[row]] = queue[row];
  }
}
