/** What of an API server's words an ApiError prints: the rule and the field, never the value. */
import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ApiError, type Status, type StatusCause } from '../../operator/model/status.ts';

const SECRET = 'postgres://app:zq7onlyhere8c1@db:5432/shop';
const PART = /zq7onlyhere8c1|postgres|5432/;

/** As the API server composes it of field errors: `details.causes`, and the message of them all. */
function invalid(...causes: readonly StatusCause[]): ApiError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const details = { name: 'web', group: 'apps', kind: 'Deployment', causes };
  const message = `Deployment.apps "web" is invalid: ${list}`;
  return new ApiError({ code: 422, reason: 'Invalid', message, details });
}

function cause(message: string, reason = 'FieldValueInvalid', field = 'spec.dsn'): StatusCause {
  return { reason, message, field };
}

/** Everything of an error that a logger or a person could print. */
function printed(error: ApiError): string {
  return [
    String(error),
    error.stack,
    inspect(error, { depth: 9, showHidden: true }),
    JSON.stringify(error),
  ].join('\n');
}

const JSON_VALUE = JSON.stringify({ a: `${SECRET}: b`, b: ['x"}, ', SECRET] });

test.each([
  [
    'a string',
    `Invalid value: ${JSON.stringify(SECRET)}: must be a URL`,
    'spec.dsn: Invalid value (not shown): must be a URL',
  ],
  [
    'a string with quotes',
    `Invalid value: ${JSON.stringify(`a": "${SECRET}`)}: must be short`,
    'spec.dsn: Invalid value (not shown): must be short',
  ],
  [
    'escapes of Go',
    `Invalid value: "\\x00\\a${SECRET}": must be short`,
    'spec.dsn: Invalid value (not shown): must be short',
  ],
  [
    'a string of two lines',
    `Invalid value: "a\n${SECRET}": must be short`,
    'spec.dsn: Invalid value (not shown)',
  ],
  [
    'unescaped quotes',
    `Invalid value: "a"${SECRET}": must be short`,
    'spec.dsn: Invalid value (not shown)',
  ],
  [
    'JSON',
    `Invalid value: ${JSON_VALUE}: field is immutable`,
    'spec.dsn: Invalid value (not shown): field is immutable',
  ],
  [
    'a struct of Go',
    `Invalid value: core.EnvVar{Name:"A", Value:"${SECRET}"}: no`,
    'spec.dsn: Invalid value (not shown)',
  ],
  [
    'a map of Go',
    `Invalid value: map[string]string{"a":"${SECRET}"}: no`,
    'spec.dsn: Invalid value (not shown)',
  ],
  [
    'a value without quotes',
    `Invalid value: ${SECRET}: must be short`,
    'spec.dsn: Invalid value (not shown)',
  ],
  [
    'JSON without an end',
    `Invalid value: {"a":"${SECRET}", no`,
    'spec.dsn: Invalid value (not shown)',
  ],
  [
    'a rule that repeats the value',
    `Invalid value: "${SECRET}": cannot read ${SECRET} at 4`,
    'spec.dsn: Invalid value (not shown): cannot read (not shown)',
  ],
  [
    'a rule that repeats part of the value',
    `Invalid value: "${SECRET}": expected 5 fields, found [zq7onlyhere8c1]`,
    'spec.dsn: Invalid value (not shown): expected 5 fields, found (not shown)',
  ],
  [
    'a rule that quotes another',
    `Invalid value: "string": must be of type integer: "${SECRET}"`,
    'spec.dsn: Invalid value (not shown): must be of type integer: (not shown)',
  ],
  ['null', 'Invalid value: null: must be set', 'spec.dsn: Invalid value (not shown): must be set'],
  [
    'a number',
    'Invalid value: -1: must be greater than or equal to 0',
    'spec.dsn: Invalid value (not shown): must be greater than or equal to 0',
  ],
  [
    'a choice',
    `Unsupported value: "${SECRET}": supported values: "a", "b"`,
    'spec.dsn: Unsupported value (not shown): supported values: "a", "b"',
  ],
  ['a duplicate', `Duplicate value: "${SECRET}"`, 'spec.dsn: Duplicate value (not shown)'],
  ['a reference', `Not found: "${SECRET}"`, 'spec.dsn: Not found (not shown)'],
  [
    'a length',
    'Too long: may not be more than 128 bytes',
    'spec.dsn: Too long: may not be more than 128 bytes',
  ],
  ['nothing', 'Required value', 'spec.dsn: Required value'],
  [
    'nothing, with a rule',
    'Required value: valid values: "OnFailure", "Never"',
    'spec.dsn: Required value: valid values: "OnFailure", "Never"',
  ],
  [
    'a difference of objects',
    `Forbidden: may not change\n  core.PodSpec{\n- Value: "${SECRET}"`,
    'spec.dsn: Forbidden: may not change …',
  ],
  [
    'the text of a rule alone',
    'Invalid value: more than 5 replicas need strategy rollout',
    'spec.dsn: Invalid value: more than 5 replicas need strategy rollout',
  ],
  [
    'a rule without a text',
    'Invalid value: failed rule: self.a < self.b',
    'spec.dsn: Invalid value: failed rule: self.a < self.b',
  ],
  ['a message that no API server sends', `${SECRET} is bad`, 'spec.dsn: (not shown)'],
])('[security 28] [attack A-3] the message about a refused field contains the rule, but not the value: %s', (_, message, told) => {
  const error = invalid(cause(message));

  expect(error.message).toBe(`422 Invalid: Deployment.apps "web" is invalid: ${told}`);
  expect(printed(error)).not.toMatch(PART);
  expect(error.details).toMatchObject({ name: 'web', group: 'apps', kind: 'Deployment' });
  expect(error.details.causes).toEqual([
    { reason: 'FieldValueInvalid', field: 'spec.dsn', message: told.replace('spec.dsn: ', '') },
  ]);
});

