/** The scenario in the page's address, so that a link or a reload has it. */

/** A longer address is cut by some programs: the state is then in a file only. */
const MOST = 12_000;

export async function toHash(text: string): Promise<string> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const coded = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return coded.length <= MOST ? `#s=${coded}` : "#";
}

/** The scenario of an address; none if it has none, or another's. */
export async function fromHash(hash: string): Promise<string | null> {
  const found = /^#s=([\w-]+)$/.exec(hash);
  if (!found) return null;
  try {
    const binary = atob(found[1].replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (each) => each.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return await new Response(unpacked).text();
  } catch {
    return null;
  }
}
