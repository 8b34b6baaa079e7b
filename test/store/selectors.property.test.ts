import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { selectorFromObject } from '../../operator/model/selector.ts';
import { Cache } from '../../operator/store/cache.ts';
import { Indices } from '../../operator/store/indices.ts';
import { storeOf } from '../../operator/store/store.ts';

type Labels = Readonly<Record<string, string>>;

/** One requirement, as people write it and as the documentation of Kubernetes explains it. */
interface Explained {
  readonly text: string;
  readonly holds: (labels: Labels) => boolean;
  readonly expression?: {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  };
}

const key = fc.constantFrom('app', 'example.dev/tier', 'constructor');
const value: fc.Arbitrary<string> = fc.constantFrom('', 'web', 'db', 'v1.0_x');
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 3 });
const labels: fc.Arbitrary<Labels> = fc.dictionary(key, value, { noNullPrototype: true });

const requirement: fc.Arbitrary<Explained> = fc.oneof(
  fc.record({ key, value, sign: fc.constantFrom('=', '==') }).map((is) => ({
    text: `${is.key}${is.sign}${is.value}`,
    holds: (of: Labels) => Object.hasOwn(of, is.key) && of[is.key] === is.value,
    expression: { key: is.key, operator: 'In', values: [is.value] },
  })),
  fc.record({ key, value }).map((is) => ({
    text: `${is.key}!=${is.value}`,
    holds: (of: Labels) => !Object.hasOwn(of, is.key) || of[is.key] !== is.value,
    expression: { key: is.key, operator: 'NotIn', values: [is.value] },
  })),
  fc.record({ key, values }).map((is) => ({
    text: `${is.key} in (${is.values.join(', ')})`,
    holds: (of: Labels) => Object.hasOwn(of, is.key) && is.values.includes(of[is.key] ?? ''),
    expression: { key: is.key, operator: 'In', values: is.values },
  })),
  fc.record({ key, values }).map((is) => ({
    text: `${is.key} notin (${is.values.join(',')})`,
    holds: (of: Labels) => !Object.hasOwn(of, is.key) || !is.values.includes(of[is.key] ?? ''),
    expression: { key: is.key, operator: 'NotIn', values: is.values },
  })),
  key.map((name) => ({
    text: name,
    holds: (of: Labels) => Object.hasOwn(of, name),
    expression: { key: name, operator: 'Exists' },
  })),
  key.map((name) => ({
    text: `!${name}`,
    holds: (of: Labels) => !Object.hasOwn(of, name),
    expression: { key: name, operator: 'DoesNotExist' },
  })),
);

test('[C-6] a selector selects the same objects of the cache whether it is written as a string or as matchExpressions', () => {
  fc.assert(
    fc.property(
      fc.array(requirement, { maxLength: 3 }),
      fc.array(labels, { minLength: 1, maxLength: 8 }),
      (requirements, all) => {
        const cache = new Cache();
        cache.replace(all.map((of, index) => Entry.of(labelled(of, index))));
        const store = storeOf({
          name: 'things',
          state: () => 'synced',
          entries: () => cache.entries,
          indices: new Indices(() => {}),
        });
        const text = requirements.map((one) => one.text).join(',');
        const matchExpressions = requirements.flatMap(({ expression }) => expression ?? []);

        const byText = store.list({ selector: text });
        const byObject = store.list({ selector: selectorFromObject({ matchExpressions }) });

        const wanted = store
          .list()
          .filter(({ metadata }) =>
            requirements.every(({ holds }) => holds(metadata.labels ?? {})),
          );
        expect(byText).toEqual(wanted);
        expect(byObject).toEqual(wanted);
      },
    ),
  );
});

function labelled(of: Labels, index: number): KubernetesObject {
  const metadata = { name: `o${index}`, uid: `u${index}`, resourceVersion: '1', labels: of };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}
