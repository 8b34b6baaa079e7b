import { expect, test } from 'vitest';
import { type Access, accessOf } from '../../../src/apiserver/auth/access.ts';

/** Method and path with query → verb, resource[/subresource], group, namespace, name. */
const RESOURCES: readonly (readonly [string, string])[] = [
  ['GET /api/v1/namespaces/demo/configmaps', 'list configmaps "" demo -'],
  ['GET /api/v1/configmaps', 'list configmaps "" - -'],
  ['GET /api/v1/namespaces/demo/configmaps?watch=true', 'watch configmaps "" demo -'],
  ['GET /api/v1/namespaces/demo/configmaps?watch=0', 'list configmaps "" demo -'],
  ['GET /api/v1/watch/namespaces/demo/configmaps', 'watch configmaps "" demo -'],
  ['GET /api/v1/watch/namespaces/demo/configmaps/a', 'watch configmaps "" demo a'],
  ['GET /api/v1/namespaces/demo/configmaps/a', 'get configmaps "" demo a'],
  ['HEAD /api/v1/namespaces/demo/configmaps/a', 'get configmaps "" demo a'],
  ['POST /api/v1/namespaces/demo/configmaps', 'create configmaps "" demo -'],
  ['PUT /api/v1/namespaces/demo/configmaps/a', 'update configmaps "" demo a'],
  ['PATCH /api/v1/namespaces/demo/configmaps/a', 'patch configmaps "" demo a'],
  ['DELETE /api/v1/namespaces/demo/configmaps/a', 'delete configmaps "" demo a'],
  ['DELETE /api/v1/namespaces/demo/configmaps', 'deletecollection configmaps "" demo -'],
  [
    'DELETE /api/v1/namespaces/demo/configmaps?fieldSelector=metadata.name=a',
    'deletecollection configmaps "" demo -',
  ],
  [
    'GET /api/v1/namespaces/demo/configmaps?fieldSelector=metadata.name%3Da',
    'list configmaps "" demo a',
  ],
  [
    'GET /api/v1/namespaces/demo/configmaps?watch=1&fieldSelector=metadata.name==a',
    'watch configmaps "" demo a',
  ],
  [
    'GET /api/v1/namespaces/demo/configmaps?fieldSelector=metadata.name!=a',
    'list configmaps "" demo -',
  ],
  ['GET /apis/apps/v1/deployments', 'list deployments apps - -'],
  [
    'PATCH /apis/apps/v1/namespaces/demo/deployments/w/scale',
    'patch deployments/scale apps demo w',
  ],
  ['GET /api/v1/namespaces/demo/pods/p/log?follow=true', 'get pods/log "" demo p'],
  ['GET /api/v1/namespaces', 'list namespaces "" - -'],
  ['GET /api/v1/namespaces/demo', 'get namespaces "" demo demo'],
  ['PUT /api/v1/namespaces/demo/finalize', 'update namespaces/finalize "" demo demo'],
  ['PUT /api/v1/namespaces/demo/status', 'update namespaces/status "" demo demo'],
  ['GET /apis/example.com/v1/namespaces/demo/unheard', 'list unheard example.com demo -'],
  ['GET /api/v1/namespaces/d%C3%A9mo/pods', 'list pods "" démo -'],
];

test.each(RESOURCES)('the request %s needs the access %s', (request, expected) => {
  const access = accessOfLine(request);

  expect(describe(access)).toBe(expected);
});

test.each([
  ['GET /metrics', 'get /metrics'],
  ['GET /', 'get /'],
  ['GET /api', 'get /api'],
  ['GET /api/v1', 'get /api/v1'],
  ['GET /apis/apps/v1', 'get /apis/apps/v1'],
  ['GET /apis/apps/v1/', 'get /apis/apps/v1/'],
  ['GET /openapi/v3/apis/apps/v1', 'get /openapi/v3/apis/apps/v1'],
  ['POST /logs/a', 'post /logs/a'],
])('the request %s needs access to a path, not to a resource: %s', (request, expected) => {
  const access = accessOfLine(request);

  expect(access).not.toHaveProperty('resource');
  expect(`${access.verb} ${'path' in access ? access.path : ''}`).toBe(expected);
});

function accessOfLine(line: string): Access {
  const [method = '', url = ''] = line.split(' ');
  const [path = '', query = ''] = url.split('?');
  return accessOf(method, path, new URLSearchParams(query));
}

function describe(access: Access): string {
  if (!('resource' in access)) return access.path;
  const { verb, resource, subresource, group, namespace, name } = access;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  return `${verb} ${what} ${group || '""'} ${namespace || '-'} ${name || '-'}`;
}
