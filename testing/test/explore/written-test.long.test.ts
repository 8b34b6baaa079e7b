/** What `ExplorationFailure.testFile` writes is a test: it fails with the operator at fault, and passes with the mended one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExplorationFailure, explore, type Scenario } from '@chancery/testing';
import { expect, test } from 'vitest';
import { folderForTests, resultsOf, typeErrors } from '../../../test/support/written-tests.ts';

/** Gives each ConfigMap a Secret. Before it creates one, it asks its cache whether there is one. */
const OPERATOR = `import { controller, isControlledBy } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';

export const tokens = () =>
  controller({
    name: 'tokens',
    for: configMaps,
    owns: [secrets],
    consistency: 'none',
    permissions: [{ resource: secrets, verbs: ['create'] }],
    async reconcile(object, { client, store }) {
      const { name, namespace = '', uid = '' } = object.metadata;
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
      const mine = store(secrets).list({ namespace });
      if (mine.some((secret) => isControlledBy(secret, object))) return;
      await client.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: '', generateName: \`\${name}-\`, namespace, ownerReferences: [owner] },
      });
    },
  });
`;

/** Its cache shows what it has written itself. */
const MENDED = OPERATOR.replace("    consistency: 'none',\n", '');

/** The module of a scenario: its name and the name of its change may have any text. */
const scenarioOf = (
  name: string,
  change: string,
): string => `import type { Scenario } from '@chancery/testing';
import { tokens } from './operator.ts';

export const scenario: Scenario = {
  name: ${JSON.stringify(name)},
  objects: '{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }',
  controllers: () => [tokens()],
  lostAnswers: 0,
  changes: [
    {
      name: ${JSON.stringify(change)},
      apply: (cluster) => {
        cluster.patch('v1', 'ConfigMap', 'default', 'a', { metadata: { labels: { team: 'web' } } });
      },
    },
  ],
};
`;

const SCENARIOS: Readonly<Record<string, string>> = {
  plain: scenarioOf('tokens', 'a person labels ConfigMap a'),
  quoted: scenarioOf(
    'it\'s */ \\ `$\u007btokens}`\r\nof "two" lines',
    "'); /* a person */ labels\n$\u007ba}",
  ),
};

const PATIENT = { timeout: 240_000 };

test('a generated test of a failure fails until the operator is corrected', PATIENT, async () => {
  const folder = folderForTests();
  const write = (name: string, files: Readonly<Record<string, string>>): void => {
    mkdirSync(join(folder, name), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
  };

  for (const [name, text] of Object.entries(SCENARIOS)) {
    write(name, { 'operator.ts': OPERATOR, 'scenario.ts': text });
    const loaded = import(/* @vite-ignore */ join(folder, name, 'scenario.ts'));
    const { scenario } = (await loaded) as { readonly scenario: Scenario };
    const failure = await explore(scenario).catch((error: unknown) => error);
    if (!(failure instanceof ExplorationFailure)) throw failure;
    const written = failure.testFile('./scenario.ts');
    write(name, { 'order.test.ts': written });
    const mended = { 'operator.ts': MENDED, 'scenario.ts': text, 'order.test.ts': written };
    write(`${name}-mended`, mended);
  }

  expect(await typeErrors(folder)).toBe('');
  const twice: unknown = expect.stringMatching(/^OperatorError: .*: nothing is created twice: /s);
  expect(await resultsOf(folder)).toEqual({
    ...{ plain: twice, 'plain-mended': 'passed' },
    ...{ quoted: twice, 'quoted-mended': 'passed' },
  });
});
