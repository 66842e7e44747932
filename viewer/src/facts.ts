/** What the page knows of the run besides its events: `python/multihop/playback/page.py` writes it. */

export interface Flow {
  id: number;
  kind: string;
  /** That of its table, if it has one. */
  name?: string;
  source: number;
  destination: number;
  /** What a packet delivers [bytes]. */
  payload: number;
}

export interface Evidence {
  time_s: number;
  what: string;
  frame?: number;
  node?: number;
  peer?: number;
}

export interface Cause {
  cause: string;
  from_s: number;
  to_s: number;
  share: number;
  text: string;
  evidence: Evidence[];
}

export interface Silence {
  from_s: number;
  to_s: number;
  text: string;
  /** The same in two sentences, where the causes have it. */
  brief?: string;
  causes: Cause[];
}

export interface SilentFlow {
  flow: number;
  silent_s: number;
  shares: Record<string, number>;
  silences: Silence[];
}

/** A column as `python/multihop/playback/columns.py` lays it out. */
export interface Column {
  name: string;
  count: number;
  width: number;
  /** The events that have it; all where absent. */
  events?: number[];
}

/** Who hears whom over time: at each time the pairs for which that changes, from none at first. */
export interface Heard {
  times_s: number[];
  /** Of those that can exchange data, `a * nodes + b` with a < b; null where there are too many. */
  links: number[][] | null;
  /** Of those that sense others, `sender * nodes + node`. */
  senses: number[][] | null;
}

export type Words = "event" | "detail" | "kind" | "content" | "state";

export interface Facts {
  title: string;
  schemes: string;
  seed: number;
  version: string;
  duration_s: number;
  /** Each node's way: time_s, x_m, y_m of each knot. */
  ways: number[][];
  heard: Heard;
  /** The nodes that each wire joins. */
  wires: number[][];
  /** Ranges, where reach is a matter of metres. */
  receive_m: number | null;
  sense_m: number | null;
  /** Whether nodes are where the map has them. */
  has_metres: boolean;
  queue_packets: number;
  flows: Flow[];
  /** Of each node, empty for one without; none at all if nodes have numbers alone. */
  names: string[];
  palette: string[];
  /** What the numbers of a column of words stand for, from 0. */
  words: Record<Words, string[]>;
  /** What each word means. */
  about: Record<Words, Record<string, string>>;
  columns: Column[];
  causes: SilentFlow[];
  /** The first part of the record that the server has, if the run goes on. */
  live?: number;
}
