import { nodeCrypto } from '../../core/builtin-modules.ts';
import { textFiles } from '../../core/text-files.ts';

const files = textFiles(new URL('./', import.meta.url));

/** The tags by which `page.html` names the two files beside it. */
const STYLE_TAG = '<link rel="stylesheet" href="page.css">';
const SCRIPT_TAG = '<script type="module" src="page.js"></script>';

interface Page {
  readonly html: string;
  /** Allows the page its own style and script, and connections to the server that it comes from. */
  readonly policy: string;
}

let page: Page | undefined;

/**
 * `page.html` with its style and its script in it: the browser asks for no other file. It is made when it
 * is first asked for, and once.
 */
export function statusPageFile(): Page {
  page ??= assembled();
  return page;
}

function assembled(): Page {
  const style = files('page.css');
  const script = files('page.js');
  const html = files('page.html')
    .replace(STYLE_TAG, () => `<style>${style}</style>`)
    .replace(SCRIPT_TAG, () => `<script type="module">${script}</script>`);
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

function hashOf(text: string): string {
  return `sha256-${nodeCrypto().createHash('sha256').update(text).digest('base64')}`;
}
