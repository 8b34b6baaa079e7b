/** Objects that cannot be run as they are written, and the field that each is refused for. */
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { composite, decorator, hooked, PARENT, refusal } from './support/controller-objects.ts';

const SECRET = { name: 'a', namespace: 'b', key: 'c' };

test.each<[string, KubernetesObject, string]>([
  ['apiVersion', { ...composite(), apiVersion: 'metacontroller.k8s.io/v1' }, 'v1alpha1'],
  ['kind', { ...composite(), kind: 'ControllerRevision' }, 'CompositeController'],
  ['metadata.name', composite({}, { name: '' }), 'is required'],
  ['metadata', { ...composite(), metadata: null } as never, 'Required value'],
  ['spec', { ...composite(), spec: null } as never, 'Required'],
  ['spec', { ...composite(), spec: 'x' } as never, 'object'],
  ['spec.parentResource', composite({ parentResource: undefined }), ''],
  ['spec.parentResource.resource', composite({ parentResource: { apiVersion: 'v1' } }), 'Required'],
  ['spec.childResources[1].resource', children({ resource: 5 }), 'string'],
  ['spec.childResources[1].resource', children({ resource: '*' }), 'wildcard'],
  ['spec.childResources[1].resource', children({ resource: 'pods/*' }), 'wildcard'],
  ['spec.childResources[1].apiVersion', children({ apiVersion: '*/v1' }), 'wildcard'],
  ['spec.childResources[1].apiVersion', children({ apiVersion: 'a/b/v1' }), 'apps/v1'],
  ['spec.childResources[1].apiVersion', children({ apiVersion: '/v1' }), 'apps/v1'],
  ['spec.childResources[1].apiVersion', children({ apiVersion: '' }), 'apps/v1'],
  ['spec.childResources[1].resource', children({ resource: 'pods/status' }), 'plural'],
  ['spec.childResources[1].resource', children({ resource: 'Pod' }), 'plural'],
  [
    'spec.childResources[1]',
    children({ resource: 'pods', updateStrategy: { method: 'InPlace' } }),
    'twice',
  ],
  [
    'spec.childResources[1].updateStrategy.method',
    children({ updateStrategy: { method: 'Apply' } }),
    'OnDelete',
  ],
  [
    'spec.parentResource.labelSelector',
    composite({ parentResource: { ...PARENT, labelSelector: { matchLabels: { 'a b': 'c' } } } }),
    'label key',
  ],
  [
    'spec.parentResource.revisionHistory.fieldPaths[0]',
    composite({ parentResource: { ...PARENT, revisionHistory: { fieldPaths: ['.spec'] } } }),
    'joined by dots',
  ],
  [
    'spec.resources[0].apiVersion',
    decorator({ resources: [{ apiVersion: '*', resource: 'pods' }] }),
    'wildcard',
  ],
  [
    'spec.resources[1]',
    decorator({
      resources: [
        { apiVersion: 'apps/v1', resource: 'deployments' },
        { apiVersion: 'apps/v1beta1', resource: 'deployments' },
      ],
    }),
    'twice',
  ],
  [
    'spec.resources[0].annotationSelector.matchAnnotations',
    annotations({ matchAnnotations: { 'a b': '' } }),
    'key',
  ],
  [
    'spec.resources[0].annotationSelector.matchExpressions[0].operator',
    annotations({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }),
    'expected In',
  ],
  [
    'spec.resources[0].annotationSelector.matchExpressions[0].values',
    annotations({ matchExpressions: [{ key: 'a', operator: 'In' }] }),
    'needs values',
  ],
  [
    'spec.resources[0].annotationSelector.matchExpressions[0].values',
    annotations({ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }),
    'takes no values',
  ],
  ['spec.hooks.sync.webhook', hooked({}), 'either url'],
  ['spec.hooks.sync.webhook', hooked({ path: '/a' }), 'either url'],
  ['spec.hooks.sync.webhook', hooked({ service: { name: 'a', namespace: 'b' } }), 'either url'],
  ['spec.hooks.sync.webhook.url', hooked({ url: '' }), 'expected a URL'],
  ['spec.hooks.sync.webhook.url', hooked({ url: 'file:///etc/passwd' }), 'expected a URL'],
  ['spec.hooks.sync.webhook.url', hooked({ url: 'http:///a' }), 'expected a URL'],
  ['spec.hooks.sync.webhook.url', hooked({ url: 'http://a:99999' }), 'expected a URL'],
  ['spec.hooks.sync.webhook.url', hooked({ url: 'http://50%@a' }), 'expected a URL'],
  ['spec.hooks.sync.webhook.url', hooked({ url: 'http://a:%ff@a' }), 'expected a URL'],
  ['spec.hooks.sync.webhook.service.name', service({ name: 'a/b' }), 'DNS'],
  ['spec.hooks.sync.webhook.service.name', service({ name: 'x@127.0.0.1:8001' }), 'DNS'],
  ['spec.hooks.sync.webhook.service.namespace', service({ namespace: '' }), 'DNS'],
  ['spec.hooks.sync.webhook.service.port', service({ port: 0 }), '1 to 65535'],
  ['spec.hooks.sync.webhook.service.protocol', service({ protocol: 'ftp' }), 'https'],
  ['spec.hooks.sync.webhook.path', hooked({ service: SECRET, path: 'sync' }), '/sync'],
  ['spec.hooks.sync.webhook.path', hooked({ service: SECRET, path: '@evil.example/' }), '/sync'],
  ['spec.hooks.sync.webhook.timeout', hooked({ url: 'http://a', timeout: '3 weeks' }), 'duration'],
  [
    'spec.hooks.sync.webhook',
    secured({ authorization: { secretRef: SECRET }, basicAuth: { secretRef: SECRET } }),
    'exclude',
  ],
  [
    'spec.hooks.sync.webhook.authorization.type',
    secured({ authorization: { type: ' bASIC ', secretRef: SECRET } }),
    'basicAuth',
  ],
  [
    'spec.hooks.sync.webhook.authorization.type',
    secured({ authorization: { type: 'a\nb', secretRef: SECRET } }),
    'Bearer',
  ],
  [
    'spec.hooks.sync.webhook.authorization.secretRef.key',
    secured({ authorization: { secretRef: { ...SECRET, key: '' } } }),
    'key',
  ],
  [
    'spec.hooks.sync.webhook.authorization.secretRef.name',
    secured({ authorization: { secretRef: { ...SECRET, name: '*' } } }),
    'name of a Secret',
  ],
  [
    'spec.hooks.sync.webhook.clientTLS.secretRef.namespace',
    secured({ clientTLS: { secretRef: { ...SECRET, namespace: '' } } }),
    'namespace',
  ],
  ['spec.hooks.sync.webhook.caBundle', secured({ caBundle: {} }), 'got none'],
  [
    'spec.hooks.sync.webhook.caBundle',
    secured({ caBundle: { inline: '', secretRef: SECRET } }),
    '2 of them',
  ],
  [
    'spec.hooks.finalize.webhook',
    composite({ hooks: { finalize: { webhook: {} } } }),
    'either url',
  ],
])('a controller with an invalid %s is refused, and the error contains the field', (path, object, words) => {
  const error = refusal(object);

  expect(error.path).toBe(path);
  expect(error.message.startsWith(`${path}: `)).toBe(true);
  expect(error.message).toContain(words);
  expect(error).toMatchObject({ code: 'CONFIG', context: { path } });
});

test('no error repeats a URL, because it may contain a password', () => {
  const { message } = refusal(hooked({ url: 'htp://user:s3cret@a.example' }));

  expect(message).not.toContain('s3cret');
});

test('an error shortens a long value', () => {
  const { message } = refusal(children({ resource: `P${'o'.repeat(500)}d` }));

  expect(message.length).toBeLessThan(200);
});

/** With a second child type. */
function children(second: object): KubernetesObject {
  const first = { apiVersion: 'v1', resource: 'pods' };
  return composite({
    childResources: [first, { apiVersion: 'v1', resource: 'secrets', ...second }],
  });
}

function annotations(annotationSelector: object): KubernetesObject {
  return decorator({ resources: [{ apiVersion: 'v1', resource: 'pods', annotationSelector }] });
}

function service(fields: object): KubernetesObject {
  return hooked({ service: { name: 'a', namespace: 'b', ...fields }, path: '/' });
}

function secured(fields: object): KubernetesObject {
  return hooked({ url: 'https://a.example', ...fields });
}
