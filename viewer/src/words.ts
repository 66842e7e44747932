/** Rows in words. */

import type { Facts } from "./facts";
import { plain, span } from "./format";
import type { Names } from "./names";
import { NONE, Record } from "./record";

const KINDS: { [kind: string]: string } = {
  rts: "RTS", cts: "CTS", ack: "ACK", "block-ack": "BlockAck", data: "data", tone: "tone",
};
const CONTENTS: { [content: string]: string } = {
  "tcp-data": "TCP data", "tcp-ack": "TCP ACK", udp: "UDP", rreq: "RREQ", rrep: "RREP", rerr: "RERR",
  hello: "HELLO", routing: "routing", "arp-request": "ARP request", "arp-reply": "ARP reply",
};
const TRANSPORT = new Set(["tcp-data", "tcp-ack", "udp"]);

export class Wording {
  constructor(private readonly record: Record, private readonly meanings: Facts["about"], readonly names: Names) {}

  /** What the words of a row mean. */
  about(row: number): string {
    const { record, meanings } = this;
    const texts = (["event", "detail", "state"] as const).map((column) =>
      meanings[column][record.word(column, record[column][row])]);
    return texts.filter(Boolean).join(" ");
  }

  /** What a packet is, such as "TCP data 159". */
  packet(at: number): string {
    const { record } = this;
    const content = record.word("content", record.packetContent[at]);
    const number = record.packetNumber[at];
    return `${CONTENTS[content] ?? content}${number === NONE ? "" : ` ${number}`}`;
  }

  /** Who sends a packet to whom at last. */
  ends(at: number): string {
    const { record } = this;
    const [origin, target] = [record.packetOrigin[at], record.packetTarget[at]];
    const { names } = this;
    return target === NONE ? `from ${names.node(origin)}` : `${names.node(origin)} → ${names.node(target)}`;
  }

  /** Whether a packet is a transport's own. */
  isTransport(at: number): boolean {
    return TRANSPORT.has(this.record.word("content", this.record.packetContent[at]));
  }

  /** What a frame is: its packet, or the name of its kind. */
  frame(row: number): string {
    const packet = this.record.packet[row];
    return packet === NONE ? KINDS[this.record.word("kind", this.record.kind[row])] : this.packet(packet);
  }

  /** What happened. */
  row(row: number): string {
    const { record, names } = this;
    const other = record.peer[row];
    const peer = other === NONE ? "all" : names.node(other);
    const packet = record.packet[row];
    const name = packet === NONE ? "" : this.packet(packet);
    const detail = record.word("detail", record.detail[row]);
    switch (record.word("event", record.event[row])) {
      case "transmit":
        return `sends ${this.frame(row)} to ${peer}`;
      case "receive":
        return `receives ${this.frame(row)} from ${peer}`;
      case "miss":
        return `loses ${this.frame(row)} from ${peer}: ${detail}${this.lostTo(row)}`;
      case "give-up":
        return `gives up sending ${name} to ${peer}`;
      case "mac":
        return `${record.word("state", record.state[row])}, window ${record.value("cw_slots", row)}, `
          + `${record.value("number", row)} in vain`;
      case "enqueue":
        return `queues ${name}; ${waiting(record.queue[row])}`;
      case "serve":
        return `takes ${name}; ${waiting(record.queue[row])}`;
      case "queue":
        return `queue changed; ${waiting(record.queue[row])}`;
      case "route":
        return `routes ${name} to ${peer}`;
      case "next-hop": {
        const former = record.value("former", row);
        const before = former === NONE ? "" : `, before to ${names.node(former)}`;
        return `${names.flow(record.flow(row))} goes to ${peer}${before}`;
      }
      case "arp-wait":
        return `${name} waits for the address of ${peer}`;
      case "link-failure":
        return `takes the link to ${peer} for broken; it is ${detail.replace("-", " ")}`;
      case "discovery":
        return `looks for a route to ${peer}`;
      case "route-error":
        return `learns that its route to ${peer} is broken`;
      case "drop":
        return `drops ${name}: ${detail}`;
      case "send":
        return `transport sends ${name}`;
      case "deliver":
        return `transport gets ${name}`;
      case "tcp":
        return `TCP, ${detail.replace("-", " ")}: window ${plain(record.value("cwnd", row))}, `
          + `timeout ${span(record.value("rto_s", row))}, ${record.word("state", record.state[row])}`;
      default:
        return record.word("event", record.event[row]);
    }
  }

  private lostTo(row: number): string {
    const frame = this.record.value("by_frame", row);
    const at = frame === NONE ? NONE : this.record.transmission(frame);
    if (at === NONE) return "";
    const by = this.record.sent[at];
    return ` (${this.frame(by)} of ${this.names.node(this.record.node[by])})`;
  }
}

function waiting(packets: number): string {
  return packets === 1 ? "1 waits" : `${packets} wait`;
}
