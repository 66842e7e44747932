/** Nodes from a table of places, as `topology.file` takes it: a line each, with columns x_m and y_m. */

/** The places of a CSV file; a sentence that says what is wrong with it, if anything is. */
export function places(text: string): [number, number][] | string {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/).filter((line) => line.trim());
  const names = (lines.shift() ?? "").split(",").map((name) => name.trim().replaceAll('"', ""));
  const [x, y] = [names.indexOf("x_m"), names.indexOf("y_m")];
  if (x < 0 || y < 0) return "Its first line has to name the columns x_m and y_m; multihop import reads other files.";
  const found: [number, number][] = [];
  for (const [at, line] of lines.entries()) {
    const cells = line.split(",");
    const place: [number, number] = [Number(cells[x]), Number(cells[y])];
    if (!cells[x]?.trim() || !cells[y]?.trim() || !place.every(Number.isFinite)) return `Line ${at + 2} has no place.`;
    found.push(place);
  }
  return found.length ? found : "It has no nodes.";
}
