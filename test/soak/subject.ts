import type { ApiServer } from '@chancery/testing';
import { connect } from '../../operator/client/connection.ts';
import { controller } from '../../operator/controller/controller.ts';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import type { GoneContext, Log } from '../../operator/controller/reconciler.ts';
import { source } from '../../operator/controller/source.ts';
import { type Clock, sleep } from '../../operator/core/clock.ts';
import { OperatorProcess } from '../../operator/manager/operator-process.ts';
import { settingsFrom } from '../../operator/manager/settings/settings.ts';
import { configMaps, pods } from '../../operator/model/builtin.ts';
import { isNotFound } from '../../operator/model/not-found.ts';
import {
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  objectKey,
  splitKey,
} from '../../operator/model/object.ts';
import { isUidMismatch } from '../../operator/model/refusal.ts';
import { apiVersionOf } from '../../operator/model/resource.ts';
import { Informer } from '../../operator/store/informer.ts';
import type { Store } from '../../operator/store/store.ts';
import { differences, Ledger, type Seen, seenOf } from '../convergence/ledger.ts';
import type { Random } from '../convergence/random.ts';
import {
  type Box,
  boxes,
  childDifferences,
  childName,
  childOf,
  isChild,
  ownerKeyOf,
  ownerUidOf,
} from './boxes.ts';

interface Scope {
  readonly resource: typeof configMaps | typeof pods | typeof boxes;
  readonly namespace?: string;
  readonly tier?: string;
  /** Its lists are the beginnings of its watches. */
  readonly streams?: true;
}

const SCOPES: readonly Scope[] = [
  { resource: configMaps },
  { resource: configMaps, namespace: 'red', streams: true },
  { resource: configMaps, tier: 'web' },
  { resource: pods, streams: true },
  { resource: pods, namespace: 'green' },
  { resource: pods, namespace: 'blue', tier: 'data' },
  { resource: boxes },
  { resource: boxes, namespace: 'red', streams: true },
];

/** ConfigMaps of this tier have children. */
const OWNER_TIER = 'web';

/** Small, so that most lists take several pages. */
const PAGE_SIZE = 25;

interface Watched {
  readonly name: string;
  readonly scope: Scope;
  readonly informer: Informer<KubernetesObject>;
  readonly ledger: Ledger;
}

/** The operator that must lose nothing: eight informers of its own, and a manager with a controller. */
export class Subject {
  readonly #server: ApiServer;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #connection: ReturnType<typeof connect>;
  readonly #watched: readonly Watched[];
  readonly #manager: OperatorProcess;
  readonly #stop = new AbortController();
  /** The last state of each key that a successful reconcile has looked at. */
  readonly #reconciled = new Map<ObjectKey, Seen>();
  readonly #stores = new Map<'ConfigMap' | 'Pod', Store<KubernetesObject>>();
  #running: Promise<unknown> = Promise.resolve();
  /** Until then, on the clock, handlers hold their informers back. */
  #slowUntilMs = 0;
  #failUntilMs = 0;
  driftCount = 0;
  reconcileCount = 0;
  readonly bugs: string[] = [];
  /** Set by the fault that denies the writes of children. */
  childrenDenied = false;
  readonly healthPort: number;

