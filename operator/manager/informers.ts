import type { Log } from '../controller/reconciler.ts';
import type { Source } from '../controller/source.ts';
import type { KubernetesObject } from '../model/object.ts';
import { resourceName } from '../model/resource.ts';
import { Informer, type InformerObserver } from '../store/informer.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import type { ReflectorOptions } from '../watch/reflector-options.ts';
import type { ReflectorStatus } from '../watch/reflector-status.ts';

/** A source with its namespace decided: what is on the wire. */
export interface Scope {
  readonly resource: Source['resource'];
  /** Undefined for all namespaces and for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
}

export interface InformersOptions {
  /** The namespace of sources that leave it to the settings. */
  readonly namespace: string | undefined;
  readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  readonly reflector: ReflectorOptions;
  readonly log: Log;
}

/** The informers of a process: one for each scope, however many controllers name it. */
export class Informers {
  readonly #options: InformersOptions;
  readonly #byScope = new Map<
    string,
    { informer: Informer<KubernetesObject>; optional: boolean }
  >();

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  /** The informer of a source, made when it is asked for first. */
  of(source: Source): Informer<KubernetesObject> {
    const scope = this.#scopeOf(source);
    const { group, version, plural } = scope.resource;
    const identity = JSON.stringify([
      group,
      version,
      plural,
      scope.namespace,
      scope.labelSelector,
      scope.fieldSelector,
    ]);
    const known = this.#byScope.get(identity);
    if (known !== undefined) {
      known.optional &&= source.optional;
      return known.informer;
    }
    const { listWatchFor, reflector } = this.#options;
    const informer = new Informer(listWatchFor(scope), this.#observer(scope), reflector);
    this.#byScope.set(identity, { informer, optional: source.optional });
    return informer;
  }

  /** True when every source that is not optional is synced and its requests work. */
  get healthy(): boolean {
    return [...this.#byScope.values()].every(
      ({ informer, optional }) =>
        optional || (informer.synced && informer.status.health === 'healthy'),
    );
  }

  /** Runs all of them until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#byScope.values()].map(({ informer }) => informer.run(signal)));
  }

  #scopeOf({ resource, namespace, labelSelector, fieldSelector }: Source): Scope {
    const inNamespace =
      namespace === 'configured'
        ? this.#options.namespace
        : namespace === 'all'
          ? undefined
          : namespace.name;
    return {
      resource,
      namespace: resource.namespaced ? inNamespace : undefined,
      labelSelector,
      fieldSelector,
    };
  }

  #observer({ resource, namespace, labelSelector }: Scope): InformerObserver {
    const { log } = this.#options;
    const facts = {
      resource: resourceName(resource),
      namespace: namespace ?? '*',
      ...(labelSelector !== undefined && { labelSelector }),
    };
    return {
      statusChanged: (status) => logStatus(log, facts, status),
      drifted: (keys) =>
        log.warn(
          { ...facts, count: keys.length, keys: keys.slice(0, 10) },
          'cache had drifted, it is listed anew',
        ),
      handlerFailed: (err) => log.error({ ...facts, err }, 'handler failed'),
    };
  }
}

/** One line per state: an outage of an hour is two lines. */
export function logStatus(log: Log, facts: object, status: ReflectorStatus): void {
  const { health, reason, error, retryInMs } = status;
  const why = { ...facts, reason, err: error, retryInMs: Math.round(retryInMs ?? 0) };
  if (health === 'healthy') log.info(facts, 'source is healthy');
  else if (health === 'failing') log.warn(why, 'source is failing, it retries');
  else if (health === 'forbidden') log.error(why, 'source is forbidden, it retries');
  else if (health === 'unserved') log.info(why, 'source is not served, it is looked for');
  else log.debug(facts, 'source stopped');
}
