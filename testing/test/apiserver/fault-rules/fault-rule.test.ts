import { ConfigurationError } from 'chancery';
import { describe, expect, test } from 'vitest';
import { readFaults } from '../../../src/apiserver/fault-rules/fault-rule.ts';

/** The message of the refusal. */
function refusal(value: unknown): string {
  try {
    readFaults(value, 'f.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  return expect.unreachable('the value was taken');
}

describe('fault rules in a file', () => {
  test('valid fault rules are returned unchanged', () => {
    const faults = [
      { name: 'busy', verbs: ['list', 'watch'], path: '/apis/**', status: 429, skip: 1, count: 2 },
      { path: '/api/v1/namespaces/team-*/pods', delayMs: 250 },
      { reset: true },
      { cutWatch: 'reset', delayMs: 10, verbs: ['watch'] },
      { status: 503, message: 'm', reason: 'Overloaded', retryAfterSeconds: 7 },
    ];

    expect(readFaults({ faults })).toEqual(faults);
  });

  test('an unknown field of a fault rule is refused with its path and the known fields', () => {
    const message = refusal({ faults: [{ status: 500 }, { statuss: 500 }] });

    expect(message).toMatch(
      /^f\.yaml: faults\[1\]\.statuss is not known; did you mean status\? known: name, verbs, path, /,
    );
  });

  test('at the top level, every field except `faults` is refused, even `metadata`', () => {
    expect(refusal({ faults: [], metadata: {} })).toBe(
      'f.yaml: metadata is not known; known: faults',
    );
  });

  test('a field of a fault rule with the name of an inherited property, such as __proto__, is refused', () => {
    expect(refusal(JSON.parse('{"faults":[{"__proto__":{"status":500}}]}'))).toMatch(
      /^f\.yaml: faults\[0\]\.__proto__ is not known; /,
    );
  });

  test.each([
    [{ status: 399 }, 'faults[0].status'],
    [{ status: 600 }, 'faults[0].status'],
    [{ status: '503' }, 'faults[0].status'],
    [{ status: 503.5 }, 'faults[0].status'],
    [{ delayMs: 3_600_001 }, 'faults[0].delayMs'],
    [{ delayMs: -1 }, 'faults[0].delayMs'],
    [{ status: 500, count: 0 }, 'faults[0].count'],
    [{ status: 500, verbs: [] }, 'faults[0].verbs'],
    [{ status: 500, verbs: ['lists'] }, 'faults[0].verbs[0]'],
    [{ cutWatch: 'hard' }, 'faults[0].cutWatch'],
    [{ reset: false }, 'faults[0].reset'],
    [{ delayMs: 1, name: 'n'.repeat(1_001) }, 'faults[0].name'],
    [{}, 'faults[0] does nothing'],
    [{ verbs: ['get'] }, 'faults[0] does nothing'],
    [{ status: 500, reset: true }, 'faults[0] has status and reset'],
    [{ delayMs: 1, reason: 'Gone' }, 'faults[0].reason is part of a failure'],
    [{ delayMs: 1, path: 'api' }, 'faults[0].path must begin with "/"'],
    [{ delayMs: 1, path: '/a*b' }, 'faults[0].path must begin with "/"'],
    [{ delayMs: 1, path: '/**/pods' }, 'faults[0].path must begin with "/"'],
    [{ cutWatch: 'clean', verbs: ['watch', 'list'] }, 'faults[0].verbs must be [watch]'],
    [null, 'faults[0]'],
    ['reset', 'faults[0]'],
  ])('the fault rule %j is refused with its path', (rule, path) => {
    expect(refusal({ faults: [rule] }).startsWith(`f.yaml: ${path}`)).toBe(true);
  });

  test.each([
    [undefined, 'expected an object with faults, got undefined'],
    [[], 'expected an object with faults, got a list'],
    [{}, 'faults: Required value'],
  ])('the fault list %j is refused', (value, message) => {
    expect(refusal(value)).toBe(`f.yaml: ${message}`);
  });

  test('at most a hundred fault rules are accepted', () => {
    const rules = (count: number): object => ({
      faults: Array.from({ length: count }, () => ({ delayMs: 1 })),
    });

    expect(readFaults(rules(100))).toHaveLength(100);
    expect(refusal(rules(101))).toMatch(/^f\.yaml: faults: Too many: 101/);
  });

  test('the message of a refusal contains at most five problems, and the number of further problems', () => {
    const message = refusal({ faults: Array.from({ length: 9 }, () => ({})) });

    expect(message).toMatch(/faults\[4\] does nothing.*; and 4 more$/);
  });
});
