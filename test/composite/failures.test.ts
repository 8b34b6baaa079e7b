/** What an Event and a condition say about a sync that failed. */
import { expect, test } from 'vitest';
import { publicMessage } from '../../operator/composite/failures.ts';
import { OperatorError } from '../../operator/core/errors.ts';

test('the message names the child that an answer is refused for', () => {
  const error = new OperatorError('sync names a child twice', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { resource: 'configmaps', name: 'barn' },
  });

  expect(publicMessage(error)).toBe('sync names a child twice (resource configmaps, name barn)');
});

test('what a hook wrote cannot change a terminal, and stays on one line', () => {
  const said = 'answered 500: \u001b[31mfire\u202e\n\tat\r';

  expect(publicMessage(new Error(said))).toBe('answered 500: \\u001b[31mfire\\u202e at\\u000d');
});

test('a long message is cut, and no character in two', () => {
  const message = publicMessage(new Error(`${'x'.repeat(1_023)}😀`));

  expect(message).toHaveLength(1_024);
  expect(message.isWellFormed()).toBe(true);
});