  /** @param healthPort - a free port of this machine: probes are asked there. */
  constructor(apiUrl: string, server: ApiServer, clock: Clock, random: Random, healthPort: number) {
    this.healthPort = healthPort;
    this.#server = server;
    this.#clock = clock;
    this.#random = random;
    this.#connection = connect(apiUrl, { clock });
    this.#watched = SCOPES.map((scope) => this.#watch(scope));
    this.#manager = new OperatorProcess({
      settings: { ...settingsFrom({ WATCH_NAMESPACE: '*' }), apiUrl, healthPort },
      controllers: [this.#controller()],
      connection: this.#connection,
      clock,
      logFor: () => this.#log(),
    });
  }

  /** Watches that a healthy operator has open: its informers' and the controller's three. */
  get watchCount(): number {
    return SCOPES.length + 3;
  }

  get eventCount(): number {
    return this.#watched.reduce((sum, { ledger }) => sum + ledger.eventCount, 0);
  }

  /** What handlers were told that cannot be; each is counted once, in whichever call comes first. */
  takeViolations(): readonly string[] {
    return this.#watched.flatMap(({ name, ledger }) => {
      ledger.forgetOldDeletes();
      return ledger.violations.splice(0).map((violation) => `${name}: ${violation}`);
    });
  }

  start(): void {
    const { signal } = this.#stop;
    const runs = this.#watched.map(({ informer }) => informer.run(signal));
    this.#running = Promise.all([...runs, this.#manager.run(signal)]);
    this.#running.catch((error: unknown) => this.bugs.push(`a run has ended: ${String(error)}`));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running.catch(() => {}); // it is among the bugs
    await this.#connection.close();
  }

  slowHandlers(ms: number): void {
    this.#slowUntilMs = this.#clock.monotonic() + ms;
  }

  failReconciles(ms: number): void {
    this.#failUntilMs = this.#clock.monotonic() + ms;
  }

  calm(): void {
    this.#slowUntilMs = 0;
    this.#failUntilMs = 0;
  }

  /** Where the operator's picture differs from the server. Empty: it has converged. */
  differences(): readonly string[] {
    const wrong: string[] = [];
    for (const { name, scope, informer, ledger } of this.#watched) {
      const held = this.#held(scope);
      const say = (what: string): void => void wrong.push(`${name}: ${what}`);
      if (!informer.synced) say('not synced');
      else differences(seenIn(informer.store), held).forEach(say);
      for (const word of differences(ledger.live, held)) say(`handlers: ${word}`);
    }
    const all = this.#held({ resource: configMaps });
    for (const word of differences(this.#reconciled, all)) wrong.push(`reconciles: ${word}`);
    for (const [kind, store] of this.#stores) {
      const held = this.#held({ resource: kind === 'Pod' ? pods : configMaps });
      for (const word of differences(seenIn(store), held)) wrong.push(`${kind} store: ${word}`);
    }
    const owners = this.#held({ resource: configMaps, tier: OWNER_TIER });
    const children = this.#held({ resource: boxes }).filter(isChild);
    for (const word of childDifferences(owners, children)) wrong.push(`children: ${word}`);
    return wrong;
  }

  #held({ resource, namespace, tier }: Scope): readonly KubernetesObject[] {
    return this.#server
      .list(apiVersionOf(resource), resource.kind, namespace)
      .filter(({ metadata }) => tier === undefined || metadata.labels?.tier === tier);
  }

  #watch(scope: Scope): Watched {
    const { resource, namespace, tier, streams } = scope;
    const name = `${resource.plural} ${namespace ?? '*'} ${tier ?? '*'}`;
    const labelSelector = tier === undefined ? undefined : `tier=${tier}`;
    const listWatch = this.#connection.listWatchFor({ resource, namespace, labelSelector });
    const ledger = new Ledger({ reenters: tier !== undefined });
    const informer = new Informer<KubernetesObject>(
      listWatch,
      {
        statusChanged: () => {},
        drifted: (keys) => {
          this.driftCount += keys.length;
        },
        handlerFailed: (error) => void this.bugs.push(`a handler failed: ${String(error)}`),
      },
      {
        clock: this.#clock,
        random: () => this.#random.next(),
        pageSize: PAGE_SIZE,
        list: streams ? 'stream' : 'paged',
      },
    );
    informer.addHandler((changes) => {
      ledger.take(changes);
      return this.#patience();
    });
    return { name, scope, informer, ledger };
  }

  async #patience(): Promise<void> {
    const leftMs = this.#slowUntilMs - this.#clock.monotonic();
    if (leftMs <= 0) return;
    await sleep(this.#clock, leftMs * this.#random.next(), this.#stop.signal).catch(() => {});
  }

  #controller() {
    const own = source(configMaps, { namespace: 'all' });
    const other = source(pods, { namespace: 'all' });
    const child = source(boxes, { namespace: 'all' });
    const reconcile = async (
      key: ObjectKey,
      object: KubernetesObject | undefined,
      context: GoneContext,
    ): Promise<void> => {
      this.reconcileCount++;
      this.#stores.set('ConfigMap', context.store(own));
      this.#stores.set('Pod', context.store(other));
      if (this.#random.chance(0.02)) await sleep(this.#clock, 500, context.signal);
      const failing = this.#clock.monotonic() < this.#failUntilMs;
      if (failing && this.#random.chance(0.5)) throw new Error('a reconcile that fails');
      await writeChild(key, object, context, context.store(child));
      if (object === undefined) this.#reconciled.delete(key);
      else this.#reconciled.set(key, seenOf(object));
    };
    return controller({
      name: 'soak',
      for: own,
      watches: [
        enqueueMapped(other, ({ metadata }) => [metadata]),
        enqueueMapped(child, (object) => [ownerKeyOf(object)]),
      ],
      maxConcurrentReconciles: 4,
      reconcile: (object, context) => reconcile(context.key, object, context),
      gone: (key, context) => reconcile(key, undefined, context),
    });
  }

  #log(): Log {
    return {
      debug: () => {},
      info: () => {},
      warn: (_fields, message) => {
        if (message.startsWith('cache had drifted')) this.driftCount++;
      },
      error: (_fields, message) => {
        // No bug: faults may hold up the first lists for minutes of a clock that runs fast.
        if (message.startsWith('sources are not synced')) return;
        this.bugs.push(`logged as an error: ${message}`);
      },
    };
  }
}

/**
 * ConfigMaps of one tier have a child, others have none. A write that the line delivers late is undone
 * by the next reconcile, which the child's event begins.
 */
async function writeChild(
  key: ObjectKey,
  object: KubernetesObject | undefined,
  { client, signal }: GoneContext,
  children: Store<Box>,
): Promise<void> {
  const { namespace = '', name: ownerName } = splitKey(key);
  const name = childName(ownerName);
  const found = children.get(objectKey(namespace, name));
  if (object?.metadata.labels?.tier === OWNER_TIER) {
    if (ownerUidOf(found) === object.metadata.uid) return;
    await client.apply(boxes, childOf(object), { signal });
  } else if (found !== undefined) {
    const { uid = '' } = found.metadata;
    try {
      await client.delete(boxes, { namespace, name }, { signal, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error) && !isUidMismatch(error)) throw error;
    }
  }
}

function seenIn(store: Store<KubernetesObject>): ReadonlyMap<ObjectKey, Seen> {
  return new Map(store.list().map((object) => [keyOf(object), seenOf(object)]));
}
