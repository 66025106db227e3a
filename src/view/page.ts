import { type Html, html } from "./html.ts";
import { stylesheet, stylesheetHash } from "./stylesheet.ts";

/** A whole document. Nothing in it may load or run anything, whatever it contains. */
export function page(title: string, content: Html): string {
  const policy = `default-src 'none'; style-src 'sha256-${stylesheetHash}'; base-uri 'none'; form-action 'none'`;
  const { text } =
    html`<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title>`;
  return `<!doctype html>\n${text}<style>${stylesheet}</style></head><body><main>${content.text}</main></body></html>\n`;
}
