/** Tools on the map: with mouse, finger or keyboard. */

import type { Bench } from "./bench";
import { LabMap, NO_NODE } from "./map";

/** Where a run is played nothing is built. */
export type Tool = "select" | "node" | "line" | "grid" | "area" | "flow" | "watch";
const CLICK_PX = 5;
const STEP_M = 10, FINE_M = 1;
/** The network is looked at so often while nodes are dragged [ms]. */
const LOOK_MS = 120;
const COPY_M = 40;

export interface Host {
  tool(): Tool;
  /** How many nodes a line or an area gets, and how many columns a grid. */
  count(): number;
  columns(): number;
  flow(source: number, destination: number): void;
  selection(): void;
  choose(tool: Tool): void;
  say(text: string): void;
  /** A point of the map is clicked while a run is played. */
  pick(x: number, y: number): void;
}

type Point = [number, number];

export class Tools {
  /** Where the flow begins that is being drawn. */
  private source = NO_NODE;
  private readonly pointers = new Map<number, Point>();
  private began: Point = [0, 0];
  private moved = 0;
  private dragging: Set<number> | null = null;
  private lookedAt = 0;

  constructor(private readonly map: LabMap, private readonly bench: Bench, private readonly host: Host) {
    const { canvas } = map;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.cancel(event));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1 / 1.15 : 1.15, event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  zoom(factor: number, x = this.map.view.width / 2, y = this.map.view.height / 2): void {
    this.map.view.zoom(factor, x, y);
    this.map.ask();
  }

  async remove(): Promise<void> {
    const { selected } = this.map;
    if (selected.size && (await this.bench.edit({ remove: [...selected] }))) {
      selected.clear();
      this.host.selection();
    }
  }

  async copy(): Promise<void> {
    const { selected, at } = this.map;
    if (!selected.size) return;
    const before = this.bench.count;
    const shift = COPY_M;
    const add = [...selected].map((node): Point => [at[node][0] + shift, at[node][1] - shift]);
    if (await this.bench.edit({ add })) this.select(add.map((_, place) => before + place));
  }

  select(nodes: number[]): void {
    this.map.selected.clear();
    for (const node of nodes) this.map.selected.add(node);
    this.map.ask();
    this.host.selection();
  }

  private down(event: PointerEvent): void {
    const { map } = this;
    map.canvas.focus({ preventScroll: true });
    map.canvas.setPointerCapture(event.pointerId);
    const at: Point = [event.offsetX, event.offsetY];
    this.pointers.set(event.pointerId, at);
    if (this.pointers.size > 1) return this.stop();
    [this.began, this.moved] = [at, 0];
    const node = map.nodeAt(...at, event.pointerType === "touch" ? 24 : 16);
    const tool = this.host.tool();
    if (tool === "select" && node !== NO_NODE) {
      if (event.shiftKey) {
        if (!map.selected.delete(node)) map.selected.add(node);
      } else if (!map.selected.has(node)) this.select([node]);
      this.dragging = new Set(map.selected);
      this.host.selection();
    } else if (tool === "flow") {
      if (node === NO_NODE) this.source = NO_NODE;
      else if (this.source === NO_NODE) this.source = node;
    }
    map.ask();
  }

