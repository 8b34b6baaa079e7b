/** What the kit imports of the toolkit, and what the repository's tests import of the kit. */
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, importsIn, read } from './imports.ts';

/** Entries of the toolkit that the kit may import, as any other package could. */
const ENTRIES = [
  'chancery',
  'chancery/internal',
  'chancery/internal-objects',
  'chancery/internal-testing',
  'chancery/kubernetes',
  'chancery/low-level',
  'chancery/schema',
] as const;

/** Sources of the kit that tests of other folders import by path: its public entry lacks what they need. */
const BY_PATH: readonly string[] = [
  'testing/src/ambassador/kubectl.ts',
  'testing/src/apiserver/api-server.ts',
  'testing/src/apiserver/auth/access.ts',
  'testing/src/apiserver/auth/bootstrap-policy.ts',
  'testing/src/apiserver/auth/policy-rule.ts',
  'testing/src/apiserver/auth/rule-coverage.ts',
  'testing/src/apiserver/built-in-types/built-in-types.ts',
  'testing/src/apiserver/patch/json/json-patch.ts', // what webhooks answer is applied by another's code
  'testing/src/apiserver/registry/built-in-resources.ts',
  'testing/src/apiserver/tls/certificate-authority.ts',
  'testing/test/apiserver/auth/rbac-server.ts',
];

const { dependencies } = JSON.parse(read('testing/package.json')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

test('the kit imports only modules of Node, its dependencies and public entries of the toolkit', () => {
  const wrong = importsIn('testing/src').filter(({ file, specifier }) => {
    if (specifier.startsWith('node:')) return false;
    if (!specifier.startsWith('.')) {
      return !(ENTRIES as readonly string[]).includes(specifier) && !(specifier in dependencies);
    }
    return !posix.join(posix.dirname(file), specifier).startsWith('testing/src/');
  });

  expect(wrong).toEqual([]);
});

test('every dependency of the kit is imported', () => {
  const used = new Set(importsIn('testing/src').map(({ specifier }) => specifier));

  expect(Object.keys(dependencies).filter((name) => !used.has(name))).toEqual([]);
});

/** Package → the one file of the kit that may import it. CEL is a folder of its own. */
const OWNER: Readonly<Record<string, string>> = {
  asn1js: 'testing/src/apiserver/tls/certificate-authority.ts',
  croner: 'testing/src/apiserver/controllers/batch/cron-schedule.ts',
};

test.each(Object.entries(OWNER))('the package %s is imported only by %s', (name, owner) => {
  const importing = importsIn('testing/src').filter(({ specifier }) => specifier === name);

  expect(importing.map(({ file }) => file)).toEqual([owner]);
});

const PACKAGES = [
  'testing/src',
  'packages/certificates/src',
  'packages/hooks/src',
  'packages/metacontroller/src',
  'packages/packaging/src',
];

test.each([
  ['internal', 200],
  ['internal-testing', 20],
])('each name of chancery/%s is imported by a package of this repository', (entry, least) => {
  const names = namesIn(
    read(`operator/${entry}.ts`),
    /export (?:type )?(?:\{([^}]*)\}|\* as (\w+))/g,
  );
  const statement = new RegExp(`import (?:type )?\\{([^}]*)\\} from 'chancery/${entry}'`, 'g');
  const imported = PACKAGES.flatMap(filesIn).flatMap((file) => namesIn(read(file), statement));
  const used = new Set(imported.map((name) => name.split(' as ')[0]));

  expect(names.length).toBeGreaterThan(least);
  expect(names.filter((name) => !used.has(name))).toEqual([]);
});

test('only the folders under packages/ import chancery/internal', () => {
  const others = ['operator', 'examples', 'bench'].flatMap((folder) =>
    importsIn(folder).filter(({ specifier }) => specifier === 'chancery/internal'),
  );

  expect(others).toEqual([]);
});

test('other folders import the kit by its package name, except for the listed files, and the list may only become shorter', () => {
  const found = ['operator', 'examples', 'test', 'bench'].flatMap((folder) =>
    importsIn(folder).flatMap(({ file, specifier }) => {
      const target = posix.join(posix.dirname(file), specifier);
      return specifier.startsWith('.') && target.startsWith('testing/') ? [target] : [];
    }),
  );

  expect([...new Set(found)].toSorted()).toEqual(BY_PATH);
});

function namesIn(source: string, statement: RegExp): readonly string[] {
  return [...source.matchAll(statement)].flatMap(([, list = '', namespace = '']) =>
    `${list},${namespace}`.split(',').flatMap((name) => name.replace('type ', '').trim() || []),
  );
}
