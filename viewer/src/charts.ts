/** Congestion window, goodput and a queue over time: one axis of time for all, linked with the map. */

import uPlot from "uplot";
import type { Facts } from "./facts";
import { roundBelow } from "./format";
import { sampled, sampleTimes, Series } from "./series";
import { flowColour, theme } from "./theme";

const HEIGHT = 100;
const PARTS = 240;
const BINS = 80;
/** Shorter ones would show single packets [s]. */
const BIN_S = 0.1;
const SHORTEST = 1e-4;

type Kind = "windows" | "goodput" | "queue";

export class Charts {
  hidden = new Set<number>();
  private readonly plots = new Map<Kind, uPlot>();
  private readonly heads = new Map<Kind, HTMLElement>();
  private from: number;
  private to: number;
  private node: number;
  private time = 0;

  /** `start` and `end` are the span of the record [s]. */
  constructor(private readonly root: HTMLElement, private readonly facts: Facts, private readonly series: Series,
    private readonly start: number, private end: number, node: number,
    private readonly seek: (time: number) => void) {
    [this.from, this.to, this.node] = [start, end, node];
    this.build();
  }

  /** Reach to a later end [s], with the flows and values that are new; what ended at the end does so still. */
  extend(end: number): void {
    const [before, isAtEnd] = [this.end, this.to >= this.end];
    this.end = end;
    const isOther = this.plots.get("goodput")!.series.length !== this.facts.flows.length + 1
      || this.plots.has("windows") !== this.series.hasWindows;
    if (isOther) this.build();
    if (isAtEnd) this.zoom(this.from === this.start ? this.start : this.from + end - before, end);
  }

  /** Take what is drawn away. */
  clear(): void {
    for (const plot of this.plots.values()) plot.destroy();
    this.plots.clear();
  }

  /** Build anew, with the colours and the width that hold now. */
  build(): void {
    this.clear();
    const { hasWindows } = this.series;
    this.root.classList.toggle("without-windows", !hasWindows);
    for (const kind of hasWindows ? (["windows", "goodput", "queue"] as const) : (["goodput", "queue"] as const)) {
      const element = this.root.querySelector<HTMLElement>(`[data-chart=${kind}]`)!;
      const plot = new uPlot(this.options(kind, element.clientWidth), this.data(kind), element);
      const head = document.createElement("div");
      head.className = "head";
      plot.over.append(head);
      plot.over.addEventListener("dblclick", () => this.zoom(this.start, this.end));
      plot.over.addEventListener("click", (event) => {
        if (plot.select.width === 0) this.seek(plot.posToVal(event.offsetX, "x"));
      });
      this.plots.set(kind, plot);
      this.heads.set(kind, head);
    }
    this.follow(this.time);
  }

  resize(): void {
    for (const [kind, plot] of this.plots) {
      const { clientWidth: width } = this.root.querySelector<HTMLElement>(`[data-chart=${kind}]`)!;
      if (width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
    this.follow(this.time);
  }

  /** Show the queue of this node. */
  show(node: number): void {
    if (node === this.node) return;
    this.node = node;
    this.plots.get("queue")?.setData(this.data("queue"));
  }

  /** Draw the flows that are not hidden. */
  refresh(): void {
    for (const [kind, plot] of this.plots) {
      if (kind !== "queue") this.facts.flows.forEach((_, place) =>
        plot.setSeries(place + 1, { show: !this.hidden.has(place) }));
    }
  }

  /** Mark a time [s]; where it is out of sight, move there. */
  follow(time: number): void {
    this.time = time;
    const width = this.to - this.from;
    if (time < this.from || time > this.to) {
      const from = Math.max(this.start, Math.min(this.end - width, time - 0.1 * width));
      this.zoom(from, from + width);
      return;
    }
    for (const [kind, plot] of this.plots) {
      const at = plot.valToPos(time, "x");
      this.heads.get(kind)!.style.transform = `translateX(${at.toFixed(1)}px)`;
    }
  }

  zoom(from: number, to: number): void {
    const width = Math.max(to - from, SHORTEST);
    this.from = Math.max(this.start, Math.min(from, this.end - width));
    this.to = Math.min(this.end, this.from + width);
    for (const [kind, plot] of this.plots) plot.setData(this.data(kind));
    this.follow(Math.max(this.from, Math.min(this.to, this.time)));
  }

  private data(kind: Kind): uPlot.AlignedData {
    const { from, to, series } = this;
    const flows = this.facts.flows.map((_, place) => place);
    if (kind === "goodput") {
      const width = Math.max(roundBelow((to - from) / BINS), Math.min(BIN_S, roundBelow((to - from) / 10)));
      const times: number[] = [];
      for (let end = (Math.floor(from / width) + 1) * width; end <= to; end += width) times.push(end);
      return [times, ...flows.map((place) => times.map((end) => {
        const bits = series.goodput(place, end, width);
        return bits === null ? null : bits / 1e3;
      }))];
    }
    const times = sampleTimes(from, to, PARTS);
    if (kind === "queue") return [times, sampled(series.queue(this.node), from, to, PARTS, Math.max)];
    return [times, ...flows.map((place) => sampled(series.windows[place], from, to, PARTS, Math.min))];
  }

  private options(kind: Kind, width: number): uPlot.Options {
    const colours = theme();
    const axis = {
      stroke: colours.soft,
      font: `11px ${colours.sans}`,
      grid: { stroke: colours.rule, width: 1 },
      ticks: { show: false },
    };
    const line = { width: 1.5, points: { show: false } };
    const stepped = uPlot.paths.stepped!({ align: -1 });
    const flows = this.facts.flows.map((_, place) => ({
      ...line,
      stroke: flowColour(this.facts.palette, place),
      show: !this.hidden.has(place),
      paths: stepped,
    }));
    return {
      width,
      height: HEIGHT,
      padding: [8, 14, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: "replay" }, drag: { x: true, y: false, setScale: false }, points: { show: false } },
      scales: {
        x: { time: false, range: () => [this.from, this.to] },
        y: { range: (_, __, most) => [0, Math.max(1, most ?? 1) * 1.05] },
      },
      axes: [
        { ...axis, size: 24, gap: 3, values: (_, ticks) => ticks.map((tick) => String(+tick.toFixed(6))) },
        { ...axis, size: 40, gap: 4 },
      ],
      series: [{}, ...(kind === "queue"
        ? [{ ...line, stroke: colours.lost, fill: `${colours.lost}30`, paths: stepped }]
        : flows)],
      hooks: {
        setSelect: [(plot) => {
          const { left, width: wide } = plot.select;
          if (wide < 4) return;
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          this.zoom(plot.posToVal(left, "x"), plot.posToVal(left + wide, "x"));
        }],
      },
    };
  }
}
