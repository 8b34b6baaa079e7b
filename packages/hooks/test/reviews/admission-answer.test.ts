/** What answers of hooks to admission reviews mean, and which are refused. Nothing is started. */
import { expect, test } from 'vitest';
import { knownKinds } from '../../../../operator/model/known-kinds.ts';
import { answerOf, configMapOf, reviewOf } from '../../../../test/webhook/reviews.ts';
import type { Hook } from '../../src/hook.ts';
import type { AskReview } from '../../src/reviews/hook-reviews.ts';
import { hookWebhooks } from '../../src/reviews/hook-webhooks.ts';
import { configOf } from '../support/documents.ts';
import { CONFIG_MAPS } from '../support/reviewing.ts';

const known = knownKinds();

/** A hook with one binding for ConfigMaps, or with other rules. */
function hookWith(
  type: 'Validating' | 'Mutating',
  binding: Readonly<Record<string, unknown>> = {},
): Hook {
  const item = { name: 'colours.shop.example.com', rules: [CONFIG_MAPS], ...binding };
  const config = configOf(JSON.stringify({ configVersion: 'v1', [`kubernetes${type}`]: [item] }));
  return { name: 'shop/check.sh', path: '/hooks/shop/check.sh', config, rights: undefined };
}

/** What a client gets when the hook leaves `text`. */
async function answered(text: string, type: 'Validating' | 'Mutating' = 'Validating') {
  const ask: AskReview = async () => ({ admission: text, conversion: '' });
  const [webhook] = hookWebhooks(hookWith(type), { known, ask });
  if (webhook === undefined) throw new Error('no webhook');
  return answerOf(webhook, reviewOf({ object: configMapOf({ password: 'hunter2' }) }));
}

const inBase64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

test.each([
  ['allowed', { allowed: true }, { allowed: true }],
  [
    'denied',
    { allowed: false, message: 'not on Fridays' },
    { allowed: false, status: { code: 403, message: 'not on Fridays' } },
  ],
  [
    'denied without a message',
    { allowed: false },
    { allowed: false, status: { code: 403, message: '' } },
  ],
  [
    'allowed with warnings',
    { allowed: true, warnings: ['old', 'slow'], message: 'not shown', patch: null },
    { allowed: true, warnings: ['old', 'slow'] },
  ],
])("the API server gets a hook's answer as %s", async (_, answer, expected) => {
  const { response, outcome } = await answered(JSON.stringify(answer, null, 2));

  expect(response).toMatchObject(expected);
  expect(outcome).toBe(answer.allowed ? 'allowed' : 'denied');
  expect(response).not.toHaveProperty('patch');
});

test('the patch of a mutating hook arrives unchanged, although its base64 has line breaks', async () => {
  const patch = [
    { op: 'test', path: '/metadata/name', value: 'shop' },
    { op: 'add', path: '/metadata/labels', value: { colour: 'red' } },
    { op: 'replace', path: '/data/password', value: 'x'.repeat(100) },
  ];
  const broken = inBase64(patch).replaceAll(/.{76}/g, '$&\n');

  const { response, patch: sent } = await answered(
    JSON.stringify({ allowed: true, patch: broken }),
    'Mutating',
  );

  expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
  expect(sent).toEqual(patch);
});

test('a hook gets the review unchanged, except for the final line break', async () => {
  const sent = `${JSON.stringify(reviewOf({ object: configMapOf({ size: '1' }) }), null, 1)}\n`;
  const reviews: string[] = [];
  const ask: AskReview = async (_hook, item) => {
    reviews.push([...item.review].join(''));
    return { admission: '{"allowed": true}', conversion: '' };
  };
  const [webhook] = hookWebhooks(hookWith('Validating'), { known, ask });
  if (webhook === undefined) throw new Error('no webhook');

  await answerOf(webhook, sent);

  expect(reviews).toEqual([sent.slice(0, -1)]);
});

const CHANGES = [{ op: 'add', path: '/data/size', value: '3' }];

