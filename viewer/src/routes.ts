/** The way that each flow's data take at an instant: the next hops that its last packets had. */

import type { Flow } from "./facts";
import { NONE, Record, search } from "./record";

interface Hops {
  times: number[];
  next: number[];
}

export class Routes {
  /** By flow, then by node. */
  private readonly hops: Map<number, Hops>[] = [];
  /** When each flow's data were transmitted. */
  private readonly sent: number[][] = [];
  private readonly places = new Map<number, number>();
  private known = 0;

  constructor(private readonly flows: Flow[], private readonly record: Record, private readonly acknowledgment: number) {
    this.extend();
  }

  /** Take in the flows and rows that are new. */
  extend(): void {
    const { flows, record } = this;
    for (const flow of flows.slice(this.places.size)) {
      this.places.set(flow.id, this.places.size);
      this.hops.push(new Map());
      this.sent.push([]);
    }
    const [change, transmit] = [record.code("next-hop"), record.code("transmit")];
    for (let row = this.known; row < record.length; row++) {
      const event = record.event[row];
      const packet = record.packet[row];
      if ((event !== change && event !== transmit) || packet === NONE) continue;
      const place = this.places.get(record.packetFlow[packet]);
      if (place === undefined || record.packetContent[packet] === this.acknowledgment) continue;
      if (event === transmit) {
        this.sent[place].push(record.time[row]);
        continue;
      }
      const node = record.node[row];
      let known = this.hops[place].get(node);
      if (!known) this.hops[place].set(node, (known = { times: [], next: [] }));
      known.times.push(record.time[row]);
      known.next.push(record.peer[row]);
    }
    this.known = record.length;
  }

  /** Nodes from the flow's source on, as far as they are known. */
  path(place: number, time: number): number[] {
    const { source, destination } = this.flows[place];
    const path = [source];
    const seen = new Set(path);
    for (let node = source; node !== destination; ) {
      const hops = this.hops[place].get(node);
      const at = hops ? search(hops.times, time) - 1 : NONE;
      if (at < 0) break;
      node = hops!.next[at];
      path.push(node);
      if (seen.has(node)) break;
      seen.add(node);
    }
    return path;
  }

  /** Time since the flow's data were last transmitted [ns]. */
  silent(place: number, time: number): number {
    const at = search(this.sent[place], time) - 1;
    return at < 0 ? Infinity : time - this.sent[place][at];
  }
}
