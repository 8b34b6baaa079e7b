/** What an Event and a condition say about a sync that failed. */
import { expect, test } from 'vitest';
import { publicMessage } from '../../operator/composite/failures.ts';
import { OperatorError } from '../../operator/core/errors.ts';

test("if an answer is refused because of a child, the public message contains the child's name", () => {
  const error = new OperatorError('sync names a child twice', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { resource: 'configmaps', name: 'barn' },
  });

  expect(publicMessage(error)).toBe('sync names a child twice (resource configmaps, name barn)');
});

test("in the public message an error's control characters are escaped, and line breaks are removed", () => {
  const said = 'answered 500: \u001b[31mfire\u202e\n\tat\r';

  expect(publicMessage(new Error(said))).toBe('answered 500: \\u001b[31mfire\\u202e at\\u000d');
});

test('a long public message is not cut in the middle of a character', () => {
  const message = publicMessage(new Error(`${'x'.repeat(1_023)}😀`));

  expect(message).toHaveLength(1_024);
  expect(message.isWellFormed()).toBe(true);
});
