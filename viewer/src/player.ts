/** What plays a run: the map and all that is beside and below it, linked. Its elements are those of `player.html`. */

import { Bands, type Step } from "./bands";
import { Charts } from "./charts";
import { Clock, SPEEDS } from "./clock";
import type { Facts, Flow, Silence } from "./facts";
import { FlowTable } from "./flows";
import { exact, span } from "./format";
import { Inspector } from "./inspector";
import { Followed, NetworkMap, type Scene } from "./map";
import { onKeys } from "./input";
import { Names } from "./names";
import { Places } from "./places";
import { NONE, Record } from "./record";
import { Routes } from "./routes";
import { Series } from "./series";
import { State } from "./state";
import { Strip } from "./strip";
import { Timeline } from "./timeline";
import { Wording } from "./words";

/** Words are brought up to date at most so often while playing [ms]. */
const WORDS_MS = 200;
/** A step shows what happened since the last one, but no more than this [ns]. */
const MOST_STEP = 1e8;
/** What a run that goes on has come to is taken in at most so often [ms]. */
const FEED_MS = 250;

/** What flows send. */
const DATA = ["tcp-data", "udp"];

/** The layout with the map beside the rest, as in page.css. */
const WIDE = window.matchMedia("(min-width: 62rem)");

const get = <Found extends HTMLElement>(id: string) => document.getElementById(id) as Found;

export class Player {
  private readonly followed: Followed = { node: NONE, packet: NONE };
  readonly clock: Clock;
  readonly map: NetworkMap;
  private readonly charts: Charts;
  private readonly timeline: Timeline;
  private readonly strip: Strip;
  private readonly inspector: Inspector;
  private readonly names: Names;
  private readonly table: FlowTable;
  private readonly state: State;
  private readonly series: Series;
  private readonly routes: Routes;
  private readonly ended = new AbortController();
  private asked = 0;
  private told = 0;
  private coming: { end: number; flows: Flow[] } | null = null;

  /** `end` is where the record ends [ns]; `scene` is a map that there is already. */
  constructor(private readonly facts: Facts, readonly record: Record, end: number, scene?: Scene) {
    const start = record.time[0];
    end = Math.max(start + 1, end);
    this.clock = new Clock(start, end, () => this.ask());
    this.state = new State(record);
    const names = (this.names = new Names(facts));
    const wording = new Wording(record, facts.about, names);
    const series = (this.series = new Series(facts, record));
    const routes = (this.routes = new Routes(facts.flows, record, facts.words.content.indexOf("tcp-ack")));
    const seek = (time: number) => this.clock.seek(time);
    const seekSeconds = (time: number) => this.clock.seek(time * 1e9);
    const follow = (followed: Partial<Followed>) => this.follow(followed);
    const places = new Places(facts.ways);
    const { left, right, bottom, top } = places.box;
    get("stage").style.setProperty("--aspect", String((top - bottom) / Math.max(1, right - left)));
    this.map = new NetworkMap(get("map"), facts, record, places, this.state, routes, wording, scene);
    this.charts = new Charts(get("charts"), facts, series, start / 1e9, end / 1e9, this.state.busiest, seekSeconds);
    this.timeline = new Timeline(get("timeline"), record, start, end, seek);
    this.strip = new Strip(get("strip"), facts, record, wording, seek, (packet) => follow({ packet }));
    this.inspector = new Inspector(get("followed"), record, this.state, wording, seek, follow);
    this.table = new FlowTable(get("flows"), facts, names, routes, series, (hidden) => {
      this.map.hidden = this.charts.hidden = hidden;
      this.charts.refresh();
      this.ask();
    });
    new Bands(get("bands"), get("told"), facts, names, start / 1e9, end / 1e9,
      () => this.clock.time / 1e9, seekSeconds, (step) => this.point(step));
    this.sum();
    this.listen();
    this.resize();
    if (facts.live !== undefined) this.clock.goLive();
    else this.clock.seek(this.opening());
  }

  /** An instant to begin with: a frame is in the air, at the worst silence or of the first data [ns]. */
  private opening(): number {
    const { facts, record, clock } = this;
    const silences = facts.causes.flatMap((flow) => flow.silences);
    const length = (silence: Silence) => silence.to_s - silence.from_s;
    const worst = silences.reduce<Silence | null>(
      (most, each) => (most === null || length(each) > length(most) ? each : most), null);
    const isData = (at: number) => {
      const packet = record.packet[record.sent[at]];
      return packet !== NONE && DATA.includes(record.word("content", record.packetContent[packet]));
    };
    const at = worst ? record.sentUntil(worst.from_s * 1e9)
      : Math.max(0, record.sent.findIndex((_, place) => isData(place)));
    if (at >= record.sent.length) return clock.start;
    return Math.floor((record.time[record.sent[at]] + record.ends[at]) / 2);
  }

  /** Take in what a run that goes on has come to by `end` [ns], soon. */
  extend(end: number, flows: Flow[]): void {
    const due = this.coming === null;
    this.coming = { end, flows };
    if (due) setTimeout(() => this.takeIn(), FEED_MS);
  }

