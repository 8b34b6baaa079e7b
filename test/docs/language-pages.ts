/** The pages about tests in other languages, and their examples in a project outside the repository. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Child, folderWith, start } from '../cli/child.ts';
import { guide } from './guide.ts';

/** npm and Python take seconds to start on a machine that others use as well. */
export const PATIENCE = { timeout: 120_000 };

/** A block of a page: what stands after its language says what it is, such as the name of a file. */
export interface Block {
  readonly language: string;
  readonly name: string;
  readonly text: string;
}

export function blocksOf(page: string): readonly Block[] {
  const found = guide(page).matchAll(/^```(\S+)[ \t]*(\S*)\n(.*?)^```$/gms);
  return [...found].map(([, language = '', name = '', text = '']) => ({ language, name, text }));
}

/**
 * Runs the block `run` of a page in a folder with its files, and with what its block `install` puts into `node_modules`.
 *
 * @param packages - the folder of each package besides ours that the page installs from npm.
 */
export function runPage(
  page: string,
  env: Readonly<Record<string, string>>,
  packages: Readonly<Record<string, string>> = {},
): Child {
  const blocks = blocksOf(page);
  const folder = folderWith({ 'package.json': '{ "private": true }' });
  for (const { name, text } of blocks) {
    if (name.includes('.')) writeFileSync(join(folder, name), text);
  }
  install(join(folder, 'node_modules'), packages);
  const command = blocks.find(({ name }) => name === 'run')?.text ?? '';
  return start('sh', ['-c', command], { HOME: folder, ...env }, folder);
}

/** As npm installs node@24, the package of the kit, and others. The command of the kit runs from its sources. */
function install(modules: string, packages: Readonly<Record<string, string>>): void {
  const kit = fileURLToPath(new URL('../../testing', import.meta.url));
  const bin = join(modules, '.bin');
  mkdirSync(bin, { recursive: true });
  for (const [name, path] of Object.entries({ '@chancery/testing': kit, ...packages })) {
    const link = join(modules, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(path, link);
  }
  const script = `#!/bin/sh\nexec node --conditions=chancery-source ${kit}/src/chancery-testing.ts "$@"\n`;
  writeFileSync(join(bin, 'chancery-testing'), script, { mode: 0o755 });
  symlinkSync(process.execPath, join(bin, 'node'));
}
