/** The policy that is installed with `chancery certificates`: what its token can do, and what it cannot. */
import { eventually, startOperator, startTestEnv, type TestEnv } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, onTestFinished, test } from 'vitest';
import { certificatesPolicy } from '../../../operator/generate/webhook/certificates-policy.ts';
import { certificatesController } from '../src/certificates-controller.ts';
import { issueCertificate } from '../src/issue-certificate.ts';

const SERVICE = 'site-gate';
const ACCOUNT = 'site-certs';
const DEFINITION = 'pages.site.example';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Place {
  readonly env: TestEnv;
  readonly namespace: string;
  /** The API server, as the ServiceAccount sees it. RBAC refuses it nothing. */
  readonly url: string;
}

async function start(): Promise<Place> {
  const env = await startTestEnv({ environment: {}, embedded: { authorization: 'RBAC' } });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const rbac = 'rbac.authorization.k8s.io/v1';
  await env.apply([
    {
      ...{ apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'everything' } },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    },
    {
      ...{ apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: 'everything' } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'everything' },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }],
    },
    configuration(namespace),
    definition(namespace),
    ...certificatesPolicy({ name: ACCOUNT, namespace }),
  ] as unknown as KubernetesObject[]);
  const url = await env.server.urlFor(`system:serviceaccount:${namespace}:${ACCOUNT}`);
  return { env, namespace, url };
}

function webhook(namespace: string, name: string, service: string): object {
  return {
    name,
    clientConfig: { service: { name: service, namespace, path: '/validate/x' } },
    rules: [
      {
        ...{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] },
        operations: ['CREATE'],
      },
    ],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    namespaceSelector: { matchLabels: { nobody: 'has-this' } },
  };
}

function configuration(namespace: string): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'site', labels: { a: 'b' } },
    webhooks: [
      webhook(namespace, 'a.b.example', SERVICE),
      webhook(namespace, 'foreign.b.example', 'other'),
    ],
  };
}

function definition(namespace: string): object {
  const version = (name: string, storage: boolean): object => ({
    ...{ name, storage, served: true, schema: { openAPIV3Schema: { type: 'object' } } },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: DEFINITION },
    spec: {
      group: 'site.example',
      scope: 'Namespaced',
      names: { plural: 'pages', singular: 'page', kind: 'Page', listKind: 'PageList' },
      versions: [version('v1', true), version('v2', false)],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { name: SERVICE, namespace, path: '/convert' } },
        },
      },
    },
  };
}

const TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  post: 'application/json',
} as const;

