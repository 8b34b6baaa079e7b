import { chmod, mkdir, mkdtemp, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Writes a projected volume as the kubelet does: files in a folder of their own, which `..data` points
 * to, and links by way of `..data`. To move that one link replaces all files at once.
 *
 * @param mode - permissions of the files.
 */
export async function project(
  volume: string,
  files: Readonly<Record<string, string>>,
  mode: number = 0o644,
): Promise<void> {
  await mkdir(volume, { recursive: true, mode: 0o755 });
  const before = await readlink(join(volume, '..data')).catch(() => undefined);
  const payload = await mkdtemp(join(volume, '..'.concat('payload_')));
  await chmod(payload, 0o755);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(payload, path)), { recursive: true });
    await writeFile(join(payload, path), content);
    await chmod(join(payload, path), mode); // whatever the umask is
  }
  await symlink(payload.slice(volume.length + 1), join(volume, '..data_new'));
  await rename(join(volume, '..data_new'), join(volume, '..data'));
  for (const path of Object.keys(files)) {
    if (before === undefined) await symlink(join('..data', path), join(volume, path));
  }
  if (before !== undefined) await rm(join(volume, before), { recursive: true });
}
