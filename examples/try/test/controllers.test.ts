/** What `npm run example` generates roles and filter for: the controllers of an operator, with its arguments. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { exampleFolder } from '../../../test/docs/guide.ts';
import { controllersOf } from '../cluster.ts';

const HEAD = `import { controller, runnable, withArguments } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
const named = (name) => controller({ name, for: configMaps, reconcile: async () => {} });
`;

async function namesOf(exported: string, args: readonly string[] = []): Promise<readonly string[]> {
  const folder = exampleFolder();
  writeFileSync(join(folder, 'operator.ts'), `${HEAD}export default ${exported};`);
  const controllers = await controllersOf(pathToFileURL(`${folder}/`), args);
  return controllers.map(({ name }) => name);
}

test('an operator that takes arguments has controllers that depend on these arguments', async () => {
  const program = `withArguments({
    arguments: { name: { type: 'string', default: 'none', help: 'n' } },
    create: ({ values }) => ({ controllers: [named(values.name)] }),
  })`;

  expect(await namesOf(program, ['--name=given'])).toEqual(['given']);
  expect(await namesOf("[named('one'), runnable({ name: 'tick', run: async () => {} })]")).toEqual([
    'one',
  ]);
  expect(await namesOf("named('alone')")).toEqual(['alone']);
});
