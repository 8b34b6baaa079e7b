import type { Client } from '../../client/client.ts';
import { decorateClient } from '../../client/client-decorator.ts';
import type { MinuteCounts } from './minute-counts.ts';

/** `client`, each of whose writes is counted, whatever becomes of it; a dry run is no write. */
export function countWrites(client: Client, writes: MinuteCounts): Client {
  const count = (options: { readonly dryRun?: boolean }): void => {
    if (options.dryRun !== true) writes.count();
  };
  return decorateClient(client, {
    write: (call, next) => {
      count(call.options);
      return next(call);
    },
    remove: (call, next) => {
      count(call.options);
      return next(call);
    },
  });
}
