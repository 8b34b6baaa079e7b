/** What is recorded of Secrets and credentials: their places, not their values. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskedExchange } from '../../../operator/cli/record/masked-exchange.ts';
import type { RecordedExchange } from '../../../operator/cli/record/recorded-exchange.ts';
import { SecretValues } from '../../../operator/model/masks/secret-values.ts';
import { answerOf, bodyOf, exchange, masked, type Passed } from './masked.ts';

const SECRETS = '/api/v1/namespaces/plants/secrets';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('masking of Secrets', () => {
  test('a value of a Secret has the same placeholder in stringData, in data and in later answers', () => {
    const values = new SecretValues();
    const metadata = { name: 'db', namespace: 'plants' };
    const body = {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata },
      stringData: { user: 'gardener', again: 'gardener' },
      data: { pin: base64('4711') },
    };
    const stored = {
      ...{ kind: 'Secret', metadata },
      data: { user: base64('gardener'), again: base64('gardener'), pin: base64('4711') },
    };

    const sent = bodyOf({ method: 'POST', path: SECRETS, body, answer: stored }, values);
    const read = answerOf({ path: `${SECRETS}/db`, answer: stored }, values);

    expect(sent).toEqual({
      ...body,
      stringData: { user: 'redacted-1', again: 'redacted-1' },
      data: { pin: base64('redacted-2') },
    });
    expect(read).toEqual({
      ...stored,
      data: { user: base64('redacted-1'), again: base64('redacted-1'), pin: base64('redacted-2') },
    });
  });

  test('everything in a Secret except its values is recorded unchanged', () => {
    const body =
      '{ "kind":"Secret", "metadata":{"generation":9007199254740993, "x":1.0},\n "data":{"a":"aGVsbG8=","b":null,"c":""} }';

    const { request } = masked({ method: 'PUT', path: `${SECRETS}/a`, body });

    expect(request.body).toBe(body.replace('aGVsbG8=', base64('redacted-1')));
  });

  test.each<readonly [string, Passed]>([
    [
      'a list',
      {
        path: SECRETS,
        answer: { kind: 'SecretList', items: [{ data: { a: base64('moonlight') } }] },
      },
    ],
    [
      'a list of the kind List',
      {
        path: '/x',
        answer: { kind: 'List', items: [{ kind: 'Secret', data: { a: base64('moonlight') } }] },
      },
    ],
    [
      'a table',
      {
        path: `${SECRETS}?includeObject=Object`,
        answer: { kind: 'Table', rows: [{ object: { data: { a: base64('moonlight') } } }] },
      },
    ],
    [
      'a patch without a kind',
      { method: 'PATCH', path: `${SECRETS}/a`, body: { data: { a: base64('moonlight') } } },
    ],
    [
      'a patch of stringData',
      { method: 'PATCH', path: `${SECRETS}/a`, body: { stringData: { a: 'moonlight' } } },
    ],
    [
      'a path that is encoded differently',
      {
        method: 'PATCH',
        path: '//api/v1/namespaces/plants//secret%73/a?x=y',
        body: { data: { a: base64('moonlight') } },
      },
    ],
    [
      'a JSON patch of one value',
      {
        method: 'PATCH',
        path: `${SECRETS}/a`,
        body: [{ op: 'test', path: '/data/a', value: base64('moonlight') }],
      },
    ],
    [
      'a JSON patch of the data',
      {
        method: 'PATCH',
        path: `${SECRETS}/a`,
        body: [{ op: 'add', path: '/data', value: { a: base64('moonlight') } }],
      },
    ],
    [
      'a JSON patch of the whole object',
      {
        method: 'PATCH',
        path: `${SECRETS}/a`,
        body: [{ op: 'replace', path: '', value: { stringData: { a: 'moonlight' } } }],
      },
    ],
    [
      'a misspelt field',
      { method: 'POST', path: SECRETS, body: { kind: 'Secret', StringData: { a: 'moonlight' } } },
    ],
    [
      'a value that is not base64',
      { method: 'POST', path: SECRETS, body: { kind: 'Secret', data: { a: 'moonlight!' } } },
    ],
    [
      'a value that is not a string',
      {
        method: 'POST',
        path: SECRETS,
        body: { kind: 'Secret', data: { a: [{ moonlight: 'moonlight' }] } },
      },
    ],
    [
      'data that is not an object',
      { method: 'POST', path: SECRETS, body: { kind: 'Secret', data: 'moonlight' } },
    ],
    [
      'YAML',
      {
        method: 'PATCH',
        path: `${SECRETS}/a`,
        type: 'application/apply-patch+yaml',
        body: 'kind: Secret\nstringData:\n  a: moonlight\n',
      },
    ],
    [
      'a kind at the end',
      {
        method: 'POST',
        path: '/apis/x/v1/things',
        body: { spec: { template: { stringData: { a: 'moonlight' }, kind: 'Secret' } } },
      },
    ],
    [
      'the last applied configuration',
      {
        path: `${SECRETS}/a`,
        answer: {
          kind: 'Secret',
          metadata: {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
                kind: 'Secret',
                stringData: { a: 'moonlight' },
              }),
            },
          },
        },
      },
    ],
    [
      'a manifest in a ConfigMap',
      {
        path: '/api/v1/configmaps',
        answer: {
          kind: 'ConfigMap',
          data: { 'a.yaml': 'kind: Secret\nstringData:\n  a: moonlight\n' },
        },
      },
    ],
    [
      'a refused patch, as JSON',
      {
        path: `${SECRETS}/a`,
        status: 422,
        answer: {
          kind: 'Status',
          message: `"" is invalid: patch: Invalid value: ${JSON.stringify(JSON.stringify({ kind: 'Secret', data: { a: base64('moonlight') } }))}: json: cannot unmarshal`,
          details: {
            causes: [
              {
                message: `Invalid value: ${JSON.stringify(JSON.stringify({ data: { a: base64('moonlight') } }))}`,
              },
            ],
          },
        },
      },
    ],
    [
      'a refused patch, as Go prints it',
      {
        path: `${SECRETS}/a`,
        status: 422,
        answer: {
          kind: 'Status',
          message:
            'Secret "a" is invalid: patch: Invalid value: "map[data:map[a:moonlight b:5]]": unrecognized type',
        },
      },
    ],
    [
      'a truncated quotation',
      {
        path: `${SECRETS}/a`,
        status: 422,
        answer: { kind: 'Status', message: 'Invalid value: "{\\"data\\":{\\"a\\":\\"moonlight' },
      },
    ],
    [
      'an apply with a wrong type',
      {
        path: `${SECRETS}/a`,
        status: 500,
        answer: {
          kind: 'Status',
          message:
            'failed to create typed patch object: .stringData.a: expected string, got &{moonlight}',
        },
      },
    ],
  ])('no value of a Secret appears in %s', (_, passed) => {
    const text = JSON.stringify(masked(passed));

    expect(text).not.toContain('moonlight');
    expect(text).not.toContain(base64('moonlight').slice(0, 11));
  });

  test('no value of a Secret appears in the events of a watch, even between events of other objects', () => {
    const event = (kind: string): string =>
      `${JSON.stringify({ type: 'ADDED', object: { kind, data: { a: base64('moonlight') } } })}\n`;
    const { response, ...rest } = exchange({ path: '/api/v1/things?watch=true' });
    const chunks = [{ at: 3, data: event('ConfigMap') + event('Secret') + event('ConfigMap') }];
    const { body: _, ...head } = response;

    const result = maskedExchange(
      { ...rest, response: { ...head, chunks, end: { at: 4, how: 'eof' } } },
      new SecretValues(),
    );

    const [chunk] = (result as RecordedExchange).response.chunks ?? [];
    const kept = event('ConfigMap').replace(base64('moonlight'), base64('redacted-1'));
    // The first one came before the value was known; the end of the recording replaces it.
    expect(chunk?.data.split('\n').slice(1)).toEqual([
      event('Secret').replace(base64('moonlight'), base64('redacted-1')).trimEnd(),
      kept.trimEnd(),
      '',
    ]);
  });

  test('a value of a Secret is also replaced outside the Secret, plain, in base64 and URL-encoded', () => {
    const values = new SecretValues();
    const secret = 'moon & "light"/?';
    masked(
      { method: 'POST', path: SECRETS, body: { kind: 'Secret', stringData: { a: secret } } },
      values,
    );

    const { request, response } = masked(
      {
        path: `/api/v1/pods?x=${encodeURIComponent(secret)}&y=${encodeURIComponent(base64(secret))}`,
        answer: {
          message: `cannot read ${secret}: ${base64(secret)}`,
          quoted: JSON.stringify(secret),
          kind: 'Status',
        },
      },
      values,
    );

    expect(request.path).toBe(
      `/api/v1/pods?x=redacted-1&y=${encodeURIComponent(base64('redacted-1'))}`,
    );
    expect(JSON.parse(response.body ?? '')).toEqual({
      message: `cannot read redacted-1: ${base64('redacted-1')}`,
      quoted: '"redacted-1"',
      kind: 'Status',
    });
  });

  test('the name of a namespace is not masked if a Secret has the same value', () => {
    const values = new SecretValues();
    const answer = {
      kind: 'Secret',
      metadata: { namespace: 'plants' },
      data: { namespace: base64('plants') },
    };

    const first = masked({ path: `${SECRETS}/a`, answer }, values);
    const second = masked({ path: `${SECRETS}/a`, answer }, values);

    expect(second).toEqual(first);
    expect(first.request.path).toBe(`${SECRETS}/a`);
    expect(answerOf({ path: `${SECRETS}/a`, answer }, values)).toMatchObject({
      metadata: { namespace: 'plants' },
      data: { namespace: base64('redacted-1') },
    });
  });

  test('masked values keep the properties that the API server checks: JSON, base64 and length', () => {
    const body = {
      kind: 'Secret',
      data: {
        '.dockerconfigjson': base64('{"auths":{}}'),
        wrong: 'not/base64!',
        long: base64('x'.repeat(3_000)),
        bytes: [104, 105],
      },
    };

    const { data } = bodyOf({ method: 'POST', path: SECRETS, body }) as typeof body;

    expect(Buffer.from(data['.dockerconfigjson'], 'base64').toString()).toBe('{"redacted":1}');
    expect(data.wrong).toBe('AAA/AAAAAA!'.replaceAll('/', 'A'));
    expect(Buffer.from(data.long, 'base64')).toHaveLength(3_000);
    // Go takes a list of numbers for bytes.
    expect(Buffer.from(data.bytes).toString()).toBe('redacted-4');
  });

  test.each([
    ['truncated JSON', 'application/json', `{"kind":"Secret","data":{"a":"bW9v`, '/api/v1/things'],
    ['anything on the path of Secrets', 'text/plain', 'moonlight', SECRETS],
    ['a string in JSON', 'application/json', '"moonlight"', SECRETS],
    ['a string in YAML', 'application/yaml', 'moonlight', SECRETS],
    ['protobuf', 'application/vnd.kubernetes.protobuf', 'k8s moonlight', '/api/v1/things'],
  ])('an exchange with a Secret that cannot be parsed is omitted: %s', (_, type, body, path) => {
    const result = maskedExchange(
      exchange({ method: 'POST', path, type, body }),
      new SecretValues(),
    );

    expect(result).toMatch(/^with a /);
  });

  test('an invalid value in a Secret has the same placeholder in the body and in the error message', () => {
    const values = new SecretValues();
    const wrong = 'moon light!?';
    const message = `Invalid value: "map[data:map[a:${wrong} b:${base64('moonlight')}]]": illegal base64`;
    const body = { data: { a: wrong, b: base64('moonlight') } };
    const passed: Passed = {
      method: 'PATCH',
      path: `${SECRETS}/a`,
      body,
      status: 422,
      answer: { kind: 'Status', message },
    };

    const once = masked(passed, values);

    const { data } = JSON.parse(once.request.body ?? '') as typeof body;
    expect(JSON.parse(once.response.body ?? '').message).toBe(
      `Invalid value: "map[data:map[a:${data.a} b:${data.b}]]": illegal base64`,
    );
    expect(data.a).toBe('AAAA!AAAAA!!');
    expect(maskedExchange(once, values)).toEqual(once);
  });

  test('masked text does not change when it is masked again', () => {
    const values = new SecretValues();
    const body = {
      kind: 'Secret',
      stringData: { a: 'moonlight', b: '{"c":1}', c: 'x'.repeat(2_000) },
      data: { d: 'x!' },
    };
    const once = masked({ method: 'POST', path: SECRETS, body, answer: body }, values);

    expect(maskedExchange(once, values)).toEqual(once);
  });
});

/** Long enough to be no word of the API, with every character that some encoding changes. */
const PAYLOAD = fc
  .array(fc.constantFrom(...'abcXYZ019+/=&<>"\\ %-_.:{}[]üß漢\n'), { minLength: 12, maxLength: 40 })
  .map((letters) => `q${letters.join('')}z`);

test('no payload of a Secret is found in any encoding, anywhere in the recording', () => {
  fc.assert(
    fc.property(PAYLOAD, PAYLOAD, fc.boolean(), (one, two, isText) => {
      const secret = isText
        ? { kind: 'Secret', stringData: { one, two } }
        : { kind: 'Secret', data: { one: base64(one), two: base64(two) } };
      const quoted = JSON.stringify(JSON.stringify(secret));
      const values = new SecretValues();

      const exchanges = [
        masked({ method: 'POST', path: SECRETS, body: secret, answer: secret }, values),
        masked(
          {
            path: `/x?one=${encodeURIComponent(one)}`,
            answer: { message: `${one} ${base64(two)}` },
          },
          values,
        ),
        masked({ path: SECRETS, answer: { message: `Invalid value: ${quoted}: no` } }, values),
      ];

      const texts = exchanges.flatMap(({ request, response }) => [
        request.path,
        request.body ?? '',
        response.body ?? '',
      ]);
      for (const payload of [one, two]) {
        const forms = [
          payload,
          base64(payload),
          encodeURIComponent(payload),
          JSON.stringify(payload).slice(1, -1),
        ];
        for (const form of forms) expect(texts.join('\n')).not.toContain(form);
      }
    }),
  );
});
