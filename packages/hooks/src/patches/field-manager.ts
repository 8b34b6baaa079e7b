import type { Hook } from '../hook.ts';

/** The maximum length of a field manager that the API server accepts. */
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
  // If a path is too long, its beginning is cut off, because the end of the path identifies the
  // hook.
  return printable.slice(-MAX_CHARS);
}
