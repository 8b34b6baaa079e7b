/** A small Debian in the place of node:…-slim, with an apt that works: for images that install packages. */
import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { pathOf } from '../../tools/tools.ts';
import type { Builder } from './builder.ts';
import { commit, put } from './stand-ins.ts';

const run = promisify(execFile);

/** That of the image that it stands in for. */
const SUITE = 'trixie';

/** Debian's smallest variant, from the mirror of this machine's debootstrap. Resolves to the image's name. */
export async function standInDebian(builder: Builder, folder: string): Promise<string> {
  const root = join(folder, 'debian-base');
  await run(pathOf('debootstrap'), ['--variant=minbase', SUITE, root], { maxBuffer: 1 << 26 });
  // What apt fetches again, and what nobody reads here: every step of a build copies all files.
  const unused = ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/locale'];
  for (const path of unused) await rm(join(root, path), { recursive: true });
  const name = await commit(builder, root, 'stand-in-debian');
  await rm(root, { recursive: true });
  return name;
}

/**
 * Puts this checkout's Node where the official images have it, as a link: a copy of it in every step of the build
 * would cost more than all else. Resolves to its size in bytes.
 */
export async function putNode(rootfs: string): Promise<number> {
  const node = join(rootfs, 'usr/local/bin/node');
  await put(process.execPath, node);
  return (await stat(node)).size;
}
