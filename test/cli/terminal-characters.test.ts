/** What anybody may write into an object or a message, on its way to a terminal. */

import { configMap } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeError } from '../../operator/cli/describe-error.ts';
import { DryRunReport } from '../../operator/cli/run/dry-run-report.ts';
import { shellSafeJson } from '../../operator/cli/watch/lines.ts';
import { visibleText } from '../../operator/core/text/visible-text.ts';
import { createLogger } from '../../operator/manager/observe/logger.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { ApiError } from '../../operator/model/status.ts';
import { Collector } from './collector.ts';
import { invoke } from './invocation.ts';
import { printedEvents } from './printed.ts';
import { json, listOf, object, PATH, scriptedServer, stream } from './scripted-server.ts';

const CODES = [
  ...Array.from({ length: 33 }, (_, at) => 0x7f + at),
  ...[0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
  ...[0x2066, 0x2067, 0x2068, 0x2069],
];
const HOSTILE = `a${CODES.map((code) => String.fromCharCode(code)).join('b')}c`;
const OBEYED = new RegExp(`[${CODES.map((code) => String.fromCharCode(code)).join('')}]`);

test('[security 30] [attack A-5] `watch` escapes control characters without changing the JSON value', async () => {
  const { url } = await scriptedServer({
    lists: [listOf('10', object('listed', '9', HOSTILE))],
    watches: [
      stream(
        { type: 'ADDED', object: object('watched', '11', HOSTILE) },
        JSON.stringify({ type: 'ADDED', object: object('parsed', '12', HOSTILE) }).replace(
          '"object":',
          ' "object":',
        ),
      ),
    ],
  });

  const { stdout } = invoke(['watch', PATH, '--server', url]);
  await stdout.until(() => stdout.lines.length === 3);

  expect(stdout.lines.filter((line) => OBEYED.test(line))).toEqual([]);
  expect(printedEvents(stdout.lines).map((event) => event.object.data)).toEqual([
    { k: HOSTILE },
    { k: HOSTILE },
    { k: HOSTILE },
  ]);
});

test('[attack A-5] escaping control characters in JSON does not change its value', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...HOSTILE, '\\', '"', '\n') }), (text) => {
      const line = shellSafeJson({ [text]: text });

      expect(line).not.toMatch(OBEYED);
      expect(JSON.parse(line)).toEqual({ [text]: text });
    }),
  );
});

test('[security 30] [attack A-5] a dry run prints no control characters in diffs and refusals', () => {
  const out = new Collector();
  const sink = new DryRunReport({ out, colour: false }).sinkOf('shop');
  const message = `no ${HOSTILE}`;
  const write = {
    verb: 'update',
    resource: configMaps,
    target: { namespace: 'demo', name: 'a' },
    before: configMap('a', { namespace: 'demo', data: { value: 'x' } }),
  } as const;

  sink.wrote({ ...write, after: configMap('a', { namespace: 'demo', data: { value: HOSTILE } }) });
  sink.wrote({ ...write, after: undefined, refusal: new ApiError({ code: 422, message }) });

  expect(out.lines.join('\n')).not.toMatch(OBEYED);
  expect(out.lines.join('\n')).toContain('\\u202e');
});

test('[security 30] [attack A-5] messages and log lines contain control characters only as escape sequences', () => {
  const error = new ApiError({ code: 500, message: HOSTILE });
  const stderr = new Collector();

  createLogger('info', stderr).warn({ err: error, key: HOSTILE }, 'failed');

  expect(stderr.lines).toHaveLength(1);
  expect(stderr.lines[0]).not.toMatch(OBEYED);
  expect(stderr.records[0]).toMatchObject({ key: HOSTILE, err: { message: `500: ${HOSTILE}` } });
  expect(describeError(error)).not.toMatch(OBEYED);
  expect(visibleText('a\tb\nc\u001b[2J\u009b')).toBe('a\tb\nc\\u001b[2J\\u009b');
});

test('[attack A-5] answers of a server are printed on standard error without control characters', async () => {
  const message = `refused ${HOSTILE}`;
  const { url } = await scriptedServer({
    lists: [
      json(400, { kind: 'Status', status: 'Failure', reason: 'BadRequest', code: 400, message }),
    ],
    watches: [],
  });

  const { stderr, exit } = invoke(['watch', PATH, '--server', url]);

  expect(await exit).toBe(2);
  expect(stderr.lines.join('\n')).toContain('refused a');
  expect(stderr.lines.join('\n')).not.toMatch(OBEYED);
});
