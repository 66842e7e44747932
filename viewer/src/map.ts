/** The map: nodes, frames in the air, losses, queues and routes. */

import { Activity, RECEIVING, SENDING, SENSING } from "./activity";
import type { Step } from "./bands";
import type { Facts } from "./facts";
import { Ground } from "./ground";
import { Hearing } from "./hearing";
import { Pen } from "./pen";
import type { Places } from "./places";
import { NONE, Record } from "./record";
import type { Routes } from "./routes";
import type { State } from "./state";
import { flowColour, isLight, Theme, theme } from "./theme";
import { View } from "./view";
import type { Wording } from "./words";

const TURN = 2 * Math.PI;
const ROOM_FOR_NUMBER = 9;
const SMALL_MAP = 600;
/** Characters. */
const LONGEST_NAME = 20, LONGEST_STEP = 52;
/** Above this there are buttons. */
const LOW_PX = 90;
/** So far out of sight are nodes and frames still drawn [px]. */
const OUTSIDE = 40;
const SILENT_NS = 2e9;
/** So many single frames have their sensing range and a label each. */
const LABELLED = 8;

export interface Moment {
  time: number;
  since: number;
  glow: number;
}

/** What the reader follows. */
export interface Followed {
  node: number;
  /** Place in the packets. */
  packet: number;
}

/** A map that there is already: what it shows of the plane, and what is drawn under the network. */
export interface Scene {
  view: View;
  under(context: CanvasRenderingContext2D): void;
}

export class NetworkMap {
  readonly view: View;
  readonly activity: Activity;
  hidden = new Set<number>();
  /** What is told at a node. */
  told: Step | null = null;
  private readonly context: CanvasRenderingContext2D;
  private readonly ground: Ground;
  private readonly hearing: Hearing;
  private theme: Theme = theme();
  private ratio = 1;
  private radius = 8;
  private readonly spacing: number;
  private readonly ends = new Map<number, { place: number; source: boolean }>();
  /** Labels of this picture: text, place and colour. */
  private readonly labels: [string, number, number, string][] = [];
  /** Nodes as they are drawn: ends of flows last. */
  private readonly order: number[];
  private readonly idle: number;
  private readonly contending: number;
  private readonly pen: Pen;
  private numbers = "";

  constructor(
    readonly canvas: HTMLCanvasElement, private readonly facts: Facts, private readonly record: Record,
    private readonly places: Places, private readonly state: State, private readonly routes: Routes,
    private readonly wording: Wording, scene?: Scene,
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.view = scene?.view ?? new View(places.box);
    this.hearing = new Hearing(facts.heard, places.count);
    this.ground = new Ground(facts, this.hearing, places, this.view, scene && ((context) => scene.under(context)));
    this.pen = new Pen(this.context, this.view);
    this.activity = new Activity(record, this.hearing);
    this.spacing = places.spacing();
    this.order = Array.from({ length: places.count }, (_, node) => node);
    this.idle = facts.words.state.indexOf("idle");
    this.contending = facts.words.state.indexOf("contending");
    this.extend();
  }

  /** Mark the ends of flows that are new. */
  extend(): void {
    this.facts.flows.forEach((flow, place) => {
      if (!this.ends.has(flow.source)) this.ends.set(flow.source, { place, source: true });
      if (!this.ends.has(flow.destination)) this.ends.set(flow.destination, { place, source: false });
    });
    this.order.sort((a, b) => Number(this.ends.has(a)) - Number(this.ends.has(b)));
  }

  /** Take the size of the element and the colours that hold now. */
  resize(): void {
    const { width, height } = this.canvas.getBoundingClientRect();
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.view.resize(width, height);
    this.ground.resize(this.ratio);
    this.theme = theme();
  }

  /** The node at a point of the canvas; none if there is none. */
  nodeAt(x: number, y: number): number {
    let [found, nearest] = [NONE, Math.max(this.radius + 5, 14)];
    for (let node = 0; node < this.places.count; node++) {
      const distance = Math.hypot(this.x(node) - x, this.y(node) - y);
      if (distance < nearest) [found, nearest] = [node, distance];
    }
    return found;
  }

