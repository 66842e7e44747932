/** Numbers as text. */

/** A time in seconds with nanoseconds, in groups of three. */
export function exact(time: number): string {
  const whole = Math.floor(time / 1e9);
  const rest = String(Math.floor(time - whole * 1e9)).padStart(9, "0");
  return `${whole}.${rest.slice(0, 3)} ${rest.slice(3, 6)} ${rest.slice(6)}`;
}

/** A time in seconds with microseconds. */
export function micro(time: number): string {
  return (Math.floor(time / 1e3) / 1e6).toFixed(6);
}

/** A length of time [s], with a unit that suits it. */
export function span(seconds: number): string {
  if (seconds >= 60 && seconds % 60 === 0) return `${plain(seconds / 60)} min`;
  if (seconds >= 1) return `${plain(seconds)} s`;
  if (seconds >= 1e-3) return `${plain(seconds * 1e3)} ms`;
  return `${plain(seconds * 1e6)} µs`;
}

export function rate(bitsPerSecond: number): string {
  if (bitsPerSecond >= 1e6) return `${plain(bitsPerSecond / 1e6)} Mbit/s`;
  return `${Math.round(bitsPerSecond / 1e3)} kbit/s`;
}

/** At most three digits that count. */
export function plain(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** The largest of 1, 2 and 5 times a power of ten that is not greater. */
export function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return Math.max(...[1, 2, 5].map((unit) => unit * power).filter((each) => each <= value * 1.0001));
}
