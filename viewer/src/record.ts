/** The record of events, found by time, frame, node and packet. It grows while a run goes on. */

import type { Facts, Words } from "./facts";
import { NONE, range, type Codes, type Part, type Sparse } from "./part";

export { NONE };

/** Where rows of each key are: those of key k are `rows[starts[k]]` up to `rows[starts[k + 1]]`. */
export interface Index {
  starts: Uint32Array;
  rows: Uint32Array;
}

export class Record {
  length = 0;
  /** When each row happened [ns]. */
  time = new Float64Array();
  event = new Uint8Array();
  node = new Int32Array();
  peer = new Int32Array();
  frame = new Int32Array();
  /** Index in the packets. */
  packet = new Int32Array();
  kind = new Int8Array();
  detail = new Int8Array();
  state = new Int8Array();
  queue = new Int32Array();
  bytes = new Int32Array();

  /** Rows of the frames' transmissions, in order. */
  sent: Uint32Array = new Uint32Array();
  /** End of each of these transmissions at its sender [ns]. */
  ends = new Float64Array();
  longestAirtime = 0;

  /** The packets' numbers, and what all rows of a packet share. */
  packets = new Int32Array();
  packetContent = new Int8Array();
  packetFlow = new Int32Array();
  packetNumber = new Int32Array();
  packetOrigin = new Int32Array();
  packetTarget = new Int32Array();

  readonly nodes: number;
  readonly events: Codes;

  private readonly words: { [name in Words]: string[] };
  private readonly codes: Map<string, number>;
  private readonly ethernet: number;
  private readonly sparse = new Map<string, Sparse>();
  /** Place of each packet, by its number. */
  private readonly places = new Map<number, number>();
  private firstFrame = 0;
  /** Place in `sent` of each frame from the first on. */
  private frames = new Int32Array();
  private indexed = NONE;
  private nodeIndex!: Index;
  private packetIndex!: Index;

  constructor(facts: Facts) {
    this.nodes = facts.ways.length;
    this.words = facts.words;
    this.ethernet = facts.words.kind.indexOf("ethernet");
    this.codes = new Map(facts.words.event.map((word, code) => [word, code]));
    const [transmit, receive, miss] = ["transmit", "receive", "miss"].map((word) => this.code(word));
    this.events = { transmit, receive, miss };
  }

  /** Whether the frame of a row goes by a wire. */
  isOnWire(row: number): boolean {
    return this.ethernet >= 0 && this.kind[row] === this.ethernet;
  }

  /** Take what happened next. */
  append(part: Part): void {
    const before = this.length;
    this.length += part.length;
    for (const name of ["time", "event", "node", "peer", "frame", "kind", "detail", "state", "queue", "bytes"] as const)
      Object.assign(this, { [name]: grown(this[name], part[name]) });
    this.addPackets(part);
    this.packet = grown(this.packet, part.packet.map((number) =>
      (number === NONE ? NONE : this.places.get(number)!)));
    this.addFrames(part, before);
    for (const [name, { rows, values }] of part.sparse) {
      const known = this.sparse.get(name);
      const all = before ? Uint32Array.from(rows, (row) => row + before) : rows;
      this.sparse.set(name, known ? { rows: grown(known.rows, all), values: grown(known.values, values) } : { rows: all, values });
    }
  }

  private addPackets(part: Part): void {
    const fresh: number[] = [];
    part.packets.forEach((number, at) => {
      if (this.places.has(number)) return;
      this.places.set(number, this.packets.length + fresh.length);
      fresh.push(at);
    });
    const all = fresh.length === part.packets.length;
    for (const name of ["packets", "packetContent", "packetFlow", "packetNumber", "packetOrigin", "packetTarget"] as const) {
      const values = part[name];
      const chosen = all ? values : values.slice(0, fresh.length).map((_, at) => values[fresh[at]]);
      Object.assign(this, { [name]: grown(this[name], chosen) });
    }
  }

