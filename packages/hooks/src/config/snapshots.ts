import { type Fields, refuse } from './fields.ts';

/** The snapshots that a binding requests. */
interface SnapshotUse {
  /** The names as the hook wrote them. */
  readonly includeSnapshotsFrom: readonly string[];
  readonly group?: string;
}

/** A binding whose snapshots are not resolved yet, and its path for messages. */
export interface Drafted<T extends SnapshotUse> {
  readonly binding: T;
  readonly path: string;
}

/** Reads `includeSnapshotsFrom` and `group`. */
export function snapshotUseOf(fields: Fields): SnapshotUse {
  const names = fields.has('includeSnapshotsFrom')
    ? fields.requiredTexts('includeSnapshotsFrom')
    : [];
  const group = fields.text('group');
  return { includeSnapshotsFrom: [...new Set(names)], ...(group !== undefined && { group }) };
}

/**
 * The binding with the names of all its snapshots: the snapshots that it lists, and the snapshots
 * of its group.
 *
 * @param owners - the Kubernetes bindings of the hook.
 * @throws ConfigurationError `CONFIG` when a name belongs to no Kubernetes binding, or to more than
 * one.
 */
export function withSnapshots<T extends SnapshotUse>(
  { binding, path }: Drafted<T>,
  owners: readonly { readonly name: string; readonly group?: string }[],
): T {
  const { includeSnapshotsFrom: given, group } = binding;
  const grouped = group === undefined ? [] : owners.filter((owner) => owner.group === group);
  for (const [at, name] of given.entries()) {
    requireOne(name, owners, `${path}.includeSnapshotsFrom[${at}]`);
  }
  for (const { name } of grouped) requireOne(name, owners, `${path}.group`);
  return {
    ...binding,
    includeSnapshotsFrom: [...new Set([...given, ...grouped.map(({ name }) => name)])],
  };
}

function requireOne(name: string, owners: readonly { readonly name: string }[], path: string) {
  const count = owners.filter((owner) => owner.name === name).length;
  const shown = JSON.stringify(name.slice(0, 64));
  if (count > 1) {
    refuse(path, `${count} bindings have the name ${shown}: give each another name`);
  }
  if (count === 1) return;
  const known = [...new Set(owners.map((owner) => owner.name))];
  const hint = known.length === 0 ? 'the hook has none' : `it has ${known.join(', ')}`;
  refuse(path, `no binding of kubernetes has the name ${shown}; ${hint}`);
}
