import type { Hook } from '../hook.ts';

/** Advice about configurations that are valid but rarely intended, one line each. */
export function hintsFor({ name, config }: Hook): readonly string[] {
  return config.kubernetes.flatMap(({ events, runsOnSynchronization }, at) => {
    const isDeletedOnly = events.size === 1 && events.has('Deleted');
    if (!isDeletedOnly || !runsOnSynchronization) return [];
    return [
      `${name}: kubernetes[${at}] receives deletions only, and is also run for all objects at the start; ` +
        'executeHookOnSynchronization: false prevents that',
    ];
  });
}
