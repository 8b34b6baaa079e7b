import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { source } from '../../../../operator/controller/source.ts';
import { Entry } from '../../../../operator/model/entry.ts';
import { configMaps } from '../../../../operator/model/kubernetes/resources.ts';
import { type KubernetesObject, splitKey } from '../../../../operator/model/object.ts';
import { Added, type Change, Deleted } from '../../../../operator/store/change.ts';
import type { KubernetesBinding } from '../../src/hook.ts';
import type { BindingEvent } from '../../src/watch/binding-watch.ts';
import type { WatchPlan } from '../../src/watch/watch-plan.ts';
import { WatchedBinding, type WatchedBindingOptions } from '../../src/watch/watched-binding.ts';

test('the cache is searched once for all namespaces that begin to match in one delivery', () => {
  const names = ['a', 'b', 'c', 'd'];
  const { told, namespaces, objects } = watched(names.map((name) => object('one', name)));

  namespaces.deliver(names.slice(1).map((name) => added(object(name))));

  expect(objects.searches).toBe(1);
  expect(told).toEqual(['Added b/one', 'Added c/one', 'Added d/one']);
});

test('a namespace causes no event if it stops and starts to match in one delivery, or starts and stops', () => {
  const { told, namespaces } = watched([object('one', 'a'), object('one', 'b')], [object('a')]);

  namespaces.deliver([
    gone(object('a')),
    added(object('a')),
    added(object('b')),
    gone(object('b')),
  ]);
  const before = [...told];
  namespaces.deliver([gone(object('a'))]);

  expect(before).toEqual([]);
  expect(told).toEqual(['Deleted a/one']);
});

/** A source whose cache and changes a test decides. */
class FakeSource {
  searches = 0;
  readonly #cached: readonly Entry[];
  readonly #handlers: ((changes: readonly Change[]) => void)[] = [];

  constructor(cached: readonly KubernetesObject[]) {
    this.#cached = cached.map((each) => Entry.of(each));
  }

  readonly handle = {
    release: () => {},
    informer: {
      synced: true,
      state: 'watching',
      entries: () => {
        this.searches += 1;
        return this.#cached.values();
      },
      addHandler: (
        handler: (changes: readonly Change[]) => void,
        { onSynced }: { readonly onSynced: () => void },
      ) => {
        this.#handlers.push(handler);
        handler(this.#cached.map((entry) => new Added(entry, true)));
        onSynced();
        return { remove: () => {} };
      },
    },
  };

  deliver(changes: readonly Change[]): void {
    for (const handler of this.#handlers) handler(changes);
  }
}

/** A binding on ConfigMaps in namespaces with a label, and the events that it tells. */
function watched(cached: readonly KubernetesObject[], matching: readonly KubernetesObject[] = []) {
  const objects = new FakeSource(cached);
  const namespaces = new FakeSource(matching);
  const told: string[] = [];
  const own = source(configMaps, {});
  const plan: Pick<WatchPlan, 'sourcesOf'> = {
    sourcesOf: () => [
      {
        source: own,
        bindingObject: ({ key, resourceVersion }) => {
          return { key, objectText: '{}', filterText: undefined, checksum: `${resourceVersion}` };
        },
      },
    ],
  };
  const context = {
    clock: new FakeClock(),
    open: (of: unknown) => (of === own ? objects : namespaces).handle,
  };
  const binding: Partial<KubernetesBinding> = {
    ...{ name: 'x', kind: 'ConfigMap', keepsFullObjects: true },
    namespaces: { labelSelector: 'farm=yes' },
  };
  new WatchedBinding({
    binding,
    plan,
    context,
    kinds: { known: () => configMaps },
    counted: () => {},
    listener: {
      synced: () => {},
      changed: (events: readonly BindingEvent[]) => {
        for (const { type, object: of } of events) {
          const { namespace, name } = splitKey(of.key);
          told.push(`${type} ${namespace}/${name}`);
        }
      },
    },
  } as unknown as WatchedBindingOptions);
  objects.searches = 0;
  return { told, namespaces, objects };
}

function object(name: string, namespace?: string): KubernetesObject {
  const metadata = { name, uid: `${namespace}-${name}`, resourceVersion: '1' };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, ...(namespace && { namespace }) },
  };
}

function added(of: KubernetesObject): Change {
  return new Added(Entry.of(of), false);
}

function gone(of: KubernetesObject): Change {
  return new Deleted(Entry.of(of), false);
}