  private addFrames(part: Part, before: number): void {
    if (part.sent.length === 0) return;
    const airtime = part.sparse.get("airtime_ns")!.values;
    const ends = Float64Array.from(part.sent, (row, at) => part.time[row] + airtime[at]);
    for (const value of airtime) this.longestAirtime = Math.max(this.longestAirtime, value);
    const [first, last] = range(part.sent, part.frame);
    if (this.sent.length === 0) this.firstFrame = first;
    const added = last - this.firstFrame + 1 - this.frames.length;
    if (added > 0) this.frames = grown(this.frames, new Int32Array(added).fill(NONE));
    part.sent.forEach((row, at) => {
      const place = part.frame[row] - this.firstFrame;
      if (place >= 0) this.frames[place] = this.sent.length + at;
    });
    this.sent = grown(this.sent, before ? Uint32Array.from(part.sent, (row) => row + before) : part.sent);
    this.ends = grown(this.ends, ends);
  }

  get byNode(): Index {
    this.find();
    return this.nodeIndex;
  }

  get byPacket(): Index {
    this.find();
    return this.packetIndex;
  }

  private find(): void {
    if (this.indexed === this.length) return;
    this.indexed = this.length;
    this.nodeIndex = index(this.node, this.nodes);
    this.packetIndex = index(this.packet, this.packets.length);
  }

  /** The number that stands for an event's name. */
  code(event: string): number {
    return this.codes.get(event) ?? 255;
  }

  /** The word for a value of a column; empty for none. */
  word(column: Words, value: number): string {
    return value === NONE ? "" : this.words[column][value];
  }

  /** How many rows happened before `time`, or until then. */
  until(time: number, including = true): number {
    return search(this.time, time, including);
  }

  /** How many of the transmissions have begun before `time`, or until then. */
  sentUntil(time: number, including = true): number {
    let [low, high] = [0, this.sent.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.time[this.sent[middle]];
      if (including ? at <= time : at < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Place in `sent` of a frame; none if its transmission is not in the record. */
  transmission(frame: number): number {
    const at = frame - this.firstFrame;
    return at >= 0 && at < this.frames.length ? this.frames[at] : NONE;
  }

  /** The value of a column that few rows have. */
  value(column: string, row: number): number {
    const kept = this.sparse.get(column)!;
    const at = search(kept.rows, row) - 1;
    return at >= 0 && kept.rows[at] === row ? kept.values[at] : NONE;
  }

  /** The flow of a row; none if it belongs to none. */
  flow(row: number): number {
    const packet = this.packet[row];
    return packet === NONE ? this.value("flow", row) : this.packetFlow[packet];
  }

  /** The rows of a column that few rows have, and its values. */
  column(name: string): Sparse {
    return this.sparse.get(name)!;
  }
}

/** How many of the sorted `values` are below `value`, or at most it. */
export function search(values: ArrayLike<number>, value: number, including = true): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (including ? values[middle] <= value : values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function index(keys: Int32Array, most: number): Index {
  const starts = new Uint32Array(most + 1);
  for (let row = 0; row < keys.length; row++) if (keys[row] !== NONE) starts[keys[row] + 1]++;
  for (let key = 0; key < most; key++) starts[key + 1] += starts[key];
  const next = starts.slice();
  const rows = new Uint32Array(starts[most]);
  for (let row = 0; row < keys.length; row++) if (keys[row] !== NONE) rows[next[keys[row]]++] = row;
  return { starts, rows };
}

type Values = Float64Array | Float32Array | Int32Array | Int8Array | Uint8Array | Uint32Array;

/** `before` with `added` behind it, in the same memory as long as there is room. */
function grown<Kind extends Values>(before: Kind, added: Kind): Kind {
  if (before.length === 0) return added;
  const length = before.length + added.length;
  const View = before.constructor as new (buffer: ArrayBufferLike, from: number, length: number) => Kind;
  const hasRoom = length * before.BYTES_PER_ELEMENT <= before.buffer.byteLength;
  const all = new View(hasRoom ? before.buffer : new ArrayBuffer(2 * length * before.BYTES_PER_ELEMENT), 0, length);
  if (!hasRoom) all.set(before);
  all.set(added, before.length);
  return all;
}
