/** What an Event and a condition say about a sync that failed. */
import { expect, test } from 'vitest';
import { publicMessage } from '../../operator/composite/failures.ts';
import { OperatorError } from '../../operator/core/errors.ts';

test('the public message names the child for which an answer is refused', () => {
  const error = new OperatorError('sync names a child twice', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { resource: 'configmaps', name: 'barn' },
  });

  expect(publicMessage(error)).toBe('sync names a child twice (resource configmaps, name barn)');
});

test('the public message of a hook’s text has no control characters, and stays on one line', () => {
  const said = 'answered 500: \u001b[31mfire\u202e\n\tat\r';

  expect(publicMessage(new Error(said))).toBe('answered 500: \\u001b[31mfire\\u202e at\\u000d');
});

test('a long public message is cut between characters', () => {
  const message = publicMessage(new Error(`${'x'.repeat(1_023)}😀`));

  expect(message).toHaveLength(1_024);
  expect(message.isWellFormed()).toBe(true);
});
