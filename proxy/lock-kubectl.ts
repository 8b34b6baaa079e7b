/**
 * `npm run generate -- kubectl-lock v1.37.1` writes proxy/kubectl.lock.json and the two lines of the Dockerfile.
 * `npm run generate -- kubectl-lock --check FILE` prints the architecture of a kubectl program, found in the lock.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { architectureOf, readLock, writeLock } from './kubectl-lock.ts';
import { publishedKubectl } from './published-kubectl.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'string' } },
  allowPositionals: true,
});

try {
  process.stdout.write(`${await answer()}\n`);
} catch (error) {
  process.stderr.write(`kubectl-lock: ${error instanceof Error ? error.message : String(error)}\n`);
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
  const lock = await readLock();
  return `${file} is kubectl ${lock.version} for ${await architectureOf(file, lock)}`;
}
