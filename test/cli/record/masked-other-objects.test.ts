/** Objects that are no Secrets are recorded as they are, without credentials. */
import { describe, expect, test } from 'vitest';
import { answerOf, masked } from './masked.ts';

describe('masking of objects other than Secrets', () => {
  test.each<readonly [string, unknown]>([
    ['a ConfigMap', { kind: 'ConfigMap', data: { a: 'moonlight' } }],
    [
      'a definition with a field of that name',
      {
        kind: 'CustomResourceDefinition',
        spec: { properties: { password: { type: 'string' }, data: { type: 'object' } } },
      },
    ],
    [
      'an Event of a Secret',
      { kind: 'Event', involvedObject: { kind: 'Secret', name: 'a' }, message: 'moonlight' },
    ],
    ['an Event by its name', { kind: 'Event', metadata: { name: 'webapp.17a1b2c3d4e5f607' } }],
    [
      'a Pod',
      { kind: 'Pod', spec: { containers: [{ env: [{ name: 'LEVEL', value: 'debug' }] }] } },
    ],
  ])('masking does not change an object: %s', (_, answer) => {
    expect(answerOf({ path: '/api/v1/things', answer })).toEqual(answer);
  });

  test.each<readonly [string, unknown]>([
    ['a TokenRequest', { kind: 'TokenRequest', status: { token: 'eyJhbGciOi.moonlight.x' } }],
    [
      'a kubeconfig as YAML',
      {
        kind: 'ConfigMap',
        data: {
          kubeconfig: 'users:\n- user:\n    token: moonlight\n    client-key-data: "moonlight"\n',
        },
      },
    ],
    [
      'a kubeconfig as JSON',
      { users: [{ user: { password: 'moonlight', 'client-key-data': 'moonlight' } }] },
    ],
    [
      'a private key',
      { x: '-----BEGIN EC PRIVATE KEY-----\nmoonlight\n-----END EC PRIVATE KEY-----\n' },
    ],
    [
      'a JSON web token',
      { x: 'sent eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtb29ubGlnaHQifQ.moonlight on' },
    ],
    ['a bootstrap token', { x: 'kubeadm join --token abcdef.moonlight1234567' }],
    ['a header within a string', { x: 'curl -H "Authorization: Bearer moonlight-7"' }],
    ['a password in a URL', { x: 'postgres://user:moonlight@db/x' }],
    ['a variable of a container', { env: [{ name: 'DB_PASSWORD', value: 'moonlight' }] }],
  ])('the credential in %s is masked', (_, answer) => {
    const { body } = masked({ path: '/api/v1/things', answer }).response;

    expect(body).not.toMatch(/moonlight/);
    expect(body).toContain('redacted-1');
  });
});
