/** Packages as `npm publish` would send them. */
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The archive that `npm publish` would send, made of a new build. What it is made of stays in `archives`.
 *
 * @param folder - of the package, from the root of the repository. @returns the archive as `file:PATH`.
 */
export async function packed(folder: string, archives: string): Promise<string> {
  const from = join(repository, folder);
  const to = join(archives, folder);
  const { files = [] } = await manifestOf(folder);
  for (const file of ['package.json', 'README.md', ...files]) {
    if (file === 'dist' || file.startsWith('!')) continue;
    await cp(join(from, file), join(to, file));
  }
  await cp(join(repository, 'LICENSE'), join(to, 'LICENSE'));
  const build = ['build/main.ts', '--out-dir', join(to, 'dist'), folder];
  await run(process.execPath, build, { cwd: repository });
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', archives];
  const { stdout } = await run('npm', args, { cwd: to });
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
  return `file:${join(archives, filename)}`;
}

export async function manifestOf(folder: string): Promise<{
  readonly name: string;
  readonly files?: readonly string[];
}> {
  return JSON.parse(await readFile(join(repository, folder, 'package.json'), 'utf8'));
}
