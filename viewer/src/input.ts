/** Pointers and wheels on the map, and keys. */

import type { NetworkMap } from "./map";

const CLICK_PX = 5;
const STEP = 1.3;

/** Move and magnify the map; a click without movement is given to `pick`. */
export function onMap(map: NetworkMap, pick: (x: number, y: number) => void, changed: () => void): void {
  const { canvas, view } = map;
  const pointers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const zoom = (factor: number, x = view.width / 2, y = view.height / 2) => {
    view.zoom(factor, x, y);
    // A finger scrolls the page as long as all of the map is in sight.
    canvas.style.touchAction = view.isFitted ? "pan-y" : "none";
    changed();
  };
  canvas.style.touchAction = "pan-y";
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (pointers.size === 1) moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const [x, y] = [event.offsetX, event.offsetY];
    moved += Math.hypot(x - before.x, y - before.y);
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (other) {
      const [was, is] = [before, { x, y }].map((at) => Math.hypot(at.x - other.x, at.y - other.y));
      zoom(is / (was || 1), other.x, other.y);
    } else if (moved > CLICK_PX && !view.isFitted) {
      view.move(x - before.x, y - before.y);
      changed();
    }
    pointers.set(event.pointerId, { x, y });
  });
  canvas.addEventListener("pointerup", (event) => {
    if (pointers.size === 1 && moved <= CLICK_PX) pick(event.offsetX, event.offsetY);
  });
  for (const name of ["pointerup", "pointercancel"] as const)
    canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1 / 1.15 : 1.15, event.offsetX, event.offsetY);
  }, { passive: false });
  const button = (id: string, act: () => void) => document.getElementById(id)!.addEventListener("click", act);
  button("larger", () => zoom(STEP));
  button("smaller", () => zoom(1 / STEP));
  button("fit", () => zoom(0));
}

export interface Keys {
  play(): void;
  step(forward: boolean): void;
  /** Go on by so many of the reader's seconds. */
  jump(seconds: number): void;
  faster(by: number): void;
  ends(last: boolean): void;
}

/** The keys are the player's after a click on a control, too: only one that the keyboard reached has them. */
export function releaseControls(): void {
  document.addEventListener("click", (event) => {
    const focused = document.activeElement;
    if (event.detail > 0 && focused instanceof HTMLButtonElement) focused.blur();
  });
  document.addEventListener("pointerup", () => {
    const focused = document.activeElement;
    if (focused instanceof HTMLInputElement && focused.type === "range") focused.blur();
  });
}

/** Keys that scroll where there is something to scroll. */
const SCROLLING = new Set(["ArrowUp", "ArrowDown", "Home", "End"]);

function scrolls(target: HTMLElement): boolean {
  const { scrollHeight, clientHeight } = document.documentElement;
  return scrollHeight > clientHeight || target.closest("aside") !== null;
}

/** Until `signal`: space plays, arrows step, up and down, plus and minus change the speed. */
export function onKeys(keys: Keys, signal: AbortSignal): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (target.matches("input:not([type=checkbox]), select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: { [key: string]: () => void } = {
      " ": () => keys.play(),
      ArrowRight: () => (event.shiftKey ? keys.jump(1) : keys.step(true)),
      ArrowLeft: () => (event.shiftKey ? keys.jump(-1) : keys.step(false)),
      ArrowUp: () => keys.faster(1),
      ArrowDown: () => keys.faster(-1),
      "+": () => keys.faster(1),
      "-": () => keys.faster(-1),
      Home: () => keys.ends(false),
      End: () => keys.ends(true),
    };
    if (SCROLLING.has(event.key) && scrolls(target)) return;
    if (!acts[event.key] || (event.key === " " && target.matches("button, summary, input"))) return;
    event.preventDefault();
    acts[event.key]();
  }, { signal });
}
