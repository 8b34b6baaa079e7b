import { isConditionTrue } from '../../model/condition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { DiscoveryPoll } from '../../watch/discovery-poll.ts';
import { type Call, type Interceptor, isRead, isRemoval } from '../call.ts';

/**
 * The maximum number of remembered definitions, which limits the memory. When it is reached, all definitions
 * are forgotten, and each of them is treated as new once more.
 */
const MAX_SEEN = 1_000;

/** The expected fields of a CustomResourceDefinition in an answer. */
interface LiveDefinition extends KubernetesObject {
  readonly spec?: {
    readonly group?: string;
    readonly versions?: readonly { readonly name: string; readonly served: boolean }[] | null;
  };
  readonly status?: { readonly conditions?: Parameters<typeof isConditionTrue>[0] };
}

/**
 * Calls `expectServed` of `poll` for each version that a CustomResourceDefinition serves, when the answer to
 * a call contains the definition and the definition is established. Other calls pass unchanged.
 *
 * This happens once for each uid of a definition, and again when its `generation` has grown. So a definition
 * that is read every second does not make the sources poll all the time. The interceptor remembers the
 * definitions for all clients that it wraps.
 *
 * Lists are ignored, because every definition in the cluster would have to be checked. Dry runs and
 * definitions that are being deleted are ignored as well.
 */
export function expectServed(poll: Pick<DiscoveryPoll, 'expectServed'>): Interceptor {
  /** The definitions that were reported, by name. */
  const seen = new Map<string, { readonly uid: string | undefined; readonly generation: number }>();

  function isNews({ metadata: { name, uid, generation = 0 } }: LiveDefinition): boolean {
    const before = seen.get(name);
    // In a dry run, the answer to an apply has a higher generation than the stored object. So a lower
    // generation is not a change.
    if (before !== undefined && before.uid === uid && generation <= before.generation) return false;
    if (before === undefined && seen.size >= MAX_SEEN) seen.clear();
    seen.set(name, { uid, generation });
    return true;
  }

  function inspect(definition: LiveDefinition): void {
    if (!isEstablished(definition) || !isNews(definition)) return;
    const { group, versions } = definition.spec ?? {};
    for (const { name, served } of versions ?? []) {
      if (served) poll.expectServed(`${group}/${name}`);
    }
  }

  return (next) => (call) => {
    if (!isDefinition(call.resource) || !showsStored(call)) return next(call);
    return next(call).then((answer) => {
      if (answer !== undefined) inspect(answer as LiveDefinition);
      return answer;
    });
  };
}

function isDefinition({ plural, group }: Resource): boolean {
  return plural === 'customresourcedefinitions' && group === 'apiextensions.k8s.io';
}

/** True if the answer to `call` is a single object that the server has stored. */
function showsStored(call: Call): boolean {
  if (isRead(call)) return call.verb !== 'list';
  return !isRemoval(call) && call.options.dryRun !== true;
}

function isEstablished({ metadata, status }: LiveDefinition): boolean {
  return (
    metadata.deletionTimestamp === undefined && isConditionTrue(status?.conditions, 'Established')
  );
}
