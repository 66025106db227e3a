import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { round } from "../statistics.mjs";

/** What `npm install planwright zod` puts onto the disk. */
export const installSize = {
  name: "install",
  title: "Installed, with zod",

  measure({ folders }) {
    const modules = join(folders.installed, "node_modules");
    const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
    const sizes = Object.keys(packages).map((path) => ({
      name: path.replace(/^node_modules\//, ""),
      ...sizeOf(join(folders.installed, path)),
    }));
    const sum = (key) => sizes.reduce((total, size) => total + size[key], 0);
    return {
      packages: sizes.sort((left, right) => right.bytes - left.bytes),
      bytes: sum("bytes"),
      onDisk: sum("onDisk"),
    };
  },

  tables: ({ packages, bytes, onDisk }) => [
    {
      title: `${packages.length} packages`,
      rows: [...packages, { name: "all", bytes, onDisk }].map((size) => ({
        package: size.name,
        "files, MB": round(size.bytes / 1e6),
        "on disk, MB": round(size.onDisk / 1e6),
      })),
    },
  ],

  goals: ({ packages, onDisk }) => [
    { what: "installed with zod, on disk, MB", measured: round(onDisk / 1e6), goal: 14 },
    { what: "installed with zod, packages", measured: packages.length, goal: 12 },
  ],
};

function sizeOf(folder) {
  const total = { bytes: 0, onDisk: 0 };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size, blocks } = statSync(join(entry.parentPath, entry.name));
    total.bytes += size;
    // Blocks are of 512 bytes, whatever the file system's own are.
    total.onDisk += blocks * 512;
  }
  return total;
}
