/** Why flows were silent, as bands over the time line, with their text. */

import { look, named, ORDER } from "./causes";
import type { Cause, Evidence, Facts, SilentFlow, Silence } from "./facts";
import { micro, plain } from "./format";
import type { Names } from "./names";

const NARROWEST = 0.15;
/** What follows is beside the point, or told in steps of its own. */
const SIDE = /, after: |; | \(/;
/** So many lanes are in sight, as in player.css. */
const SHOWN = 4;
/** A click that misses a silence by no more is meant for it. */
const NEAR_PX = 12;

export class Bands {
  /** All silences, in order of their beginnings. */
  private readonly silences: { flow: SilentFlow; silence: Silence }[];
  /** The one that is told; none before. */
  private shown: Silence | null = null;

  /** `start` and `end` are the span of the time line, `now` what it shows [s]. */
  constructor(root: HTMLElement, private readonly panel: HTMLElement, facts: Facts,
    private readonly names: Names, private readonly start: number, private readonly end: number, private readonly now: () => number,
    private readonly seek: (time: number) => void, private readonly show: (step: Step | null) => void) {
    const silent = facts.causes.filter((flow) => flow.silences.length > 0);
    root.hidden = silent.length === 0;
    root.parentElement!.classList.toggle("with-bands", silent.length > 0);
    const lanes = element("div", "lanes");
    lanes.append(...silent.map((flow) => this.lane(flow)));
    this.silences = silent.flatMap((flow) => flow.silences.map((silence) => ({ flow, silence })))
      .sort((one, other) => one.silence.from_s - other.silence.from_s);
    const key = legend(silent);
    key.prepend(this.button("Silence before", -1), this.button("Next silence", 1));
    root.append(lanes, key);
  }

  /** A button that goes on to a silence: from the one that is told, or else from what is shown. */
  private button(name: string, by: 1 | -1): HTMLElement {
    const made = element("button", "", name);
    made.addEventListener("click", () => {
      const { silences, shown } = this;
      const told = this.panel.hidden ? -1 : silences.findIndex(({ silence }) => silence === shown);
      const ahead = silences.findIndex(({ silence }) => silence.from_s > this.now());
      const next = told >= 0 ? told + by : by > 0 || ahead < 0 ? ahead : ahead - 1;
      const { flow, silence } = silences.at(next % silences.length)!;
      this.open(flow, silence);
    });
    return made;
  }

  private lane(flow: SilentFlow): HTMLElement {
    const lane = element("div", "lane");
    const bands = element("div", "bands");
    for (const silence of flow.silences) {
      bands.append(this.band(flow, silence));
      for (const cause of silence.causes) bands.append(this.band(flow, silence, cause));
    }
    // Short silences are hard to hit.
    bands.addEventListener("click", (event) => {
      if (event.target !== bands) return;
      const { left, width } = bands.getBoundingClientRect();
      const [scale, x] = [width / (this.end - this.start), event.clientX - left];
      const away = ({ from_s, to_s }: Silence) => Math.max(0, (from_s - this.start) * scale - x, x - (to_s - this.start) * scale);
      const nearest = flow.silences.reduce((one, other) => (away(other) < away(one) ? other : one));
      if (away(nearest) <= NEAR_PX) this.open(flow, nearest);
    });
    const name = element("span", "name", this.names.shortFlow(flow.flow));
    name.title = this.names.flow(flow.flow);
    lane.append(name, bands);
    return lane;
  }

  /** A silence, or a cause of it. */
  private band(flow: SilentFlow, silence: Silence, cause?: Cause): HTMLElement {
    const { from_s: from, to_s: to, text } = cause ?? silence;
    const band = element("button", cause ? "band" : "band silence");
    // There may be hundreds: keys go from silence to silence by the buttons below.
    band.tabIndex = -1;
    const place = (time: number) => (100 * (time - this.start)) / (this.end - this.start);
    band.style.left = `${place(from)}%`;
    band.style.width = `${Math.max(NARROWEST, place(to) - place(from))}%`;
    if (cause) {
      band.style.background = look(cause.cause);
      band.append(element("span", "", named(cause.cause)));
    }
    band.title = cause ? `${cause.cause}: ${text}` : text;
    band.setAttribute("aria-label", `${this.names.flow(flow.flow)}, from ${plain(from)} to ${plain(to)} s: ${band.title}`);
    band.addEventListener("click", () => this.open(flow, silence, from));
    return band;
  }

  private open(flow: SilentFlow, silence: Silence, from = silence.from_s): void {
    this.seek(from);
    this.tell(flow, silence);
  }

  /** Tell of a silence in the panel, with its evidence. */
  private tell(flow: SilentFlow, silence: Silence): void {
    this.shown = silence;
    const steps = this.steps(silence);
    const list = element("ol", "rows");
    list.append(...steps.map(({ entry }) => entry));
    const all = element("details");
    all.append(element("summary", "", "All that was found"));
    for (const cause of silence.causes) {
      const heading = element("h3", "", `${named(cause.cause)}, ${Math.round(100 * cause.share)} %`);
      heading.prepend(swatch(cause.cause));
      all.append(heading, element("p", "", cause.text));
    }
    const walk = element("p", "walk");
    for (const [name, by] of [["Step back", -1], ["Next step", 1]] as const) {
      const button = element("button", "", name);
      button.addEventListener("click", () => {
        const at = steps.findIndex(({ entry }) => entry.classList.contains("current"));
        this.walk(steps, at < 0 ? 0 : Math.max(0, Math.min(steps.length - 1, at + by)));
      });
      walk.append(button);
    }
    walk.hidden = steps.length === 0;
    const close = element("button", "close", "Close");
    close.addEventListener("click", () => {
      this.panel.hidden = true;
      this.show(null);
    });
    const title = `Silence of ${this.names.flow(flow.flow)}, ${plain(silence.from_s)} to ${plain(silence.to_s)} s`;
    const told = element("p", "", silence.brief ?? silence.text);
    this.panel.replaceChildren(close, element("h2", "", title), told, walk, list, all);
    this.panel.hidden = false;
    this.panel.scrollIntoView({ block: "nearest" });
  }

  /** What happened, one after the other: where each cause began, and what shows it; nothing twice. */
  private steps(silence: Silence): Step[] {
    const found = new Map<string, Step>();
    const add = (time: number, text: string, { node, peer }: Partial<Evidence>, cause?: Cause) => {
      const where = node === undefined || cause ? "" : `at ${this.names.node(node)}: `;
      const told = `${where}${text}`;
      if (found.has(`${time} ${told}`)) return;
      const entry = element("li", cause ? "main" : "");
      const button = element("button", "when", micro(time * 1e9));
      const what = element("span", "", told);
      if (cause) what.prepend(swatch(cause.cause), `${named(cause.cause)}, ${Math.round(100 * cause.share)} %: `);
      entry.append(button, what);
      found.set(`${time} ${told}`, { time, node, peer, text: cause ? named(cause.cause) : text, entry });
    };
    for (const cause of silence.causes) {
      add(cause.from_s, cause.text.split(SIDE)[0], cause.evidence[0] ?? {}, cause);
      for (const each of cause.evidence) add(each.time_s, each.what, each);
    }
    const steps = [...found.values()].sort((one, other) => one.time - other.time);
    steps.forEach(({ entry }, at) => entry.querySelector("button")!.addEventListener("click", () => this.walk(steps, at)));
    return steps;
  }

  /** Show a step of what led to a silence: when it was, and where. */
  private walk(steps: Step[], at: number): void {
    steps.forEach(({ entry }, place) => entry.classList.toggle("current", place === at));
    const { time, text, entry } = steps[at];
    this.seek(time);
    this.show({ ...steps[at], text: `${at + 1}. ${text}` });
    entry.scrollIntoView({ block: "nearest" });
  }
}

/** Something that was seen of a silence's causes. */
export interface Step {
  /** [s] */
  time: number;
  /** Where it was, and who else had part in it, if that is known. */
  node: number | undefined;
  peer: number | undefined;
  text: string;
  entry: HTMLElement;
}

/** The causes there are, each with how it looks. */
function legend(flows: SilentFlow[]): HTMLElement {
  const found = new Set(flows.flatMap((flow) => flow.silences.flatMap(({ causes }) => causes.map(({ cause }) => cause))));
  const place = (cause: string) => (ORDER.indexOf(cause) + 1 || ORDER.length + 1);
  const causes = [...found].sort((a, b) => place(a) - place(b));
  const made = element("p", "legend");
  if (flows.length > SHOWN) made.append(element("span", "entry", `${flows.length} flows: scroll for more`));
  for (const cause of causes) {
    const entry = element("span", "entry", named(cause));
    entry.prepend(swatch(cause));
    made.append(entry);
  }
  return made;
}

function swatch(cause: string): HTMLElement {
  const made = element("i", "swatch cause");
  made.style.background = look(cause);
  return made;
}

export function element(name: string, kind = "", text = ""): HTMLElement {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text) made.textContent = text;
  if (made instanceof HTMLButtonElement) made.type = "button";
  return made;
}
