import { describe, expect, expectTypeOf, test } from 'vitest';
import { accessOf } from '../../operator/access/required-access.ts';
import { source } from '../../operator/controller/source.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { type ConfigMap, configMaps, leases } from '../../operator/model/builtin.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { isWebhook, mutatingWebhook, validatingWebhook } from '../../operator/webhook/webhook.ts';
import { webhookEntry } from '../../operator/webhook/webhook-entry.ts';
import { configMapWebhook } from './reviews.ts';

const validate = (): void => {};

/** The declaration with one option that types may not allow. */
function declaring(options: object): () => unknown {
  return () => configMapWebhook(options as never);
}

describe('a declared webhook', () => {
  test('a declared webhook is a frozen value with a path, a rule and safe defaults', () => {
    const webhook = validatingWebhook({
      name: 'colours.shop.example.com',
      resource: configMaps,
      validate,
    });

    expect(isWebhook(webhook)).toBe(true);
    expect(Object.isFrozen(webhook)).toBe(true);
    expect(webhook).toMatchObject({
      type: 'validating',
      path: '/validate/colours.shop.example.com',
      failurePolicy: 'Ignore',
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      timeoutSeconds: 10,
      reinvocationPolicy: undefined,
      needsLeaderElection: false,
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['configmaps'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
    });
  });

  test('a mutating webhook has its own type, path and reinvocation policy', () => {
    const webhook = mutatingWebhook({
      name: 'colours.shop.example.com',
      resource: configMaps,
      reinvocationPolicy: 'IfNeeded',
      mutate: ({ object }) => object,
    });

    expect(webhook).toMatchObject({
      type: 'mutating',
      path: '/mutate/colours.shop.example.com',
      reinvocationPolicy: 'IfNeeded',
    });
    expect(isWebhook(webhook)).toBe(true);
  });

  test('[A-7] the webhook entry excludes the namespace of the operator and objects that are being deleted', () => {
    const namespaceSelector = { matchLabels: { tier: 'web' } };
    const condition = {
      name: 'not-by-nodes',
      expression: '!("system:nodes" in request.userInfo.groups)',
    };
    const webhook = configMapWebhook({ namespaceSelector, matchConditions: [condition] });

    const entry = webhookEntry(webhook, 'ops');

    expect(entry.namespaceSelector).toEqual({
      matchLabels: { tier: 'web' },
      matchExpressions: [
        { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['ops'] },
      ],
    });
    expect(entry.matchConditions?.map(({ name }) => name)).toEqual([
      'not-being-deleted',
      'not-by-nodes',
    ]);
    expect(entry).toMatchObject({ admissionReviewVersions: ['v1'], sideEffects: 'None' });
    expect(entry).not.toHaveProperty('objectSelector');
    expect(entry).not.toHaveProperty('reinvocationPolicy');
  });

  test('a webhook with the option whileDeleting is also called for objects that are being deleted', () => {
    expect(configMapWebhook({ whileDeleting: true }).matchConditions).toEqual([]);
  });

  test('a webhook gives the operator permissions only for the sources that the webhook reads', () => {
    const webhook = configMapWebhook({ reads: [source(configMaps, { namespace: 'all' })] });

    const rights = accessOf([webhook], { namespaces: undefined });

    expect(rights.map(({ resource, verbs }) => [resource.plural, verbs])).toEqual([
      ['configmaps', ['get', 'list', 'watch']],
    ]);
  });

  test('the TypeScript types of the objects depend on the operations', () => {
    validatingWebhook({
      name: 'a.b.c',
      resource: configMaps,
      validate: ({ object, oldObject }) => {
        expectTypeOf(object).toEqualTypeOf<ConfigMap>();
        expectTypeOf(oldObject).toEqualTypeOf<ConfigMap | undefined>();
      },
    });
    validatingWebhook({
      name: 'a.b.c',
      resource: configMaps,
      operations: ['DELETE'],
      validate: (request, context) => {
        expectTypeOf(request.oldObject).toEqualTypeOf<ConfigMap>();
        expectTypeOf(request.object).toEqualTypeOf<undefined>();
        expectTypeOf(context).not.toHaveProperty('client');
      },
    });
  });

  test.each<[string, object, RegExp]>([
    [
      'a name of two words',
      { name: 'colours.shop' },
      /at least three lower-case words joined by dots/,
    ],
    ['a name with capitals', { name: 'Colours.shop.example.com' }, /at least three/],
    ['a misspelt option', { failurePolicys: 'Fail' }, /did you mean failurePolicy\?/],
    [
      'no function',
      { validate: undefined },
      /validate of validating webhook .* must be a function/,
    ],
    ['an unknown failure policy', { failurePolicy: 'fail' }, /unknown failurePolicy "fail"/],
    ['an unknown operation', { operations: ['PATCH'] }, /unknown operation "PATCH"/],
    ['the operation *', { operations: ['*'] }, /unknown operation "\*"/],
    ['no operation', { operations: [] }, /must name each operation once/],
    ['a repeated operation', { operations: ['CREATE', 'CREATE'] }, /must name each operation once/],
    ['CONNECT without a subresource', { operations: ['CONNECT'] }, /subresource: 'exec'/],
    ['a time-out of 0', { timeoutSeconds: 0 }, /whole number from 1 to 30, not 0/],
    ['a time-out of 31', { timeoutSeconds: 31 }, /whole number from 1 to 30, not 31/],
    ['a time-out with a fraction', { timeoutSeconds: 1.5 }, /whole number from 1 to 30/],
    ['every group', { resource: defineResource({ ...configMaps, group: '*' }) }, /has a wildcard/],
    [
      'every resource',
      { resource: defineResource({ ...configMaps, plural: '*' }) },
      /has a wildcard/,
    ],
    ['every subresource', { subresource: '*' }, /has a wildcard/],
    ['a subresource with a slash', { subresource: 'a/b' }, /names no resource/],
    ['Leases', { resource: leases }, /is for Leases/],
    [
      'webhook configurations',
      {
        resource: defineResource({
          group: 'admissionregistration.k8s.io',
          version: 'v1',
          plural: 'validatingwebhookconfigurations',
          kind: 'ValidatingWebhookConfiguration',
          namespaced: false,
        }),
      },
      /the API server asks no webhook about it/,
    ],
    ['no resource', { resource: undefined }, /must be a resource/],
    ['a selector as a string', { objectSelector: 'app=a' }, /objectSelector of .* is unusable/],
    [
      'a selector with an unknown operator',
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
      /namespaceSelector of .* is unusable: .*unknown operator "Is"/,
    ],
    [
      "the name of the toolkit's condition",
      { matchConditions: [{ name: 'not-being-deleted', expression: 'true' }] },
      /give each another name/,
    ],
    [
      'a repeated condition',
      { matchConditions: [1, 2].map(() => ({ name: 'a', expression: 'true' })) },
      /give each another name/,
    ],
    [
      'a condition without an expression',
      { matchConditions: [{ name: 'a', expression: ' ' }] },
      /no expression/,
    ],
    [
      '64 conditions',
      {
        matchConditions: Array.from({ length: 64 }, (_, at) => ({
          name: `c${at}`,
          expression: 'true',
        })),
      },
      /at most 63/,
    ],
  ])('a webhook declaration with %s is refused', (_, options, expected) => {
    expect(declaring(options)).toThrow(ConfigurationError);
    expect(declaring(options)).toThrow(expected);
  });
});
