/** The map of a scenario: nodes, flows, who hears whom, and what links carry. */

import type { Box } from "../places";
import { flowColour, theme } from "../theme";
import { View } from "../view";
import type { Link, Look } from "./api";

const TURN = 2 * Math.PI;
const DECODES = 1, CARRIES = 2, SENSES = 4;
/** Losses from which on a link is drawn as a bad one, and as a very bad one. */
const LOSSY = 0.1, BAD = 0.3;
/** More links than these are drawn fainter. */
const MANY_LINKS = 400;
const MARGIN_M = 250;
export const NO_NODE = -1;

/** What a tool has begun to draw: a line or rectangle in metres, and the nodes that it makes. */
export interface Sketch {
  from: [number, number];
  to: [number, number];
  shape: "line" | "box" | "flow";
  nodes: [number, number][];
}

export class LabMap {
  readonly box: Box = { left: 0, right: 1000, bottom: 0, top: 1000 };
  readonly view = new View(this.box);
  readonly selected = new Set<number>();
  /** Where nodes are, also while they are dragged [m]. */
  readonly at: [number, number][] = [];
  links: Link[] = [];
  sketch: Sketch | null = null;
  cursor = NO_NODE;
  picture: { image: CanvasImageSource; width: number; height: number } | null = null;
  private look: Look = { fault: null };
  private readonly context: CanvasRenderingContext2D;
  private ratio = 1;
  private asked = 0;
  /** What draws a run on the same canvas, while it is played. */
  player: { ask(): void } | null = null;

  constructor(readonly canvas: HTMLCanvasElement, private readonly palette: string[]) {
    this.context = canvas.getContext("2d", { alpha: false })!;
  }

  /** Take a network; positions of nodes being dragged stay. */
  take(look: Look, dragged: Set<number> | null = null): void {
    this.look = look;
    const places = look.positions_m ?? [];
    for (let node = 0; node < places.length; node++)
      if (!dragged?.has(node) || !this.at[node]) this.at[node] = [...places[node]];
    this.at.length = places.length;
    for (const node of this.selected) if (node >= places.length) this.selected.delete(node);
    this.ask();
  }

  /** Show all nodes. */
  fit(): void {
    const xs = this.at.map(([x]) => x), ys = this.at.map(([, y]) => y);
    const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
    const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
    const [left, right, bottom, top] = this.at.length
      ? [least(xs), most(xs), least(ys), most(ys)] : [0, 1000, 0, 700];
    const span = Math.max(right - left, top - bottom);
    const margin = span ? Math.max(0.15 * span, Math.min(MARGIN_M, 0.6 * span)) : MARGIN_M;
    Object.assign(this.box, { left: left - margin, right: right + margin, bottom: bottom - margin, top: top + margin });
    this.view.resize(this.view.width, this.view.height);
    this.view.zoom(0, 0, 0);
    this.ask();
  }

  resize(): void {
    const { width, height } = this.canvas.getBoundingClientRect();
    if (!width || !height) return;
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.view.resize(width, height);
    this.ask();
  }

  metres(x: number, y: number): [number, number] {
    const { view } = this;
    const zero = [view.x(0), view.y(0)];
    return [(x - zero[0]) / view.scale, (zero[1] - y) / view.scale];
  }

  nodeAt(x: number, y: number, reach = 16): number {
    let [found, nearest] = [NO_NODE, Math.max(this.radius + 5, reach)];
    this.at.forEach(([mx, my], node) => {
      const distance = Math.hypot(this.view.x(mx) - x, this.view.y(my) - y);
      if (distance < nearest) [found, nearest] = [node, distance];
    });
    return found;
  }

  get radius(): number {
    return Math.max(5, Math.min(13, 30 * this.view.scale, 2600 / Math.max(1, this.at.length) ** 0.5 / 14));
  }

  ask(): void {
    if (this.player) this.player.ask();
    else this.asked ||= requestAnimationFrame(() => this.draw());
  }

  /** Make room for what else is to be seen. */
  include({ left, right, bottom, top }: Box): void {
    const { box, view } = this;
    Object.assign(box, { left: Math.min(left, box.left), right: Math.max(right, box.right),
      bottom: Math.min(bottom, box.bottom), top: Math.max(top, box.top) });
    view.resize(view.width, view.height);
  }

