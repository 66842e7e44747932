/** Who hears whom at an instant: as the engine says, not by distance. */

import type { Heard } from "./facts";
import { search } from "./record";

export class Hearing {
  /** Counts the changes, so that what is drawn of it can be kept until the next. */
  version = 0;
  private readonly linked: Uint8Array;
  private readonly sensed: Uint8Array;
  private applied = 0;

  constructor(private readonly facts: Heard, private readonly nodes: number) {
    this.linked = new Uint8Array(facts.links ? nodes * nodes : 0);
    this.sensed = new Uint8Array(facts.senses ? nodes * nodes : 0);
    this.move(0);
  }

  /** Bring it to a time [s]. */
  move(time: number): void {
    const { facts } = this;
    const wanted = Math.max(1, search(facts.times_s, time));
    if (wanted === this.applied) return;
    if (wanted < this.applied) {
      this.linked.fill(0);
      this.sensed.fill(0);
      this.applied = 0;
    }
    for (; this.applied < wanted; this.applied++) {
      for (const pair of facts.links?.[this.applied] ?? []) this.linked[pair] ^= 1;
      for (const pair of facts.senses?.[this.applied] ?? []) this.sensed[pair] ^= 1;
    }
    this.version++;
  }

  /** Whether a frame of one node makes the medium busy at another. */
  senses(sender: number, node: number): boolean {
    return this.sensed[sender * this.nodes + node] === 1;
  }

  /** Pairs of nodes that can exchange data. */
  links(): [number, number][] {
    const found: [number, number][] = [];
    this.linked.forEach((is, pair) => {
      if (is) found.push([Math.floor(pair / this.nodes), pair % this.nodes]);
    });
    return found;
  }
}
