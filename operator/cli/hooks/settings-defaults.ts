import { ConfigurationError } from '../../core/errors.ts';
import type { Io } from '../command.ts';

/**
 * The environment, with the defaults for hooks: all namespaces are watched, and in a Pod a leader
 * is elected.
 *
 * @throws ConfigurationError `CONFIG` for `CHANCERY_SHARDS`: hooks and Metacontroller's controllers
 * cannot share their work.
 */
export function withHooksDefaults(env: Io['env']): Io['env'] {
  const isGiven = (name: string): boolean => (env[name] ?? '').trim() !== '';
  if (isGiven('CHANCERY_SHARDS')) {
    throw new ConfigurationError(
      "CHANCERY_SHARDS does not divide the work of hooks and of Metacontroller's controllers: unset it, so that one " +
        'replica works and the others stand by',
    );
  }
  const watches = isGiven('WATCH_NAMESPACE') || isGiven('res_namespace');
  const elects = isGiven('CHANCERY_LEADER_ELECTION') || !isGiven('POD_NAMESPACE');
  return {
    ...env,
    ...(!watches && { WATCH_NAMESPACE: '*' }),
    ...(!elects && { CHANCERY_LEADER_ELECTION: 'true' }),
  };
}
