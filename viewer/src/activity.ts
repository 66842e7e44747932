/** What is to be shown of a span of time: frames in the air, or their sums where they are many. */

import type { Hearing } from "./hearing";
import { NONE, Record } from "./record";

/** So many frames are shown one by one. */
const SINGLE = 24;
/** So many rows and frames are looked at for a picture; of more, the last. */
const MOST_ROWS = 200_000;
const MOST_FRAMES = 50_000;

/** What a node is doing with frames. */
export const QUIET = 0, SENSING = 1, RECEIVING = 2, SENDING = 3;

export class Activity {
  /** Frames in the air since the last picture, as places in `sent`; empty if there are too many. */
  frames: number[] = [];
  /** By `sender * nodes + receiver`, how many frames there were, if not one by one. */
  readonly links = new Map<number, number>();
  /** By node, how many broadcasts it sent, if not one by one. */
  readonly broadcasts = new Map<number, number>();
  /** By node, the time of the last frame for it alone that it lost, among those still marked. */
  readonly lost = new Map<number, number>();
  /** The same of frames that were for all. */
  readonly lostOfAll = new Map<number, number>();
  /** Rows of the losses that are still marked, the latest first, as far as they are shown one by one. */
  lostRows: number[] = [];
  /** Rows of the drops that are still marked. */
  drops: number[] = [];
  /** Rows of the deliveries that are still marked. */
  delivered: number[] = [];
  /** What each node is doing with frames right now. */
  readonly doing: Uint8Array;

  private readonly miss: number;
  private readonly drop: number;
  private readonly deliver: number;

  constructor(private readonly record: Record, private readonly hearing: Hearing) {
    this.doing = new Uint8Array(record.nodes);
    this.miss = record.code("miss");
    this.drop = record.code("drop");
    this.deliver = record.code("deliver");
  }

  get single(): boolean {
    return this.links.size === 0 && this.broadcasts.size === 0;
  }

  /**
   * Look at what happened from `since` to `time`, and at marks not older than `glow`; all in ns.
   * Frames between nodes that are out of sight are left out.
   */
  look(time: number, since: number, glow: number, isSeen: (node: number) => boolean): void {
    this.links.clear();
    this.broadcasts.clear();
    const flying = this.flying(time, since);
    this.act(flying, time);
    const { sent, node, peer } = this.record;
    const seen = flying.filter((at) =>
      isSeen(node[sent[at]]) || (peer[sent[at]] !== NONE && isSeen(peer[sent[at]])));
    this.frames = seen.length > SINGLE ? [] : seen;
    if (seen.length > SINGLE) this.sum(seen);
    this.mark(time, Math.max(glow, time - since));
  }

  /** Frames that were in the air at any time from `since` to `time`. */
  private flying(time: number, since: number): number[] {
    const { record } = this;
    const found: number[] = [];
    const first = record.sentUntil(since - record.longestAirtime, false);
    for (let at = record.sentUntil(time) - 1; at >= first && found.length < MOST_FRAMES; at--)
      if (record.ends[at] >= since) found.push(at);
    return found;
  }

  private act(frames: number[], time: number): void {
    const { record, doing, hearing } = this;
    doing.fill(QUIET);
    for (const at of frames) {
      const row = record.sent[at];
      if (record.ends[at] < time || record.time[row] > time) continue;
      const sender = record.node[row];
      const receiver = record.peer[row];
      const onAir = !record.isOnWire(row);
      for (let node = 0; onAir && node < doing.length; node++)
        if (doing[node] === QUIET && hearing.senses(sender, node)) doing[node] = SENSING;
      if (receiver !== NONE && doing[receiver] < RECEIVING) doing[receiver] = RECEIVING;
      doing[sender] = SENDING;
    }
  }

  private sum(frames: number[]): void {
    const { record } = this;
    for (const at of frames) {
      const row = record.sent[at];
      const [sender, receiver] = [record.node[row], record.peer[row]];
      if (receiver === NONE) add(this.broadcasts, sender);
      else add(this.links, sender * record.nodes + receiver);
    }
  }

  private mark(time: number, glow: number): void {
    const { record } = this;
    this.lost.clear();
    this.lostOfAll.clear();
    [this.lostRows, this.drops, this.delivered] = [[], [], []];
    const end = record.until(time);
    const first = Math.max(record.until(time - glow, false), end - MOST_ROWS);
    for (let row = end - 1; row >= first; row--) {
      const event = record.event[row];
      if (event === this.miss) {
        const node = record.node[row];
        const lost = this.isForAll(record.frame[row]) ? this.lostOfAll : this.lost;
        if (!lost.has(node)) lost.set(node, record.time[row]);
        if (this.lostRows.length < SINGLE) this.lostRows.push(row);
      } else if (event === this.drop) {
        if (this.drops.length < SINGLE) this.drops.push(row);
      } else if (event === this.deliver && this.delivered.length < SINGLE) this.delivered.push(row);
    }
  }

  private isForAll(frame: number): boolean {
    const at = this.record.transmission(frame);
    return at !== NONE && this.record.peer[this.record.sent[at]] === NONE;
  }
}

function add(sums: Map<number, number>, key: number): void {
  sums.set(key, (sums.get(key) ?? 0) + 1);
}
