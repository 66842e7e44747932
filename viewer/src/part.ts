/** A part of the record of events: its rows as they are decoded, each with all that it says. */

import { Columns } from "./columns";
import type { Column } from "./facts";

/** What stands for a value that is missing. */
export const NONE = -1;

/** Columns that few rows have: their rows and values. */
export interface Sparse {
  rows: Uint32Array;
  values: Float32Array | Int32Array;
}

/** The numbers that stand for the events that a part must know. */
export interface Codes {
  transmit: number;
  receive: number;
  miss: number;
}

export class Part {
  readonly length: number;
  /** When each row happened [ns]. */
  readonly time: Float64Array;
  readonly event: Uint8Array;
  readonly node: Int32Array;
  readonly peer: Int32Array;
  readonly frame: Int32Array;
  /** Number of the packet. */
  readonly packet: Int32Array;
  readonly kind: Int8Array;
  readonly detail: Int8Array;
  readonly state: Int8Array;
  readonly queue: Int32Array;
  readonly bytes: Int32Array;
  /** Rows of the frames' transmissions, in order. */
  readonly sent: Uint32Array;

  /** The packets' numbers, and what all rows of a packet share. */
  readonly packets: Int32Array;
  readonly packetContent: Int8Array;
  readonly packetFlow: Int32Array;
  readonly packetNumber: Int32Array;
  readonly packetOrigin: Int32Array;
  readonly packetTarget: Int32Array;

  readonly sparse = new Map<string, Sparse>();

  constructor(layout: Column[], data: Uint8Array, { transmit, receive, miss }: Codes) {
    const columns = new Columns(layout, data);
    this.event = columns.bytes("event");
    const event = this.event;
    const rows = (this.length = event.length);
    this.time = running(columns.wide("time_ns"));
    this.node = columns.whole("node");

    this.frame = new Int32Array(rows).fill(NONE);
    let latest = -1;
    columns.each("frame", event, (row, value) => {
      const step = signed(value);
      if (event[row] === transmit) latest += 1 + step;
      this.frame[row] = event[row] === transmit ? latest : latest - step;
    });
    this.sent = new Uint32Array(count(event, transmit));
    for (let row = 0, at = 0; row < rows; row++) if (event[row] === transmit) this.sent[at++] = row;

    // An outcome has from its frame's transmission what is not written with it.
    const [first, last] = range(this.sent, this.frame);
    const sender = new Int32Array(last - first + 1).fill(NONE);
    for (const row of this.sent) sender[this.frame[row] - first] = row;
    const source = new Int32Array(rows).fill(NONE);
    for (let row = 0; row < rows; row++)
      if (event[row] === receive || event[row] === miss) source[row] = sender[this.frame[row] - first] ?? NONE;
    const own = (row: number) => source[row] === NONE;

    this.packet = new Int32Array(rows).fill(NONE);
    let highest = 0;
    columns.each("packet", event, (row, value) => {
      if (value === 0) return;
      this.packet[row] = highest - signed(value - 1);
      if (this.packet[row] > highest) highest = this.packet[row];
    }, own);
    this.packets = Int32Array.from(running(columns.whole("packets")));
    this.packetContent = Int8Array.from(columns.whole("packet_content"), (value) => value - 1);
    this.packetFlow = columns.whole("packet_flow").map((value) => value - 1);
    this.packetNumber = columns.whole("packet_number").map((value) => value - 1);
    this.packetOrigin = columns.whole("packet_origin").map((value) => value - 1);
    this.packetTarget = columns.whole("packet_target").map((value) => value - 1);
    const sizes = columns.whole("packet_bytes").map((value) => value - 1);
    const size = new Map<number, number>();
    this.packets.forEach((number, at) => size.set(number, sizes[at]));

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
    this.bytes = this.packet.map((number) => (number === NONE ? NONE : size.get(number)!));
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

/** The least and the greatest value in some rows; those of an empty range if there are none. */
export function range(rows: Uint32Array, values: Int32Array): [number, number] {
  let [least, greatest] = [rows.length ? Infinity : 0, NONE];
  for (const row of rows) {
    least = Math.min(least, values[row]);
    greatest = Math.max(greatest, values[row]);
  }
  return [least, greatest];
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
