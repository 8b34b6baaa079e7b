/** What is kept of ConfigMaps and Secrets. */
import { expect, test } from 'vitest';
import { optionsOf } from '../../contract/options.ts';
import { configurationKinds } from '../../read/configuration.ts';

const kinds = configurationKinds(optionsOf({}, {}));

test('of ConfigMaps and Secrets, only the metadata are watched', () => {
  expect(kinds.map(({ type }) => type)).toEqual(['CONFIGMAP', 'SECRET']);
  const sources = kinds.flatMap(({ watches }) => watches.map(({ source }) => source));
  expect(sources.map(({ metadataOnly }) => metadataOnly)).toEqual([true, true]);
});

test('the content of a Secret in the annotation of kubectl apply is not kept in memory', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'key',
      namespace: 'demo',
      uid: 'u',
      resourceVersion: '7',
      labels: { team: 'a' },
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"aGlkZGVu"}}',
        'reloader.stakater.com/match': 'true',
      },
    },
  };
  const [kept] = kinds.slice(1).map(({ watches }) => watches[0]?.source.transform?.(secret));

  expect(kept?.metadata).toEqual({
    name: 'key',
    namespace: 'demo',
    uid: 'u',
    resourceVersion: '7',
    annotations: { 'reloader.stakater.com/match': 'true' },
  });
});
