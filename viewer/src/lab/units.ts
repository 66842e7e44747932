/** Figures as people read them. */

import type { Change, Estimate } from "./api";

export function number(value: number, digits = 3): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const places = size >= 1000 ? 0 : Math.max(0, Math.min(4, digits - 1 - Math.floor(Math.log10(size))));
  return value.toLocaleString("en", { minimumFractionDigits: 0, maximumFractionDigits: places });
}

/** How long something took. */
export function took(seconds: number): string {
  return `${seconds.toFixed(seconds < 1 ? 2 : 1)} s`;
}

/** A mean with half its interval, both times `factor`. */
export function interval({ mean, half }: Estimate, factor: number): string {
  if (mean === null) return "–";
  const told = number(mean * factor);
  return half === null ? told : `${told} ± ${number(half * factor, 2)}`;
}

/** Smaller changes are of rounding. */
const LEAST = 1e-6;

/** What became of a figure, in words where the interval holds zero. */
export function difference(change: Change | null): { text: string; kind: "up" | "down" | "open" | "same" } {
  if (change === null) return { text: "", kind: "same" };
  const { share, half, more } = change;
  if (Math.abs(share) < LEAST && (half ?? 0) < LEAST) return { text: "unchanged", kind: "same" };
  if (half === null || more !== 0) {
    const often = more === null ? "thousands of networks more" : `${more} more network${more === 1 ? "" : "s"}`;
    return { text: `can't tell yet: ${often}`, kind: "open" };
  }
  const sign = share > 0 ? "+" : "−";
  return { text: `${sign}${number(Math.abs(share) * 100, 2)} % ± ${number(half * 100, 2)}`, kind: share > 0 ? "up" : "down" };
}
