/** The site, built once for a test file. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Of a project page. A link that forgets it leads nowhere. */
export const BASE = '/chancery/';

/** The folder of the built site. What the build says about a dead link is in the error. */
export async function buildSite(): Promise<string> {
  const env = { ...process.env, DOCS_BASE: BASE };
  await promisify(execFile)('npm', ['run', 'docs'], { cwd: root, env, maxBuffer: 2 ** 26 });
  return join(root, 'docs/.vitepress/dist');
}
