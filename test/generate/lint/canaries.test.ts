/** Each rule on copies of a good Deployment in which one thing is wrong. */
import { expect, test } from 'vitest';
import { lint, RULES } from '../../../operator/generate/lint/lint.ts';
import { CANARIES } from './canaries.ts';

test.each(CANARIES)('the rule $rule reports an overlay that $does', ({
  rule,
  at,
  level = 'error',
  says = '',
  broken,
  caches,
  also = [],
}) => {
  const diagnostics = lint(broken().objects, { caches });

  const found = diagnostics.filter((diagnostic) => diagnostic.rule === rule);
  expect(found.map(({ object, path }) => `${object} ${path}`)).toContain(at);
  expect(found.map((diagnostic) => diagnostic.level)).toContain(level);
  expect(found.map(({ message }) => message).join()).toContain(says);
  const others = diagnostics.map((diagnostic) => diagnostic.rule).filter((other) => other !== rule);
  expect([...new Set(others)].sort()).toEqual([...also].sort());
});

test.each(CANARIES)('the message of $rule contains path, reason and remedy if an overlay $does', ({
  broken,
  caches,
}) => {
  for (const { path, message } of lint(broken().objects, { caches })) {
    expect(message.startsWith(`${path} `)).toBe(true);
    expect(message.slice(path.length)).toMatch(/^ [^\n]{4,}: [^\n]{10,}; [^\n]{4,}$/);
  }
});

test('every rule has a unique name, and at least one example that violates it', () => {
  const names = RULES.map(({ id }) => id);

  expect(new Set(names).size).toBe(names.length);
  expect(
    names.filter((id) => !CANARIES.some(({ rule }) => rule === id)),
    'CANARIES in test/generate/lint/canaries.ts has no canary for these rules.',
  ).toEqual([]);
});