test.each<[what: string, text: string, problem: string, type?: 'Mutating']>([
  ['nothing', '', 'the file ADMISSION_RESPONSE_PATH is empty'],
  ['white space', ' \n', 'the file ADMISSION_RESPONSE_PATH is empty'],
  ['two answers', '{"allowed": true}\n{"allowed": false}', 'has 2 answers: write one'],
  ['an incomplete answer', '{"allowed": tr', 'the file ends inside it'],
  ['a string', 'allowed', 'is not a JSON object'],
  ['a list', '[{"allowed": true}]', 'must have a JSON object'],
  ['no verdict', '{"message": "hunter2"}', 'allowed must be true or false'],
  ['a verdict in quotes', '{"allowed": "true"}', 'allowed must be true or false'],
  ['a number as its message', '{"allowed": false, "message": 5}', 'message must be a string'],
  ['one warning outside a list', '{"allowed": true, "warnings": "hunter2"}', 'a list of texts'],
  [
    'a patch for a validating webhook',
    JSON.stringify({ allowed: true, patch: inBase64(CHANGES) }),
    'kubernetesValidating may have no patch',
  ],
  [
    'a patch that is not encoded',
    JSON.stringify({ allowed: true, patch: JSON.stringify(CHANGES) }),
    'patch must be a JSON patch in base64',
    'Mutating',
  ],
  [
    'an encoded string',
    JSON.stringify({ allowed: true, patch: Buffer.from('hunter2').toString('base64') }),
    'what it encodes is no JSON',
    'Mutating',
  ],
  [
    'an encoded merge patch',
    JSON.stringify({ allowed: true, patch: inBase64({ data: { password: 'hunter2' } }) }),
    'must be a list of operations',
    'Mutating',
  ],
  [
    'a patch of the name',
    JSON.stringify({
      allowed: true,
      patch: inBase64([{ op: 'replace', path: '/metadata/name', value: 'hunter2' }]),
    }),
    'changed /metadata/name, which no patch may change',
    'Mutating',
  ],
  [
    'a patch that moves the uid away',
    JSON.stringify({
      allowed: true,
      patch: inBase64([{ op: 'move', from: '/metadata/uid', path: '/data/uid' }]),
    }),
    'changed /metadata/uid, which no patch may change',
    'Mutating',
  ],
  [
    'a patch of the whole object',
    JSON.stringify({ allowed: true, patch: inBase64([{ op: 'remove', path: '' }]) }),
    'changed the whole object, which no patch may change',
    'Mutating',
  ],
])('if a hook that reviews a write returns %s, the write is denied, and the log says why', async (_, text, problem, type) => {
  const { response, outcome, lines } = await answered(text, type);

  const messages = lines.flatMap(({ fields: { err } }) =>
    err instanceof Error ? [err.message] : [],
  );
  expect(outcome).toBe('failed');
  expect(response.allowed).toBe(false);
  expect(response.status?.message).toBe(
    "Hook failed: shop/check.sh, and the operator's log says why, with uid c0ffee",
  );
  expect(messages).toEqual([expect.stringContaining(problem)]);
  expect(messages.join()).toContain('shop/check.sh');
  expect(messages.join()).not.toContain('hunter2');
});

/** What the webhooks of a hook with these rules are asked about. */
function subjectsOf(rules: readonly object[]): readonly string[] {
  const ask: AskReview = () => Promise.reject(new Error('not asked'));
  const hook = hookWith('Validating', { rules });
  return hookWebhooks(hook, { known, ask }).flatMap(({ subjects }) =>
    subjects.map(({ resource: { group, version, plural }, subresource, operations }) =>
      [group || 'core', version, plural, subresource ?? '-', operations.join('+')].join(' '),
    ),
  );
}

test('a rule matches each of its resources in each group and version that has the resource', () => {
  const rules = [
    {
      apiGroups: ['apps', ''],
      apiVersions: ['v1', 'v1beta1'],
      resources: ['pods', 'deployments', 'pods/exec'],
      operations: ['*'],
    },
    { apiGroups: ['batch'], apiVersions: ['*'], resources: ['jobs'], operations: ['DELETE'] },
  ];

  expect(subjectsOf(rules)).toEqual([
    'core v1 pods - CREATE+UPDATE+DELETE',
    'core v1beta1 pods - CREATE+UPDATE+DELETE',
    'apps v1 deployments - CREATE+UPDATE+DELETE',
    'apps v1beta1 deployments - CREATE+UPDATE+DELETE',
    'core v1 pods exec CREATE+UPDATE+DELETE+CONNECT',
    'core v1beta1 pods exec CREATE+UPDATE+DELETE+CONNECT',
    'batch v1 jobs - DELETE',
  ]);
});

test.each<[problem: string, rule: object, path: string]>([
  ['all resources', { resources: ['*'] }, 'rules[0].resources[0]: is a wildcard'],
  ['all subresources', { resources: ['pods/*'] }, 'rules[0].resources[0]: is a wildcard'],
  ['all groups', { apiGroups: ['apps', '*'] }, 'rules[0].apiGroups[1]: is a wildcard'],
  [
    'a resource without a definition',
    { apiGroups: ['stable.example.com'], resources: ['crontabs'] },
    'rules[0].resources[0]: no resource crontabs of stable.example.com in v1 is known: put its Custom',
  ],
  ['a resource of another scope', { scope: 'Cluster' }, 'rules[0].scope: configmaps has another'],
  [
    'Leases',
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
    'kubernetesValidating[0]: validating webhook colours.shop.example.com is for Leases',
  ],
  [
    'the operation CONNECT on an object',
    { operations: ['CONNECT'] },
    'kubernetesValidating[0]: validating webhook colours.shop.example.com has the operation CONNECT',
  ],
])('a rule for %s is refused with its path', (_, rule, path) => {
  expect(() => subjectsOf([{ ...CONFIG_MAPS, ...rule }])).toThrow(path);
});

test('the fields of a binding appear in the webhook configuration', () => {
  const ask: AskReview = () => Promise.reject(new Error('not asked'));
  const hook = hookWith('Mutating', {
    labelSelector: { matchLabels: { tier: 'web' } },
    namespace: { labelSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] } },
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: 3,
    matchConditions: [{ name: 'not-mine', expression: 'request.userInfo.username != "me"' }],
  });

  const [webhook] = hookWebhooks(hook, { known, ask });

  expect(webhook).toMatchObject({
    type: 'mutating',
    path: '/mutate/colours.shop.example.com',
    hook: 'shop/check.sh',
    failurePolicy: 'Fail',
    objectSelector: { matchLabels: { tier: 'web' } },
    namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] },
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: 3,
    matchConditions: [{ name: 'not-being-deleted' }, { name: 'not-mine' }],
  });
});
