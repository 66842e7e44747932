/** What the page asks its server for: `python/multihop/lab/desk.py` answers. */

export interface Fault {
  message: string;
  key: string;
  line: number | null;
}

export interface LabFlow {
  id: number;
  kind: string;
  /** Place of its table in the scenario. */
  table: number;
  name: string;
  source: number;
  destination: number;
  hops: number | null;
}

/** Who hears whom: an entry for each pair whose signal counts. */
export interface Heard {
  sender: number[];
  node: number[];
  /** 1: hears frames at the basic rate, 2: data too, 4: senses them. */
  flags: number[];
  power_dbm: number[] | null;
}

export type Tables = { [key: string]: unknown };

/** A scenario's network; what a fault leaves unknown is absent. */
export interface Look {
  fault: Fault | null;
  text?: string;
  /** Whether comments stand as they stood. */
  kept?: boolean;
  tables?: Tables;
  resolved?: Tables;
  positions_m?: [number, number][];
  names?: string[];
  moves?: boolean;
  pairs?: [number, number][];
  heard?: Heard | null;
  flows?: LabFlow[];
  warnings?: string[];
}

export interface Estimate {
  mean: number | null;
  half: number | null;
}

export interface Change {
  share: number;
  half: number | null;
  /** Networks until the sign is told; 0 if it is. */
  more: number | null;
}

export interface Figures {
  runs: number;
  rows: {
    id: number; label: string; goodput_bps: Estimate; delay_s: Estimate; change: Change | null;
    /** Runs until the goodput is within 10 %; none if they are thousands, or nothing can be said. */
    missing: number | null;
  }[];
  by_table: boolean;
  /** What else is known of a run, of all nodes and flows together. */
  counts: { name: string; now: Estimate; change: Change | null }[];
  total_bps: { now: Estimate; change: Change | null };
  mean_delay_s: { now: Estimate; change: Change | null };
  fairness: { now: Estimate; change: Change | null };
}

export interface Told {
  seconds: number;
  done: boolean;
  states: Figures[];
  fault?: Fault;
}

export interface Link {
  from: number;
  to: number;
  frames_per_s: number;
  data_per_s: number;
  /** Of the time it is on the air. */
  share: number;
  /** Of its RTS and data frames that were not heard. */
  loss: number;
}

export type Path = (string | number)[];
export type Edit =
  | { changes: { path: Path; value: unknown }[] }
  | { move: [number, [number, number]][] }
  | { add: [number, number][] }
  | { remove: number[] };

function request(what: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
}

export async function ask<Answer>(what: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
  const answer = await request(what, body, signal);
  if (!answer.ok) throw new Error(`the server says ${answer.status} ${answer.statusText}`);
  return (await answer.json()) as Answer;
}

/** Calls `each` with every line of an answer as it comes. */
export async function stream(what: string, body: unknown, signal: AbortSignal, each: (told: Told) => void): Promise<void> {
  const answer = await request(what, body, signal);
  if (!answer.ok || !answer.body) throw new Error(`the server says ${answer.status} ${answer.statusText}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop()!;
    // Of several that wait the last says it all.
    const last = lines.filter(Boolean).pop();
    if (last) each(JSON.parse(last) as Told);
  }
  if (rest) each(JSON.parse(rest) as Told);
}

export function isEnded(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
