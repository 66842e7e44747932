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

let known: Theme | null = null;
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (known = null));

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

/** The palette, then each colour darker, then lighter; as pictures of runs have them. */
export function flowColour(palette: string[], place: number): string {
  const colour = palette[place % palette.length];
  const round = Math.floor(place / palette.length) % 3;
  if (round === 0) return colour;
  const mixed = [1, 3, 5].map((at) => {
    const channel = parseInt(colour.slice(at, at + 2), 16);
    return Math.round(round === 1 ? channel * 0.55 : channel + (255 - channel) * 0.5);
  });
  return `rgb(${mixed.join(" ")})`;
}

/** Whether text on a colour must be dark. */
export function isLight(colour: string): boolean {
  const channels = colour.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
    : colour.match(/\d+/g)!.map(Number);
  return 0.299 * channels[0] + 0.587 * channels[1] + 0.114 * channels[2] > 140;
}
