/** The ground of the map: who can hear whom, and the scale; kept as long as nothing moves. */

import type { Facts } from "./facts";
import { roundBelow } from "./format";
import type { Hearing } from "./hearing";
import type { Places } from "./places";
import { theme } from "./theme";
import type { View } from "./view";

/** More lines than this can't be read; they are left out. */
const MOST_LINES = 4000;
const MANY_LINES = 300;
const SCALE_PX = 120;

export class Ground {
  private readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private ratio = 1;
  private key = "";

  constructor(private readonly facts: Facts, private readonly hearing: Hearing, private readonly places: Places,
    private readonly view: View, private readonly under?: (context: CanvasRenderingContext2D) => void) {}

  /** Take the size of the view, and the colours that hold now. */
  resize(ratio: number): void {
    this.ratio = ratio;
    this.canvas.width = Math.round(this.view.width * ratio);
    this.canvas.height = Math.round(this.view.height * ratio);
    this.key = "";
  }

  /** The ground as it is now. */
  drawn(): HTMLCanvasElement {
    const { hearing, places, view } = this;
    const key = places.moving ? "" : [hearing.version, view.scale, view.x(0), view.y(0)].join();
    if (key === "" || key !== this.key) this.draw();
    this.key = key;
    return this.canvas;
  }

  private draw(): void {
    const { context, view, places } = this;
    const colours = theme();
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colours.page;
    context.fillRect(0, 0, view.width, view.height);
    this.under?.(context);
    const all = this.hearing.links();
    const lines = all.length > MOST_LINES ? [] : all;
    context.strokeStyle = colours.rule;
    context.lineWidth = places.count > 100 ? 0.5 : 1;
    context.globalAlpha = lines.length > MANY_LINES ? 0.6 : 1;
    context.beginPath();
    for (const [a, b] of lines) {
      context.moveTo(view.x(places.x[a]), view.y(places.y[a]));
      context.lineTo(view.x(places.x[b]), view.y(places.y[b]));
    }
    context.stroke();
    context.globalAlpha = 1;
    this.drawWires(colours.node, colours.page);
    if (this.facts.has_metres && !this.under) this.drawScale(colours.soft, colours.sans);
  }

  /** Each wire as a double line: a cable from end to end, a switch as a star. */
  private drawWires(edge: string, inner: string): void {
    const { context, view, places } = this;
    context.beginPath();
    for (const nodes of this.facts.wires) {
      const ends = nodes.map((node) => [view.x(places.x[node]), view.y(places.y[node])] as const);
      const middle = [0, 1].map((axis) => ends.reduce((sum, end) => sum + end[axis], 0) / ends.length);
      const [cx, cy] = nodes.length === 2 ? ends[0] : middle;
      for (const [x, y] of nodes.length === 2 ? [ends[1]] : ends) {
        context.moveTo(cx, cy);
        context.lineTo(x, y);
      }
    }
    for (const [colour, width] of [[edge, 4], [inner, 2]] as const) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke();
    }
  }

  private drawScale(colour: string, sans: string): void {
    const { context, view } = this;
    const metres = roundBelow(SCALE_PX / view.scale);
    const [right, bottom] = [view.width - 12, view.height - 10];
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(right - metres * view.scale, bottom);
    context.lineTo(right, bottom);
    context.stroke();
    context.font = `11px ${sans}`;
    context.textAlign = "right";
    context.fillText(`${metres} m`, right, bottom - 5);
  }
}
