/**
 * No value of a Secret reaches a record, wherever the process has it: in Secrets themselves, and in whatever a careless
 * operator has copied it to. Shorter values than 6 bytes are masked in Secrets only.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Flight } from '../../operator/flight/flight-recorder.ts';
import type { KeptLine } from '../../operator/flight/kept-line.ts';
import { readRecord } from '../../operator/flight/read-record.ts';
import { RecordFiles } from '../../operator/flight/record-files.ts';
import { Entry } from '../../operator/model/entry.ts';
import { folderWith } from '../cli/child.ts';
import { propertyRuns } from '../support/property-runs.ts';

const CHARACTERS = [...'abcXYZ0189"\\<>&/ \n\t%+=_-.:{}é日😀\''];

const textValue = fc
  .array(fc.constantFrom(...CHARACTERS), { minLength: 6, maxLength: 40 })
  .map((characters) => characters.join(''))
  // White space and digits alone are everywhere.
  .filter((text) => /[^\s\d]/.test(text.trim()) && text.trim().length >= 6);
const binaryValue = fc
  .uint8Array({ minLength: 6, maxLength: 40 })
  .map((bytes) => Buffer.from(bytes));

/** How a value could stand in a text. */
function formsOf(value: string | Buffer): readonly string[] {
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64');
  const unpadded = base64.replace(/=+$/, '');
  const encoded = [
    unpadded,
    unpadded.replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent(base64),
  ];
  if (typeof value !== 'string') return encoded;
  const json = JSON.stringify(value).slice(1, -1);
  const go = json.replaceAll(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
  return [
    ...encoded,
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    go,
    encodeURIComponent(value),
  ];
}

const NAMESPACE = '/api/v1/namespaces/demo';

/** A process in whose every corner the value stands, in a Secret or copied from it. */
function flightWith(value: string, binary: Buffer, cuts: readonly number[]): Flight {
  const secret = {
    metadata: { name: 'pw', namespace: 'demo', uid: 'u1', resourceVersion: '3' },
    data: { pw: Buffer.from(value).toString('base64'), bytes: binary.toString('base64') },
  };
  const manifest = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'pw' },
    stringData: { pw: value },
  };
  const careless = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...{ name: 'copy', namespace: 'demo', uid: 'u2', resourceVersion: '4' },
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(manifest),
        [value]: 'as a name',
      },
    },
    data: { [`k-${value}`]: `before ${value} after`, nested: `x ${JSON.stringify({ a: value })}` },
    binaryData: {
      alone: Buffer.from(value).toString('base64'),
      ...Object.fromEntries(
        ['', 'a', 'ab', 'abc'].map((before) => [
          `at${before.length}`,
          Buffer.concat([Buffer.from(before), binary, Buffer.from('end')]).toString('base64'),
        ]),
      ),
    },
  };
  const event = { kind: 'Event', note: `pw is ${value}`, regarding: { name: 'pw' } };
  const refusal = {
    ...{ kind: 'Status', status: 'Failure', code: 422 },
    message: `Secret "pw" is invalid: ${JSON.stringify(JSON.stringify({ ...manifest, kind: 'Secret' }))}: no`,
  };
  const patch = [{ op: 'replace', path: '/data/pw', value: Buffer.from(value).toString('base64') }];
  const watched = `${[careless, { ...secret, kind: 'Secret' }].map((object) => JSON.stringify({ type: 'ADDED', object })).join('\n')}\n`;
  const lines: KeptLine[] = [
    { kind: 'state', at: 0, segment: 0, random: 1, leads: true },
    cached('configmaps', [careless]),
    // After what was copied from them: what is secret shows only later.
    cached('secrets', [secret]),
    cached('secrets#2', [{ metadata: { name: 'pw' }, ready: { password: value } }]),
    { kind: 'wake', at: 1, controller: 'c', key: `demo/${value}`, cause: `Secret demo/${value}` },
    ...exchange(
      1,
      'GET',
      `${NAMESPACE}/${encodeURIComponent(value)}?labelSelector=a%3D${encodeURIComponent(value)}`,
      undefined,
      JSON.stringify(careless),
      cuts,
    ),
    ...exchange(
      2,
      'PATCH',
      `${NAMESPACE}/secrets/pw`,
      JSON.stringify(patch),
      JSON.stringify(refusal),
      cuts,
    ),
    ...exchange(
      3,
      'POST',
      `${NAMESPACE}/secrets`,
      JSON.stringify(manifest),
      JSON.stringify(secret),
      cuts,
    ),
    ...exchange(
      4,
      'POST',
      `${NAMESPACE}/events`,
      JSON.stringify(event),
      JSON.stringify(event),
      cuts,
    ),
    ...exchange(5, 'GET', `${NAMESPACE}/secrets?watch=1`, undefined, watched, cuts, 'watch'),
    ...exchange(
      6,
      'GET',
      `${NAMESPACE}/secrets`,
      undefined,
      JSON.stringify({ items: [secret] }),
      cuts,
    ).slice(0, -2),
    { kind: 'ended', at: 9, id: 6, error: { code: 'CONNECTION_LOST', message: `lost ${value}` } },
    {
      kind: 'log',
      at: 9,
      level: 'error',
      message: `failed: ${value}`,
      fields: { [value]: [value], err: new Error(`no ${value}`) },
    },
    {
      kind: 'outcome',
      at: 9,
      controller: 'c',
      key: 'a',
      id: 8,
      result: 'error',
      error: { code: 'X', message: value },
    },
  ];
  const source = { apiVersion: 'v1', namespaced: true, form: 'full' } as const;
  return {
    ...{ lines, beganWallMs: 0, from: 0, to: 10, truncated: undefined },
    controllers: [{ name: 'c', for: 'secrets', sources: ['secrets'], workers: 1 }],
    sources: [
      { ...source, id: 'secrets', kind: 'Secret', plural: 'secrets' },
      { ...source, form: 'transformed', id: 'secrets#2', kind: 'Secret', plural: 'secrets' },
      { ...source, id: 'configmaps', kind: 'ConfigMap', plural: 'configmaps' },
    ],
    limits: { minutes: 10, megabytes: 64 },
  };
}

