/** The page that plays a run: reads what is in it, and links its parts. */

import { Bands } from "./bands";
import { Charts } from "./charts";
import { Clock, SPEEDS } from "./clock";
import type { Facts } from "./facts";
import { FlowTable } from "./flows";
import { exact, span } from "./format";
import { Inspector } from "./inspector";
import { Followed, NetworkMap } from "./map";
import { onKeys, onMap, releaseControls } from "./input";
import { Places } from "./places";
import { NONE, Record } from "./record";
import { Routes } from "./routes";
import { Series } from "./series";
import { State } from "./state";
import { Strip } from "./strip";
import { Timeline } from "./timeline";
import { unpacked } from "./unpack";
import { Wording } from "./words";

/** Words are brought up to date at most so often while playing [ms]. */
const WORDS_MS = 200;
/** A step shows what happened since the last one, but no more than this [ns]. */
const MOST_STEP = 1e8;

/** The layout with the map beside the rest, as in page.css. */
const WIDE = window.matchMedia("(min-width: 62rem)");

const get = <Found extends HTMLElement>(id: string) => document.getElementById(id) as Found;

class Player {
  private readonly followed: Followed = { node: NONE, packet: NONE };
  readonly clock: Clock;
  private readonly map: NetworkMap;
  private readonly charts: Charts;
  private readonly timeline: Timeline;
  private readonly strip: Strip;
  private readonly inspector: Inspector;
  private readonly table: FlowTable;
  private readonly state: State;
  readonly record: Record;
  private asked = 0;
  private told = 0;

  constructor(facts: Facts, data: Uint8Array) {
    const record = (this.record = new Record(facts, data));
    const [start, end] = [record.time[0], Math.max(record.time[0] + 1, record.time[record.length - 1])];
    this.clock = new Clock(start, end, () => this.ask());
    this.state = new State(record);
    const wording = new Wording(record, facts.about);
    const series = new Series(facts, record);
    const routes = new Routes(facts.flows, record, facts.words.content.indexOf("tcp-ack"));
    const seek = (time: number) => this.clock.seek(time);
    const seekSeconds = (time: number) => this.clock.seek(time * 1e9);
    const follow = (followed: Partial<Followed>) => this.follow(followed);
    const places = new Places(facts.ways);
    const { left, right, bottom, top } = places.box;
    get("stage").style.setProperty("--aspect", String((top - bottom) / Math.max(1, right - left)));
    this.map = new NetworkMap(get("map"), facts, record, places, this.state, routes, wording);
    this.charts = new Charts(get("charts"), facts, series, start / 1e9, end / 1e9, this.state.busiest, seekSeconds);
    this.timeline = new Timeline(get("timeline"), record, start, end, seek);
    this.strip = new Strip(get("strip"), facts, record, wording, seek, (packet) => follow({ packet }));
    this.inspector = new Inspector(get("followed"), record, this.state, wording, seek, follow);
    this.table = new FlowTable(get("flows"), facts, routes, series, (hidden) => {
      this.map.hidden = this.charts.hidden = hidden;
      this.charts.refresh();
      this.ask();
    });
    new Bands(get("bands"), get("told"), facts, start / 1e9, end / 1e9, seekSeconds, (node) => follow({ node }));
    get("about").textContent = `${facts.schemes} · seed ${facts.seed} · ${facts.duration_s} s · `
      + `${record.nodes} nodes · ${record.length.toLocaleString("en")} events`;
    get("full").textContent = `${Math.max(1, Math.min(this.state.fullest, facts.queue_packets))} packets`;
    get("queued").textContent = String(this.state.busiest);
    this.listen();
    this.resize();
  }

  /** Have the next picture drawn. */
  ask(): void {
    this.asked ||= requestAnimationFrame((now) => this.draw(now));
  }

  private draw(now: number): void {
    this.asked = 0;
    const { clock } = this;
    if (clock.playing) clock.tick(now);
    this.map.draw(clock, this.followed);
    this.strip.draw(clock.time);
    this.timeline.follow(clock.time);
    this.charts.follow(clock.time / 1e9);
    get("clock").textContent = `${exact(clock.time)} s`;
    if (!clock.playing || now - this.told > WORDS_MS) {
      this.told = now;
      this.tell();
    }
    if (clock.playing) this.ask();
  }

  /** What changes too quickly to be read while playing. */
  private tell(): void {
    const { clock, record } = this;
    this.inspector.draw(clock.time, this.followed, get<HTMLInputElement>("mac").checked);
    this.table.draw(clock.time / 1e9);
    this.timeline.tell(clock.time);
    const inAir = this.map.activity.frames.filter((at) => record.ends[at] >= clock.time).length;
    get("map").setAttribute("aria-label",
      `Map of ${record.nodes} nodes at ${exact(clock.time)} seconds; ${inAir} frames in the air`);
    get("play").setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    get("play").classList.toggle("playing", clock.playing);
    get<HTMLInputElement>("speed").value = String(clock.speedPlace);
    get("rate").textContent = `${span(clock.speed)} a second`;
    get("speed").setAttribute("aria-valuetext", get("rate").textContent!);
  }

