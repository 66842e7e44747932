/** What the reader follows, in words: the last events of a node, or the journey of a packet. */

import { element } from "./bands";
import { micro } from "./format";
import { NONE, Record, search } from "./record";
import type { Followed } from "./map";
import type { State } from "./state";
import type { Wording } from "./words";

const LAST = 20;
const MOST = 120;

export class Inspector {
  private shown = "";

  constructor(private readonly root: HTMLElement, private readonly record: Record, private readonly state: State,
    private readonly wording: Wording, private readonly seek: (time: number) => void,
    private readonly follow: (followed: Partial<Followed>) => void) {}

  /** Show what is followed as it is at a time. */
  draw(time: number, { node, packet }: Followed, withMac: boolean): void {
    const rows = packet !== NONE ? this.journey(packet) : node !== NONE ? this.last(node, time, withMac) : [];
    const current = rows.findLastIndex((row) => this.record.time[row] <= time);
    const head = packet !== NONE ? this.packetHead(packet, time) : node !== NONE ? this.nodeHead(node) : "";
    const key = [packet, node, head, rows[0], rows.length, current].join();
    if (key === this.shown) return;
    this.shown = key;
    const list = element("ol", "rows");
    rows.forEach((row, at) => list.append(this.entry(row, packet === NONE, at, current, packet !== NONE)));
    const text = head || "Click a node or a frame to follow it.";
    this.root.replaceChildren(element("p", head ? "told" : "told soft", text), list);
    if (packet !== NONE && current >= 0) {
      const entry = list.children[current] as HTMLElement;
      list.scrollTop = entry.offsetTop - list.clientHeight / 2;
    }
  }

  /** The last rows of a node until a time, the latest first. */
  private last(node: number, time: number, withMac: boolean): number[] {
    const { starts, rows } = this.record.byNode;
    const own = rows.subarray(starts[node], starts[node + 1]);
    const mac = this.record.code("mac");
    const found = [];
    for (let at = search(own, this.record.until(time), false) - 1; at >= 0 && found.length < LAST; at--)
      if (withMac || this.record.event[own[at]] !== mac) found.push(own[at]);
    return found;
  }

  private journey(packet: number): number[] {
    const { starts, rows } = this.record.byPacket;
    return [...rows.subarray(starts[packet], Math.min(starts[packet + 1], starts[packet] + MOST))];
  }

  private nodeHead(node: number): string {
    const state = this.record.word("state", this.state.mac[node]) || "idle";
    return `Node ${this.wording.names.node(node)}: MAC ${state.replace("-", " ")}, ${this.state.queue[node]} in its queue`;
  }

  private packetHead(packet: number, time: number): string {
    const { record } = this;
    const { names } = this.wording;
    const [receive, transmit] = [record.code("receive"), record.code("transmit")];
    const flow = record.packetFlow[packet];
    const hops: number[] = [];
    let tries = 0;
    for (const row of this.journey(packet)) {
      if (record.time[row] > time) break;
      if (record.event[row] === transmit) tries++;
      if (record.event[row] === receive && record.node[row] !== hops.at(-1)) hops.push(record.node[row]);
    }
    const way = this.wording.isTransport(packet) && hops.length > 0
      ? ` So far by ${[record.packetOrigin[packet], ...hops].map((node) => names.node(node)).join(" → ")}.` : "";
    return `${this.wording.packet(packet)}, ${this.wording.ends(packet)}`
      + `${flow === NONE ? "" : `, ${names.flow(flow)}`}; packet ${record.packets[packet]}, `
      + `${this.cut(packet)}${tries === 0 ? "not sent yet" : tries === 1 ? "sent once" : `sent ${tries} times`}.${way}`;
  }

  /** That not all events of a packet are listed, if so. */
  private cut(packet: number): string {
    const { starts } = this.record.byPacket;
    const all = starts[packet + 1] - starts[packet];
    return all > MOST ? `the first ${MOST} of ${all} events; ` : "";
  }

  private entry(row: number, ofNode: boolean, at: number, current: number, journey: boolean): HTMLElement {
    const { record } = this;
    const event = record.word("event", record.event[row]);
    const bad = ["miss", "drop", "give-up", "link-failure"].includes(event);
    const ahead = journey && at > current;
    const entry = element("li", [bad ? "bad" : "", ahead ? "ahead" : "", journey && at === current ? "current" : ""]
      .join(" ").trim());
    const when = element("button", "when", micro(record.time[row]));
    when.title = "Go there";
    when.addEventListener("click", () => this.seek(record.time[row]));
    entry.append(when);
    if (!ofNode) {
      const { names } = this.wording;
      const where = element("button", "where", names.short(record.node[row]));
      where.title = `Follow node ${names.node(record.node[row])}`;
      where.addEventListener("click", () => this.follow({ node: record.node[row], packet: NONE }));
      entry.append(where);
    }
    const told = element("span", "", this.wording.row(row));
    told.title = this.wording.about(row);
    entry.append(told);
    if (ofNode && record.packet[row] !== NONE) {
      const number = element("button", "packet", `#${record.packets[record.packet[row]]}`);
      number.title = "Follow this packet";
      number.addEventListener("click", () => this.follow({ packet: record.packet[row] }));
      entry.append(number);
    }
    return entry;
  }
}
