/**
 * `npm run check -- packages`: builds and packs every package, and has the archives read by `publint` and by
 * `attw --profile esm-only`.
 *
 * Exit codes: 0 when neither finds anything, 1 otherwise.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { readPackages } from '../../release/packages.ts';
import { packed } from '../support/packed.ts';
import { packageProblems } from './package-problems.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const archives = await mkdtemp(join(tmpdir(), 'chancery-checked-'));
try {
  for (const { folder } of readPackages(ROOT)) {
    const archive = (await packed(folder, archives)).replace('file:', '');
    const problems = await packageProblems(archive, join(archives, folder));
    process.stdout.write(`${folder}: ${problems.join('\n') || 'nothing found'}\n`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  await rm(archives, { recursive: true, force: true });
}
