/** A small Debian in the place of node:…-slim, with an apt that works: for images that install packages. */
import { execFile } from 'node:child_process';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { pathOf } from '../../tools/tools.ts';
import type { Builder } from './builder.ts';
import { commit } from './stand-ins.ts';

const run = promisify(execFile);

/** That of the image that it stands in for. */
const SUITE = 'trixie';

/**
 * Debian's smallest variant, from the mirror of this machine's debootstrap, with this checkout's Node where the
 * official images have it. Resolves to the image's name.
 */
export async function standInDebian(builder: Builder, folder: string): Promise<string> {
  const root = join(folder, 'debian-base');
  // Its own signature check stays on. Nothing is kept that apt fetches again.
  await run(pathOf('debootstrap'), ['--variant=minbase', SUITE, root], { maxBuffer: 1 << 26 });
  for (const path of ['var/cache/apt', 'var/lib/apt/lists'])
    await rm(join(root, path), { recursive: true });
  await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
  const name = await commit(builder, root, 'stand-in-debian');
  await rm(root, { recursive: true });
  return name;
}
