/** State of every node's MAC and queue at an instant: snapshots, and what happened since. */

import { NONE, Record } from "./record";

const BETWEEN = 16384;

export class State {
  /** Code of the MAC's state; none before it is known. */
  readonly mac: Int8Array;
  /** Packets in the interface queue. */
  readonly queue: Int32Array;
  /** The most that any queue held. */
  readonly fullest: number;
  /** The node with the fullest queue over time. */
  readonly busiest: number;

  private readonly snapshots: { mac: Int8Array; queue: Int32Array }[] = [];
  private readonly isMac: number;
  private done = 0;

  constructor(private readonly record: Record) {
    this.mac = new Int8Array(record.nodes).fill(NONE);
    this.queue = new Int32Array(record.nodes);
    this.isMac = record.code("mac");
    const held = new Float64Array(record.nodes);
    const since = new Float64Array(record.nodes);
    let fullest = 0;
    for (let row = 0; row < record.length; row++) {
      if (row % BETWEEN === 0) this.snapshots.push({ mac: this.mac.slice(), queue: this.queue.slice() });
      const packets = record.queue[row];
      if (packets !== NONE) {
        const node = record.node[row];
        held[node] += this.queue[node] * (record.time[row] - since[node]);
        since[node] = record.time[row];
        fullest = Math.max(fullest, packets);
      }
      this.apply(row);
    }
    this.done = record.length;
    this.fullest = fullest;
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
