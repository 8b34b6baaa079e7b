/** The site, built once for a test file. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of the built site. What the build says about a dead link is in the error. */
export async function buildSite(): Promise<string> {
  await promisify(execFile)('npm', ['run', 'docs'], { cwd: root, maxBuffer: 2 ** 26 });
  return join(root, 'docs/.vitepress/dist');
}
