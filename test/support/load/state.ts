import { createHash } from 'node:crypto';

/** An object and the state that it is in. */
export interface ObjectState {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Equal for two collections of the same objects in the same states, in whatever order they come. */
export function digestOf(states: Iterable<ObjectState>): string {
  const lines = Array.from(states, ({ name, uid, resourceVersion }) =>
    [name, uid, resourceVersion].join(' '),
  );
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex');
}