  private follow(followed: Partial<Followed>): void {
    Object.assign(this.followed, followed.packet === undefined ? { packet: NONE } : {}, followed);
    const { node, packet } = this.followed;
    get<HTMLInputElement>("node").value = node === NONE ? "" : String(node);
    get<HTMLInputElement>("packet").value = packet === NONE ? "" : String(this.record.packets[packet]);
    this.charts.show(node === NONE ? this.state.busiest : node);
    get("queued").textContent = String(node === NONE ? this.state.busiest : node);
    this.tell();
    if (WIDE.matches && (node !== NONE || packet !== NONE)) get("follow").scrollIntoView({ block: "nearest" });
    this.ask();
  }

  /** Go to the next transmission, or the one before. */
  private step(forward: boolean): void {
    const { record, clock } = this;
    const at = forward ? record.sentUntil(clock.time) : record.sentUntil(clock.time, false) - 1;
    if (at < 0 || at >= record.sent.length) return clock.seek(forward ? clock.end : clock.start);
    const time = record.time[record.sent[at]];
    const before = at > 0 ? record.time[record.sent[at - 1]] : clock.start;
    clock.step(time, Math.max(before, time - MOST_STEP));
  }

  private toggle(): void {
    if (this.clock.playing) this.clock.pause();
    else this.clock.play();
  }

  private listen(): void {
    const { clock } = this;
    get<HTMLInputElement>("speed").max = String(SPEEDS.length - 1);
    get("play").addEventListener("click", () => this.toggle());
    get("back").addEventListener("click", () => this.step(false));
    get("on").addEventListener("click", () => this.step(true));
    get("speed").addEventListener("input", (event) => {
      clock.speedPlace = Number((event.target as HTMLInputElement).value);
    });
    get("mac").addEventListener("change", () => this.ask());
    get("less").addEventListener("click", () => this.strip.zoom(0.5));
    get("more").addEventListener("click", () => this.strip.zoom(2));
    get("find").addEventListener("submit", (event) => {
      event.preventDefault();
      this.find();
    });
    for (const id of ["node", "packet"]) get(id).addEventListener("change", () => this.find());
    onMap(this.map, (x, y) => this.pick(x, y), () => this.ask());
    releaseControls();
    onKeys({
      play: () => this.toggle(),
      step: (forward) => this.step(forward),
      jump: (seconds) => clock.seek(clock.time + seconds * clock.speed * 1e9),
      faster: (by) => (clock.speedPlace += by),
      ends: (last) => clock.seek(last ? clock.end : clock.start),
    });
    new ResizeObserver(() => this.resize()).observe(get("stage"));
    window.addEventListener("resize", () => this.resize());
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.charts.build();
      this.resize();
    });
  }

  private pick(x: number, y: number): void {
    const packet = this.map.packetAt(x, y);
    const node = this.map.nodeAt(x, y);
    if (node !== NONE) this.follow({ node });
    else if (packet !== NONE) this.follow({ packet });
    else this.follow({ node: NONE });
  }

  private find(): void {
    const asked = (id: string, place: (number: number) => number) => {
      const input = get<HTMLInputElement>(id);
      const text = input.value.trim();
      const found = text === "" ? NONE : place(Number(text));
      input.setCustomValidity(text !== "" && found === NONE ? `No ${id} ${text} in the record` : "");
      return input.reportValidity() ? found : undefined;
    };
    const { record } = this;
    const node = asked("node", (number) => (number >= 0 && number < record.nodes ? Math.floor(number) : NONE));
    const packet = asked("packet", (number) => record.packets.indexOf(number));
    if (node !== undefined && packet !== undefined) this.follow({ node, packet });
  }

  private resize(): void {
    this.map.resize();
    this.strip.resize();
    this.timeline.draw();
    this.charts.resize();
    this.ask();
  }
}

async function begin(): Promise<void> {
  const facts = JSON.parse(get("facts").textContent!) as Facts;
  const data = await unpacked(get("record").textContent!);
  get("record").textContent = "";
  Object.assign(window, { replay: new Player(facts, data) });
  get("loading").hidden = true;
  document.documentElement.dataset.replay = "ready";
  performance.mark("ready");
}

begin().catch((error: Error) => {
  get("loading").textContent = `The page can't be shown: ${error.message}`;
  throw error;
});
