/** How each cause of silence looks: always the same, and told apart by pattern and name as well as by tint. */

const INK = "rgb(0 0 0 / 55%)";
const diagonal = (degrees: number, step: number) =>
  `repeating-linear-gradient(${degrees}deg, ${INK} 0 1px, transparent 1px ${step}px)`;
const dots = (step: number) => `radial-gradient(circle, ${INK} 1px, transparent 1.4px) 0 0 / ${step}px ${step}px`;

/** Pale, as no flow is: of what the radio, routing, a queue or the sender brings about. */
const RADIO = "#f6d5cd", ROUTING = "#e3e8c3", QUEUE = "#ddd6ee", SENDER = "#d3e4ea", OTHER = "#e6e6e6";

const LOOKS: Record<string, [pattern: string, tint: string]> = {
  "hidden-terminal": [diagonal(135, 4), RADIO],
  "contention": [diagonal(45, 8), RADIO],
  "slot": [diagonal(90, 14), RADIO],
  "backoff": [diagonal(0, 14), RADIO],
  "weak-signal": [dots(6), RADIO],
  "out-of-range": [diagonal(90, 4), RADIO],
  "not-associated": [diagonal(0, 5), RADIO],
  "wire": [diagonal(45, 3), QUEUE],
  "false-link-failure": [diagonal(90, 9), ROUTING],
  "stale-route": [diagonal(0, 4), ROUTING],
  "stale-neighbour": [diagonal(0, 9), ROUTING],
  "convergence": [diagonal(45, 5), ROUTING],
  "loop": [`${diagonal(0, 6)}, ${diagonal(90, 6)}`, ROUTING],
  "hop-limit": [diagonal(135, 9), ROUTING],
  "lost-request-or-reply": [dots(5), ROUTING],
  "arp": [`${diagonal(45, 6)}, ${diagonal(135, 6)}`, ROUTING],
  "queue-overflow": [diagonal(0, 3), QUEUE],
  "queue-delay": [dots(8), QUEUE],
  "rto-backoff": ["", SENDER],
  "reordering": [`${diagonal(45, 9)}, ${diagonal(135, 9)}`, SENDER],
  "nothing-to-send": [dots(10), SENDER],
};
const UNKNOWN: [string, string] = ["", OTHER];

/** The causes in the order in which a key has them. */
export const ORDER = Object.keys(LOOKS);

/** The background of a cause, for CSS. */
export function look(cause: string): string {
  const [pattern, tint] = LOOKS[cause] ?? UNKNOWN;
  return pattern ? `${pattern}, ${tint}` : tint;
}

/** A cause as one says it. */
export function named(cause: string): string {
  return cause.replaceAll("-", " ");
}
