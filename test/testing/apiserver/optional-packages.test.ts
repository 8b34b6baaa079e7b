import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { OperatorError } from '../../../operator/core/errors.ts';
import { optionalPackage } from '../../../operator/testing/apiserver/optional-package.ts';
import { startCluster } from './support/cluster.ts';

/** As if a package were not installed. */
function uninstall(name: string): void {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === name) throw new Error(`Cannot find module '${name}'`);
      return next(specifier, context);
    },
  });
  onTestFinished(() => hooks.deregister());
}

function definitionOf(field: object): object {
  const spec = { type: 'object', properties: { x: field } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.a.example' },
    spec: {
      group: 'a.example',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

test('a package that is not there is an error that says what to install', () => {
  const load = (): unknown => optionalPackage('chancery-has-no-such-package', 'this test');

  expect(load).toThrow(OperatorError);
  expect(load).toThrow(
    'the package chancery-has-no-such-package is needed for this test; install it with: npm install --save-dev chancery-has-no-such-package',
  );
});

test.each([
  ['@marcbachmann/cel-js', { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] }],
  ['re2js', { type: 'string', pattern: '^unseen$' }],
])('without %s a definition that needs it is refused, and another one is not', async (name, field) => {
  uninstall(name);
  const { send } = await startCluster();

  const refused = await send('POST', DEFINITIONS, definitionOf(field));
  const absent = await send('GET', `${DEFINITIONS}/foos.a.example`);
  const accepted = await send('POST', DEFINITIONS, definitionOf({ type: 'string' }));

  expect([refused.status, refused.body.reason]).toEqual([501, 'NotImplemented']);
  expect(refused.body.message).toContain(`npm install --save-dev ${name}`);
  expect([absent.status, accepted.status]).toEqual([404, 201]);
});

test.each(['operator/index.ts', 'operator/cli/run.ts'])('%s does not lead to them', (entry) => {
  const reached = reachedFrom(new URL(`../../../${entry}`, import.meta.url));

  expect(reached.size).toBeGreaterThan(10);
  expect([...reached].filter((file) => file.includes('optional-package'))).toEqual([]);
});

/** All files that are loaded with one. */
function reachedFrom(entry: URL): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (file: URL): void => {
    if (reached.has(file.href)) return;
    reached.add(file.href);
    const source = readFileSync(file, 'utf8');
    for (const [, path = ''] of source.matchAll(
      /^(?:import|export)\s(?!type\b)[^'";]*?from '(\.[^']+)'/gm,
    )) {
      visit(new URL(path, file));
    }
  };
  visit(entry);
  return reached;
}
