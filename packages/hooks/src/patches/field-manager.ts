import type { Hook } from '../hook.ts';

/** The API server's limit. */
const MAX_CHARS = 128;

/** All names under which a folder of hooks owns fields: the runner's and those of its hooks. */
export function fieldManagersOf(hooks: readonly Hook[]): readonly string[] {
  return ['hooks', ...new Set(hooks.map(fieldManagerOf))];
}

/** The name of a hook in `metadata.managedFields`: at most 128 characters, and no white space. */
export function fieldManagerOf({ name }: Pick<Hook, 'name'>): string {
  const printable = name.replace(/[^\w./-]/g, '_');
  // The end of a path names the hook, the beginning its folders.
  return printable.slice(-MAX_CHARS);
}
