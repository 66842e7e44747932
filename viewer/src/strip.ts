/** Frames around the shown instant as bars over time: what overlaps is in lanes. */

import type { Facts } from "./facts";
import { span } from "./format";
import { NONE, Record } from "./record";
import { flowColour, isLight, theme } from "./theme";
import type { Wording } from "./words";

const LANES = 5;
const MOST = 800;
const [SHORTEST, LONGEST] = [2e5, 1e9];
const LABEL_PX = 24;
const DRAG_PX = 4;

export class Strip {
  /** The time across the strip [ns]. */
  private width = 2e7;
  private readonly context: CanvasRenderingContext2D;
  private bars: { left: number; right: number; lane: number; at: number }[] = [];
  private time = 0;
  private ratio = 1;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly facts: Facts,
    private readonly record: Record, private readonly wording: Wording,
    private readonly seek: (time: number) => void, follow: (packet: number) => void) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    let [begun, from, moved] = [0, 0, false];
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      [begun, from, moved] = [event.clientX, this.time, false];
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      moved ||= Math.abs(event.clientX - begun) > DRAG_PX;
      if (moved) seek(from - ((event.clientX - begun) / canvas.clientWidth) * this.width);
    });
    canvas.addEventListener("pointerup", (event) => {
      const bar = moved ? undefined : this.barAt(event.offsetX, event.offsetY);
      if (!bar) return;
      const row = record.sent[bar.at];
      seek(record.time[row]);
      if (record.packet[row] !== NONE) follow(record.packet[row]);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8);
    }, { passive: false });
  }

  /** Show more or less time. */
  zoom(factor: number): void {
    this.width = Math.max(SHORTEST, Math.min(LONGEST, this.width * factor));
    this.seek(this.time);
  }

  resize(): void {
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(this.canvas.clientWidth * this.ratio);
    this.canvas.height = Math.round(this.canvas.clientHeight * this.ratio);
  }

  draw(time: number): void {
    this.time = time;
    const { context, record, facts } = this;
    const [wide, high] = [this.canvas.width / this.ratio, this.canvas.height / this.ratio];
    const colours = theme();
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colours.page;
    context.fillRect(0, 0, wide, high);
    const [from, to] = [time - this.width / 2, time + this.width / 2];
    const x = (at: number) => ((at - from) / this.width) * wide;
    const first = record.sentUntil(from - record.longestAirtime);
    const end = record.sentUntil(to);
    context.font = `11px ${colours.sans}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    this.bars = [];
    const tall = (high - 16) / LANES;
    if (end - first > MOST) this.say(`${end - first} frames in ${span(this.width / 1e9)}: show less time`, wide, high);
    else {
      const free = new Float64Array(LANES).fill(-Infinity);
      for (let at = first; at < end; at++) {
        const row = record.sent[at];
        if (record.ends[at] < from) continue;
        let lane = free.findIndex((until) => until <= record.time[row]);
        if (lane < 0) lane = free.indexOf(Math.min(...free));
        free[lane] = record.ends[at];
        const packet = record.packet[row];
        const flow = packet === NONE ? NONE : facts.flows.findIndex((each) => each.id === record.packetFlow[packet]);
        const colour = flow === NONE ? colours.node : flowColour(facts.palette, flow);
        const [left, right] = [x(record.time[row]), x(record.ends[at])];
        const top = lane * tall + 1;
        context.fillStyle = colour;
        context.fillRect(left, top, Math.max(1, right - left), tall - 2);
        if (this.isLost(at)) {
          context.fillStyle = colours.lost;
          context.fillRect(right - 3, top, 3, tall - 2);
        }
        this.bars.push({ left, right, lane, at });
        const shown = Math.max(0, left);
        if (right - shown > LABEL_PX) this.name(row, shown, right, top + tall / 2, colour);
      }
    }
    context.fillStyle = colours.soft;
    context.textBaseline = "bottom";
    context.fillText(`${span(this.width / 1e9)} across`, 4, high - 1);
    context.fillStyle = colours.ink;
    context.fillRect(wide / 2 - 0.75, 0, 1.5, high);
  }

  private name(row: number, left: number, right: number, y: number, colour: string): void {
    const { context, record } = this;
    const { names } = this.wording;
    const to = record.peer[row] === NONE ? "all" : names.short(record.peer[row]);
    const kind = this.wording.frame(row);
    const fitting = [`${kind} ${names.short(record.node[row])} → ${to}`, kind].find(
      (text) => context.measureText(text).width + 8 <= right - left);
    if (!fitting) return;
    context.fillStyle = isLight(colour) ? "#1f2328" : "#fff";
    context.fillText(fitting, left + 4, y);
  }

  private say(text: string, wide: number, high: number): void {
    this.context.fillStyle = theme().soft;
    this.context.fillText(text, Math.min(wide / 2 + 8, wide - 260), high / 2 - 8);
  }

  /** Whether a frame's addressee lost it. */
  private isLost(at: number): boolean {
    const { record } = this;
    const row = record.sent[at];
    const to = record.peer[row];
    if (to === NONE) return false;
    const miss = record.code("miss");
    for (let next = record.until(record.ends[at], false); next < record.length; next++) {
      if (record.time[next] > record.ends[at] + 1e4) return false;
      if (record.frame[next] === record.frame[row] && record.node[next] === to) return record.event[next] === miss;
    }
    return false;
  }

  private barAt(x: number, y: number): { at: number } | undefined {
    const tall = (this.canvas.height / this.ratio - 16) / LANES;
    return this.bars.find((bar) => x >= bar.left - 2 && x <= bar.right + 2 && Math.floor(y / tall) === bar.lane);
  }
}