  private takeIn(): void {
    if (this.coming === null) return;
    const { end, flows } = this.coming;
    this.coming = null;
    this.facts.flows.splice(0, this.facts.flows.length, ...flows);
    this.state.extend();
    this.series.extend();
    this.routes.extend();
    this.table.extend();
    this.map.extend();
    this.timeline.extend(end);
    this.charts.extend(end / 1e9);
    this.clock.extend(end);
    this.sum();
    if (this.followed.node === NONE) this.charts.show(this.state.busiest);
  }

  /** The run that was followed is over. */
  endLive(end: number, flows: Flow[]): void {
    this.coming = { end, flows };
    this.takeIn();
    if (this.clock.live) this.clock.pause();
    get("live").hidden = true;
  }

  /** What the page says of the whole run. */
  private sum(): void {
    const { facts, record, state } = this;
    get("about").textContent = `${facts.schemes} · seed ${facts.seed} · ${facts.duration_s} s · `
      + `${record.nodes} nodes · ${record.length.toLocaleString("en")} events`;
    get("full").textContent = `${Math.max(1, Math.min(state.fullest, facts.queue_packets))} packets`;
    if (this.followed.node === NONE) get("queued").textContent = this.names.node(state.busiest);
    get("ranges").hidden = facts.receive_m === null;
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
    get("live").setAttribute("aria-pressed", String(clock.live));
  }

  /** Follow a node or packet; where that is told is brought into sight, unless `aside`. */
  private follow(followed: Partial<Followed>, aside = false): void {
    this.map.told = null;
    Object.assign(this.followed, followed.packet === undefined ? { packet: NONE } : {}, followed);
    const { node, packet } = this.followed;
    get<HTMLInputElement>("node").value = node === NONE ? "" : String(node);
    get<HTMLInputElement>("packet").value = packet === NONE ? "" : String(this.record.packets[packet]);
    this.charts.show(node === NONE ? this.state.busiest : node);
    get("queued").textContent = this.names.node(node === NONE ? this.state.busiest : node);
    this.tell();
    if (WIDE.matches && !aside && (node !== NONE || packet !== NONE)) get("follow").scrollIntoView({ block: "nearest" });
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
    this.map.told = null;
    if (this.clock.playing) this.clock.pause();
    else this.clock.play();
  }

  /** Show a step of what led to a silence where it happened; none where no more is told. */
  private point(step: Step | null): void {
    this.follow({ node: step?.node ?? NONE }, true);
    this.map.told = step;
  }

  /** Play no more, and leave the map to others. */
  end(): void {
    this.clock.pause();
    cancelAnimationFrame(this.asked);
    this.asked = 1;
    this.charts.clear();
    this.ended.abort();
  }

  private listen(): void {
    const { clock } = this;
    const { signal } = this.ended;
    get<HTMLInputElement>("speed").max = String(SPEEDS.length - 1);
    get("play").addEventListener("click", () => this.toggle());
    get("live").addEventListener("click", () => clock.goLive());
    get("back").addEventListener("click", () => this.step(false));
    get("on").addEventListener("click", () => this.step(true));
    get("speed").addEventListener("input", (event) => {
      clock.speedPlace = Number((event.target as HTMLInputElement).value);
    });
    get("mac").addEventListener("change", () => this.ask());
    get("strip-less").addEventListener("click", () => this.strip.zoom(0.5));
    get("strip-more").addEventListener("click", () => this.strip.zoom(2));
    get("find").addEventListener("submit", (event) => {
      event.preventDefault();
      this.find();
    });
    for (const id of ["node", "packet"]) get(id).addEventListener("change", () => this.find());
    onKeys({
      play: () => this.toggle(),
      step: (forward) => this.step(forward),
      jump: (seconds) => clock.seek(clock.time + seconds * clock.speed * 1e9),
      faster: (by) => (clock.speedPlace += by),
      ends: (last) => clock.seek(last ? clock.end : clock.start),
    }, signal);
    const sizes = new ResizeObserver(() => this.resize());
    sizes.observe(get("stage"));
    signal.addEventListener("abort", () => sizes.disconnect());
    window.addEventListener("resize", () => this.resize(), { signal });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.charts.build();
      this.resize();
    }, { signal });
  }

  /** Follow what is at a point of the map. */
  pick(x: number, y: number): void {
    const packet = this.map.packetAt(x, y);
    const node = this.map.nodeAt(x, y);
    if (node !== NONE) this.follow({ node });
    else if (packet !== NONE) this.follow({ packet });
    else this.follow({ node: NONE });
  }

  private find(): void {
    const asked = (id: string, place: (text: string) => number) => {
      const input = get<HTMLInputElement>(id);
      const text = input.value.trim();
      const found = text === "" ? NONE : place(text);
      input.setCustomValidity(text !== "" && found === NONE ? `No ${id} ${text} in the record` : "");
      return input.reportValidity() ? found : undefined;
    };
    const { record } = this;
    const node = asked("node", (text) => {
      const found = this.names.find(text);
      return found >= 0 && found < record.nodes ? found : NONE;
    });
    const packet = asked("packet", (text) => record.packets.indexOf(Number(text)));
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
