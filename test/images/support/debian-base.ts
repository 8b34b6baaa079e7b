/** A small Debian in the place of node:…-slim, with an apt that works: for images that install packages. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
  const node = join(root, NODE);
  await mkdir(dirname(node), { recursive: true });
  await writeFile(node, 'the place of Node, see putNode\n', { mode: 0o755 });
  const name = await commit(builder, root, 'stand-in-debian');
  await rm(root, { recursive: true });
  return name;
}

const NODE = 'usr/local/bin/node';
const RUNNERS_NODE = 'usr/local/libexec/chancery/node';

/**
 * Puts this checkout's Node where the official images have it, as a link, and where the build has put a copy, with the
 * mode of that copy. It is no part of the base: a copy of it in every step of the build would cost more than all else.
 * Resolves to the bytes of both.
 */
export async function putNode(rootfs: string): Promise<number> {
  const [node, runners] = [join(rootfs, NODE), join(rootfs, RUNNERS_NODE)];
  const { mode } = await stat(runners);
  await rm(node);
  await put(process.execPath, node);
  await rm(runners);
  await copyFile(process.execPath, runners);
  await chmod(runners, mode);
  return 2 * (await stat(node)).size;
}
