/** The record of a run that goes on, part by part, from the server of the page: `python/multihop/playback/live.py`. */

import type { Column, Facts, Flow } from "./facts";
import { Part } from "./part";
import type { Record } from "./record";
import { inflated } from "./unpack";

/** What comes before the columns of a part. */
interface Head {
  columns: Column[];
  rows: number;
  /** Until when this and all before tells of the run [s]. */
  time_s: number;
  flows: Flow[];
}

const [OVER, GONE, NOTHING_YET] = [404, 410, 204];
const HEAD_BYTES = 4;

/** Appends to `record` what the server has, until the run is over; `grown` is called with the time that is known [ns], and all flows. */
export async function follow(facts: Facts, record: Record, grown: (until: number, flows: Flow[]) => void): Promise<void> {
  for (let number = facts.live!; ; ) {
    const answer = await fetch(`part/${number}`).catch(() => null);
    // The server ends with the run.
    if (answer === null || answer.status === OVER) return;
    if (answer.status === GONE) return location.reload();
    if (answer.status === NOTHING_YET) continue;
    if (!answer.ok) throw new Error(`the server says ${answer.status} ${answer.statusText}`);
    const { head, data } = split(new Uint8Array(await answer.arrayBuffer()));
    if (head.rows > 0) record.append(new Part(head.columns, await inflated(data), record.events));
    number++;
    grown(head.time_s * 1e9, head.flows);
  }
}

function split(answer: Uint8Array<ArrayBuffer>): { head: Head; data: Uint8Array<ArrayBuffer> } {
  const length = new DataView(answer.buffer).getUint32(0, true);
  const text = new TextDecoder().decode(answer.subarray(HEAD_BYTES, HEAD_BYTES + length));
  return { head: JSON.parse(text) as Head, data: answer.subarray(HEAD_BYTES + length) };
}
