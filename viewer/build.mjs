/** Bundles the page into the package; the first line of each file tells which sources it is made of. */

import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const OUT = "../python/multihop/playback/page";
const SOURCES = ["build.mjs", "package.json", "package-lock.json", "tsconfig.json",
  ...readdirSync("src").sort().map((name) => join("src", name))];

const hash = createHash("sha256");
for (const source of SOURCES) hash.update(`${source}\n`).update(readFileSync(source)).update("\n");
const banner = `/* Built from viewer/ by "make page"; sources ${hash.digest("hex")}; with uPlot (MIT). */`;

const made = await build({
  entryPoints: [{ in: "src/main.ts", out: "replay" }, { in: "src/page.css", out: "replay" }],
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome110", "firefox115", "safari16.4"],
  charset: "utf8",
  legalComments: "none",
  banner: { js: banner, css: banner },
  outdir: OUT,
  write: false,
});
for (const file of made.outputFiles) writeFileSync(file.path, file.contents);
copyFileSync("node_modules/uplot/LICENSE", join(OUT, "uplot.LICENSE"));
