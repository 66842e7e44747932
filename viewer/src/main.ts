/** The page that plays a run: reads what is in it. */

import type { Facts, Flow } from "./facts";
import { onMap, releaseControls } from "./input";
import { follow } from "./live";
import { Part } from "./part";
import { Player } from "./player";
import { Record } from "./record";
import { unpacked } from "./unpack";

const get = (id: string) => document.getElementById(id)!;

async function begin(): Promise<void> {
  const facts = JSON.parse(get("facts").textContent!) as Facts;
  const record = new Record(facts);
  if (facts.live === undefined) {
    record.append(new Part(facts.columns, await unpacked(get("record").textContent!), record.events));
    get("record").textContent = "";
    show(facts, record, record.time[record.length - 1]);
    return;
  }
  let player: Player | undefined;
  let come: [number, Flow[]] = [0, []];
  const grown = (until: number, flows: Flow[]) => {
    come = [until, flows];
    if (player) player.extend(until, flows);
    else if (record.length > 0) player = show({ ...facts, flows: [...flows] }, record, until);
    else get("loading").textContent = "Nothing has happened yet";
  };
  get("live").hidden = false;
  await follow(facts, record, grown);
  player?.endLive(...come);
}

/** The page, with what the record holds until `end` [ns]. */
function show(facts: Facts, record: Record, end: number): Player {
  const player = new Player(facts, record, end);
  onMap(player.map, (x, y) => player.pick(x, y), () => player.ask());
  releaseControls();
  Object.assign(window, { replay: player });
  get("loading").hidden = true;
  document.documentElement.dataset.replay = "ready";
  performance.mark("ready");
  return player;
}

begin().catch((error: Error) => {
  get("loading").textContent = `The page can't be shown: ${error.message}`;
  throw error;
});
