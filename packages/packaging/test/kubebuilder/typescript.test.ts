/** Projects of TypeScript that kubebuilder makes with the plugin: alone, and beside Go. */
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { Kubebuilder } from './support/kubebuilder.ts';

const CART = ['--typescript', '--group', 'shop', '--version', 'v1', '--kind', 'Cart'];
const GO = 'go.kubebuilder.io/v4';

/** The content of PROJECT as version 3 has it. */
const PROJECT = { version: '3', domain: 'example.com', projectName: 'demo', layout: [GO] };

/** A project with Go that has no kind yet. Nothing here looks into its manager. */
function besideGo(config: object = {}): Kubebuilder {
  return new Kubebuilder(
    new Map([
      ['PROJECT', ''],
      ['config/manager/manager.yaml', ''],
      ['cmd/main.go', 'package main\n'],
    ]),
    { ...PROJECT, ...config },
  );
}

const PROJECT_FILES = [
  '.dockerignore',
  '.gitignore',
  '.npmrc',
  'Dockerfile',
  'package.json',
  'src/operator.ts',
  'tsconfig.json',
];

test('[scaffolding 11] `init` without a config makes a TypeScript project', async () => {
  const kubebuilder = new Kubebuilder();

  const { written, errors, exchanges, told } = await kubebuilder.init([]);

  expect(exchanges.map(({ request }) => 'config' in request)).toEqual([false, false, false]);
  expect(errors).toEqual([]);
  expect(Object.keys(written)).toEqual([...PROJECT_FILES, 'README.md', 'chancery.json'].sort());
  expect(told).toContain('no kind yet');
  const name = basename(process.cwd());
  expect(JSON.parse(written['package.json'] ?? '')).toMatchObject({ name });
  expect(written['src/operator.ts']).toContain('export default [\n];\n');
});

test('in a Go project, the first kind creates a separate folder with the TypeScript project', async () => {
  const kubebuilder = besideGo();

  const { written, errors, told } = await kubebuilder.createApi([...CART, '--owns=services']);

  expect(errors).toEqual([]);
  expect(Object.keys(written)).toEqual(
    [
      ...[...PROJECT_FILES, 'samples/cart.yaml', 'src/cart.test.ts', 'src/cart.ts'].map(
        (path) => `typescript/${path}`,
      ),
      'chancery.json',
    ].sort(),
  );
  expect(JSON.parse(written['typescript/package.json'] ?? '')).toMatchObject({
    name: 'demo-typescript',
  });
  expect(written['typescript/src/cart.ts']).toContain("group: 'shop.example.com'");
  expect(written['typescript/src/operator.ts']?.split('\n').slice(-6)).toEqual([
    "import cartController from './cart.ts';",
    '',
    'export default [',
    '  cartController,',
    '];',
    '',
  ]);
  expect(JSON.parse(written['chancery.json'] ?? '')).toMatchObject({
    typescript: {
      folder: 'typescript',
      kinds: [
        {
          ...{ group: 'shop.example.com', version: 'v1', kind: 'Cart', plural: 'carts' },
          file: 'typescript/src/cart.ts',
        },
      ],
    },
  });
  expect(told).toContain('npm install, npm test, npm run generate');
});

test('a project without Go gets its workflow together with its first kind, because the workflow would fail without a kind', async () => {
  const kubebuilder = new Kubebuilder(new Map(), { version: '3' });
  const api = ['--group', 'shop.example.com', '--version', 'v1', '--kind', 'Cart'];

  const init = await kubebuilder.init([]);
  const create = await kubebuilder.createApi(api);

  const workflow = '.github/workflows/ci.yml';
  expect([init, create].map(({ written }) => workflow in written)).toEqual([false, true]);
});

test('[scaffolding 18] a second run with the same arguments changes nothing', async () => {
  const kubebuilder = new Kubebuilder(new Map(), { version: '3' });
  const api = ['--group', 'shop.example.com', '--version', 'v1', '--kind', 'Cart'];
  await kubebuilder.init([]);
  await kubebuilder.createApi(api);

  const again = [await kubebuilder.init([]), await kubebuilder.createApi(api)];
  again.push(await kubebuilder.edit(), await kubebuilder.edit(['--typescript']));

  expect(again.map(({ written, errors }) => ({ written, errors }))).toEqual(
    again.map(() => ({ written: {}, errors: [] })),
  );
});

test('a second run keeps files that were changed, and writes removed files again', async () => {
  const kubebuilder = besideGo();
  await kubebuilder.createApi(CART);
  const written = new Map(kubebuilder.files);
  kubebuilder.files.set('typescript/src/cart.ts', '// mine\n').set('typescript/.gitignore', '');
  kubebuilder.files.delete('typescript/samples/cart.yaml');

  const again = await kubebuilder.createApi(CART);

  expect(Object.keys(again.written)).toEqual(['typescript/samples/cart.yaml']);
  expect(again.written['typescript/samples/cart.yaml']).toBe(
    written.get('typescript/samples/cart.yaml'),
  );
});

