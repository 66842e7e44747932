/** The instant that is shown, and how it goes on. */

/** Simulated seconds a second. */
export const SPEEDS = [-6, -5, -4, -3, -2, -1, 0, 1].flatMap((power) =>
  [1, 2, 5].map((unit) => Number(`${unit}e${power}`)),
).concat([60, 120, 300].filter((speed) => speed > 50));

/** The whole of a record lasts for at least so long at first [s]. */
const WATCHED_S = 60;
/** So long stays what happened [s of the reader]. */
const GLOW = 0.4;
/** [ns] */
const LONGEST_GLOW = 2.5e8;
/** In a still picture no longer than this [ns]. */
const STILL = 3e6;
const LONGEST_PICTURE = 0.1;
/** A live picture is no further behind than this [ns]. */
const BEHIND = 1e9;

export class Clock {
  /** [ns] */
  time: number;
  /** What happened since this time is shown as well [ns]. */
  since: number;
  playing = false;
  private place: number;
  private stepped = false;
  private before = 0;
  private isLive = false;

  constructor(readonly start: number, private last: number, private readonly changed: () => void) {
    this.time = this.since = start;
    this.place = Math.max(0, SPEEDS.findLastIndex((speed) => speed * WATCHED_S * 1e9 <= last - start));
  }

  /** The end of what is known [ns]. */
  get end(): number {
    return this.last;
  }

  /** Whether it keeps up with a run that goes on. */
  get live(): boolean {
    return this.isLive && this.playing;
  }

  /** The run has come to `end` [ns]. */
  extend(end: number): void {
    this.last = end;
    this.changed();
  }

  /** Go on as the run does, near its end. */
  goLive(): void {
    this.speedPlace = SPEEDS.indexOf(1);
    this.play();
    this.time = this.since = Math.max(this.start, this.end - BEHIND / 2);
    this.isLive = true;
  }

  get speed(): number {
    return SPEEDS[this.place];
  }

  get speedPlace(): number {
    return this.place;
  }

  set speedPlace(place: number) {
    this.isLive = false;
    this.place = Math.max(0, Math.min(SPEEDS.length - 1, place));
    this.changed();
  }

  /** Marks stay for so long [ns]. */
  get glow(): number {
    if (this.stepped) return this.time - this.since;
    const glow = Math.min(this.speed * GLOW * 1e9, LONGEST_GLOW);
    return this.playing ? glow : Math.min(glow, STILL);
  }

  play(): void {
    this.isLive = false;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.stepped = false;
    this.before = 0;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.since = this.time;
    this.changed();
  }

  seek(time: number): void {
    this.isLive = false;
    this.time = this.since = Math.max(this.start, Math.min(this.end, time));
    this.stepped = false;
    this.changed();
  }

  /** Go to `time`, and show what happened since `since`. */
  step(time: number, since: number): void {
    this.seek(time);
    this.playing = false;
    this.since = Math.max(this.start, since);
    this.stepped = true;
    this.changed();
  }

  /** Go on by the time since the last picture; `now` is the reader's [ms]. */
  tick(now: number): void {
    const passed = this.before ? Math.min((now - this.before) / 1000, LONGEST_PICTURE) : 1 / 60;
    this.before = now;
    this.since = this.time;
    this.time = Math.min(this.end, this.time + passed * this.speed * 1e9);
    if (this.isLive) this.time = Math.max(this.time, this.end - BEHIND);
    else if (this.time >= this.end) this.playing = false;
  }
}