  /** The packet of a frame whose line passes a point; none if there is none. */
  packetAt(x: number, y: number): number {
    for (const at of this.activity.frames) {
      const row = this.record.sent[at];
      const [from, to] = [this.record.node[row], this.record.peer[row]];
      const packet = this.record.packet[row];
      if (packet === NONE || to === NONE) continue;
      const [ax, ay, bx, by] = [this.x(from), this.y(from), this.x(to), this.y(to)];
      const length = Math.hypot(bx - ax, by - ay) || 1;
      const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length;
      const aside = Math.abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length;
      if (along >= 0 && along <= length && aside < 8) return packet;
    }
    return NONE;
  }

  draw(moment: Moment, followed: Followed): void {
    const { context, activity } = this;
    this.places.move(moment.time / 1e9);
    this.hearing.move(moment.time / 1e9);
    this.state.seek(this.record.until(moment.time));
    activity.look(moment.time, moment.since, moment.glow, (node) => this.isSeen(node));
    this.radius = Math.max(3.5, Math.min(12, 0.2 * this.spacing * this.view.scale));
    this.numbers = `${Math.min(11, Math.max(8, this.radius)).toFixed(1)}px ${this.theme.sans}`;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.ground.drawn(), 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawRoutes(moment.time);
    if (followed.packet !== NONE) this.drawJourney(followed.packet, moment.time);
    if (activity.single) this.drawFrames(moment);
    else this.drawSums();
    this.drawNodes(followed.node);
    this.drawMarks(moment);
    for (const label of this.labels) this.pen.label(...label);
    this.labels.length = 0;
    this.drawTold();
  }

  /** A step of what led to a silence, where it happened. */
  private drawTold(): void {
    const { told, theme: colours } = this;
    if (told?.node === undefined) return;
    if (told.peer !== undefined) {
      this.context.setLineDash([6, 5]);
      this.line(told.node, told.peer, colours.link, 2);
      this.context.setLineDash([]);
    }
    const text = told.text.length > LONGEST_STEP ? `${told.text.slice(0, LONGEST_STEP)}…` : told.text;
    const [x, y] = [this.x(told.node), this.y(told.node)];
    this.pen.label(text, x, y < LOW_PX ? y + this.radius + 18 : y - this.radius - 18, colours.link);
  }

  private isSeen(node: number): boolean {
    const [x, y] = [this.x(node), this.y(node)];
    return x > -OUTSIDE && y > -OUTSIDE && x < this.view.width + OUTSIDE && y < this.view.height + OUTSIDE;
  }

  private x(node: number): number {
    return this.view.x(this.places.x[node]);
  }

  private y(node: number): number {
    return this.view.y(this.places.y[node]);
  }

