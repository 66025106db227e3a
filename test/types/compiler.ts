import { join, resolve } from "node:path";
import ts from "typescript";

/** A mistake as the compiler reports it: the text that it marks, and what it says. */
export interface Reported {
  readonly at: string;
  readonly says: string;
}

const folder = resolve(import.meta.dirname);
const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");

/** Compiles snippets, each as a file of this folder that is not written, all at once; `head` comes before each. */
export function createCompiler(head: string, snippets: readonly string[]) {
  const pathOf = new Map(snippets.map((code, index) => [code, join(folder, `snippet-${index}.ts`)]));
  const files = new Map([...pathOf].map(([code, path]) => [path, `${head}${code}\nexport {};\n`]));
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: () => "1",
    getScriptSnapshot(path) {
      const text = files.get(path) ?? ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => resolve("."),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => files.has(path) || ts.sys.fileExists(path),
    readFile: (path) => files.get(path) ?? ts.sys.readFile(path),
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const find = (code: string) => {
    const path = pathOf.get(code) ?? "";
    return { path, text: files.get(path) ?? "" };
  };
  return {
    mistakesIn(code: string): readonly Reported[] {
      const { path, text } = find(code);
      const found = [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)];
      return found.map(({ start = 0, length = 0, messageText }) => ({
        at: text.slice(start, start + length),
        says: ts.flattenDiagnosticMessageText(messageText, "\n"),
      }));
    },
    /** The doc comment that an editor shows for the name behind the mark. */
    hoverIn(code: string): string {
      const { path, text } = find(code);
      const info = service.getQuickInfoAtPosition(path, text.indexOf(mark) + mark.length);
      return ts.displayPartsToString(info?.documentation);
    },
  };
}

export const mark = "/*here*/";
