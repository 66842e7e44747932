/** The record of events: decoded from the page, and found by time, frame, node and packet. */

import type { Column, Facts, Words } from "./facts";

/** What stands for a value that is missing. */
export const NONE = -1;

/** Where rows of each key are: those of key k are `rows[starts[k]]` up to `rows[starts[k + 1]]`. */
export interface Index {
  starts: Uint32Array;
  rows: Uint32Array;
}

export class Record {
  readonly length: number;
  /** When each row happened [ns]. */
  readonly time: Float64Array;
  readonly event: Uint8Array;
  readonly node: Int32Array;
  readonly peer: Int32Array;
  readonly frame: Int32Array;
  /** Index in the packets. */
  readonly packet: Int32Array;
  readonly kind: Int8Array;
  readonly detail: Int8Array;
  readonly state: Int8Array;
  readonly queue: Int32Array;
  readonly bytes: Int32Array;

  /** Rows of the frames' transmissions, in order. */
  readonly sent: Uint32Array;
  /** End of each of these transmissions at its sender [ns]. */
  readonly ends: Float64Array;
  readonly longestAirtime: number;

  /** The packets' numbers, and what all rows of a packet share. */
  readonly packets: Int32Array;
  readonly packetContent: Int8Array;
  readonly packetFlow: Int32Array;
  readonly packetNumber: Int32Array;
  readonly packetOrigin: Int32Array;
  readonly packetTarget: Int32Array;

  readonly nodes: number;
  readonly byNode: Index;
  readonly byPacket: Index;

  private readonly words: { [name in Words]: string[] };
  private readonly codes: Map<string, number>;
  /** Columns that few rows have: their rows and values. */
  private readonly sparse = new Map<string, { rows: Uint32Array; values: Float32Array | Int32Array }>();
  private readonly firstFrame: number;
  /** Place in `sent` of each frame from the first on. */
  private readonly frames: Int32Array;

  constructor(facts: Facts, data: Uint8Array) {
    const rows = facts.rows;
    this.length = rows;
    this.words = facts.words;
    this.codes = new Map(facts.words.event.map((word, code) => [word, code]));
    const columns = new Columns(facts.columns, data);

    this.event = columns.bytes("event");
    const event = this.event;
    this.time = running(columns.wide("time_ns"));
    this.node = columns.whole("node");

    const transmit = this.code("transmit");
    const [receive, miss] = [this.code("receive"), this.code("miss")];
    this.frame = new Int32Array(rows).fill(NONE);
    let latest = -1;
    columns.each("frame", event, (row, value) => {
      const step = signed(value);
      if (event[row] === transmit) latest += 1 + step;
      this.frame[row] = event[row] === transmit ? latest : latest - step;
    });

    const sent = new Uint32Array(count(event, transmit));
    let [first, last] = [Infinity, -1];
    for (let row = 0, at = 0; row < rows; row++) {
      if (event[row] !== transmit) continue;
      sent[at++] = row;
      first = Math.min(first, this.frame[row]);
      last = this.frame[row];
    }
    this.sent = sent;
    this.firstFrame = sent.length ? first : 0;
    this.frames = new Int32Array(sent.length ? last - first + 1 : 0).fill(NONE);
    sent.forEach((row, at) => (this.frames[this.frame[row] - first] = at));

    // An outcome has from its frame's transmission what is not written with it.
    const source = new Int32Array(rows).fill(NONE);
    for (let row = 0; row < rows; row++) {
      if (event[row] !== receive && event[row] !== miss) continue;
      const at = this.transmission(this.frame[row]);
      if (at !== NONE) source[row] = sent[at];
    }
    const own = (row: number) => source[row] === NONE;

    const numbers = new Int32Array(rows).fill(NONE);
    let highest = 0;
    columns.each("packet", event, (row, value) => {
      if (value === 0) return;
      numbers[row] = highest - signed(value - 1);
      if (numbers[row] > highest) highest = numbers[row];
    }, own);
    this.packets = Int32Array.from(running(columns.whole("packets")));
    this.packetContent = Int8Array.from(columns.whole("packet_content"), (value) => value - 1);
    this.packetFlow = columns.whole("packet_flow").map((value) => value - 1);
    this.packetNumber = columns.whole("packet_number").map((value) => value - 1);
    this.packetOrigin = columns.whole("packet_origin").map((value) => value - 1);
    this.packetTarget = columns.whole("packet_target").map((value) => value - 1);
    const packetBytes = columns.whole("packet_bytes").map((value) => value - 1);
    const places = new Int32Array((this.packets.at(-1) ?? -1) + 1).fill(NONE);
    this.packets.forEach((number, at) => (places[number] = at));
    this.packet = numbers.map((number) => (number === NONE ? NONE : places[number]));

    const dense = (name: string, filter?: (row: number) => boolean) => {
      const values = new Int32Array(rows).fill(NONE);
      columns.each(name, event, (row, value) => (values[row] = value - 1), filter);
      return values;
    };
    this.peer = dense("peer", own);
    this.kind = Int8Array.from(dense("kind", own));
    this.detail = Int8Array.from(dense("detail"));
    this.state = Int8Array.from(dense("state"));
    this.queue = dense("queue");
    this.bytes = this.packet.map((at) => (at === NONE ? NONE : packetBytes[at]));
    columns.each("bytes", event, (row, value) => (this.bytes[row] += signed(value)),
      (row) => own(row) && this.packet[row] !== NONE);
    for (let row = 0; row < rows; row++) {
      const from = source[row];
      if (from === NONE) continue;
      this.peer[row] = this.node[from];
      this.kind[row] = this.kind[from];
      this.packet[row] = this.packet[from];
      this.bytes[row] = this.bytes[from];
    }

    this.keep(columns, "by_frame", (value, row) => (value === 0 ? NONE : this.frame[row] - signed(value - 1)));
    for (const name of ["airtime_ns", "former", "cw_slots", "backoff_slots"]) this.keep(columns, name, (value) => value - 1);
    for (const name of ["flow", "number"])
      this.keep(columns, name, (value) => value - 1, (row) => own(row) && this.packet[row] === NONE);
    for (const name of ["cwnd", "ssthresh", "rto_s", "srtt_s", "timer_s"]) this.keepReals(columns, name);

    this.ends = new Float64Array(sent.length);
    let longest = 0;
    const airtimes = this.sparse.get("airtime_ns")!.values;
    sent.forEach((row, at) => {
      longest = Math.max(longest, airtimes[at]);
      this.ends[at] = this.time[row] + airtimes[at];
    });
    this.longestAirtime = longest;

    this.nodes = facts.ways.length;
    this.byNode = index(this.node, this.nodes);
    this.byPacket = index(this.packet, this.packets.length);
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
  column(name: string): { rows: Uint32Array; values: Float32Array | Int32Array } {
    return this.sparse.get(name)!;
  }

  private keep(columns: Columns, name: string, read: (value: number, row: number) => number,
    filter?: (row: number) => boolean): void {
    const values = new Int32Array(columns.count(name));
    const rows = new Uint32Array(values.length);
    let at = 0;
    columns.each(name, this.event, (row, value) => {
      rows[at] = row;
      values[at++] = read(value, row);
    }, filter);
    this.sparse.set(name, { rows, values });
  }

  private keepReals(columns: Columns, name: string): void {
    const values = columns.reals(name);
    const rows = new Uint32Array(values.length);
    let at = 0;
    columns.rows(name, this.event, (row) => (rows[at++] = row));
    this.sparse.set(name, { rows, values });
  }
}

/** The columns in the order in which they are written. */
class Columns {
  private readonly found = new Map<string, { column: Column; from: number }>();