  private drawRoutes(time: number): void {
    const { context, facts } = this;
    context.lineJoin = "round";
    context.lineCap = "round";
    facts.flows.forEach((_, place) => {
      if (this.hidden.has(place)) return;
      const path = this.routes.path(place, time);
      if (path.length < 2) return;
      const silent = this.routes.silent(place, time) > SILENT_NS;
      context.globalAlpha = silent ? 0.22 : 0.6;
      context.setLineDash(silent ? [3, 6] : []);
      context.strokeStyle = flowColour(facts.palette, place);
      context.lineWidth = 3.5;
      const aside = facts.flows.length > 1 ? ((place % 5) - 2) * 1.6 : 0;
      context.beginPath();
      path.forEach((node, at) => {
        if (at === 0) context.moveTo(this.x(node) + aside, this.y(node) + aside);
        else context.lineTo(this.x(node) + aside, this.y(node) + aside);
      });
      context.stroke();
    });
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /** The hops that a packet has made. */
  private drawJourney(packet: number, time: number): void {
    const { context, record } = this;
    const { starts, rows } = record.byPacket;
    const [transmit, receive] = [record.code("transmit"), record.code("receive")];
    for (let at = starts[packet]; at < starts[packet + 1] && record.time[rows[at]] <= time; at++) {
      const row = rows[at];
      const event = record.event[row];
      if (record.peer[row] === NONE || (event !== transmit && event !== receive)) continue;
      context.globalAlpha = event === receive ? 0.9 : 0.3;
      this.line(record.node[row], record.peer[row], this.theme.ink, event === receive ? 5 : 3);
    }
    context.globalAlpha = 1;
  }

  /** A line between two nodes. */
  private line(from: number, to: number, colour: string, width: number): void {
    this.pen.line(this.x(from), this.y(from), this.x(to), this.y(to), colour, width);
  }

  /** A cross beside a node. */
  private cross(node: number, size: number, strength: number): void {
    const aside = this.radius * 0.8;
    this.context.globalAlpha = strength;
    this.pen.cross(this.x(node) + aside, this.y(node) - aside, size, this.theme.lost);
  }

  private frameColour(row: number): string {
    const packet = this.record.packet[row];
    if (packet === NONE) return this.theme.soft;
    const flow = this.record.packetFlow[packet];
    const place = flow === NONE ? NONE : this.facts.flows.findIndex((each) => each.id === flow);
    return place === NONE ? this.theme.soft : flowColour(this.facts.palette, place);
  }

  private drawFrames({ time }: Moment): void {
    const { context, record, activity, view, facts } = this;
    const few = activity.frames.length <= LABELLED;
    for (const at of activity.frames) {
      const row = record.sent[at];
      const [x, y] = [this.x(record.node[row]), this.y(record.node[row])];
      const colour = this.frameColour(row);
      const inAir = record.ends[at] >= time;
      if (facts.receive_m === null || record.isOnWire(row)) continue;
      context.globalAlpha = inAir ? 0.09 : 0.03;
      context.fillStyle = context.strokeStyle = colour;
      context.beginPath();
      context.arc(x, y, facts.receive_m * view.scale, 0, TURN);
      context.fill();
      context.globalAlpha = inAir ? 0.8 : 0.25;
      context.lineWidth = 1.2;
      context.stroke();
      if (!few || !inAir) continue;
      context.globalAlpha = 0.5;
      context.setLineDash([2, 5]);
      context.beginPath();
      context.arc(x, y, facts.sense_m! * view.scale, 0, TURN);
      context.stroke();
      context.setLineDash([]);
    }
    for (const at of activity.frames) {
      const row = record.sent[at];
      const [from, to] = [record.node[row], record.peer[row]];
      const colour = this.frameColour(row);
      const inAir = record.ends[at] >= time;
      const done = Math.min(1, (time - record.time[row]) / (record.ends[at] - record.time[row]));
      context.globalAlpha = inAir ? 1 : 0.35;
      if (to !== NONE) {
        const ofPacket = record.packet[row] !== NONE;
        context.setLineDash(ofPacket ? [] : [5, 4]);
        this.line(from, to, colour, ofPacket ? 2.5 : 1.6);
        context.setLineDash([]);
        const [x, y] = [mix(this.x(from), this.x(to), done), mix(this.y(from), this.y(to), done)];
        if (inAir) {
          this.pen.dot(x, y, ofPacket ? 5.5 : 4, colour);
          if (few) this.labels.push([this.wording.frame(row), x, y - 13, colour]);
        }
      } else if (inAir) {
        context.strokeStyle = colour;
        context.lineWidth = 2;
        const reach = facts.receive_m === null || record.isOnWire(row) ? 3 * this.radius : facts.receive_m * view.scale;
        context.beginPath();
        context.arc(this.x(from), this.y(from), Math.max(this.radius, done * reach), 0, TURN);
        context.stroke();
        if (few)
          this.labels.push([this.wording.frame(row), this.x(from), this.y(from) - this.radius - 11, colour]);
      }
    }
    context.globalAlpha = 1;
  }

  private drawSums(): void {
    const { context, activity, record, theme: colours } = this;
    let most = 1;
    for (const count of activity.links.values()) most = Math.max(most, count);
    for (const [link, count] of activity.links) {
      context.globalAlpha = 0.35 + (0.55 * count) / most;
      this.line(Math.floor(link / record.nodes), link % record.nodes, colours.ink, 1 + (2.5 * count) / most);
    }
    context.strokeStyle = colours.soft;
    context.lineWidth = 1;
    for (const node of activity.broadcasts.keys()) {
      context.globalAlpha = 0.7;
      context.beginPath();
      context.arc(this.x(node), this.y(node), this.radius + 4, 0, TURN);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  private drawNodes(followed: number): void {
    const { context, state, theme: colours, radius } = this;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const full = Math.max(1, Math.min(this.state.fullest, this.facts.queue_packets));
    const endSize = this.view.width < SMALL_MAP ? 5 : ROOM_FOR_NUMBER;
    for (const node of this.order) {
      if (!this.isSeen(node)) continue;
      const [x, y] = [this.x(node), this.y(node)];
      const end = this.ends.get(node);
      const size = end ? Math.max(radius, endSize) : radius;
      if (end) this.drawEnd(x, y, size, end);
      const fill = this.fill(node);
      context.fillStyle = fill;
      context.beginPath();
      context.arc(x, y, size, 0, TURN);
      context.fill();
      context.strokeStyle = node === followed ? colours.link : colours.node;
      context.lineWidth = node === followed ? 3 : 1;
      context.stroke();
      const waiting = state.queue[node];
      if (waiting > 0) {
        context.strokeStyle = colours.lost;
        context.lineWidth = Math.max(2, radius * 0.3);
        context.beginPath();
        context.arc(x, y, size + (end ? 6 : 2.5), -TURN / 4, -TURN / 4 + TURN * Math.min(1, waiting / full));
        context.stroke();
      }
      if (size >= ROOM_FOR_NUMBER || node === followed) {
        context.font = this.numbers;
        context.fillStyle = isLight(fill) ? "#1f2328" : "#ffffff";
        context.fillText(String(node), x, y + 0.5);
      }
      if (size >= ROOM_FOR_NUMBER || node === followed) this.drawName(node, x, y + size + (end ? 8 : 5), colours.ink);
    }
  }

  private drawName(node: number, x: number, y: number, colour: string): void {
    const name = this.facts.names[node];
    if (!name) return;
    const { context } = this;
    context.font = this.numbers;
    context.fillStyle = colour;
    context.textBaseline = "top";
    context.fillText(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name, x, y);
    context.textBaseline = "middle";
  }

  /** A disc behind a flow's source, a square behind its destination. */
  private drawEnd(x: number, y: number, size: number, end: { place: number; source: boolean }): void {
    const { context } = this;
    context.fillStyle = flowColour(this.facts.palette, end.place);
    context.beginPath();
    if (end.source) context.arc(x, y, size + 4, 0, TURN);
    else context.rect(x - size - 3, y - size - 3, 2 * size + 6, 2 * size + 6);
    context.fill();
  }

  private fill(node: number): string {
    const { theme: colours, state } = this;
    switch (this.activity.doing[node]) {
      case SENDING:
        return colours.ink;
      case RECEIVING:
        return colours.receiving;
    }
    const mac = state.mac[node];
    if (mac === this.contending) return colours.contending;
    if (mac !== NONE && mac !== this.idle) return colours.awaiting;
    return this.activity.doing[node] === SENSING ? colours.rule : colours.page;
  }

  private drawMarks({ time, glow }: Moment): void {
    const { context, activity, record, theme: colours, radius } = this;
    const left = (at: number) => Math.max(0.25, 1 - (time - at) / (glow || 1));
    const few = activity.single && activity.lostRows.length <= LABELLED;
    if (few)
      for (const row of activity.lostRows) {
        const by = record.value("by_frame", row);
        const at = by === NONE ? NONE : record.transmission(by);
        if (at === NONE) continue;
        context.globalAlpha = left(record.time[row]);
        context.setLineDash([2, 4]);
        this.line(record.node[record.sent[at]], record.node[row], colours.lost, 1.6);
        context.setLineDash([]);
      }
    for (const [node, at] of activity.lost) this.cross(node, Math.max(4.5, radius * 0.6), left(at));
    // Floods collide all the time: what is for all has small marks.
    for (const [node, at] of activity.lostOfAll)
      if (!activity.lost.has(node)) this.cross(node, 2.5, left(at) * (few ? 1 : 0.5));
    for (const row of activity.delivered) {
      const [x, y] = [this.x(record.node[row]), this.y(record.node[row])];
      context.globalAlpha = left(record.time[row]);
      context.strokeStyle = this.frameColour(row);
      context.lineWidth = 2.5;
      context.beginPath();
      context.arc(x, y, radius + 9, 0, TURN);
      context.stroke();
    }
    const labelled = new Set<number>();
    for (const row of activity.drops) {
      const node = record.node[row];
      const [x, y] = [this.x(node), this.y(node) + radius + 8];
      const own = this.wording.isTransport(record.packet[row]);
      const size = own ? 6 : 3;
      context.globalAlpha = left(record.time[row]) * (own || few ? 1 : 0.5);
      context.fillStyle = colours.lost;
      context.beginPath();
      context.moveTo(x - size, y - size);
      context.lineTo(x + size, y - size);
      context.lineTo(x, y + size);
      context.fill();
      if (own && activity.drops.length <= LABELLED && !labelled.has(node))
        this.pen.label(record.word("detail", record.detail[row]), x, y + 14, colours.lost);
      labelled.add(node);
    }
    context.globalAlpha = 1;
  }
}

function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}
