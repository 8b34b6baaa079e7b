/**
 * The tutorial, page after page in one folder that is empty at first: every file is saved, every command is run, and what the
 * pages show is what is printed.
 *
 * @module-tag kubectl
 * @module-tag curl
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
/** Of the provider on page 4 and the metrics on page 6. Other programs may have them on this machine. */
const PORTS = ['5380', '9090'];
/** What test/images/project-image.tools.test.ts does with another project: to build an image takes buildah and root. */
const IMAGE = /^docker (?:build|push) /;
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
  if (IMAGE.test(line)) return ': docker';
  return line;
}

test(
  'the commands on the six pages of the tutorial succeed, and print what the pages show',
  PATIENT,
  async () => {
    const reader = await newReader();
    const pages = readdirSync(PAGES).filter((name) => /^\d-.+\.md$/.test(name));

    for (const name of pages.sort()) {
      for (const block of blocksOf(readFileSync(join(PAGES, name), 'utf8'))) {
        await reader.follow(block).catch((cause: unknown) => {
          throw new Error(`docs/tutorial/${name}: ${(cause as Error).message}`, { cause });
        });
      }
      await reader.run('npx tsc'); // an editor would show what the compiler says
    }

    expect(pages.map((name) => name[0])).toEqual(['1', '2', '3', '4', '5', '6']);
  },
);

async function newReader(): Promise<Reader> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'chancery-tutorial-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const ports = await Promise.all(PORTS.map(async (port) => [port, await freePort()] as const));
  const reader = new Reader({
    folder,
    env: { ...systemEnvironment(), CHANCERY_PACKAGES: archives.folder, KUBECONFIG: '/dev/null' },
    typed: (text, place) =>
      ports.reduce(
        (typed, [port, free]) => typed.replaceAll(port, String(free)),
        inAnotherForm(text, place),
      ),
  });
  onTestFinished(() => reader.close());
  return reader;
}
