/** What server-side apply makes of an object that `kubectl apply` made without it. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/apiserver/objects/json-value.ts';
import { applied, configMap, owners, pod, updated } from '../stored-objects.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const KUBECTL = { manager: 'kubectl' };

/** The object as client-side apply stores it: with what it applied in an annotation. */
function clientSide(
  configuration: JsonObject,
  text = `${JSON.stringify(configuration)}\n`,
): JsonObject {
  const { metadata } = configuration as { metadata: { annotations?: object } };
  const annotations = { ...metadata.annotations, [ANNOTATION]: text };
  const object = { ...configuration, metadata: { ...metadata, annotations } };
  return updated(undefined, object, { manager: 'kubectl-client-side-apply' });
}

function annotationOf(object: JsonObject): string | undefined {
  const { annotations } = object.metadata as { annotations?: Record<string, string> };
  return annotations?.[ANNOTATION];
}

describe('[found 9] server-side apply by kubectl takes over fields of client-side apply', () => {
  test('server-side apply takes over fields of client-side apply without a conflict', () => {
    const live = clientSide(configMap({ a: '1', b: '1' }));

    const after = applied(live, configMap({ a: '2', b: '1' }), KUBECTL);

    expect(after.data).toEqual({ a: '2', b: '1' });
    expect(owners(after)).toMatchObject({
      'kubectl Apply': { 'f:data': { 'f:a': {}, 'f:b': {} } },
      'kubectl-client-side-apply Update': { 'f:data': { 'f:b': {} } },
    });
  });

  test('server-side apply takes over fields of list items from client-side apply', () => {
    const live = clientSide(pod({ containers: [{ name: 'c', image: 'i:1', tty: true }] }));

    const after = applied(live, pod({ containers: [{ name: 'c', image: 'i:2' }] }), KUBECTL);

    expect(after.spec).toEqual({ containers: [{ name: 'c', image: 'i:2', tty: true }] });
  });

  test('server-side apply has a conflict only on a field that another writer changed after client-side apply', () => {
    const live = clientSide(configMap({ a: '1', b: '1' }));
    const changed = updated(live, { ...live, data: { a: '1', b: 'theirs' } });
    const apply = (): unknown => applied(changed, configMap({ a: '2', b: '2' }), KUBECTL);

    expect(apply).toThrow('Apply failed with 1 conflict: conflict with "editor" using v1: .data.b');
  });

  test('server-side apply has a conflict on a field that another writer added', () => {
    const live = clientSide(configMap({ a: '1' }));
    const added = updated(live, { ...live, data: { a: '1', c: 'theirs' } });

    expect(() => applied(added, configMap({ a: '1', c: 'mine' }), KUBECTL)).toThrow('.data.c');
  });

  test.each([
    ['it is not JSON', 'none'],
    ['it is not an object', '[]'],
    ['it has another version', JSON.stringify({ ...configMap({ a: '1' }), apiVersion: 'v2' })],
    ['it does not fit the kind', JSON.stringify({ ...configMap({ a: '1' }), data: 7 })],
    ['it is empty', ''],
  ])('server-side apply takes over no fields if the last-applied annotation is invalid: %s', (_, text) => {
    const live = clientSide(configMap({ a: '1' }), text);

    expect(() => applied(live, configMap({ a: '2' }), KUBECTL)).toThrow('.data.a');
  });

  test('managers other than kubectl have conflicts as usual', () => {
    const live = clientSide(configMap({ a: '1' }));

    expect(() => applied(live, configMap({ a: '2' }), { manager: 'argocd' })).toThrow('.data.a');
  });
});

describe('[found 9] the last-applied annotation', () => {
  test('a server-side apply by kubectl updates an existing last-applied annotation', () => {
    const live = clientSide(configMap({ a: '1' }));
    const sent = configMap({ a: '<2>' }, { annotations: { [ANNOTATION]: 'sent', note: 'n' } });

    const after = applied(live, sent, { ...KUBECTL, force: true });

    const expected = {
      apiVersion: 'v1',
      data: { a: '<2>' },
      kind: 'ConfigMap',
      metadata: { annotations: { note: 'n' }, name: 'c' },
    };
    expect(annotationOf(after)).toBe(
      `${JSON.stringify(expected).replace('<', '\\u003c').replace('>', '\\u003e')}\n`,
    );
  });

  test('an apply adds no last-applied annotation, and an apply by another manager does not change the annotation', () => {
    const plain = applied(undefined, configMap({ a: '1' }), KUBECTL);
    const live = clientSide(configMap({ a: '1' }));
    const other = applied(live, configMap({ b: '2' }), { manager: 'argocd' });

    expect(annotationOf(plain)).toBeUndefined();
    expect(annotationOf(other)).toBe(annotationOf(live));
  });

  test('a last-applied annotation that would be too long is removed', () => {
    const live = clientSide(configMap({ a: '1' }, { annotations: { note: 'n' } }));
    const long = configMap({ a: 'x'.repeat(256 * 1024) }, { annotations: { note: 'n' } });

    const after = applied(live, long, KUBECTL);

    expect((after.metadata as { annotations: object }).annotations).toEqual({ note: 'n' });
  });
});
