/** What `publint` and `attw --profile esm-only` say of a packed package. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const run = promisify(execFile);
const ATTW = fileURLToPath(
  new URL('../../node_modules/@arethetypeswrong/cli/dist/index.js', import.meta.url),
);

/**
 * @param archive - of npm. @param folder - with the files that are in it.
 * @returns a text for each program that found something. `attw` reads packages that can be imported: a command alone has
 *   no types.
 */
export async function packageProblems(archive: string, folder: string): Promise<readonly string[]> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly exports?: object;
  };
  const said = await Promise.all([
    publintSays(archive, manifest),
    manifest.exports === undefined ? '' : attwSays(archive),
  ]);
  return said.filter((text) => text !== '');
}

async function publintSays(archive: string, manifest: object): Promise<string> {
  const { buffer } = new Uint8Array(await readFile(archive));
  const { messages } = await publint({ strict: true, pack: { tarball: buffer } });
  return messages.map((message) => formatMessage(message, manifest) ?? message.code).join('\n');
}

/** Resolves the types of every entry, for projects of ES modules. */
function attwSays(archive: string): Promise<string> {
  const options = ['--profile', 'esm-only', '--no-definitely-typed', '--no-color', '--no-emoji'];
  return run(process.execPath, [ATTW, ...options, archive]).then(
    () => '',
    ({ stdout, message }: { stdout?: string; message: string }) => stdout || message,
  );
}