  /** The picture of the site, and a grid of metres. */
  under(pen: CanvasRenderingContext2D): void {
    this.drawPicture(pen);
    this.drawGrid(pen);
  }

  private draw(): void {
    this.asked = 0;
    if (this.player) return;
    const { context: pen, view, ratio } = this;
    const colours = theme();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colours.page;
    pen.fillRect(0, 0, view.width, view.height);
    this.under(pen);
    this.drawHearing(colours.node, colours.link);
    this.drawLinks();
    this.drawFlows(colours.page);
    this.drawNodes(colours);
    this.drawSketch(colours.link);
  }

  private x(node: number): number {
    return this.view.x(this.at[node][0]);
  }

  private y(node: number): number {
    return this.view.y(this.at[node][1]);
  }

  private drawPicture(pen: CanvasRenderingContext2D): void {
    if (!this.picture) return;
    const { image, width, height } = this.picture;
    const { view } = this;
    pen.globalAlpha = 0.5;
    pen.drawImage(image, view.x(0), view.y(height), width * view.scale, height * view.scale);
    pen.globalAlpha = 1;
  }

  private drawGrid(pen: CanvasRenderingContext2D): void {
    const { view } = this;
    const { rule, soft: ink, sans } = theme();
    const rough = 90 / view.scale;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
    const [left, top] = this.metres(0, 0), [right, bottom] = this.metres(view.width, view.height);
    pen.strokeStyle = rule;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let x = Math.ceil(left / step) * step; x < right; x += step) {
      pen.moveTo(view.x(x), 0);
      pen.lineTo(view.x(x), view.height);
    }
    for (let y = Math.ceil(bottom / step) * step; y < top; y += step) {
      pen.moveTo(0, view.y(y));
      pen.lineTo(view.width, view.y(y));
    }
    pen.globalAlpha = 0.6;
    pen.stroke();
    pen.globalAlpha = 1;
    pen.fillStyle = ink;
    pen.font = `11px ${sans}`;
    pen.textAlign = "right";
    pen.textBaseline = "bottom";
    pen.fillText(`a square is ${step >= 1000 ? `${step / 1000} km` : `${step} m`}`, view.width - 8, view.height - 6);
  }

  /** Pairs that can exchange data; of a selected node who hears it, and who only senses it. */
  private drawHearing(ink: string, marked: string): void {
    const { context: pen, look, selected } = this;
    const pairs = look.pairs ?? [];
    pen.strokeStyle = ink;
    pen.lineWidth = 1;
    pen.globalAlpha = pairs.length > MANY_LINKS ? 0.25 : 0.5;
    pen.beginPath();
    for (const [a, b] of pairs) {
      if (!this.at[a] || !this.at[b]) continue;
      pen.moveTo(this.x(a), this.y(a));
      pen.lineTo(this.x(b), this.y(b));
    }
    pen.stroke();
    pen.globalAlpha = 1;
    if (selected.size !== 1 || !look.heard) return;
    const [chosen] = selected;
    const { sender, node, flags } = look.heard;
    pen.strokeStyle = marked;
    for (let at = 0; at < sender.length; at++) {
      if (sender[at] !== chosen || !this.at[node[at]]) continue;
      const hears = flags[at] & (DECODES | CARRIES);
      if (!hears && !(flags[at] & SENSES)) continue;
      pen.lineWidth = hears ? 2 : 1;
      pen.setLineDash(hears ? [] : [2, 5]);
      pen.beginPath();
      pen.moveTo(this.x(chosen), this.y(chosen));
      pen.lineTo(this.x(node[at]), this.y(node[at]));
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  /** Links that carried something: wide by their share of the time, dashed and red by loss. */
  private drawLinks(): void {
    const { context: pen } = this;
    for (const { from, to, share, loss } of this.links) {
      if (!this.at[from] || !this.at[to] || share < 0.0005) continue;
      const [ax, ay, bx, by] = [this.x(from), this.y(from), this.x(to), this.y(to)];
      const length = Math.hypot(bx - ax, by - ay) || 1;
      // Each way has a side of its own.
      const [aside, down] = [(3 * (by - ay)) / length, (-3 * (bx - ax)) / length];
      pen.strokeStyle = loss >= BAD ? "#d55e00" : loss >= LOSSY ? "#e69f00" : "#0072b2";
      pen.setLineDash(loss >= BAD ? [3, 4] : loss >= LOSSY ? [9, 4] : []);
      pen.lineWidth = 1.2 + 11 * Math.min(1, share / 0.6);
      pen.globalAlpha = 0.75;
      pen.beginPath();
      pen.moveTo(ax + aside, ay + down);
      pen.lineTo(bx + aside, by + down);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  private drawFlows(ground: string): void {
    const flows = this.look.flows ?? [];
    const { context: pen } = this;
    flows.slice(0, 60).forEach(({ source, destination }, place) => {
      if (!this.at[source] || !this.at[destination]) return;
      const [ax, ay, bx, by] = [this.x(source), this.y(source), this.x(destination), this.y(destination)];
      const [dx, dy] = [bx - ax, by - ay];
      const length = Math.hypot(dx, dy) || 1;
      const bend = Math.min(46, 0.16 * length) * (place % 2 ? -1 : 1);
      const [mx, my] = [(ax + bx) / 2 - (dy / length) * bend, (ay + by) / 2 + (dx / length) * bend];
      const back = Math.atan2(by - my, bx - mx);
      const [ex, ey] = [bx - Math.cos(back) * (this.radius + 3), by - Math.sin(back) * (this.radius + 3)];
      pen.lineCap = "round";
      for (const [width, colour] of [[5.5, ground], [2.5, flowColour(this.palette, place)]] as [number, string][]) {
        pen.strokeStyle = pen.fillStyle = colour;
        pen.lineWidth = width;
        pen.beginPath();
        pen.moveTo(ax, ay);
        pen.quadraticCurveTo(mx, my, ex, ey);
        pen.stroke();
      }
      pen.beginPath();
      pen.moveTo(ex + Math.cos(back) * 4, ey + Math.sin(back) * 4);
      pen.lineTo(ex - Math.cos(back - 0.5) * 11, ey - Math.sin(back - 0.5) * 11);
      pen.lineTo(ex - Math.cos(back + 0.5) * 11, ey - Math.sin(back + 0.5) * 11);
      pen.fill();
    });
  }

  private drawNodes(colours: ReturnType<typeof theme>): void {
    const { context: pen, selected, radius } = this;
    const names = this.look.names ?? [];
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = `${Math.min(11, radius * 1.1).toFixed(1)}px ${colours.sans}`;
    for (let node = 0; node < this.at.length; node++) {
      const [x, y] = [this.x(node), this.y(node)];
      const is = selected.has(node);
      pen.fillStyle = is ? colours.link : colours.page;
      pen.strokeStyle = is ? colours.link : colours.ink;
      pen.lineWidth = is ? 3 : 1.3;
      pen.beginPath();
      pen.arc(x, y, radius, 0, TURN);
      pen.fill();
      pen.stroke();
      if (node === this.cursor) {
        pen.strokeStyle = colours.ink;
        pen.lineWidth = 2;
        pen.strokeRect(x - radius - 5, y - radius - 5, 2 * radius + 10, 2 * radius + 10);
      }
      if (radius > 6.5) {
        pen.fillStyle = is ? colours.page : colours.ink;
        pen.fillText(String(node), x, y + 0.5);
      }
      if (names[node] && (radius > 6.5 || is)) {
        pen.fillStyle = colours.ink;
        pen.fillText(names[node].slice(0, 20), x, y + radius + 9);
      }
    }
  }

  private drawSketch(colour: string): void {
    const { context: pen, sketch, view } = this;
    if (!sketch) return;
    const [ax, ay, bx, by] = [view.x(sketch.from[0]), view.y(sketch.from[1]), view.x(sketch.to[0]), view.y(sketch.to[1])];
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 2;
    pen.setLineDash([5, 4]);
    pen.beginPath();
    if (sketch.shape === "box") pen.rect(ax, ay, bx - ax, by - ay);
    else {
      pen.moveTo(ax, ay);
      pen.lineTo(bx, by);
    }
    pen.stroke();
    pen.setLineDash([]);
    for (const [x, y] of sketch.nodes) {
      pen.beginPath();
      pen.arc(view.x(x), view.y(y), 5, 0, TURN);
      pen.fill();
    }
  }
}