  private move(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const { map } = this;
    const now: Point = [event.offsetX, event.offsetY];
    this.pointers.set(event.pointerId, now);
    this.moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const [was, is] = [before, now].map(([x, y]) => Math.hypot(x - other[0], y - other[1]));
      return this.zoom(is / (was || 1), ...other);
    }
    if (this.moved <= CLICK_PX) return;
    const [from, to] = [map.metres(...this.began), map.metres(...now)];
    const tool = this.host.tool();
    if (this.dragging) {
      const [was, is] = [map.metres(...before), map.metres(...now)];
      for (const node of this.dragging) {
        const at = map.at[node];
        map.at[node] = [at[0] + is[0] - was[0], at[1] + is[1] - was[1]];
      }
      this.lookAhead();
    } else if (tool === "flow" && this.source !== NO_NODE)
      map.sketch = { from: map.at[this.source], to, shape: "flow", nodes: [] };
    else if (tool === "line" || tool === "grid" || tool === "area")
      map.sketch = { from, to, shape: tool === "line" ? "line" : "box", nodes: this.planned(tool, from, to) };
    else map.view.move(now[0] - before[0], now[1] - before[1]);
    map.ask();
  }

  /** The nodes that a line, a grid or an area comes to. */
  private planned(tool: Tool, from: Point, to: Point): Point[] {
    const count = Math.max(1, this.host.count());
    if (tool === "line") {
      const part = (k: number) => (count === 1 ? 0 : k / (count - 1));
      return Array.from({ length: count }, (_, k): Point =>
        [from[0] + (to[0] - from[0]) * part(k), from[1] + (to[1] - from[1]) * part(k)]);
    }
    if (tool === "area") {
      // The same nodes for the same rectangle: they must not dance while it grows.
      let state = 42;
      const draw = () => (state = (state * 1664525 + 1013904223) % 4294967296) / 4294967296;
      return Array.from({ length: count }, (): Point =>
        [from[0] + (to[0] - from[0]) * draw(), from[1] + (to[1] - from[1]) * draw()]);
    }
    const columns = Math.max(1, Math.min(count, this.host.columns()));
    const rows = Math.ceil(count / columns);
    const part = (k: number, of: number) => (of === 1 ? 0 : k / (of - 1));
    return Array.from({ length: count }, (_, k): Point =>
      [from[0] + (to[0] - from[0]) * part(k % columns, columns),
        from[1] + (to[1] - from[1]) * part(Math.floor(k / columns), rows)]);
  }

  private lookAhead(): void {
    const now = performance.now();
    if (now - this.lookedAt < LOOK_MS) return;
    this.lookedAt = now;
    void this.bench.foresee(this.shift()).then((look) => {
      if (look && this.dragging && look.positions_m) this.map.take({ ...look }, this.dragging);
    });
  }

  private shift(): { move: [number, [number, number]][] } {
    return { move: [...this.dragging!].map((node) => [node, this.map.at[node]]) };
  }

  private up(event: PointerEvent): void {
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.pointers.size > 0) return;
    const { map } = this;
    const at: Point = [event.offsetX, event.offsetY];
    const clicked = this.moved <= CLICK_PX;
    const tool = this.host.tool();
    const node = map.nodeAt(...at, event.pointerType === "touch" ? 24 : 16);
    if (this.dragging) {
      if (!clicked) void this.bench.edit(this.shift());
    } else if (tool === "flow") this.endFlow(node, clicked);
    else if (tool === "node" && clicked) void this.bench.edit({ add: [map.metres(...at)] });
    else if (map.sketch) void this.bench.edit({ add: map.sketch.nodes });
    else if (tool === "select" && clicked) this.select([]);
    else if (tool === "watch" && clicked) this.host.pick(...at);
    this.stop();
  }

  /** A flow ends where the drag does, or at the second click. */
  private endFlow(node: number, clicked: boolean): void {
    if (this.source === NO_NODE) return;
    if (node === this.source || (clicked && node === NO_NODE)) {
      this.host.say(`A flow from node ${this.source}: choose where it goes.`);
      return;
    }
    if (node !== NO_NODE) this.host.flow(this.source, node);
    this.source = NO_NODE;
  }

  private cancel(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    this.stop();
    this.map.take(this.bench.look);
  }

  private stop(): void {
    this.dragging = null;
    this.map.sketch = null;
    this.map.ask();
  }

  private key(event: KeyboardEvent): void {
    if (this.host.tool() === "watch") return;
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key.toLowerCase() === "d" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        void this.copy();
      }
      return;
    }
    const step = event.shiftKey ? FINE_M : STEP_M;
    const acts: { [key: string]: () => void } = {
      ArrowLeft: () => this.nudge(-step, 0),
      ArrowRight: () => this.nudge(step, 0),
      ArrowUp: () => this.nudge(0, step),
      ArrowDown: () => this.nudge(0, -step),
      PageDown: () => this.walk(1),
      PageUp: () => this.walk(-1),
      Enter: () => this.pick(),
      Delete: () => void this.remove(),
      Backspace: () => void this.remove(),
      Escape: () => {
        this.source = NO_NODE;
        this.select([]);
      },
      "+": () => this.zoom(1.3),
      "-": () => this.zoom(1 / 1.3),
      "0": () => this.map.fit(),
      v: () => this.host.choose("select"),
      n: () => this.host.choose("node"),
      l: () => this.host.choose("line"),
      g: () => this.host.choose("grid"),
      a: () => this.host.choose("area"),
      f: () => this.host.choose("flow"),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  private nudging: ReturnType<typeof setTimeout> | undefined;

  /** Move the selection; the scenario changes when the keys rest. */
  private nudge(x: number, y: number): void {
    const { map } = this;
    if (!map.selected.size) return this.host.say("Page down chooses a node; arrows move it.");
    for (const node of map.selected) map.at[node] = [map.at[node][0] + x, map.at[node][1] + y];
    map.ask();
    const moved = new Set(map.selected);
    clearTimeout(this.nudging);
    this.nudging = setTimeout(() => {
      void this.bench.edit({ move: [...moved].map((node) => [node, map.at[node]]) });
    }, 250);
  }

  private walk(by: number): void {
    const { map, bench } = this;
    if (!bench.count) return;
    const [last] = [...map.selected].slice(-1);
    const next = last === undefined ? (by > 0 ? 0 : bench.count - 1) : (last + by + bench.count) % bench.count;
    this.select([next]);
    const from = this.source === NO_NODE ? "" : `; a flow from ${this.source}`;
    this.host.say(`Node ${next} at ${map.at[next].map(Math.round).join(", ")} m${from}`);
  }

  /** What a click does, at the selected node or in the middle of the map. */
  private pick(): void {
    const { map, host } = this;
    const [node = NO_NODE] = map.selected;
    if (host.tool() === "flow") {
      if (node === NO_NODE) return host.say("Page down chooses a node.");
      if (this.source === NO_NODE) {
        this.source = node;
        return host.say(`A flow from node ${node}: page down to its end, then Enter.`);
      }
      return this.endFlow(node, true);
    }
    if (host.tool() !== "select") {
      const { view } = map;
      const middle = map.metres(view.width / 2, view.height / 2);
      const span = 0.3 * Math.min(view.width, view.height) / view.scale;
      const [from, to]: Point[] = [[middle[0] - span, middle[1] + span], [middle[0] + span, middle[1] - span]];
      const tool = host.tool();
      void this.bench.edit({ add: tool === "node" ? [middle] : this.planned(tool, from, to) });
    }
  }
}
