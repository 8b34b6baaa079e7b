import type { Hook } from '../hook.ts';

/** The API server's limit. */
const MAX_CHARS = 128;

/** All field managers of a folder of hooks: the runner's and one for each hook. */
export function fieldManagersOf(hooks: readonly Hook[]): readonly string[] {
  return ['hooks', ...new Set(hooks.map(fieldManagerOf))];
}

/**
 * The field manager of a hook in `metadata.managedFields`: at most 128 characters without white
 * space.
 */
export function fieldManagerOf({ name }: Pick<Hook, 'name'>): string {
  const printable = name.replace(/[^\w./-]/g, '_');
  // A name that is too long keeps its end, because the end of a path names the hook and the
  // beginning only its folders.
  return printable.slice(-MAX_CHARS);
}