test.each([
  ['a list', [GO]],
  ['a string', `${GO},chancery.dev/v1`],
])('[scaffolding 12] with a layout as %s and without multigroup, `create api` writes paths without a group', async (_form, layout) => {
  const kubebuilder = besideGo({ layout, multigroup: false });

  const { written } = await kubebuilder.createApi(CART);

  expect(Object.keys(written)).toContain('typescript/src/cart.ts');
});

test('[scaffolding 12] with multigroup, two kinds of the same name can exist', async () => {
  const kubebuilder = besideGo({ multigroup: true });
  const inGroup = (group: string): readonly string[] => CART.with(2, group);

  const first = await kubebuilder.createApi(inGroup('shop'));
  const second = await kubebuilder.createApi(inGroup('9-sea.life'));

  expect([first.errors, second.errors]).toEqual([[], []]);
  expect(Object.keys(first.written)).toContain('typescript/src/shop/cart.ts');
  expect(Object.keys(second.written)).toEqual([
    'chancery.json',
    'typescript/samples/g9-sea-life-cart.yaml',
    'typescript/src/9-sea.life/cart.test.ts',
    'typescript/src/9-sea.life/cart.ts',
    'typescript/src/operator.ts',
  ]);
  expect(second.written['typescript/src/operator.ts']).toContain(
    "import shopCartController from './shop/cart.ts';\n" +
      "import g9SeaLifeCartController from './9-sea.life/cart.ts';\n",
  );
  expect(second.written['typescript/src/9-sea.life/cart.ts']).toContain("'g9-sea-life-cart'");
  expect(second.written['typescript/src/9-sea.life/cart.test.ts']).toContain(
    "'../../samples/g9-sea-life-cart.yaml'",
  );
});

test("[scaffolding 12] a group and a kind that are too long for a controller's name are refused", async () => {
  const group = 'a'.repeat(30);
  const kinds = [`C${'a'.repeat(31)}`, `C${'a'.repeat(32)}`];

  const runs = await Promise.all(
    kinds.map((kind) =>
      besideGo({ multigroup: true }).createApi(CART.with(2, group).with(6, kind)),
    ),
  );

  expect(runs.map(({ errors }) => errors.length)).toEqual([0, 1]);
  expect(runs[1]?.errors[0]).toContain('is longer than 63: choose a shorter --kind or --group');
});

test('[scaffolding 12] a kind that already exists in Go is refused, and the error contains its Go controllers', async () => {
  const api = { crdVersion: 'v1', namespaced: true };
  const cart = { group: 'shop', domain: 'example.com', version: 'v1', kind: 'Cart', api };
  const forms = [
    { controller: true },
    { controllers: [{ name: 'cart' }, { name: 'cart-backup' }] },
    {},
  ];

  const runs = await Promise.all(
    forms.map((form) => besideGo({ resources: [{ ...cart, ...form }] }).createApi(CART)),
  );

  expect(runs.map(({ written }) => written)).toEqual([{}, {}, {}]);
  const refused = (by: string): string =>
    `Cart of shop.example.com is a kind in Go already${by}: choose another kind for TypeScript, because two ` +
    'definitions of one kind overwrite each other';
  expect(runs.map(({ errors }) => errors)).toEqual([
    [refused(', with the controller cart')],
    [refused(', with the controller cart and cart_backup')],
    [refused('')],
  ]);
});

test.each([
  [[...CART, '--plural-name', 'Kärren'], '--plural-name must be at most 63 of a-z'],
  [[...CART, '--owns', 'shoes'], '--owns has no template for "shoes"'],
  [[...CART, '--owns=jobs.batch', '--cluster-scoped'], '--cluster-scoped gives the owner none'],
  [CART.with(2, '../../../..'), '--group must be a domain in lower case with a dot'],
  [CART.with(6, '../Cart'), '--kind must be one word in CamelCase'],
  [CART.with(4, 'v1/../..'), '--version must be a version of an API'],
  [['--typescript', '--group', 'shop'], 'create api needs --group, --version and --kind'],
])('`create api` refuses the arguments %j', async (words, message) => {
  const { errors, written } = await besideGo().createApi(words);

  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(message);
  expect(written).toEqual({});
});

test('`create api` refuses to run together with a Go plugin, because both would make the kind', async () => {
  const { errors, written } = await besideGo().createApi(CART, [
    'base.go.kubebuilder.io/v4',
    'chancery.dev/v1',
  ]);

  expect(written).toEqual({});
  expect(errors).toEqual([
    '--typescript cannot go together with base.go.kubebuilder.io/v4, which makes the kind in Go: name this plugin alone, ' +
      '--plugins chancery.dev/v1',
  ]);
});

test('`create api` does not overwrite existing files', async () => {
  const kubebuilder = besideGo();
  kubebuilder.files.set('typescript/samples/cart.yaml', 'kind: Cart\n');

  const { errors, written } = await kubebuilder.createApi(CART);

  expect(written).toEqual({});
  expect(errors).toEqual([
    'typescript/samples/cart.yaml would be overwritten: move these files away, or choose another kind',
  ]);
});

