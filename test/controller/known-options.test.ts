import { expect, test } from 'vitest';
import { composite } from '../../operator/composite/composite.ts';
import { controller } from '../../operator/controller/controller.ts';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import { source } from '../../operator/controller/source.ts';
import { configMaps, pods } from '../../operator/kubernetes.ts';

/** As from JavaScript, where no type is checked. */
function declared(options: object): () => unknown {
  const good = { name: 'web', for: source(configMaps), reconcile: async () => {} };
  return () => controller({ ...good, ...options } as Parameters<typeof controller>[0]);
}

test.each<[string, object, string]>([
  [
    'an unknown option',
    { own: [pods] },
    'unknown option "own" in controller web; did you mean owns?',
  ],
  ['an unknown option that is like no other', { speed: 9 }, 'known: name, for, predicate, owns'],
  [
    'an unknown field of owns',
    { owns: [{ source: source(pods), anyowner: true }] },
    'mean anyOwner?',
  ],
  [
    'an unknown field of watches',
    { watches: [{ ...enqueueMapped(pods, () => []), predicat: () => true }] },
    'unknown option "predicat" in watches of controller web; did you mean predicate?',
  ],
  ['a resource in watches', { watches: [pods] }, 'as enqueueMapped(SOURCE, map)'],
  [
    'an unknown verb',
    { permissions: [{ resource: pods, verbs: ['get', 'patsh'] }] },
    'unknown verb "patsh" in permissions of controller web; did you mean patch?',
  ],
  [
    'a method instead of a verb',
    { permissions: [{ resource: pods, verbs: ['apply'] }] },
    'apply needs the verb "patch"',
  ],
  ['an unknown consistency', { consistency: 'overley' }, 'did you mean overlay?'],
  ['an unknown setting of the queue', { queue: { backof: {} } }, 'did you mean backoff?'],
  [
    'an unknown setting of the back-off',
    { queue: { backoff: { initalMs: 1 } } },
    'did you mean initialMs?',
  ],
  [
    'a reconciler whose first parameter is the key',
    { reconcile: async (key: string, object: object, context: object) => [key, object, context] },
    'reconcile of controller web takes (key, object, context): write (object, context), read the key from context.key',
  ],
  [
    'a field `gone` that is not a function',
    { gone: true },
    'gone of controller web must be a function',
  ],
  [
    'a missing reconcile',
    { reconcile: undefined },
    'reconcile of controller web must be a function',
  ],
  ['a missing source', { for: undefined }, 'for of controller web must be a source or a resource'],
])('[N-2] controller() refuses %s', (_what, options, message) => {
  expect(declared(options)).toThrow(message);
  expect(declared(options)).toThrow(expect.objectContaining({ code: 'CONFIG' }));
});

test('[N-2] controller() refuses an instance of a class, because its methods would be lost', () => {
  class Web {
    readonly name = 'web';
    readonly for = source(configMaps);
    reconcile(): void {}
  }

  expect(() => controller(new Web())).toThrow(
    'controller web is an instance of a class: pass an object, with reconcile: (object, context)',
  );
});

test('[N-2] a source refuses an option that it does not know', () => {
  expect(() => source(pods, { labelSelektor: 'a=b' } as object)).toThrow(
    'unknown option "labelSelektor" in source(pods); did you mean labelSelector?',
  );
});

test('[N-2] a composite also refuses unknown options', () => {
  const good = {
    name: 'web',
    parent: configMaps,
    children: [pods],
    sync: () => ({ children: [] }),
  };
  const of = (options: object) => () =>
    composite({ ...good, ...options } as unknown as Parameters<typeof composite>[0]);

  expect(of({ sync: undefined })).toThrow('sync of composite web must be a function');
  expect(of({ children: undefined })).toThrow('children of composite web must be a list');
  expect(of({ resyncPeriodMS: 1 })).toThrow('did you mean resyncPeriodMs?');
  expect(of({})).not.toThrow();
});

test('controller() accepts a copy of a declared controller with another name', () => {
  const first = declared({ owns: [pods], queue: { agingLimitMs: 5 } })() as object;

  expect(declared({ ...first, name: 'shop' })()).toMatchObject({ name: 'shop' });
});
