/** What nodes and flows are called; `python/multihop/nodes.py` tells nodes the same way. */

import type { Facts } from "./facts";

export class Names {
  constructor(private readonly facts: Facts) {}

  /** A node: its name with its number, or that alone. */
  node(node: number): string {
    const name = this.facts.names[node];
    return name ? `${name} (${node})` : String(node);
  }

  /** The name alone, where there is little room; the number of a node without one. */
  short(node: number): string {
    return this.facts.names[node] || String(node);
  }

  /** A flow by its number, with its name if it has one. */
  flow(id: number): string {
    const name = this.facts.flows.find((flow) => flow.id === id)?.name;
    return name ? `flow ${id} (${name})` : `flow ${id}`;
  }

  /** The same where there is little room. */
  shortFlow(id: number): string {
    const name = this.facts.flows.find((flow) => flow.id === id)?.name;
    return name ? `${id} ${name}` : `flow ${id}`;
  }

  /** The node that a reader names, by name or number. */
  find(text: string): number {
    const named = this.facts.names.indexOf(text);
    return named < 0 ? Math.floor(Number(text)) : named;
  }
}
