/** Serves a folder under a path as a host of static sites does: `/a` is `a.html`, `/` is `index.html`. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

export interface StaticServer extends AsyncDisposable {
  /** With the path of the site, without a slash at its end. */
  readonly url: string;
}

export async function serveFolder(folder: string, base: string): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname));
    const inSite = path.startsWith(base) ? path.slice(base.length) : undefined;
    const ends = inSite === undefined ? [] : ['', '.html', 'index.html'];
    const file = ends.map((end) => join(folder, inSite + end)).find(isFile);
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': TYPES[extname(file ?? '.html')] ?? 'application/octet-stream',
    });
    createReadStream(file ?? join(folder, '404.html')).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base.slice(0, -1)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
