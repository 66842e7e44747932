/** The time line: how much was sent and lost over the whole record, and where the shown instant is. */

import { exact } from "./format";
import type { Record } from "./record";
import { theme } from "./theme";

export class Timeline {
  private readonly canvas: HTMLCanvasElement;
  private readonly head: HTMLElement;

  /** `start` and `end` are the span of the record [ns]; `seek` is called with a time of it. */
  constructor(private readonly root: HTMLElement, private readonly record: Record, private readonly start: number,
    private end: number, seek: (time: number) => void) {
    this.canvas = root.querySelector("canvas")!;
    this.head = root.querySelector<HTMLElement>(".head")!;
    const drag = (event: PointerEvent) => {
      const { left, width } = root.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (event.clientX - left) / width));
      seek(start + share * (this.end - start));
    };
    root.addEventListener("pointerdown", (event) => {
      root.setPointerCapture(event.pointerId);
      drag(event);
    });
    root.addEventListener("pointermove", (event) => {
      if (root.hasPointerCapture(event.pointerId)) drag(event);
    });
    root.setAttribute("aria-valuemin", String(start / 1e9));
    root.setAttribute("aria-valuemax", String(end / 1e9));
  }

  /** Reach to a later end [ns]. */
  extend(end: number): void {
    this.end = end;
    this.root.setAttribute("aria-valuemax", String(end / 1e9));
    this.draw();
  }

  follow(time: number): void {
    const share = (time - this.start) / (this.end - this.start || 1);
    this.head.style.transform = `translateX(${(share * this.root.clientWidth).toFixed(1)}px)`;
  }

  /** Tell assistive technology the time. */
  tell(time: number): void {
    this.root.setAttribute("aria-valuenow", String(time / 1e9));
    this.root.setAttribute("aria-valuetext", `${exact(time)} seconds`);
  }

  /** Draw at the width and in the colours that hold now. */
  draw(): void {
    const { canvas, record } = this;
    const { clientWidth: width, clientHeight: height } = this.root;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    const bins = Math.max(1, Math.floor(width / 2));
    const [sent, lost] = [new Uint32Array(bins), new Uint32Array(bins)];
    const [transmit, miss] = [record.code("transmit"), record.code("miss")];
    const scale = bins / (this.end - this.start || 1);
    for (let row = 0; row < record.length; row++) {
      const event = record.event[row];
      if (event !== transmit && event !== miss) continue;
      const bin = Math.min(bins - 1, Math.floor((record.time[row] - this.start) * scale));
      (event === transmit ? sent : lost)[bin]++;
    }
    const colours = theme();
    const high = height - 16;
    const most = Math.max(1, ...sent);
    const worst = Math.max(1, ...lost);
    const bars = (values: Uint32Array, top: number, share: number, colour: string) => {
      context.fillStyle = colour;
      values.forEach((value, bin) => {
        const tall = (share * high * value) / top;
        context.fillRect((bin * width) / bins, high - tall, width / bins, tall);
      });
    };
    bars(sent, most, 1, colours.node);
    bars(lost, worst, 0.45, colours.lost);
    this.drawAxis(context, width, height);
  }

  private drawAxis(context: CanvasRenderingContext2D, width: number, height: number): void {
    const colours = theme();
    const seconds = (this.end - this.start) / 1e9;
    const wanted = seconds / Math.max(2, width / 110);
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((unit) => unit * power).find((each) => each >= wanted)!;
    context.fillStyle = colours.soft;
    context.font = `11px ${colours.sans}`;
    context.textBaseline = "bottom";
    for (let tick = Math.ceil(this.start / 1e9 / step) * step; tick <= this.end / 1e9; tick += step) {
      const x = ((tick * 1e9 - this.start) / (this.end - this.start)) * width;
      context.textAlign = x < 20 ? "left" : x > width - 24 ? "right" : "center";
      context.fillText(`${+tick.toFixed(9)} s`, x, height);
      context.fillRect(x, height - 16, 1, 4);
    }
  }
}
