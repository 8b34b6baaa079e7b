/** What a webhook answers to the reviews of an API server, and to reviews of others. */

import { FakeClock } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../operator/core/errors.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { allow, deny } from '../../operator/webhook/decision.ts';
import type { AdmissionRequest } from '../../operator/webhook/review/admission-request.ts';
import { mutatingWebhook } from '../../operator/webhook/webhook.ts';
import { type WebhookParts, webhookEndpoint } from '../../operator/webhook/webhook-endpoint.ts';
import { recordingLog } from '../support/recording-log.ts';
import { answerOf, configMapOf, configMapWebhook, reviewOf } from './reviews.ts';

const SECRET = 'the-password-of-the-shop';

function mutating(
  mutate: (request: AdmissionRequest<ConfigMap, 'CREATE' | 'UPDATE'>) => never | unknown,
): ReturnType<typeof mutatingWebhook> {
  const name = 'defaults.shop.example.com';
  return mutatingWebhook({ name, resource: configMaps, mutate: mutate as () => ConfigMap });
}

describe('a review', () => {
  test('[A-2] [admission 16] the response to a review contains the uid of the review', async () => {
    const { status, response } = await answerOf(configMapWebhook({}), reviewOf({ uid: 'd00d' }));

    expect(status).toBe(200);
    expect(response).toEqual({ uid: 'd00d', allowed: true });
  });

  test('[A-2] [admission 16] a denied review has HTTP status 200, and a Status with message, code and reason', async () => {
    const webhook = configMapWebhook({ validate: () => deny('red is taken') });

    const { status, outcome, response } = await answerOf(webhook, reviewOf());

    expect([status, outcome]).toEqual([200, 'denied']);
    expect(response).toEqual({
      uid: 'c0ffee',
      allowed: false,
      status: { status: 'Failure', code: 403, reason: 'Forbidden', message: 'red is taken' },
    });
  });

  test('[admission 16] a review denied because of a field has code 422 and the field among the causes', async () => {
    const webhook = configMapWebhook({
      validate: () => deny('is taken', { field: 'data.colour' }),
    });

    const { response } = await answerOf(webhook, reviewOf());

    expect(response.status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'data.colour: is taken',
      details: {
        name: 'shop',
        kind: 'ConfigMap',
        causes: [{ field: 'data.colour', message: 'is taken' }],
      },
    });
  });

  test('[A-2] [admission 16] a response never has a patch type without a patch', async () => {
    const same = await answerOf(
      mutating(({ object }) => structuredClone(object)),
      reviewOf(),
    );
    const changed = await answerOf(
      mutating(({ object }) => ({ ...object, data: { ...object.data, size: '1' } })),
      reviewOf(),
    );

    expect(same.response).toEqual({ uid: 'c0ffee', allowed: true });
    expect(changed.response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(changed.patch).toEqual([{ op: 'add', path: '/data/size', value: '1' }]);
  });

  test('[A-2] [admission 16] each warning is one line of less than 256 characters, and all together have at most 4,096', async () => {
    const warnings = [
      'two\nlines',
      '',
      '€'.repeat(300),
      ...Array.from({ length: 40 }, () => 'x'.repeat(200)),
    ];
    const webhook = configMapWebhook({ validate: () => allow({ warnings }) });

    const { response } = await answerOf(webhook, reviewOf());

    const shown = response.warnings ?? [];
    expect(shown.slice(0, 2)).toEqual(['two lines', `${'€'.repeat(254)}…`]);
    expect(shown.every(({ length }) => length < 256)).toBe(true);
    expect(shown.join('').length).toBeLessThanOrEqual(4_096);
    expect(shown.length).toBe(21);
  });

  test('a long message is cut, and its control characters are escaped', async () => {
    const webhook = configMapWebhook({ validate: () => deny(`\u001b[2J${'x'.repeat(100_000)}`) });

    const { response } = await answerOf(webhook, reviewOf());

    expect(response.status?.message).toMatch(/^\\u001b\[2Jx/);
    expect(response.status?.message.length).toBeLessThan(2_200);
  });

  test('[A-1] a review passes user, options, dry run and both objects to the function', async () => {
    let asked: AdmissionRequest | undefined;
    const webhook = configMapWebhook({
      validate: (request) => {
        asked = request as unknown as AdmissionRequest;
      },
    });
    const oldObject = configMapOf({ colour: 'blue' });

    await answerOf(webhook, reviewOf({ operation: 'UPDATE', oldObject, dryRun: true }));

    expect(asked).toEqual({
      operation: 'UPDATE',
      name: 'shop',
      namespace: 'web',
      resource: configMaps,
      subresource: undefined,
      user: { username: 'ada', uid: '7', groups: ['dev'], extra: { team: ['web'] } },
      dryRun: true,
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
      object: configMapOf({ colour: 'red' }),
      oldObject,
    });
  });

  test('a name of extreme length does not make a long log line', async () => {
    const webhook = configMapWebhook({
      validate: () => {
        throw new Error('no');
      },
    });
    const long = 'x'.repeat(1_000_000);
    let facts: Readonly<Record<string, string>> = {};
    const logFor: WebhookParts['logFor'] = (given) => {
      facts = given;
      return recordingLog().logFor(given);
    };

    const { response } = await answerOf(webhook, reviewOf({ name: long, namespace: long }), {
      logFor,
    });

    expect(response.allowed).toBe(false);
    expect(JSON.stringify(facts).length).toBeLessThan(2_000);
  });

  test('a review of an object with generateName has no name', async () => {
    const object = { ...configMapOf({}), metadata: { generateName: 'shop-', namespace: 'web' } };
    const webhook = configMapWebhook({
      validate: ({ name }) => deny(`name is ${name}`, { field: 'metadata' }),
    });

    const { response } = await answerOf(webhook, reviewOf({ name: '', object }));

    expect(response.status).toMatchObject({ message: 'metadata: name is undefined' });
    expect(response.status).not.toHaveProperty('details.name');
  });

  test('a review of a deletion has the old object and no new object', async () => {
    const seen: unknown[] = [];
    const webhook = configMapWebhook({
      validate: ({ object, oldObject }) => {
        seen.push(object, oldObject?.data);
      },
    });

    const oldObject = configMapOf({ colour: 'blue' });
    await answerOf(webhook, reviewOf({ operation: 'DELETE', object: null, oldObject }));

    expect(seen).toEqual([undefined, { colour: 'blue' }]);
  });

  test('[A-7] a review about an object that is being deleted is allowed without calling the function', async () => {
    const validate = (): ReturnType<typeof deny> => deny('never');
    const oldObject = configMapOf({}, { deletionTimestamp: '2026-11-29T10:00:00Z' });
    const forged = configMapOf({}, { deletionTimestamp: '2026-11-29T10:00:00Z' });
    const update = { operation: 'UPDATE', oldObject };
    const allowedOf = async (of: object, whileDeleting: boolean): Promise<boolean> => {
      const answer = await answerOf(
        configMapWebhook({ validate, whileDeleting }),
        reviewOf({ ...of }),
      );
      return answer.response.allowed;
    };

    expect(await allowedOf(update, false)).toBe(true);
    expect(await allowedOf(update, true)).toBe(false);
    expect(
      await allowedOf({ operation: 'UPDATE', object: forged, oldObject: configMapOf({}) }, false),
    ).toBe(false);
  });

  test.each<[string, unknown, RegExp]>([
    ['that is not JSON', '{"request":', /ends too early/],
    ['that is a list', '[]', /the body must be an object/],
    [
      'of another version',
      { ...reviewOf(), apiVersion: 'admission.k8s.io/v1beta1' },
      /apiVersion and kind/,
    ],
    [
      'of another kind of review',
      { ...reviewOf(), kind: 'ConversionReview' },
      /apiVersion and kind/,
    ],
    ['without a request', { ...reviewOf(), request: undefined }, /request must be an object/],
    ['without a uid', reviewOf({ uid: '' }), /request\.uid must be a string of 1 to 253/],
    ['with a uid of another type', reviewOf({ uid: 7 }), /request\.uid must be a string/],
    ['with an endless uid', reviewOf({ uid: 'x'.repeat(300) }), /request\.uid must be a string/],
    [
      'of another resource',
      reviewOf({ resource: { group: '', version: 'v1', resource: 'secrets' } }),
      /request\.resource must be configmaps of version v1/,
    ],
    [
      'of another version of the resource',
      reviewOf({ resource: { group: '', version: 'v2', resource: 'configmaps' } }),
      /of version v1/,
    ],
    ['of a subresource', reviewOf({ subResource: 'status' }), /request\.subResource must be empty/],
    [
      'of an operation that is not declared',
      reviewOf({ operation: 'CONNECT' }),
      /request\.operation must be CREATE or UPDATE or DELETE/,
    ],
    ['without an object', reviewOf({ object: null }), /request\.object must be an object/],
    [
      'without an old object',
      reviewOf({ operation: 'UPDATE' }),
      /request\.oldObject must be an object/,
    ],
    [
      'with an object of another kind',
      reviewOf({ object: { ...configMapOf({}), kind: 'Secret' } }),
      /request\.object must be v1 ConfigMap/,
    ],
    [
      'with an object without metadata',
      reviewOf({ object: { apiVersion: 'v1', kind: 'ConfigMap' } }),
      /request\.object\.metadata must be an object/,
    ],
    [
      'with a dry run of another type',
      reviewOf({ dryRun: 'yes' }),
      /request\.dryRun must be true or false/,
    ],
    [
      'with groups of another type',
      reviewOf({ userInfo: { groups: 'dev' } }),
      /request\.userInfo must have/,
    ],
    [
      'that is nested too deeply',
      `{"request":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
      /the body/,
    ],
  ])('[A-4] a review %s is refused with an error that quotes none of it', async (_, review, expected) => {
    const text = (typeof review === 'string' ? review : JSON.stringify(review)).replaceAll(
      '"red"',
      `"${SECRET}"`,
    );

    const error = await answerOf(configMapWebhook({}), text).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ProtocolError);
    expect((error as ProtocolError).message).toMatch(expected);
    expect((error as ProtocolError).message).toContain('colours.shop.example.com');
    expect((error as ProtocolError).message).not.toContain(SECRET);
  });
});

describe('a function', () => {
  const secret = reviewOf({ object: configMapOf({ password: SECRET }) });

  test.each<[string, (request: AdmissionRequest<ConfigMap>) => unknown, RegExp]>([
    [
      'that throws',
      ({ object }) => {
        throw new Error(`cannot use ${JSON.stringify(object)}`);
      },
      /^cannot use/,
    ],
    [
      'that rejects',
      async ({ object }) => Promise.reject(new RangeError(JSON.stringify(object))),
      /password/,
    ],
    [
      'that throws something that is not an Error',
      () => {
        throw SECRET;
      },
      /^webhook colours\.shop\.example\.com threw string, which is no Error$/,
    ],
    [
      'that changes its input',
      ({ object }) => {
        const { data } = object as { data: Record<string, string> };
        data.colour = 'green';
      },
      /^webhook colours\.shop\.example\.com changed its input/,
    ],
    [
      'that adds to its input',
      ({ user }) => {
        (user.groups as string[]).push('system:masters');
      },
      /changed its input/,
    ],
    [
      'that returns false',
      () => false,
      /returned boolean: expected allow\(\), deny\(\.\.\.\) or nothing/,
    ],
    ['that returns null', () => null, /returned null/],
    ['that validates and returns an object', ({ object }) => object, /returned object/],
    ['that returns warnings that are not strings', () => allow({ warnings: [7 as never] }), /./],
  ])('[A-3] a function %s makes the webhook refuse the request, and the response contains nothing of the object', async (_, validate, expected) => {
    const webhook = configMapWebhook({ validate: validate as never });

    const { status, outcome, response, text, lines } = await answerOf(webhook, secret);

    expect([status, outcome, response.allowed]).toEqual([200, 'failed', false]);
    expect(response.status).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(response.status?.message).toContain('colours.shop.example.com');
    expect(text).not.toContain(SECRET);
    const [line] = lines.filter(({ level }) => level === 'error');
    expect(line?.fields).toMatchObject({ webhook: 'colours.shop.example.com', uid: 'c0ffee' });
    expect((line?.fields.err as Error).message).toMatch(expected);
  });

  test.each<[string, (object: ConfigMap) => unknown, RegExp]>([
    [
      'the name',
      (object) => ({ ...object, metadata: { ...object.metadata, name: 'b' } }),
      /changed metadata\.name/,
    ],
    [
      'the namespace',
      (object) => ({ ...object, metadata: { ...object.metadata, namespace: 'b' } }),
      /changed metadata\.namespace/,
    ],
    [
      'the uid',
      (object) => ({ ...object, metadata: { ...object.metadata, uid: 'b' } }),
      /changed metadata\.uid/,
    ],
    ['the kind', (object) => ({ ...object, kind: 'Secret' }), /changed kind/],
    ['the API version', (object) => ({ ...object, apiVersion: 'v2' }), /changed apiVersion/],
    ['all metadata', (object) => ({ ...object, metadata: null }), /changed metadata,/],
  ])('if a mutating function changes %s, the request is refused', async (_, change, expected) => {
    const { outcome, lines } = await answerOf(
      mutating(({ object }) => change(object)),
      reviewOf(),
    );

    expect(outcome).toBe('failed');
    expect((lines.find(({ level }) => level === 'error')?.fields.err as Error).message).toMatch(
      expected,
    );
  });

  test('a mutating function removes fields by setting them to undefined, and integers beyond doubles stay exact', async () => {
    const text = JSON.stringify(reviewOf()).replace(
      '"colour":"red"',
      '"colour":"red","size":9007199254740993',
    );

    const { patch } = await answerOf(
      mutating(({ object }) => ({ ...object, data: { ...object.data, colour: undefined } })),
      text,
    );

    expect(patch).toEqual([{ op: 'remove', path: '/data/colour' }]);
  });

  test('a mutating webhook can deny an object, or change it and add a warning', async () => {
    const denied = await answerOf(
      mutating(() => deny('no')),
      reviewOf(),
    );
    const changed = await answerOf(
      mutating(({ object }) => allow({ object: { ...object, data: {} }, warnings: ['cleared'] })),
      reviewOf(),
    );

    expect(denied.response.allowed).toBe(false);
    expect(changed.response.warnings).toEqual(['cleared']);
    expect(changed.patch).toEqual([{ op: 'remove', path: '/data/colour' }]);
  });

  test('[A-6] if a function exceeds its time limit, the review is answered once, with 504, and the signal of the function aborts', async () => {
    const clock = new FakeClock();
    const { lines, logFor } = recordingLog();
    const late = Promise.withResolvers<ReturnType<typeof allow>>();
    let signal: AbortSignal | undefined;
    const webhook = configMapWebhook({
      validate: (_request, context) => {
        signal = context.signal;
        return late.promise;
      },
    });
    const endpoint = webhookEndpoint(webhook, { clock, logFor, storeOf: () => undefined });
    const limits = { timeoutMs: 700, signal: new AbortController().signal };
    const answer = endpoint.answer(JSON.stringify(reviewOf()), limits);

    await clock.advanceAndSettle(699);
    expect(signal?.aborted).toBe(false);
    await clock.advanceAndSettle(1);
    late.resolve(allow());

    expect(await answer).toMatchObject({ status: 504, outcome: 'timeout' });
    expect(signal?.aborted).toBe(true);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('[A-3] if a function settles twice, its first result is the response', async () => {
    const webhook = configMapWebhook({
      validate: () =>
        new Promise((resolve, reject) => {
          resolve(deny('first'));
          resolve(allow());
          reject(new Error('third'));
        }),
    });

    const { response } = await answerOf(webhook, reviewOf());

    expect(response.status?.message).toBe('first');
  });

  test('[A-1] a function reads only sources that the webhook declares', async () => {
    const webhook = configMapWebhook({
      validate: (_request, { store }) => {
        store(configMaps).list();
      },
    });

    const { outcome, lines } = await answerOf(webhook, reviewOf());

    expect(outcome).toBe('failed');
    expect((lines.find(({ level }) => level === 'error')?.fields.err as Error).message).toBe(
      'a webhook reads a source that it does not declare: add configmaps to reads',
    );
  });
});
