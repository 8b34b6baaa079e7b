/** Packages as `npm publish` sends them, and folders as archives that are the same in every run. */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { packageProblems } from '../../test/lanes/package-problems.ts';
import { packed } from '../../test/support/packed.ts';
import type { PublishedPackage } from '../packages.ts';
import { output, ProgramFailure } from '../program.ts';

/** An archive of npm. */
export interface PackedPackage {
  /** Its name in the folder that it was put into. */
  readonly archive: string;
  /** What publint and attw say against it. */
  readonly problems: readonly string[];
}

/** Builds, packs and reads a package. */
export async function packPackage(
  { folder: source }: PublishedPackage,
  folder: string,
): Promise<PackedPackage> {
  const temporary = await mkdtemp(join(tmpdir(), 'chancery-packed-'));
  try {
    const archive = (await packed(source, temporary).catch(saying)).replace('file:', '');
    await mkdir(folder, { recursive: true });
    await cp(archive, join(folder, basename(archive)));
    const problems = await packageProblems(archive, join(temporary, source));
    return { archive: basename(archive), problems };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function saying(error: Error & { readonly stderr?: string }): never {
  throw new ProgramFailure('the build failed', error.stderr || error.message);
}

/** Packs a folder, whose name in the archive is `name`: Helm wants that of the chart. */
export async function packFolder(source: string, archive: string, name: string): Promise<void> {
  await mkdir(dirname(archive), { recursive: true });
  const temporary = await mkdtemp(join(tmpdir(), 'chancery-folder-'));
  try {
    await cp(source, join(temporary, name), { recursive: true });
    const order = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
    const args = ['--create', '--gzip', '--file', archive, ...order, '--mode=u=rwX,go=rX', name];
    await output('tar', args, { cwd: temporary });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
