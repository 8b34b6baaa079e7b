/**
 * `npm run lock:kubectl -- v1.37.1` writes proxy/kubectl.lock.json and the Dockerfile's two lines anew.
 * `npm run lock:kubectl -- --check FILE` says which architecture's kubectl a file is, by the lock.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readLock, writeLock } from './kubectl-lock.ts';
import { publishedKubectl } from './published-kubectl.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'string' } },
  allowPositionals: true,
});

try {
  process.stdout.write(`${await answer()}\n`);
} catch (error) {
  process.stderr.write(`lock:kubectl: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function answer(): Promise<string> {
  if (values.check !== undefined) return check(values.check);
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0)
    throw new Error('expected one version, such as v1.37.1');
  const lock = await publishedKubectl(version, { date: new Date().toISOString().slice(0, 10) });
  await writeLock(lock);
  return `locked ${lock.version}, ${lock.digest}`;
}

async function check(file: string): Promise<string> {
  const { version, binaries } = await readLock();
  const checksum = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const found = Object.entries(binaries).find(([, locked]) => locked === checksum);
  if (found === undefined)
    throw new Error(`${file} (sha256 ${checksum}) is no kubectl of the lock`);
  return `${file} is kubectl ${version} for ${found[0]}`;
}