test.each([
  [
    'a file whose name differs only in upper or lower case',
    'typescript/src/Cart.ts',
    'src/cart.ts would be over',
  ],
  ['a file in the place of a folder', 'typescript/samples', 'typescript/samples is a file: move'],
  ['a folder in the place of a file', 'typescript/tsconfig.json/a', 'because it is a folder: move'],
])('`create api` refuses to write to a path with %s', async (_what, path, message) => {
  const kubebuilder = besideGo();
  kubebuilder.files.set(path, '');

  const { errors, written } = await kubebuilder.createApi(CART);

  expect(written).toEqual({});
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(message);
});

test('[scaffolding 4] two kinds with the same plural, and two versions of one kind, are refused', async () => {
  const trolley = { group: 'shop', domain: 'example.com', version: 'v1', kind: 'Trolley' };
  const kubebuilder = besideGo({
    resources: [trolley, { ...trolley, kind: 'Ox', plural: 'oxen' }],
  });
  const first = await kubebuilder.createApi(CART);
  const named = (kind: string, plural: string): readonly string[] => [
    ...CART.with(6, kind),
    `--plural-name=${plural}`,
  ];

  const refused = [
    await kubebuilder.createApi(named('Carting', 'carts')),
    await kubebuilder.createApi(named('Wagon', 'trolleys')),
    await kubebuilder.createApi(named('Yoke', 'oxen')),
    await kubebuilder.createApi(CART.with(4, 'v2')),
    await kubebuilder.createApi(named('Cart', 'wagons')),
  ];
  const elsewhere = await kubebuilder.createApi(named('Carting', 'carts').with(2, 'garage'));

  expect([first.errors, elsewhere.errors]).toEqual([[], []]);
  expect(refused.map(({ written }) => written)).toEqual(refused.map(() => ({})));
  const there = 'Cart of shop.example.com exists already, with version v1 and plural carts, in ';
  expect(refused.map(({ errors }) => errors[0]?.split(' already: ', 1)[0])).toEqual([
    'carts.shop.example.com is the name of the definition of Cart',
    'trolleys.shop.example.com is the name of the definition of Trolley',
    'oxen.shop.example.com is the name of the definition of Ox',
    `${there}typescript/src/cart.ts: change the version and the plural there`,
    `${there}typescript/src/cart.ts: change the version and the plural there`,
  ]);
});

test('if `operator.ts` cannot be changed safely, it stays unchanged, and the error contains the lines to add', async () => {
  const kubebuilder = besideGo();
  await kubebuilder.createApi(CART);
  kubebuilder.files.set('typescript/src/operator.ts', 'export default makeList();\n');

  const { errors, written } = await kubebuilder.createApi(CART.with(6, 'Order'));

  expect(written).toEqual({});
  expect(errors[0]).toContain('src/operator.ts cannot be changed safely, because it has no');
  expect(errors[0]).toContain("import orderController from './order.ts';");
});

test('flags for the ambassador require a manager in Go', async () => {
  const kubebuilder = new Kubebuilder(new Map(), { version: '3' });
  await kubebuilder.init([]);

  const { errors, written } = await kubebuilder.edit(['--unix-socket']);

  expect(written).toEqual({});
  expect(errors[0]).toContain('there is no manager in Go that --proxy-port, --unix-socket');
});

test('[scaffolding 23] if the controller file of a kind was deleted, the kind is removed from the project, and a message lists what else to remove', async () => {
  const kubebuilder = new Kubebuilder(new Map(), { version: '3' });
  const group = ['--group', 'shop.example.com', '--version', 'v1'];
  await kubebuilder.createApi([...group, '--kind', 'Index', '--plural-name=indices']);
  await kubebuilder.createApi([...group, '--kind', 'Cart']);
  kubebuilder.files.delete('src/index.ts');

  const first = await kubebuilder.edit();
  const second = await kubebuilder.edit();

  expect(Object.keys(first.written)).toEqual(['chancery.json']);
  expect(first.written['chancery.json']).not.toContain('Index');
  expect(first.written['chancery.json']).toContain('Cart');
  expect(first.told).toBe(
    'chancery.dev: src/index.ts is gone, and Index of shop.example.com with it: remove its import and its name from ' +
      'src/operator.ts, then run npm run generate in this folder, which removes its definition from deploy/. Objects of ' +
      'it in clusters stay, and nothing reconciles them: look for them with kubectl get indices.shop.example.com -A, and ' +
      'delete the definition indices.shop.example.com when they may be deleted',
  );
  expect([second.written, second.told]).toEqual([{}, '']);
});

test.each([
  '{',
  '{"version":2}',
  '{"name":"chancery"}',
  '{"version":1,"typescript":{"folder":"../x","kinds":[]}}',
])('a chancery.json with the content %s is not replaced', async (text) => {
  const kubebuilder = besideGo();
  kubebuilder.files.set('chancery.json', text);

  const { errors, written } = await kubebuilder.createApi(CART);

  expect(written).toEqual({});
  expect(errors[0]).toContain('chancery.json is not the record of chancery.dev/v1');
});
