import { describe, expect, test } from 'vitest';
import {
  AmbassadorError,
  ConfigurationError,
  messageOf,
  OperatorError,
  ProtocolError,
} from '../../operator/core/errors.ts';

describe('the classes of errors', () => {
  const cause = new Error('because');

  test.each([
    [
      new AmbassadorError('m', { code: 'CONNECTION_LOST', fate: 'unknown', cause }),
      { name: 'AmbassadorError', code: 'CONNECTION_LOST', layer: 'ambassador', fate: 'unknown' },
    ],
    [
      new ProtocolError('m', { code: 'DECODE', cause }),
      { name: 'ProtocolError', code: 'DECODE', layer: 'protocol' },
    ],
    [
      new ConfigurationError('m', { cause }),
      { name: 'ConfigurationError', code: 'CONFIG', layer: 'configuration' },
    ],
    [
      new OperatorError('m', { code: 'USER_CODE', layer: 'user-code', cause }),
      { name: 'OperatorError', code: 'USER_CODE', layer: 'user-code' },
    ],
  ])('$name contains the layer that failed, and the cause', (error, facts) => {
    expect(error).toBeInstanceOf(OperatorError);
    expect(error).toMatchObject({ ...facts, message: 'm', context: {} });
    expect(error.cause).toBe(cause);
    expect(error.stack).toContain(`${facts.name}: m`);
  });

  test('an error without a cause has no cause property', () => {
    const error = new ConfigurationError('m', { context: { port: 1 } });

    expect('cause' in error).toBe(false);
    expect(error.context).toEqual({ port: 1 });
  });

  test.each([
    [new TypeError('wrong'), 'wrong'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [42, '42'],
  ])('messageOf returns a string for any thrown value', (thrown, text) => {
    expect(messageOf(thrown)).toBe(text);
  });
});
