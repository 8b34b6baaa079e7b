import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Client } from './client.ts';
import { decorateClient, type RemoveCall, type WriteCall } from './client-decorator.ts';

/** Who is told of writes: before they are sent, and when they have succeeded. */
export interface WriteJournal {
  begin(
    resource: Resource,
    target: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  ): {
    /** It was answered with the whole object. */
    wrote(object: KubernetesObject): void;
    /** The object was told to go. @param uid - the one that was meant, where one was named. */
    deleted(uid?: string): void;
  };
}

/**
 * `client`, of whose successful writes `journal` is told. Not of a dry run, which stores nothing; nor of
 * a subresource that is answered with something else than the object, such as `scale`; nor of an
 * eviction, after which a Pod lives on for as long as its grace period takes.
 */
export function recordingClient(client: Client, journal: WriteJournal): Client {
  return decorateClient(client, {
    async write(call, next) {
      if (!storesWholeObject(call)) return next(call);
      const { resource } = call;
      const pending = journal.begin(
        resource,
        'object' in call ? call.object.metadata : call.target,
      );
      const answer = await next(call);
      pending.wrote(answer);
      return answer;
    },
    async remove(call, next) {
      if (call.verb === 'evict' || isDryRun(call.options)) return next(call);
      const { resource, target, options } = call;
      const pending = journal.begin(resource, target);
      await next(call);
      pending.deleted(options.preconditions?.uid);
    },
  });
}

function storesWholeObject({ options }: WriteCall): boolean {
  const { subresource } = options;
  return !isDryRun(options) && (subresource === undefined || subresource === 'status');
}

function isDryRun(options: RemoveCall['options'] | WriteCall['options']): boolean {
  return 'dryRun' in options && options.dryRun === true;
}
