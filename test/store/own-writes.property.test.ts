import { FakeClock, settle } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KubernetesObject, type ObjectKey, objectKey } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import type { PendingWrite } from '../../operator/model/write-journal.ts';
import { cachedForm } from '../../operator/store/cached-form.ts';
import { Informer } from '../../operator/store/informer.ts';
import {
  OWN_WRITES_TTL_MS,
  type OwnWrites,
  OwnWritesJournal,
} from '../../operator/store/own-writes.ts';
import type { Thing } from '../support/fake-collection.ts';
import { LaggingServer } from './lagging-server.ts';

const things = defineResource<Thing>({
  ...{ group: '', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true },
});
const NAMES = ['a', 'b'];
const FINALIZER = 'example.dev/cleanup';
const SECOND_MS = 1_000;

const name = fc.constantFrom(...NAMES);
const own = fc.constantFrom('own put', 'own relabel', 'own guard', 'own delete', 'own release');
const foreign = fc.constantFrom('put', 'relabel', 'remove');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: own, name }) },
  { weight: 3, arbitrary: fc.record({ do: foreign, name }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('answer'), which: fc.nat(5) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('deliver'), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('deliver all', 'restart') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('expire', 'hold lists', 'answer lists') }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A write that the server has carried out, and whose answer is on its way. */
interface Sent {
  readonly name: string;
  readonly revision: number;
  readonly arrive: () => void;
  /** The object may be shown as gone, though it is only on its way. */
  readonly mayHide: boolean;
}

class World {
  readonly clock = new FakeClock();
  readonly server = new LaggingServer();
  readonly #ownWritesJournal = new OwnWritesJournal();
  readonly #sent: Sent[] = [];
  /** The newest own write of each name whose answer has arrived, and when. */
  readonly #answered = new Map<string, { revision: number; atMs: number }>();
  readonly #mayHide = new Set<string>();
  #value = 0;
  #stop = new AbortController();
  #running = Promise.resolve();
  informer = this.#start();

  #start(): Informer<Thing> {
    const informer = new Informer<Thing>(
      this.server,
      { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
      {
        ...{ clock: this.clock, random: () => 0.5, relistIntervalMs: 0 },
        cachedForm: cachedForm<KubernetesObject>({
          resource: things,
          namespace: undefined,
          labelSelector: 'app=web',
          fieldSelector: undefined,
          transform: (object) => object,
        }),
      },
    );
    informer.addIndex('value', ({ value }) => [String(value % 3)]);
    const leave = this.#ownWritesJournal.add(
      things,
      undefined,
      informer.ownWrites as unknown as OwnWrites<KubernetesObject>,
    );
    this.#stop = new AbortController();
    this.#running = informer.run(this.#stop.signal).finally(leave);
    return informer;
  }

  async restart(): Promise<void> {
    await this.end();
    this.informer = this.#start();
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  write(what: string, name: string): void {
    const live = this.server.live.get(name);
    const pending = this.#ownWritesJournal.begin(things, { namespace: 'demo', name });
    const knownUids = this.informer.ownWrites.uidsOf(objectKey('demo', name));
    const isDeleting = live?.metadata.deletionTimestamp !== undefined;
    if (what === 'own put') this.#send(name, pending, this.server.put(name, ++this.#value));
    if (live === undefined) return;
    if (what === 'own relabel') this.#send(name, pending, this.#relabel(live));
    if (what === 'own guard' && !isDeleting) {
      this.#send(name, pending, this.server.put(name, live.value, { finalizers: [FINALIZER] }));
    }
    if (what === 'own delete' && !isDeleting) this.#delete(live, pending, knownUids);
    if (what === 'own release' && isDeleting) {
      this.server.remove(name);
      const { finalizers: _, ...metadata } = live.metadata;
      this.#send(name, pending, { ...live, metadata }); // with the version of before
    }
  }

  foreign(what: string, name: string): void {
    const live = this.server.live.get(name);
    if (what === 'put') this.server.put(name, ++this.#value);
    else if (live === undefined) return;
    else if (what === 'relabel') this.#relabel(live);
    else this.server.remove(name);
  }

  #relabel({ metadata: { name, labels }, value }: Thing): Thing {
    const app = labels?.app === 'web' ? 'db' : 'web';
    return this.server.put(name, value, { labels: { app } });
  }

  #delete(live: Thing, pending: PendingWrite, knownUids: readonly string[]): void {
    const { name, finalizers = [] } = live.metadata;
    const isGuarded = finalizers.length > 0;
    if (isGuarded) {
      this.server.put(name, live.value, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    } else this.server.remove(name);
    const { revision } = this.server;
    // By name alone one can only mean what one has seen: what nobody has seen is named by its uid.
    const isKnown = knownUids.includes(live.metadata.uid ?? '');
    const arrive = (): void => pending.deleted(isKnown ? undefined : live.metadata.uid);
    this.#sent.push({ name, revision, arrive, mayHide: isGuarded });
  }

  #send(name: string, pending: PendingWrite, answer: Thing): void {
    const { revision } = this.server;
    this.#sent.push({ name, revision, arrive: () => pending.wrote(answer), mayHide: false });
  }

  /** Answers come in any order. */
  answer(which: number): void {
    const [sent] = this.#sent.splice(which % Math.max(this.#sent.length, 1), 1);
    if (sent === undefined) return;
    sent.arrive();
    if (sent.mayHide) this.#mayHide.add(sent.name);
    const known = this.#answered.get(sent.name);
    if (known !== undefined && known.revision > sent.revision) return;
    this.#answered.set(sent.name, { revision: sent.revision, atMs: this.clock.monotonic() });
  }

  answerAll(): void {
    while (this.#sent.length > 0) this.answer(0);
  }

  /** A reader sees a state that is not older than what the source has shown, nor than what we wrote. */
  check(): void {
    const { storeWithOwnWrites: store } = this.informer;
    if (!store.synced) return;
    const shownByKey = NAMES.map((each) => store.get(objectKey('demo', each)));
    for (const [index, each] of NAMES.entries()) {
      const { revision = 0, atMs = 0 } = this.#answered.get(each) ?? {};
      const isRemembered = this.clock.monotonic() - atMs < OWN_WRITES_TTL_MS;
      const since = Math.max(Number(this.informer.resourceVersion), isRemembered ? revision : 0);
      const states = this.server.statesSince(each, since);
      const isHiding = states.some((state) => state?.metadata.deletionTimestamp !== undefined);
      if (this.#mayHide.has(each) && isHiding) states.push(undefined);
      expect(states.map(versionOf)).toContain(versionOf(shownByKey[index]));
    }
    const shown = shownByKey.filter((object) => object !== undefined);
    expect(sorted(store.list())).toEqual(sorted(shown));
    for (const value of [0, 1, 2]) {
      const found = sorted(store.byIndex('value', String(value)));
      expect(found).toEqual(sorted(shown.filter((object) => object.value % 3 === value)));
    }
  }

  async take(taken: Step): Promise<void> {
    if ('name' in taken) {
      if (taken.do.startsWith('own')) this.write(taken.do, taken.name);
      else this.foreign(taken.do, taken.name);
    } else if ('which' in taken) this.answer(taken.which);
    else if ('count' in taken) this.server.deliver(taken.count);
    else if (taken.do === 'deliver all') this.server.deliverAll();
    else if (taken.do === 'restart') await this.restart();
    else if (taken.do === 'expire') this.server.expire();
    else if (taken.do === 'hold lists') this.server.holdsLists = true;
    else {
      this.server.holdsLists = false;
      this.server.answerLists();
    }
    await settle();
    await this.clock.advanceAndSettle(SECOND_MS);
  }
}

function versionOf(object: Thing | undefined): string {
  return object === undefined
    ? 'absent'
    : `${object.metadata.uid}@${object.metadata.resourceVersion}`;
}

function sorted(objects: readonly Thing[]): string[] {
  return objects.map(versionOf).sort();
}

test('[K-61] [K-62] [K-23] a read is never older than the known state, restores no deleted object, and ends equal to the server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = new World();
      try {
        await settle();
        for (const each of steps) {
          await world.take(each);
          world.check();
        }
        world.answerAll();
        await world.take({ do: 'answer lists' });
        await world.clock.advanceAndSettle(30 * SECOND_MS);
        world.server.deliverAll();
        await settle();
        world.check();

        const shown = NAMES.map((each) =>
          world.informer.storeWithOwnWrites.get(`demo/${each}` as ObjectKey),
        );
        const selected = NAMES.map(
          (each) => world.server.statesSince(each, Number.POSITIVE_INFINITY)[0],
        );
        expect(shown.map(versionOf)).toEqual(selected.map(versionOf));
        await world.clock.advanceAndSettle(2 * OWN_WRITES_TTL_MS);
        expect(world.informer.ownWrites.size).toBe(0);
      } finally {
        await world.end();
      }
      expect(world.clock.pending).toBe(0);
    }),
  );
}, 60_000);
