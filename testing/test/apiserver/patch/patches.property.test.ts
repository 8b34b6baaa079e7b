/** Each kind of patch against the simplest model of what it does. */

import { ApiError } from 'chancery';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/apiserver/objects/json-value.ts';
import { serverSideApply } from '../../../src/apiserver/patch/apply/server-side-apply.ts';
import { applyJsonPatch } from '../../../src/apiserver/patch/json/json-patch.ts';
import { applyMergePatch } from '../../../src/apiserver/patch/json/merge-patch.ts';
import { applyStrategicMergePatch } from '../../../src/apiserver/patch/strategic/strategic-merge-patch.ts';

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const text = fc.constantFrom('1', '2', '3');
const data = fc.dictionary(key, text, { noNullPrototype: true });

interface Apply {
  readonly manager: string;
  readonly data: Readonly<Record<string, string>>;
}

/** What each key is, and who owns it. */
type Model = Map<string, { value: string; owners: Set<string> }>;

function applyToModel(model: Model, last: Map<string, readonly string[]>, apply: Apply): void {
  const { manager } = apply;
  for (const [name, value] of Object.entries(apply.data)) {
    const known = model.get(name);
    if (known?.value === value) known.owners.add(manager);
    else model.set(name, { value, owners: new Set([manager]) });
  }
  for (const name of last.get(manager) ?? []) {
    const known = model.get(name);
    if (known === undefined || Object.hasOwn(apply.data, name)) continue;
    const isOwn = known.owners.delete(manager);
    if (isOwn && known.owners.size === 0) model.delete(name);
  }
  last.set(manager, Object.keys(apply.data));
}

test('after any forced applies, the object has the last values of each manager', () => {
  const apply: fc.Arbitrary<Apply> = fc.record({ manager: fc.constantFrom('m', 'n', 'o'), data });

  fc.assert(
    fc.property(fc.array(apply, { minLength: 1, maxLength: 8 }), (applies) => {
      const model: Model = new Map();
      const last = new Map<string, readonly string[]>();
      let live: JsonObject | undefined;
      for (const one of applies) {
        applyToModel(model, last, one);
        const { object, managedFields } = serverSideApply({
          live,
          applied: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: one.data },
          manager: one.manager,
          force: true,
          apiVersion: 'v1',
          subresource: '',
          time: '2026-11-21T00:00:00Z',
        });
        const metadata = { ...(object.metadata as JsonObject), managedFields };
        live = { ...object, metadata };

        const owned = managedFields.flatMap(({ manager, fieldsV1 }) =>
          Object.keys((fieldsV1['f:data'] ?? {}) as JsonObject)
            .filter((name) => name !== '.')
            .map((name) => `${manager} ${name.slice(2)}`),
        );
        expect(Object.entries((live.data ?? {}) as JsonObject).toSorted()).toEqual(
          [...model].map(([name, { value }]) => [name, value]).toSorted(),
        );
        expect(owned.toSorted()).toEqual(
          [...model]
            .flatMap(([name, { owners }]) => [...owners].map((who) => `${who} ${name}`))
            .toSorted(),
        );
      }
    }),
  );
});

test('a strategic patch of a keyed list changes its items like entries of a map', () => {
  const items = data.map((map) => Object.entries(map).map(([name, value]) => ({ name, value })));
  const change = fc.dictionary(key, fc.option(text), { noNullPrototype: true });

  fc.assert(
    fc.property(items, change, (before, changes) => {
      const expected = new Map(before.map(({ name, value }) => [name, value]));
      const env = Object.entries(changes).map(([name, value]) => {
        if (value === null) expected.delete(name);
        else expected.set(name, value);
        return value === null ? { name, $patch: 'delete' } : { name, value };
      });
      const podWith = (list: readonly object[]): JsonObject => ({
        spec: { containers: [{ name: 'c', env: list }] },
      });

      const { spec } = applyStrategicMergePatch(podWith(before), podWith(env), {
        apiVersion: 'v1',
        kind: 'Pod',
      }).merged as { spec: { containers: { env: { name: string; value: string }[] }[] } };

      const after = spec.containers[0]?.env ?? [];
      expect(after.map(({ name, value }) => [name, value]).toSorted()).toEqual(
        [...expected].toSorted(),
      );
    }),
  );
});

test('a merge patch changes exactly the entries that it contains', () => {
  const change = fc.dictionary(key, fc.option(text), { noNullPrototype: true });

  fc.assert(
    fc.property(data, change, (before, changes) => {
      const expected = new Map<string, unknown>(Object.entries(before));
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) expected.delete(name);
        else expected.set(name, value);
      }

      expect(Object.entries(applyMergePatch(before, changes) as JsonObject)).toEqual(
        [...expected].toSorted(([one], [other]) => (one < other ? -1 : 1)),
      );
    }),
  );
});

test('a JSON patch of a list has the same effect as Array.splice, or no effect', () => {
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace'),
    at: fc.oneof(fc.integer({ min: -4, max: 6 }).map(String), fc.constant('-')),
    value: fc.nat(9),
  });

  fc.assert(
    fc.property(
      fc.array(fc.nat(9), { maxLength: 4 }),
      fc.array(operation, { maxLength: 4 }),
      (list, operations) => {
        const expected = [...list];
        let isRefused = false;
        for (const { op, at, value } of operations) {
          const room = op === 'add' ? expected.length + 1 : expected.length;
          const index =
            at === '-'
              ? op === 'add'
                ? room - 1
                : room
              : Number(at) + (Number(at) < 0 ? room : 0);
          isRefused ||= index < 0 || index >= room;
          if (isRefused) break;
          expected.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
        }
        const patch = operations.map(({ op, at, value }) => ({ op, path: `/list/${at}`, value }));

        const carryOut = (): unknown => (applyJsonPatch({ list }, patch) as JsonObject).list;

        if (isRefused) expect(carryOut).toThrow(ApiError);
        else expect(carryOut()).toEqual(expected);
      },
    ),
  );
});