async function write(
  { url }: Place,
  type: keyof typeof TYPES,
  path: string,
  body: unknown,
): Promise<string> {
  const response = await fetch(new URL(path, url), {
    method: type === 'post' ? 'POST' : 'PATCH',
    headers: { 'content-type': TYPES[type] },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const isDenied = response.status === 403 && text.includes('ValidatingAdmissionPolicy');
  return isDenied ? 'denied' : `${response.status} ${text.slice(0, 300)}`;
}

test('with the policy in force, the operator makes the certificate, and the configuration and the definition trust it', async () => {
  const { env, namespace, url } = await start();
  const targets = {
    secret: 'site-gate-tls',
    validating: ['site'],
    mutating: [],
    definitions: [DEFINITION],
  };
  const operator = startOperator({
    ...{ url, namespace },
    controllers: [certificatesController({ targets, service: SERVICE, namespace })],
  });
  onTestFinished(() => operator.kill());

  const bundles = async (): Promise<number> => {
    const found = [
      await env.get(
        'admissionregistration.k8s.io/v1',
        'ValidatingWebhookConfiguration',
        undefined,
        'site',
      ),
      await env.get('apiextensions.k8s.io/v1', 'CustomResourceDefinition', undefined, DEFINITION),
    ];
    return (JSON.stringify(found).match(/"caBundle":"LS0t/g) ?? []).length;
  };
  await eventually(async () => (await bundles()) === 2);

  expect(await env.get('v1', 'Secret', namespace, 'site-gate-tls')).toMatchObject({
    type: 'Opaque',
    data: { 'tls.crt': expect.any(String) },
  });
});

test("the operator's token can change a caBundle, and nothing else in configurations, definitions and Secrets", async () => {
  const place = await start();
  const { namespace } = place;
  const at = (path: string, value: unknown, op = 'replace') => [{ op, path, value }];
  const client = '/webhooks/0/clientConfig';
  const conversion = '/spec/conversion/webhook';
  const { authority } = issueCertificate({ dnsNames: ['x'], validFrom: 0, validUntil: 1_000 });
  const caBundle = Buffer.from(authority).toString('base64');
  const everything = webhook(namespace, 'all.b.example', SERVICE);
  const url = 'https://evil.example/validate';
  const inConfiguration: readonly unknown[] = [
    at(`${client}/service/name`, 'evil'),
    at(`${client}/service/path`, '/x'),
    at(client, { url, caBundle }),
    at('/webhooks/0/rules/0/resources', ['*']),
    at('/webhooks/0/failurePolicy', 'Fail'),
    at('/webhooks/0/namespaceSelector', {}),
    at('/webhooks/0/name', 'c.b.example'),
    at('/webhooks/1/timeoutSeconds', 1, 'add'),
    at('/webhooks/-', everything, 'add'),
    at('/webhooks', [everything]),
    [{ op: 'remove', path: '/webhooks/1' }],
    at('/metadata/labels/a', 'c'),
    at('/metadata/finalizers', ['x.dev/y'], 'add'),
    at('/metadata/annotations', { a: 'b' }, 'add'),
  ];
  const inDefinition: readonly unknown[] = [
    at(`${conversion}/clientConfig/service/name`, 'evil'),
    at(`${conversion}/clientConfig`, { url, caBundle }),
    at('/spec/conversion', { strategy: 'None' }),
    at('/spec/versions/1/served', false),
    at('/spec/names/shortNames', ['p'], 'add'),
    at('/metadata/labels', { a: 'b' }, 'add'),
    at('/metadata/finalizers', ['x.dev/y'], 'add'),
  ];
  const secret = (type: string) => ({
    ...{ apiVersion: 'v1', kind: 'Secret', type },
    metadata: {
      name: `s-${type.length}`,
      annotations: { 'kubernetes.io/service-account.name': 'site' },
    },
  });
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;

  const denied = [
    ...(await all(inConfiguration, (body) => write(place, 'json', `${CONFIGURATIONS}/site`, body))),
    ...(await all(inDefinition, (body) =>
      write(place, 'json', `${DEFINITIONS}/${DEFINITION}`, body),
    )),
    await write(place, 'post', CONFIGURATIONS, {
      ...configuration(namespace),
      metadata: { name: 'another' },
    }),
    await write(place, 'post', secrets, secret('kubernetes.io/service-account-token')),
  ];
  const allowed = [
    await write(place, 'json', `${CONFIGURATIONS}/site`, at(`${client}/caBundle`, caBundle, 'add')),
    await write(
      place,
      'json',
      `${DEFINITIONS}/${DEFINITION}`,
      at(`${conversion}/clientConfig/caBundle`, caBundle, 'add'),
    ),
    await write(place, 'post', secrets, secret('Opaque')),
  ];

  expect(new Set(denied)).toEqual(new Set(['denied']));
  expect(allowed.map((each) => each.slice(0, 3))).toEqual(['200', '200', '201']);
});

test('the policy does not restrict other writers', async () => {
  const { env, namespace } = await start();

  await env.apply([
    { ...configuration(namespace), metadata: { name: 'site', labels: { a: 'c' } } },
  ] as unknown as KubernetesObject[]);

  expect(
    await env.get(
      'admissionregistration.k8s.io/v1',
      'ValidatingWebhookConfiguration',
      undefined,
      'site',
    ),
  ).toMatchObject({ metadata: { labels: { a: 'c' } } });
});

async function all(
  bodies: readonly unknown[],
  send: (body: unknown) => Promise<string>,
): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const body of bodies) {
    const answer = await send(body);
    answers.push(answer === 'denied' ? answer : `${JSON.stringify(body)}: ${answer}`);
  }
  return answers;
}
