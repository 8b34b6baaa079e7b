import type { Io } from '../command.ts';

/**
 * The environment, with what differs for hooks where it says nothing: all namespaces are watched, and in a Pod a leader
 * is elected.
 */
export function withHooksDefaults(env: Io['env']): Io['env'] {
  const isGiven = (name: string): boolean => (env[name] ?? '').trim() !== '';
  const watches = isGiven('WATCH_NAMESPACE') || isGiven('res_namespace');
  const elects = isGiven('CHANCERY_LEADER_ELECTION') || !isGiven('POD_NAMESPACE');
  return {
    ...env,
    ...(!watches && { WATCH_NAMESPACE: '*' }),
    ...(!elects && { CHANCERY_LEADER_ELECTION: 'true' }),
  };
}
