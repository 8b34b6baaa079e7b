import { nodeCrypto } from '../../core/builtin-modules.ts';
import { SCRIPT } from './page-script.ts';
import { STYLE } from './page-style.ts';

/** The whole page. Everything in it that comes from a cluster is set as text, by the script. */
export const PAGE: string = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>operator status</title>
<style>${STYLE}</style>
</head>
<body>
<header>
  <h1 id="name">operator</h1>
  <p id="badges"></p>
  <p id="where"></p>
  <p id="link" role="status">connecting…</p>
</header>
<main>
  <section aria-labelledby="h-controllers"><h2 id="h-controllers">Controllers</h2><div id="controllers"></div></section>
  <section aria-labelledby="h-sources"><h2 id="h-sources">Sources</h2><div id="sources"></div></section>
  <section aria-labelledby="h-writes"><h2 id="h-writes">Writes per minute</h2><div id="writes"></div></section>
  <section aria-labelledby="h-recent"><h2 id="h-recent">Latest reconciles</h2><div id="recent"></div></section>
</main>
<noscript>This page needs JavaScript; the same as JSON: <a href="status.json">status.json</a></noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;

/** Nothing but this style and this script, and no connection but to us. */
export const PAGE_POLICY: string = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  `script-src '${hashOf(SCRIPT)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
  return `sha256-${nodeCrypto().createHash('sha256').update(text).digest('base64')}`;
}
