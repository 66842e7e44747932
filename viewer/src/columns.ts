/** The columns of a record's part, as `python/multihop/playback/columns.py` writes them. */

import type { Column } from "./facts";

/** The columns in the order in which they are written. */
export class Columns {
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
