/** Colours: the page's own, and those of flows. */

export interface Theme {
  ink: string;
  soft: string;
  rule: string;
  ground: string;
  page: string;
  link: string;
  node: string;
  sans: string;
  contending: string;
  awaiting: string;
  receiving: string;
  lost: string;
}

const DARK = window.matchMedia("(prefers-color-scheme: dark)");
/** Below this brightness a colour can't be seen on a dark ground. */
const DIMMEST = 60;

let known: Theme | null = null;
DARK.addEventListener("change", () => (known = null));

/** The colours that hold now: they follow the reader's choice of light or dark. */
export function theme(): Theme {
  return (known ??= read());
}

function read(): Theme {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: get("ink"), soft: get("soft"), rule: get("rule"), ground: get("ground"), page: get("page"),
    link: get("link"), node: get("node"), sans: get("sans"), contending: get("contending"),
    awaiting: get("awaiting"), receiving: get("receiving"), lost: get("lost"),
  };
}

/** The palette, then each colour darker, then lighter, as pictures of runs have them; lighter on dark ground. */
export function flowColour(palette: string[], place: number): string {
  const colour = channels(palette[place % palette.length]);
  const round = Math.floor(place / palette.length) % 3;
  const made = round === 0 ? colour : round === 1 ? mixed(colour, 0, 0.45) : mixed(colour, 255, 0.5);
  const seen = DARK.matches && brightness(made) < DIMMEST ? mixed(made, 255, 0.4) : made;
  return `#${seen.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;
}

/** Whether text on a colour must be dark. */
export function isLight(colour: string): boolean {
  return brightness(channels(colour)) > 140;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

function mixed(colour: number[], other: number, share: number): number[] {
  return colour.map((channel) => channel + (other - channel) * share);
}

function brightness([red, green, blue]: number[]): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
