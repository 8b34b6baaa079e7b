import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Size of the largest file whose content is compared. For a larger file, only size and modification
 * time are compared. Hooks are smaller.
 */
const MAX_READ_BYTES = 1024 * 1024;

/**
 * A hash that changes when a file below `dir` is added or removed, or when its bytes or its mode
 * change. Hidden entries are ignored. The files in the `..data` of a ConfigMap are read through the
 * links to them.
 */
export async function folderState(dir: string): Promise<string> {
  const lines: string[] = [];
  await collect(dir, '', lines);
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

async function collect(root: string, path: string, lines: string[]): Promise<void> {
  const names = (await readdir(join(root, path))).filter((name) => !name.startsWith('.')).sort();
  for (const name of names) {
    const below = path === '' ? name : `${path}/${name}`;
    const full = join(root, below);
    // A ConfigMap may be swapped while it is read. The next check sees the new version.
    const found = await stat(full).catch(() => undefined);
    if (found === undefined) lines.push(`${below} gone`);
    else if (found.isDirectory()) await collect(root, below, lines);
    // Reading a named pipe would wait forever for a writer.
    else if (!found.isFile()) lines.push(`${below} ${found.mode}`);
    else lines.push(`${below} ${found.mode} ${found.size} ${await contentOf(full, found)}`);
  }
}

async function contentOf(
  path: string,
  { size, mtimeMs }: { readonly size: number; readonly mtimeMs: number },
): Promise<string> {
  if (size > MAX_READ_BYTES) return `at ${mtimeMs}`;
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined ? 'unreadable' : createHash('sha256').update(bytes).digest('hex');
}