  constructor(layout: Column[], private readonly data: Uint8Array) {
    let from = 0;
    for (const column of layout) {
      this.found.set(column.name, { column, from });
      from += column.count * column.width;
    }
    if (from !== data.length) throw new Error(`the record has ${data.length} bytes, not ${from}`);
  }

  count(name: string): number {
    return this.found.get(name)!.column.count;
  }

  bytes(name: string): Uint8Array {
    const { column, from } = this.found.get(name)!;
    return this.data.slice(from, from + column.count);
  }

  /** All values, as far as they have 31 bits. */
  whole(name: string): Int32Array {
    return this.add(name, new Int32Array(this.count(name)));
  }

  /** All values. */
  wide(name: string): Float64Array {
    return this.add(name, new Float64Array(this.count(name)));
  }

  private add<Values extends Int32Array | Float64Array>(name: string, values: Values): Values {
    const { column, from } = this.found.get(name)!;
    const { count, width } = column;
    for (let plane = 0, scale = 1; plane < width; plane++, scale *= 256) {
      const start = from + plane * count;
      for (let i = 0; i < count; i++) values[i] += this.data[start + i] * scale;
    }
    return values;
  }

  reals(name: string): Float32Array {
    const { column, from } = this.found.get(name)!;
    const bytes = new Uint8Array(column.count * 4);
    for (let plane = 0; plane < 4; plane++)
      for (let i = 0; i < column.count; i++) bytes[4 * i + plane] = this.data[from + plane * column.count + i];
    return new Float32Array(bytes.buffer);
  }

  /** Calls `found` for every row that has the column. */
  rows(name: string, event: Uint8Array, found: (row: number) => void, filter?: (row: number) => boolean): void {
    const having = new Uint8Array(256);
    for (const code of this.found.get(name)!.column.events ?? []) having[code] = 1;
    for (let row = 0; row < event.length; row++)
      if (having[event[row]] && (!filter || filter(row))) found(row);
  }

  /** Calls `found` for every row that has the column, with its value. */
  each(name: string, event: Uint8Array, found: (row: number, value: number) => void,
    filter?: (row: number) => boolean): void {
    const values = this.wide(name);
    let at = 0;
    this.rows(name, event, (row) => found(row, values[at++]), filter);
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

function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function running(steps: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(steps.length);
  let sum = 0;
  for (let i = 0; i < steps.length; i++) sums[i] = sum += steps[i];
  return sums;
}

function count(values: Uint8Array, value: number): number {
  let found = 0;
  for (let i = 0; i < values.length; i++) if (values[i] === value) found++;
  return found;
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
