/** Whatever happens to an object in the way, and however late or incomplete the cache is told of it. */

import { FakeClock } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { TakenNames } from '../../operator/controller/policies/taken-names.ts';
import { source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps, deployments } from '../../operator/model/builtin.ts';
import { Entry } from '../../operator/model/entry.ts';
import { controllerOf, type KubernetesObject, objectKey } from '../../operator/model/object.ts';
import { Cache } from '../../operator/store/cache.ts';
import type { Change } from '../../operator/store/change.ts';
import type { SharedInformer } from '../../operator/store/shared-informer.ts';

const KEY = objectKey('demo', 'one');
const NAME = { name: 'a', namespace: 'demo' };
const CHILD: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: NAME };

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('create', 'delete', 'hand over', 'touch') },
  { weight: 4, arbitrary: fc.constantFrom('deliver', 'deliver', 'work', 'attempt') },
  { weight: 1, arbitrary: fc.constantFrom('relist', 'wait') },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** One name on a server, a cache that lags behind it, and a key that wants the name for its child. */
class World {
  readonly clock = new FakeClock();
  readonly #cache = new Cache<ConfigMap>();
  readonly #waits: TakenNames;
  readonly #untold: {
    readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
    readonly entry: Entry<ConfigMap>;
  }[] = [];
  #object: ConfigMap | undefined;
  #version = 10;
  #cachedVersion = '10';
  #uid = 0;
  #isDue = false;
  /** What the last attempt found in the way. */
  found: ConfigMap | undefined;
  attempts = 0;

  constructor() {
    this.#cache.replace([]);
    const owned = source(configMaps);
    const cached = (): Entry<ConfigMap> | undefined => this.#cached;
    const version = (): string => this.#cachedVersion;
    const informer = {
      cached,
      get resourceVersion() {
        return version();
      },
    };
    this.#waits = new TakenNames({
      clock: this.clock,
      controller: controller({
        name: 'a',
        for: deployments,
        owns: [owned],
        reconcile: async () => {},
      }),
      informers: new Map([[owned, informer as unknown as SharedInformer<KubernetesObject>]]),
      enqueue: () => {
        this.#isDue = true;
      },
    });
  }

  get #cached(): Entry<ConfigMap> | undefined {
    return this.#cache.entries?.get(objectKey('demo', 'a'));
  }

  /** What the key should have found by now. */
  get inTheWay(): ConfigMap | undefined {
    return this.#object;
  }

  do(what: Step): void {
    if (what === 'create' && this.#object === undefined) this.#write('ADDED', ++this.#uid, 0);
    else if (what === 'hand over') this.#write('MODIFIED', this.#uid, this.#version);
    else if (what === 'touch') this.#write('MODIFIED', this.#uid, undefined);
    else if (what === 'delete') this.#write('DELETED', this.#uid, undefined);
    else if (what === 'deliver') this.#deliver();
    else if (what === 'relist') this.#relist();
    else if (what === 'attempt') this.attempt();
    else if (what === 'work' && this.#isDue) this.attempt();
    else if (what === 'wait') this.clock.advance(40_000);
  }

  /** As `applyOwned` looks for what is in the way: in the cache, and live where that has nothing. */
  attempt(): void {
    this.#isDue = false;
    this.attempts++;
    this.#waits.started(KEY);
    this.found = this.#cached?.object ?? this.#object;
    if (this.found !== undefined) this.#waits.refused(KEY, configMaps, CHILD, this.found);
    this.#waits.finished(KEY);
  }

  /** Everything is told, and time passes. */
  rest(): void {
    while (this.#untold.length > 0) this.#deliver();
    for (let minutes = 0; minutes < 40; minutes++) {
      for (let tries = 0; this.#isDue && tries < 10; tries++) this.attempt();
      this.clock.advance(60_000);
    }
  }

  stop(): void {
    this.#waits.stop();
  }

  #write(type: 'ADDED' | 'MODIFIED' | 'DELETED', uid: number, owner: number | undefined): void {
    if (type !== 'ADDED' && this.#object === undefined) return;
    const reference = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: `owner-${owner}` };
    const ownerReferences =
      owner === undefined
        ? this.#object?.metadata.ownerReferences
        : [{ ...reference, controller: true }];
    const metadata = {
      ...NAME,
      uid: `uid-${uid}`,
      resourceVersion: String(++this.#version),
      ...(ownerReferences && { ownerReferences }),
    };
    const object = { ...CHILD, metadata };
    this.#object = type === 'DELETED' ? undefined : object;
    this.#untold.push({ type, entry: Entry.of(object) });
  }

  #deliver(): void {
    const event = this.#untold.shift();
    if (event === undefined) return;
    this.#tell(this.#cache.apply(event), event.entry.resourceVersion);
  }

  /** The events in between are never told. */
  #relist(): void {
    this.#untold.length = 0;
    const listed = this.#object === undefined ? [] : [Entry.of(this.#object)];
    this.#tell(this.#cache.replace(listed), String(this.#version));
  }

  #tell(changes: readonly Change<ConfigMap>[], version: string): void {
    this.#cachedVersion = version;
    for (const change of changes) {
      if (this.#waits.freedBy(configMaps, change).includes(KEY)) this.#isDue = true;
    }
  }
}

const whose = (object: ConfigMap | undefined): unknown =>
  object && [object.metadata.uid, controllerOf(object)?.uid];

test('[K-45] every key that waits for a taken name reconciles with the current state, after few attempts', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world = new World();
      world.attempt();
      for (const each of steps) world.do(each);
      const before = world.attempts;
      world.rest();
      world.stop();

      // Who has the name keeps it: only one that was in the way matters afterwards.
      if (world.found !== undefined) expect(whose(world.found)).toEqual(whose(world.inTheWay));
      expect(world.attempts - before).toBeLessThan(steps.length + 10);
      expect(world.clock.pending).toBe(0);
    }),
  );
});
