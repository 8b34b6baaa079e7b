/** What expressions may call: the libraries of Kubernetes' own environment, pkg/cel/environment/base.go, and no others. */
import { describe, expect, test } from 'vitest';
import { celEnvironment } from '../../../src/apiserver/cel/environment.ts';
import { compile, type Program, type Rejection } from '../../../src/apiserver/cel/program.ts';
import { Budget } from '../../../src/apiserver/cel/runtime/budget.ts';
import { startCluster } from '../support/cluster.ts';

function compiled(expression: string): Program | Rejection {
  const scope = { environment: celEnvironment(), variables: new Map(), wrongType: () => '' };
  return compile(scope, expression, 'dyn', 'refused');
}

/** @returns the value, or why there is none. */
function evaluate(expression: string, budget: Budget = new Budget(1_000_000)): unknown {
  const program = compiled(expression);
  if ('rejected' in program) return program.rejected.split('\n')[0];
  try {
    return program.run({}, budget);
  } catch (error) {
    return (error as Error).message.split('\n')[0];
  }
}

describe('macros with two variables', () => {
  test.each([
    '[4, 5, 6].all(place, value, value - place == 4)',
    '!{"north": 3, "south": 9}.all(side, length, side == "north" || length < 9)',
    '{"north": 3, "south": 9}.exists(side, length, side.startsWith("s") && length > 8)',
    '![7, 7].exists(place, value, place > value)',
    '[7, 8, 7].existsOne(place, value, place > 0 && value == 7)',
    '![7, 8, 7].exists_one(place, value, value == 7)',
    '["x", "y"].exists_one(letter, letter == "y")',
    '{"x": 1, "y": 2}.exists_one(letter, letter == "y")',
    '[2, 3].transformList(place, value, place * 10 + value) == [2, 13]',
    '[2, 3, 4].transformList(place, value, place != 1, value) == [2, 4]',
    '{"x": 1}.transformList(letter, number, letter + string(number)) == ["x1"]',
    '[5, 6].transformMap(place, value, value + 1)[1] == 7',
    '{"x": 1, "y": 2}.transformMap(letter, number, number > 1, number * 2) == {"y": 4}',
    '{"x": "a", "y": "b"}.transformMapEntry(key, value, {value: key}) == {"a": "x", "b": "y"}',
    '[[1, 2], [3]].transformList(i, row, row.transformList(j, cell, i * 10 + j)) == [[0, 1], [10]]',
  ])('the macro expression %s is true', (expression) => {
    expect(evaluate(expression)).toBe(true);
  });

  test('a macro with two variables reports an error only if no other item decides the result', () => {
    expect(evaluate('[0, 1].exists(i, v, 1 / v == 1)')).toBe(true);
    expect(evaluate('[0, 2].exists(i, v, 1 / v == 1)')).toMatch(/division by zero|divide by zero/i);
  });

  test.each([
    ['[1].all(i, i, true)', 'duplicate variable name: i'],
    ['[1].exists(i.j, v, true)', 'argument must be a simple name'],
    ['[1].all(i, v, v)', "expected type 'bool' but found 'int'"],
    [
      '1.5.transformList(i, v, v)',
      "expression of type 'double' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ['[3, 3].transformMapEntry(i, v, {v: i})', 'insert failed: key 3 already exists'],
  ])('the macro expression %s is refused', (expression, why) => {
    expect(evaluate(expression)).toContain(why);
  });
});

describe('CEL list functions', () => {
  test.each([
    '[9, 8, 7, 6].slice(1, 3) == [8, 7]',
    '[[[1]], [[2], [3]]].flatten() == [[1], [2], [3]]',
    '[[[[1]]], [[[2]], [[3], [4]]]].flatten(2) == [[1], [2], [3], [4]]',
    '[3, 1, 2].sort() == [1, 2, 3]',
    '["é", "z", "a"].sort() == ["a", "z", "é"]',
    '[duration("2m"), duration("90s")].sort()[0] == duration("90s")',
    '["ccc", "a", "bb"].sortBy(word, size(word)) == ["a", "bb", "ccc"]',
    'lists.range(4) == [0, 1, 2, 3]',
    '[1, 2].reverse() == [2, 1]',
    '["b", "a", "b"].distinct() == ["b", "a"]',
    '[[1], [1], [2]].distinct() == [[1], [2]]',
    '["b", "a"].first().value() == "b" && ["b", "a"].last().value() == "a"',
    '!lists.range(0).first().hasValue()',
    '[optional.of(4), optional.none()].unwrapOpt() == [4]',
    'optional.unwrap([optional.none(), optional.of(5)]) == [5]',
  ])('the list expression %s is true', (expression) => {
    expect(evaluate(expression)).toBe(true);
  });

  test.each([
    ['[1].slice(0, 2)', 'cannot slice(0, 2), list is length 1'],
    ['[1].slice(-1, 0)', 'cannot slice(-1, 0), negative indexes not supported'],
    [
      '[1, 2].slice(2, 1)',
      'cannot slice(2, 1), start index must be less than or equal to end index',
    ],
    ['[[1]].flatten(-1)', 'level must be non-negative'],
    ['[dyn(1), dyn("a")].sortBy(x, x)', 'list elements must have the same type'],
  ])('the list expression %s is an error', (expression, why) => {
    expect(evaluate(expression)).toBe(why);
  });
});

describe('CEL versions', () => {
  test.each([
    'semver("4.5.6").major() == 4 && semver("4.5.6").minor() == 5 && semver("4.5.6").patch() == 6',
    'semver("1.0.0-rc.2").isLessThan(semver("1.0.0-rc.10"))',
    'semver("1.0.0-rc.1").isGreaterThan(semver("1.0.0-9"))',
    'semver("1.0.0").isGreaterThan(semver("1.0.0-rc.1"))',
    'semver("1.0.0+one") == semver("1.0.0+two")',
    'semver("v01.2", true).compareTo(semver("1.2.0")) == 0',
    '!isSemver("v1.0.0") && isSemver("v1.0.0", true) && !isSemver("1.0") && isSemver("00", true)',
  ])('the version expression %s is true', (expression) => {
    expect(evaluate(expression)).toBe(true);
  });

  test.each([
    ['semver("1.2")', 'No Major.Minor.Patch elements found'],
    ['semver("1.02.3")', 'Minor number must not contain leading zeroes "02"'],
    ['semver("1.2.3-01")', 'Numeric PreRelease version must not contain leading zeroes "01"'],
    ['semver("1.2.x")', 'Invalid character(s) found in patch number "x"'],
    ['semver("1-a", true)', 'short version cannot contain PreRelease/Build meta data'],
  ])('the version expression %s is an error', (expression, why) => {
    expect(evaluate(expression)).toBe(why);
  });
});

describe('CEL libraries that Kubernetes does not have', () => {
  test.each([
    ['cel.bind(twice, 2 * 4, twice > 7)', "undeclared reference to 'cel' (in container '')"],
    ['[1].all(x, cel.bind(y, x, y == 1))', "undeclared reference to 'cel' (in container '')"],
    ['b"{}".json() == {}', "undeclared reference to 'json' (in container '')"],
    ['b"a".hex() == "61"', "undeclared reference to 'hex' (in container '')"],
    ['math.greatest(1, 2) == 2', "undeclared reference to 'math' (in container '')"],
  ])('the expression %s of a library that Kubernetes lacks is refused', (expression, why) => {
    expect(evaluate(expression)).toContain(why);
  });
});

describe('costs of CEL expressions', () => {
  test.each([
    'lists.range(2000).sort() != []',
    'lists.range(1000).all(i, v, lists.range(1000).all(j, w, v * w >= 0))',
    'lists.range(1000).transformMap(i, v, lists.range(1000).map(x, x)) != {}',
    'lists.range(1000).sortBy(x, lists.range(1000).size()) != []',
    'lists.range(1000).sortBy(x, -x) != []',
    'lists.range(200000).size() > 0',
    'lists.range(9000000000) != []',
  ])('the expression %s stops when its budget is used up', (expression) => {
    const budget = new Budget(100_000);

    evaluate(expression, budget);

    expect(budget.exhausted).toBe(true);
  });

  // Each figure is the sum that cel-go's rules give for the expansion of the macro.
  test.each([
    ['[1, 2].all(i, v, v > i)', 10 + 1 + 2 * (3 + 3)],
    ['[1, 2].exists(i, v, v > i)', 10 + 1 + 2 * (4 + 3)],
    ['[1, 2].existsOne(i, v, v > i)', 10 + 2 + 2 * (2 + 3)],
    ['[1, 2].transformList(i, v, v)', 10 + 10 + 1 + 2 * (12 + 1)],
    ['[1, 2].transformMap(i, v, v > 1, v)', 10 + 30 + 1 + 2 * (3 + 2 + 1)],
    ['[1, 2].reverse()', 10 + 11 + 2],
    ['[1, 2, 3].slice(1, 2)', 10 + 11 + 1],
    ['[1, 2, 3].sort()', 10 + 11 + 18],
    ['["a", "b"].sort()', 10 + 11 + 9],
    ['[1, 2, 3].distinct()', 10 + 11 + 18],
    ['lists.range(7)', 11 + 7],
  ])('the estimated cost of %s is %d', (expression, cost) => {
    const program = compiled(expression);

    expect('rejected' in program ? program.rejected : program.maxCost(NOTHING)).toBe(cost);
  });

  const NOTHING = { kind: 'object', most: 0, leastBytes: 2 } as const;
});

test('an expression that a definition may not contain is refused in a policy, too', async () => {
  const { send } = await startCluster();
  const rule = (text: string): object => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'fleets.cel.test' },
    spec: {
      group: 'cel.test',
      scope: 'Namespaced',
      names: { plural: 'fleets', kind: 'Fleet' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                ships: {
                  type: 'object',
                  maxProperties: 20,
                  additionalProperties: { type: 'integer' },
                  'x-kubernetes-validations': [{ rule: text }],
                },
              },
            },
          },
        },
      ],
    },
  });
  const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

  const bound = await send('POST', DEFINITIONS, rule('cel.bind(n, size(self), n < 3)'));
  const made = await send(
    'POST',
    DEFINITIONS,
    rule('self.all(name, tons, name != "ark" || tons > 9)'),
  );
  const fleet = (ships: object): object => ({
    apiVersion: 'cel.test/v1',
    kind: 'Fleet',
    metadata: { generateName: 'f-' },
    ships,
  });
  const fleets = '/apis/cel.test/v1/namespaces/default/fleets';
  const good = await send('POST', fleets, fleet({ ark: 10, dove: 1 }));
  const bad = await send('POST', fleets, fleet({ ark: 9, dove: 1 }));

  expect(bound.status).toBe(422);
  expect(bound.body.message).toContain("undeclared reference to 'cel' (in container '')");
  expect([made.status, good.status, bad.status]).toEqual([201, 201, 422]);
});
