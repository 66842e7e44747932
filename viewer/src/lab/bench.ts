/** The scenario on the page: its text is the state, and all else follows from it. */

import { ask, isEnded, type Edit, type Look } from "./api";

/** So many texts can be gone back to. */
const MOST = 200;

export class Bench {
  text = "";
  /** The last network that could be drawn, and what is wrong with the text now. */
  look: Look = { fault: null };
  private readonly past: string[] = [];
  private readonly future: string[] = [];
  private asked = 0;
  private preview: AbortController | null = null;

  /** `changed` is called with each new network; `committed` where that is of a new text. */
  constructor(private readonly changed: () => void, private readonly committed: (before: string | null) => void,
    private readonly said: (text: string) => void) {}

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  get count(): number {
    return this.look.positions_m?.length ?? 0;
  }

  /** Another text: that of a file, of the editor or of a link. */
  async set(text: string, keep = true): Promise<void> {
    await this.take(text, undefined, keep);
  }

  /** Change the text; the answer is whether it could be. */
  async edit(edit: Edit): Promise<boolean> {
    return this.take(this.text, edit, true);
  }

  /** The network after a change that is not made yet, for the map alone. */
  async foresee(edit: Edit): Promise<Look | null> {
    this.preview?.abort();
    const preview = (this.preview = new AbortController());
    return ask<Look>("look", { text: this.text, ...edit }, preview.signal).catch((error) => {
      if (isEnded(error)) return null;
      throw error;
    });
  }

  async undo(): Promise<void> {
    const text = this.past.pop();
    if (text === undefined) return;
    this.future.push(this.text);
    await this.take(text, undefined, false);
  }

  async redo(): Promise<void> {
    const text = this.future.pop();
    if (text === undefined) return;
    this.past.push(this.text);
    await this.take(text, undefined, false);
  }

  private async take(text: string, edit: Edit | undefined, keep: boolean): Promise<boolean> {
    this.preview?.abort();
    const asked = ++this.asked;
    const look = await ask<Look>("look", { text, ...edit });
    if (asked !== this.asked) return false;
    if (edit && look.text === undefined) {
      this.said(look.fault?.message ?? "that can't be changed here");
      return false;
    }
    const next = look.text ?? text;
    const before = this.text;
    if (next !== before && keep && before !== "") {
      this.past.push(before);
      if (this.past.length > MOST) this.past.shift();
      this.future.length = 0;
    }
    this.text = next;
    // What a fault hides is still drawn as it was.
    this.look = { ...(look.positions_m ? {} : this.look), ...look };
    if (look.kept === false) this.said("Comments were lost: the text could not be changed in place.");
    this.changed();
    if (next !== before) this.committed(before || null);
    return true;
  }
}