test('[attack A-3] if several fields are refused, the message contains each of them', () => {
  const error = invalid(
    cause('Required value', 'FieldValueRequired', 'spec.selector'),
    cause(`Invalid value: ${JSON_VALUE}: empty`, 'FieldValueInvalid', '<nil>'),
  );

  expect(error.message).toBe(
    '422 Invalid: Deployment.apps "web" is invalid: [spec.selector: Required value, <nil>: Invalid value (not shown): empty]',
  );
});

test.each([
  [
    400,
    `ConfigMap in version "v1" cannot be handled as a ConfigMap: parsing time "${SECRET}" as "2006": cannot parse "${SECRET}" as "2006"`,
  ],
  [
    400,
    `couldn't get version/kind; json parse error: unexpected end of JSON input ({"data":"${SECRET})`,
  ],
  [400, `error decoding YAML: yaml: cannot unmarshal !!str \`${SECRET}\` into int`],
  [400, `json: cannot unmarshal number 5432 into Go struct field Secret.data`],
  [
    400,
    `spec.dsn: Invalid value: "${SECRET}": strconv.ParseInt: parsing "${SECRET}": invalid syntax`,
  ],
  [
    422,
    `admission webhook "w.example.dev" denied the request: spec.dsn: Invalid value: ${SECRET}: no`,
  ],
  [
    403,
    `admission webhook "w.example.dev" denied the request: spec.dsn: Invalid value: "${SECRET}": no`,
  ],
  [409, `Apply failed with 1 conflict: conflict with "x": .spec.words[="${SECRET}"]`],
  [
    500,
    `failed to create typed patch object (/a; /v1, Kind=Secret): .stringData.k: expected string, got &value.valueUnstructured{Value:"${SECRET}"}`,
  ],
])('[attack A-3] if an error with the code %i is not about a field, its message contains no value: %s', (code, message) => {
  const details = { causes: [{ message }, { message, reason: 'Other', field: 'spec' }] };

  const error = new ApiError({ code, reason: 'Some', message, details });

  expect(printed(error)).not.toMatch(PART);
  expect(error.message).toContain('(not shown)');
});

test('[attack A-3] the server’s message with values is available through statusWithValues', () => {
  const error = invalid(cause(`Invalid value: "${SECRET}": no`));

  expect(error.statusWithValues().message).toContain(SECRET);
  expect(error.statusWithValues().details?.causes?.[0]?.message).toContain(SECRET);
});

/** Every failure in the recordings of a real API server. */
function recordedFailures(): readonly Status[] {
  const folder = new URL('../recordings/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))
    .flatMap((line) => failuresIn(JSON.parse(line)));
}

function failuresIn(value: unknown): readonly Status[] {
  if (typeof value === 'string' && value.includes('"Failure"')) {
    return value
      .split('\n')
      .flatMap((line) => (line.startsWith('{"') ? failuresIn(JSON.parse(line)) : []));
  }
  if (typeof value !== 'object' || value === null) return [];
  const status = value as Status;
  const own = status.kind === 'Status' && status.status === 'Failure' ? [status] : [];
  return [...own, ...Object.values(value).flatMap(failuresIn)];
}

test('[attack A-3] messages of a real API server about names, permissions and versions are unchanged', () => {
  const failures = recordedFailures().filter(
    ({ message = '' }) => !/value: |Not found: /.test(message),
  );

  expect(failures.length).toBeGreaterThan(30);
  const changed = failures
    .map((status) => [status.message ?? 'no message', new ApiError(status).message] as const)
    .filter(([before, after]) => !after.endsWith(`: ${before}`));
  expect(new Set(changed.map(([, after]) => after))).toEqual(
    new Set([
      '400 BadRequest: (not shown) is not a known field selector: only (not shown), (not shown)',
      '400 BadRequest: Lease in version "v1" cannot be handled as a Lease: parsing time (not shown) as (not shown): cannot parse (not shown) as (not shown)',
      "400 BadRequest: error decoding patch: invalid character (not shown) in literal null (expecting 'u')",
      '500: failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.k: expected string, got (not shown)',
      '400 BadRequest: invalid continue token: continue key is not valid: invalid character (not shown) looking for beginning of value',
      '400 BadRequest: strconv.ParseInt: parsing (not shown): invalid syntax',
      "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (not shown)",
      '422 Invalid: PersistentVolumeClaim "pvc" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims …',
      '422 Invalid: ConfigWatcher.k8spatterns.io "with-finalizer" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{(not shown)}',
    ]),
  );
});
