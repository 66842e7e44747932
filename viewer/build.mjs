/** Bundles the pages into the package; the first line of each file tells which sources it is made of. */

import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const OUT = "../python/multihop";
const SOURCES = ["build.mjs", "package.json", "package-lock.json", "tsconfig.json",
  ...readdirSync("src", { recursive: true }).map(String).filter((name) => name.includes(".")).sort()
    .map((name) => join("src", name))];

const hash = createHash("sha256");
for (const source of SOURCES) hash.update(`${source}\n`).update(readFileSync(source)).update("\n");
const digest = hash.digest("hex");
const banner = `/* Built from viewer/ by "make page"; sources ${digest}; with uPlot (MIT). */`;

const made = await build({
  entryPoints: [
    { in: "src/main.ts", out: "playback/page/replay" }, { in: "src/page.css", out: "playback/page/replay" },
    { in: "src/lab/main.ts", out: "lab/page/lab" }, { in: "src/lab/lab.css", out: "lab/page/lab" },
  ],
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
copyFileSync("node_modules/uplot/LICENSE", join(OUT, "playback/page/uplot.LICENSE"));
