import { describe, expect, test } from 'vitest';
import { pods } from '../../operator/model/builtin.ts';
import { dropManagedFields } from '../../operator/model/entry.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import { type CachedFormOptions, cachedForm } from '../../operator/store/cached-form.ts';

type Answer = KubernetesObject & { readonly spec?: object; readonly status?: object };

function pod(metadata: Partial<ObjectMeta> = {}): Answer {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'demo', uid: 'u1', resourceVersion: '7', ...metadata },
    spec: { nodeName: 'node-1', hostNetwork: true },
    status: { phase: 'Running' },
  };
}

function formOf(options: Partial<CachedFormOptions<KubernetesObject>>) {
  return cachedForm<KubernetesObject>({
    resource: pods,
    namespace: undefined,
    labelSelector: undefined,
    fieldSelector: undefined,
    transform: dropManagedFields,
    ...options,
  });
}

test('[K-61] an object that this process wrote is kept as its source keeps objects: without managedFields, or transformed', () => {
  const answer = pod({ managedFields: [{ manager: 'me' }] });
  const renamed = (object: KubernetesObject): KubernetesObject => ({ ...object, kind: 'Small' });

  const usual = formOf({})(answer);
  const own = formOf({ transform: renamed })(answer);

  expect(usual?.entry?.object).toEqual(pod());
  expect(own?.entry?.object.kind).toBe('Small');
});

test('[K-61] a metadata-only source keeps only the metadata of an object that this process wrote', () => {
  const form = formOf({ metadataOnly: true })(pod());

  expect(form?.entry?.object).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: pod().metadata });
});

test('[K-61] an object that this process wrote is kept as a copy', () => {
  const answer = pod({ labels: { app: 'web' } });

  const kept = formOf({})(answer)?.entry?.object;

  expect(kept?.metadata.labels).not.toBe(answer.metadata.labels);
  expect(kept?.metadata.labels).toEqual({ app: 'web' });
});

test('[K-61] [attack A-1] an object that this process wrote exists, but cannot be read, if its transform throws', () => {
  const broken = (): KubernetesObject => {
    throw new Error('broken');
  };

  const shown = formOf({ transform: broken })(pod())?.entry;

  expect(shown?.uid).toBe(pod().metadata.uid);
  expect(() => shown?.object).toThrow(expect.objectContaining({ code: 'USER_CODE' }));
});

describe('[K-61] a write after which the source no longer selects the object', () => {
  test.each([
    ['another label selector', { labelSelector: 'app=web' }, true],
    ['its label selector', { labelSelector: 'app in (db)' }, false],
    ['another namespace', { namespace: 'prod' }, true],
    ['its namespace', { namespace: 'demo' }, false],
    ['another field selector', { fieldSelector: 'spec.nodeName=node-2' }, true],
    ['another field selector with !=', { fieldSelector: 'spec.nodeName!=node-1' }, true],
    ['two fields, one wrong', { fieldSelector: 'status.phase==Running,metadata.name=b' }, true],
    ['its field selector', { fieldSelector: 'status.phase=Running,metadata.name!=b' }, false],
  ])('an object that this process wrote is visible only if it matches its source; the source has %s', (_what, options, isAbsent) => {
    const form = formOf(options)(pod({ labels: { app: 'db' } }));

    expect(form).toBeDefined();
    expect(form?.entry === undefined).toBe(isAbsent);
  });

  test.each([
    ['a field that is not a string', 'spec.hostNetwork=true'],
    ['a field that the server fills', 'spec.unschedulable=false'],
    ['an escaped value', 'status.phase=a\\,b'],
  ])('a write is not visible before its watch event if only the server can evaluate the selector: %s', (_what, fieldSelector) => {
    expect(formOf({ fieldSelector })(pod())).toBeUndefined();
  });

  test('a write is not visible before its watch event if the label selector is invalid', () => {
    expect(formOf({ labelSelector: 'a in' })(pod())).toBeUndefined();
  });
});
