/** Where nodes are at an instant. */

import { search } from "./record";

export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

const MOST_MEASURED = 300;

export class Places {
  readonly moving: boolean;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** What all nodes stay in [m]. */
  readonly box: Box;
  private readonly times: Float64Array[] = [];
  private at = NaN;

  /** `ways` has time_s, x_m, y_m of each node's knots. */
  constructor(private readonly ways: number[][]) {
    this.x = new Float64Array(ways.length);
    this.y = new Float64Array(ways.length);
    this.moving = ways.some((way) => way.length > 3);
    const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
    for (const way of ways) {
      this.times.push(Float64Array.from({ length: way.length / 3 }, (_, knot) => way[3 * knot]));
      for (let i = 0; i < way.length; i += 3) {
        box.left = Math.min(box.left, way[i + 1]);
        box.right = Math.max(box.right, way[i + 1]);
        box.bottom = Math.min(box.bottom, way[i + 2]);
        box.top = Math.max(box.top, way[i + 2]);
      }
    }
    this.box = box;
    this.move(0);
  }

  get count(): number {
    return this.ways.length;
  }

  /** Bring all nodes to where they are at a time [s]. */
  move(time: number): void {
    if (time === this.at || (!this.moving && !Number.isNaN(this.at))) return;
    this.at = time;
    this.ways.forEach((way, node) => {
      const knot = Math.max(0, search(this.times[node], time) - 1) * 3;
      let [x, y] = [way[knot + 1], way[knot + 2]];
      if (knot + 3 < way.length) {
        const done = Math.max(0, (time - way[knot]) / (way[knot + 3] - way[knot] || 1));
        x += (way[knot + 4] - x) * done;
        y += (way[knot + 5] - y) * done;
      }
      this.x[node] = x;
      this.y[node] = y;
    });
  }

  distance(a: number, b: number): number {
    return Math.hypot(this.x[a] - this.x[b], this.y[a] - this.y[b]);
  }

  /** Mean distance of a node, one of the first, from its nearest neighbour [m]. */
  spacing(): number {
    let sum = 0;
    const first = Math.min(this.count, MOST_MEASURED);
    for (let a = 0; a < first; a++) {
      let nearest = Infinity;
      for (let b = 0; b < this.count; b++) if (b !== a) nearest = Math.min(nearest, this.distance(a, b));
      sum += nearest;
    }
    return sum / first;
  }
}
