/** docs/guides/write/webhooks.md: its webhooks answer what the page says. */

import { expect, test } from 'vitest';
import type { Webhook } from '../../operator/webhook/webhook.ts';
import { answerOf, configMapOf, reviewOf } from '../webhook/reviews.ts';
import { exampleOf } from './guide.ts';

test('names: a public host is allowed, and another host is allowed with a warning', async () => {
  const { answerFor } = await exampleOf<{
    answerFor(host: string, others?: readonly string[]): Promise<unknown>;
  }>('guides/write/webhooks.md', 'names.check.ts');

  expect(await answerFor('shop.example.com')).toEqual({ uid: '1', allowed: true });
  expect(await answerFor('shop.test')).toEqual({
    uid: '1',
    allowed: true,
    warnings: ['.test is not public'],
  });
});

test('protection.check: the API server of the test environment calls the webhook', async () => {
  const { staysProtected } = await exampleOf<{ staysProtected(): Promise<void> }>(
    'guides/write/webhooks.md',
    'protection.check.ts',
  );

  await expect(staysProtected()).resolves.toBeUndefined();
});

test('protection: the webhook denies the deletion of an object with the annotation', async () => {
  const { default: protection } = await exampleOf<{ readonly default: Webhook }>(
    'guides/write/webhooks.md',
    'protection.ts',
  );
  const deleting = (annotations: object): object =>
    reviewOf({ operation: 'DELETE', object: null, oldObject: configMapOf({}, { annotations }) });

  const kept = await answerOf(protection, deleting({ 'example.com/protected': 'true' }));
  const gone = await answerOf(protection, deleting({}));

  expect(kept.response.status?.message).toBe(
    'is protected: remove the annotation example.com/protected first',
  );
  expect(gone.response.allowed).toBe(true);
});

test('creators: a Namespace gets an annotation with its creator, and an existing annotation is not changed', async () => {
  const { creators } = await exampleOf<{ readonly creators: Webhook }>(
    'guides/write/webhooks.md',
    'creators.ts',
  );
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  const request = {
    uid: '1',
    operation: 'CREATE',
    resource: { group: '', version: 'v1', resource: 'namespaces' },
    name: 'shop',
    userInfo: { username: 'ada' },
  };
  const review = (of: object): object => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { ...request, object: of },
  });
  const annotations = { 'example.com/created-by': 'ada' };

  const first = await answerOf(creators, review(object));
  const second = await answerOf(
    creators,
    review({ ...object, metadata: { name: 'shop', annotations } }),
  );

  expect(first.patch).toEqual([{ op: 'add', path: '/metadata/annotations', value: annotations }]);
  expect(second.patch).toBeUndefined();
});
