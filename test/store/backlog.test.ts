import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Entry } from '../../operator/model/entry.ts';
import { type KubernetesObject, objectKey } from '../../operator/model/object.ts';
import { Added, type Change, Deleted, Updated } from '../../operator/store/change.ts';
import { Backlog, COALESCE_ABOVE } from '../../operator/store/delivery.ts';
import { plain } from '../support/plain-change.ts';

const object = (name: string, version: number, uid = 'u1'): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid, resourceVersion: String(version) },
});
const key = (name: string): Change['key'] => objectKey(undefined, name);
const entry = (...of: Parameters<typeof object>): Entry => Entry.of(object(...of));
const add = (name: string, version: number, uid?: string): Change =>
  new Added(entry(name, version, uid), false);
const update = (name: string, from: number, to: number, uid?: string): Change =>
  new Updated(entry(name, to, uid), entry(name, from, uid));
const remove = (name: string, version: number, uid?: string): Change =>
  new Deleted(entry(name, version, uid), false);
const resync = (name: string, version: number): Change => {
  const same = entry(name, version);
  return new Updated(same, same, { resync: true });
};
const relist = (name: string, from: number, to: number): Change =>
  new Updated(entry(name, to), entry(name, from), { relist: true });

/** So many changes of other keys that all are merged. */
const many: readonly Change[] = Array.from({ length: COALESCE_ABOVE }, (_, index) =>
  add(`filler-${index}`, 1),
);

/** What is left of `changes` once they are merged. */
function merged(...changes: readonly Change[]): readonly Change[] {
  const backlog = new Backlog();
  backlog.add(many);
  for (const change of changes) backlog.add([change]);
  return backlog.take().filter((change) => !change.key.startsWith('filler'));
}

test('[C-19] up to 1,000 waiting changes are kept unmerged', () => {
  const backlog = new Backlog();
  const changes = Array.from({ length: COALESCE_ABOVE }, (_, index) =>
    update('a', index, index + 1),
  );

  for (const change of changes) backlog.add([change]);

  expect(backlog.size).toBe(COALESCE_ABOVE);
  expect(backlog.take().map(plain)).toEqual(changes.map(plain));
  expect(backlog.isEmpty).toBe(true);
});

test('[C-19] when 1,001 changes wait, they are merged by key, with the first old and the last new state', () => {
  const backlog = new Backlog();

  for (let version = 0; version <= COALESCE_ABOVE; version++) {
    backlog.add([update('a', version, version + 1)]);
  }

  expect(backlog.size).toBe(1);
  expect(backlog.take().map(plain)).toEqual([plain(update('a', 0, COALESCE_ABOVE + 1))]);
});

const CASES: readonly [string, readonly Change[], readonly Change[]][] = [
  ['updates', [update('a', 1, 2), update('a', 2, 3)], [update('a', 1, 3)]],
  ['an add and an update', [add('a', 1), update('a', 1, 2)], [add('a', 2)]],
  ['an update and a delete', [update('a', 1, 2), remove('a', 3)], [remove('a', 3)]],
  ['an add and its delete cancel each other', [add('a', 1), remove('a', 2)], []],
  [
    'a delete and an add of another uid stay two',
    [remove('a', 2, 'u1'), add('a', 3, 'u2')],
    [remove('a', 2, 'u1'), add('a', 3, 'u2')],
  ],
  [
    'of many recreations the first delete and the last add',
    [remove('a', 2, 'u1'), add('a', 3, 'u2'), remove('a', 4, 'u2'), add('a', 5, 'u3')],
    [remove('a', 2, 'u1'), add('a', 5, 'u3')],
  ],
  [
    'an object that came back and went again, in its last state',
    [remove('a', 2), add('a', 3), remove('a', 4)],
    [remove('a', 4)],
  ],
  ['resyncs', [resync('a', 1), resync('a', 1)], [resync('a', 1)]],
  [
    'a resync and an update, which is news',
    [resync('a', 1), update('a', 1, 2)],
    [update('a', 1, 2)],
  ],
  ['an update and a resync', [update('a', 1, 2), resync('a', 2)], [update('a', 1, 2)]],
];

test.each(CASES)('[C-19] the backlog merges %s', (_what, changes, expected) => {
  const left = merged(...changes);

  expect(left.map(plain)).toEqual(expected.map(plain));
});

test('[C-19] merged changes bring a handler to the same state as the single changes', () => {
  const step = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    act: fc.constantFrom('put', 'recreate', 'remove', 'resync', 'take'),
  });

  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const backlog = new Backlog();
      const world = new Map<Change['key'], KubernetesObject>();
      const handler = new Map<Change['key'], KubernetesObject>();
      let version = 0;
      let uids = 0;
      const emit = (change: Change): void => {
        if (change.type === 'delete') world.delete(change.key);
        else world.set(change.key, change.object);
        backlog.add([change]);
      };
      const handle = (): void => {
        const batch = backlog.take().filter((change) => !change.key.startsWith('filler'));
        expect(batch.length).toBeLessThanOrEqual(6);
        for (const change of batch) {
          const known = handler.get(change.key);
          if (change.type === 'add') expect(known).toBeUndefined();
          else expect(known?.metadata.uid).toBe(change.object.metadata.uid);
          if (change.type === 'update') expect(change.old.object).toEqual(known);
          if (change.type === 'delete') handler.delete(change.key);
          else handler.set(change.key, change.object);
        }
        expect(handler).toEqual(world);
        backlog.add(many);
      };

      backlog.add(many);
      for (const { act, name } of steps) {
        const known = world.get(key(name));
        const uid = known?.metadata.uid ?? '';
        const at = Number(known?.metadata.resourceVersion);
        if (act === 'take') handle();
        else if (act === 'resync') {
          if (known !== undefined) {
            const same = Entry.of(known);
            emit(new Updated(same, same, { resync: true }));
          }
        } else if (known === undefined) {
          if (act !== 'remove') emit(add(name, ++version, `u${++uids}`));
        } else if (act === 'put') emit(update(name, at, ++version, uid));
        else {
          emit(remove(name, ++version, uid));
          if (act === 'recreate') emit(add(name, ++version, `u${++uids}`));
        }
      }
      handle();
    }),
  );
});

test.each([
  ['found by a list, then sent again', relist('a', 1, 2), resync('a', 2), { relist: true }],
  ['sent again, then found by a list', resync('a', 1), relist('a', 1, 2), { relist: true }],
  ['found by two lists', relist('a', 1, 2), relist('a', 2, 3), { relist: true }],
  ['sent again twice', resync('a', 1), resync('a', 1), { resync: true }],
  ['found by a list, then live', relist('a', 1, 2), update('a', 2, 3), {}],
  ['live, then found by a list', update('a', 1, 2), relist('a', 2, 3), {}],
  ['sent again, then live', resync('a', 1), update('a', 1, 2), {}],
])('[Q-20] two updates that are merged count as a live change if one of them is live: %s', (_case, one, other, expected) => {
  const [left] = merged(one, other);

  const { resync: again, relist: found } = left as Extract<Change, { type: 'update' }>;
  expect({ ...(again && { resync: again }), ...(found && { relist: found }) }).toEqual(expected);
});
