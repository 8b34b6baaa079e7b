import { ConfigurationError } from '../core/errors.ts';
import { nearMatches } from '../core/text/near-match.ts';

/**
 * A type that has a member for each member of `T`. With `satisfies`, the compiler checks that a table of
 * options is complete.
 */
export type NamesOf<T> = Readonly<Record<keyof T, true>>;

/** The allowed options of a declaration, and the allowed words of some of them. */
export const KNOWN = {
  controller: {
    name: true,
    for: true,
    predicate: true,
    owns: true,
    watches: true,
    reads: true,
    triggers: true,
    permissions: true,
    finalizer: true,
    maxConcurrentReconciles: true,
    needsLeaderElection: true,
    consistency: true,
    minIntervalMs: true,
    reconcileTimeoutMs: true,
    maxReconcileAgeMs: true,
    resyncPeriodMs: true,
    queue: true,
    reconcile: true,
    gone: true,
  },
  owned: { source: true, anyOwner: true, adopts: true, predicate: true },
  mapping: { source: true, map: true, predicate: true },
  permission: {
    resource: true,
    subresource: true,
    resourceNames: true,
    namespaces: true,
    verbs: true,
  },
  finalizer: { name: true, finalize: true, forceFinalizeAfterMs: true },
  queue: { backoff: true, agingLimitMs: true },
  backoff: {
    initialMs: true,
    maxMs: true,
    jitter: true,
    random: true,
  },
  source: {
    resource: true,
    namespace: true,
    labelSelector: true,
    fieldSelector: true,
    optional: true,
    onUnserved: true,
    metadataOnly: true,
    transform: true,
    relistIntervalMs: true,
    indexes: true,
  },
  verbs: {
    get: true,
    list: true,
    watch: true,
    create: true,
    update: true,
    patch: true,
    delete: true,
    bind: true,
    approve: true,
    sign: true,
    attest: true,
    use: true,
  },
  consistencies: {
    overlay: true,
    wait: true,
    none: true,
  },
} as const;

/** For methods of the client that are not the names of verbs: which verb each of them needs. */
const RIGHTS_OF: Readonly<Record<string, string>> = {
  apply: 'apply needs the verb "patch"',
  evict: 'evict needs the verb "create" on the subresource "eviction"',
  find: 'find needs the verb "get"',
};

/** Verbs that are never granted. */
const REFUSED_VERBS: Readonly<Record<string, string>> = {
  escalate:
    'escalate is not granted, because with it the operator could give itself every right: declare the rights that it hands on, or bind of named roles',
  impersonate: 'impersonate is not granted, because the operator sends no such header',
};

/** @throws ConfigurationError `CONFIG` for a member of `given` that is not in `known`. */
export function requireNames(
  of: string,
  given: object,
  known: Readonly<Record<string, unknown>>,
): void {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(known, name)) throw unknown(of, 'option', name, Object.keys(known));
  }
}

/** @throws ConfigurationError `CONFIG` for a word that is not in `known`. */
export function requireWord(
  of: string,
  what: string,
  word: string,
  known: Readonly<Record<string, true>>,
): void {
  if (Object.hasOwn(known, word)) return;
  const right = what === 'verb' ? RIGHTS_OF[word] : undefined;
  if (right !== undefined) throw new ConfigurationError(`${right}: write that in ${of}`);
  const refused = what === 'verb' ? REFUSED_VERBS[word] : undefined;
  if (refused !== undefined) throw new ConfigurationError(`${of}: ${refused}`);
  throw unknown(of, what, word, Object.keys(known));
}

/** @throws ConfigurationError `CONFIG` unless `given` is a function. */
export function requireFunction(
  of: string,
  name: string,
  given: unknown,
  example: string = `${name}: async (object, context) => …`,
): void {
  if (typeof given === 'function') return;
  throw new ConfigurationError(`${name} of ${of} must be a function, as ${example}`, {
    context: { got: given === null ? 'null' : typeof given },
  });
}

function unknown(
  of: string,
  what: string,
  name: string,
  known: readonly string[],
): ConfigurationError {
  // A known name that is only a short part of the unknown name, such as `reconcile`, is not
  // suggested.
  const near = nearMatches(name, known).filter((each) => each.length * 2 > name.length);
  const hint =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known: ${known.join(', ')}`;
  return new ConfigurationError(`unknown ${what} ${JSON.stringify(name)} in ${of}; ${hint}`);
}
