/** Prints rows, objects with the same keys, as a table of Markdown. */
export function printTable(title, rows) {
  if (rows.length === 0) return;
  const keys = Object.keys(rows[0]);
  const lines = [keys, ...rows.map((row) => keys.map((key) => String(row[key] ?? "")))];
  const widths = keys.map((_key, column) => Math.max(...lines.map((line) => line[column].length)));
  const print = (line) => console.log(`| ${line.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`);
  console.log(`\n${title}\n`);
  print(lines[0]);
  print(widths.map((width) => "-".repeat(width)));
  for (const line of lines.slice(1)) print(line);
}