function cached(source: string, objects: readonly object[]): KeptLine {
  return {
    kind: 'cached',
    at: 0,
    source,
    entries: objects.map((object) => Entry.of(object as never)),
  };
}

/** An exchange whose answer arrives in parts, cut at some of its bytes. */
function exchange(
  id: number,
  method: string,
  path: string,
  body: string | undefined,
  answer: string,
  cuts: readonly number[],
  purpose: 'call' | 'watch' = 'call',
): readonly KeptLine[] {
  const bytes = Buffer.from(answer);
  const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  );
  return [
    {
      kind: 'request',
      at: 2,
      id,
      method,
      path,
      purpose,
      contentType: 'application/json',
      ...(body !== undefined && { body }),
    },
    { kind: 'answer', at: 3, id, status: 200, headers: { 'content-type': 'application/json' } },
    ...places.slice(0, -1).map(
      (from, index): KeptLine => ({
        kind: 'chunk',
        at: 4,
        id,
        bytes: bytes.subarray(from, places[index + 1]),
      }),
    ),
    { kind: 'ended', at: 5, id },
  ];
}

test('a record contains no value of a Secret in any encoding', async () => {
  const folder = folderWith({});
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      textValue,
      binaryValue,
      fc.array(fc.nat(2_000), { maxLength: 12 }),
      async (value, binary, cuts) => {
        const own = join(folder, String(number++));
        const facts = {
          settings: { A: value },
          arguments: [value],
          modules: () => [],
          environment: {},
        };
        const files = new RecordFiles({ folder: own, facts, log: { info() {}, warn() {} } });

        const path = await files.write(flightWith(value, binary, cuts), 'asked', `for ${value}`);

        const [name = ''] = readdirSync(own);
        expect(path).toBe(join(own, name));
        const text = gunzipSync(readFileSync(join(own, name))).toString();
        for (const form of [...formsOf(value), ...formsOf(binary)])
          expect(text).not.toContain(form);
        const record = await readRecord(join(own, name));
        expect(record.cutOff).toBeUndefined();
        expect(record.lines.filter(({ kind }) => kind === 'request')).toHaveLength(6);
      },
    ),
    {
      ...propertyRuns(),
      // In a watch of Secrets, as the name of a member.
      examples: [[':  >1😀:', Buffer.alloc(6), []]],
    },
  );
});
