/**
 * The tutorial, page after page in one folder that is empty at first: every file is saved, every command is run, and what the
 * pages show is what is printed.
 *
 * @module-tag kubectl
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@chancery/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type Archives,
  linkThirdParty,
  packArchives,
  systemEnvironment,
} from '../../scaffold/support/outside.ts';
import { blocksOf } from './blocks.ts';
import { Reader } from './reader.ts';

const PAGES = fileURLToPath(new URL('../../../docs/tutorial/', import.meta.url));
const BUILD_TIMEOUT_MS = 240_000;
const PATIENT = { timeout: 900_000 };
/** No script of a package runs: the Node of the repository is linked, and not downloaded. */
const INSTALL = 'npm install --ignore-scripts --no-audit --no-fund';

let archives: Archives;

beforeAll(async () => {
  archives = await packArchives();
}, BUILD_TIMEOUT_MS);

afterAll(() => archives?.remove());

/** The commands that ask a registry, in another form. */
function inAnotherForm(line: string, folder: string): string {
  if (line === 'npm create chancery@latest website') {
    return `npm exec --yes --package ${archives.creator} -- create-chancery website`;
  }
  if (line === 'npm install') {
    linkThirdParty(folder);
    return INSTALL;
  }
  return line;
}

test('the six pages lead from an empty folder to an operator, and all that they show is what happens', PATIENT, async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'chancery-tutorial-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const pages = readdirSync(PAGES).filter((name) => /^\d-.+\.md$/.test(name));
  const env = { ...systemEnvironment(), CHANCERY_PACKAGES: archives.folder, KUBECONFIG: '/dev/null' };
  const reader = new Reader({ folder, env, typed: inAnotherForm });
  onTestFinished(() => reader.close());

  expect(pages.map((name) => name[0])).toEqual(['1', '2', '3', '4', '5', '6']);
  for (const name of pages.sort()) {
    for (const block of blocksOf(readFileSync(join(PAGES, name), 'utf8'))) {
      await reader.follow(block).catch((cause: unknown) => {
        throw new Error(`docs/tutorial/${name}: ${(cause as Error).message}`, { cause });
      });
    }
    await reader.run('npx tsc'); // an editor would show what the compiler says
  }
});
