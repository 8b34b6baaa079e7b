/**
 * `npm run check:packages`: builds and packs every package, and has the archives read by `publint` and by
 * `attw --profile esm-only`.
 *
 * Exit codes: 0 when neither finds anything, 1 otherwise.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packed } from '../support/installed-packages.ts';

const run = promisify(execFile);
const ATTW = fileURLToPath(
  new URL('../../node_modules/@arethetypeswrong/cli/dist/index.js', import.meta.url),
);

const PACKAGES = [
  { folder: '.', script: 'operator/build.ts', hasTypes: true },
  { folder: 'testing', script: 'build.ts', hasTypes: true },
  // A command alone: nothing imports it.
  { folder: 'create-chancery', script: 'build.ts', hasTypes: false },
];

const archives = await mkdtemp(join(tmpdir(), 'chancery-checked-'));
try {
  for (const { folder, script, hasTypes } of PACKAGES) {
    const archive = (await packed(folder, script, archives)).replace('file:', '');
    const name = JSON.parse(await readFile(join(archives, folder, 'package.json'), 'utf8')).name;
    await report(`publint ${name}`, await publintSays(archive, join(archives, folder)));
    if (hasTypes) await report(`attw ${name}`, await attwSays(archive));
  }
} finally {
  await rm(archives, { recursive: true, force: true });
}

async function publintSays(archive: string, folder: string): Promise<string> {
  const { buffer } = new Uint8Array(await readFile(archive));
  const { messages } = await publint({ strict: true, pack: { tarball: buffer } });
  const pkg = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return messages.map((message) => formatMessage(message, pkg) ?? message.code).join('\n');
}

/** Resolves the types of every entry, for projects of ES modules. */
function attwSays(archive: string): Promise<string> {
  const options = ['--profile', 'esm-only', '--no-definitely-typed', '--no-color', '--no-emoji'];
  return run(process.execPath, [ATTW, ...options, archive]).then(
    () => '',
    ({ stdout, message }: { stdout?: string; message: string }) => stdout || message,
  );
}

async function report(what: string, problems: string): Promise<void> {
  process.stdout.write(problems === '' ? `${what}: nothing found\n` : `${what}:\n${problems}\n`);
  if (problems !== '') process.exitCode = 1;
}
