import type { Client } from './client.ts';
import { decorateClient } from './client-decorator.ts';

/** `client`, whose calls abort with `signal` when they are given none. */
export function signalledClient(client: Client, signal: AbortSignal): Client {
  return decorateClient(client, {
    read: (call, next) => next({ ...call, options: { signal, ...defined(call.options) } }),
    write: (call, next) => next({ ...call, options: { signal, ...defined(call.options) } }),
    remove: (call, next) => next({ ...call, options: { signal, ...defined(call.options) } }),
  });
}

/** A signal that is given as undefined is none. */
function defined<O extends { readonly signal?: AbortSignal | undefined }>(options: O): object {
  const { signal, ...rest } = options;
  return signal === undefined ? rest : options;
}
