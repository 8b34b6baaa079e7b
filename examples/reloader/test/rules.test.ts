/** The rules of the contract, from annotations and references to what is written to a cluster. */
import { configMap, eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { APP, AUTO, type Data, envFrom, type Reloading, startReloader } from './support/start.ts';

const AUTO_OF = (type: 'configmap' | 'secret', value: string): Data => ({
  [`${type}.reloader.stakater.com/auto`]: value,
});

/** Restarted Deployments of `names`, when the operator has handled everything. */
async function restarted(
  reloader: Reloading,
  names: readonly string[],
): Promise<readonly string[]> {
  await reloader.handled();
  return names.filter((name) => reloader.rollouts(name) > 0);
}

async function deployAll(reloader: Reloading, workloads: Readonly<Record<string, Data>>) {
  await reloader.config('app', { mode: '1' });
  await reloader.secret('key', { key: '1' });
  for (const [name, annotations] of Object.entries(workloads)) {
    await reloader.workload(name, { annotations, ...envFrom('configmap/app', 'secret/key') });
  }
  await reloader.handled();
  return Object.keys(workloads);
}

test('[reloader 2] the annotation `auto` for one type reloads for that type, with each word that Go reads as true', async () => {
  const reloader = await startReloader();
  const names = await deployAll(reloader, {
    'a-config': AUTO_OF('configmap', 'true'),
    'a-secret': AUTO_OF('secret', 'true'),
    'b-one': { 'reloader.stakater.com/auto': '1' },
    'b-t': { 'reloader.stakater.com/auto': 'T' },
    'b-yes': { 'reloader.stakater.com/auto': 'yes' },
    'c-either': { 'reloader.stakater.com/auto': 'false', ...AUTO_OF('configmap', 'TRUE') },
    'd-none': {},
  });

  await reloader.config('app', { mode: '2' });
  const afterConfig = await restarted(reloader, names);
  await reloader.secret('key', { key: '2' });
  const afterSecret = await restarted(reloader, names);

  expect(afterConfig).toEqual(['a-config', 'b-one', 'b-t', 'c-either']);
  expect(afterSecret).toEqual(['a-config', 'a-secret', 'b-one', 'b-t', 'c-either']);
  expect(reloader.rollouts('a-config')).toBe(1);
  expect(reloader.rollouts('b-t')).toBe(2);
});

test('[reloader 2] with --auto-reload-all, every workload reloads, except for workloads whose annotations exclude it', async () => {
  const reloader = await startReloader({ args: ['--auto-reload-all'] });
  const names = await deployAll(reloader, {
    'a-false': { 'reloader.stakater.com/auto': 'false' },
    'a-other': { 'reloader.stakater.com/auto': 'never' },
    'b-config': AUTO_OF('configmap', 'false'),
    'c-empty': { 'reloader.stakater.com/auto': '' },
    'c-none': {},
    'c-search': { 'reloader.stakater.com/search': 'true' },
  });

  await reloader.config('app', { mode: '2' });
  const afterConfig = await restarted(reloader, names);
  await reloader.secret('key', { key: '2' });
  const afterSecret = await restarted(reloader, names);

  expect(afterConfig).toEqual(['c-empty', 'c-none', 'c-search']);
  expect(afterSecret).toEqual(['b-config', 'c-empty', 'c-none', 'c-search']);
});

test('[reloader 3] a named list reloads without a reference and marks the first container, and the pattern `a|b` is anchored as in Go', async () => {
  const reloader = await startReloader();
  const annotations = { 'configmap.reloader.stakater.com/reload': ' first|last ,, App-x,dot.ted' };
  const spec = { containers: [{ ...APP, name: 'one' }, APP] };
  await reloader.workload('web', { annotations, spec });
  const meant = ['dot.ted', 'dotated', 'first-of-all', 'the-last'];
  const others = ['app-x', 'dot.ted-2', 'last-but-one', 'not-first'];
  for (const name of [...meant, ...others]) await reloader.config(name, { mode: '1' });
  await eventually(async () => Object.keys(await reloader.recorded('web')).length >= meant.length);
  await reloader.handled();
  expect(Object.keys(await reloader.recorded('web'))).toEqual(
    meant.map((each) => `configmap/${each}`),
  );

  for (const name of [...meant, ...others]) await reloader.config(name, { mode: '2' });
  await eventually(async () => Object.keys(await reloader.variables('web', 'one')).length === 4);
  await reloader.handled();

  expect(Object.keys(await reloader.variables('web', 'one')).sort()).toEqual([
    'STAKATER_DOTATED_CONFIGMAP',
    'STAKATER_DOT_TED_CONFIGMAP',
    'STAKATER_FIRST_OF_ALL_CONFIGMAP',
    'STAKATER_THE_LAST_CONFIGMAP',
  ]);
  expect(await reloader.variables('web', 'app')).toEqual({});
});

test('[reloader 4] an exclude list contains exact names of one type, and outranks named lists', async () => {
  const reloader = await startReloader();
  const reload = (type: string): Data => ({ [`${type}.reloader.stakater.com/reload`]: '.*' });
  const exclude = (type: string): Data => ({
    [`${type}.exclude.reloader.stakater.com/reload`]: ' app, .*',
  });
  const references = envFrom('configmap/app', 'configmap/app-2', 'secret/app', 'secret/app-2');
  for (const name of ['app', 'app-2']) {
    await reloader.config(name, { mode: '1' });
    await reloader.secret(name, { mode: '1' });
  }
  await reloader.workload('config', {
    annotations: { ...AUTO, ...exclude('configmaps') },
    ...references,
  });
  await reloader.workload('secret', {
    annotations: { ...reload('secret'), ...exclude('secrets') },
    ...references,
  });
  const keys = async (name: string) => Object.keys(await reloader.recorded(name));
  await eventually(async () => (await keys('config')).length === 3);
  await reloader.handled();

  expect(await keys('config')).toEqual(['configmap/app-2', 'secret/app', 'secret/app-2']);
  expect(await keys('secret')).toContain('secret/app-2');
  expect(await keys('secret')).not.toContain('secret/app');
  await reloader.config('app', { mode: '2' });
  await reloader.secret('app', { mode: '2' });
  await reloader.rolledOut('config', 1);
  await reloader.handled();
  expect(Object.keys(await reloader.variables('config'))).toEqual(['STAKATER_APP_SECRET']);
  expect(await reloader.variables('secret')).not.toHaveProperty('STAKATER_APP_SECRET');
});

test.each([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
] as const)('[reloader 6] every kind of reference restarts a %s, and marks the container that uses the resource', async (kind) => {
  const reloader = await startReloader();
  const configs = ['env', 'env-from', 'both', 'volume', 'projected', 'init-volume'];
  const secrets = ['env', 'env-from', 'volume', 'projected', 'init-env'];
  const set = async (mode: string): Promise<void> => {
    for (const name of [...configs, 'unmounted']) await reloader.config(name, { mode });
    for (const name of [...secrets, 'pull']) await reloader.secret(name, { mode });
  };
  await set('1');
  const mount = (name: string) => ({ name, mountPath: `/${name}` });
  const env = [
    { name: 'C', valueFrom: { configMapKeyRef: { name: 'env', key: 'mode' } } },
    { name: 'S', valueFrom: { secretKeyRef: { name: 'env', key: 'mode' } } },
  ];
  const projected = [{ configMap: { name: 'projected' } }, { secret: { name: 'projected' } }];
  const spec = {
    imagePullSecrets: [{ name: 'pull' }],
    volumes: [
      { name: 'c', configMap: { name: 'volume' } },
      { name: 's', secret: { secretName: 'volume' } },
      { name: 'p', projected: { sources: projected } },
      { name: 'b', configMap: { name: 'both' } },
      { name: 'i', configMap: { name: 'init-volume' } },
      { name: 'u', configMap: { name: 'unmounted' } },
    ],
    initContainers: [
      {
        ...APP,
        name: 'init',
        volumeMounts: [mount('i')],
        envFrom: [{ secretRef: { name: 'init-env' } }],
      },
    ],
    containers: [
      { ...APP, envFrom: [{ configMapRef: { name: 'both' } }] },
      {
        ...APP,
        name: 'side',
        env,
        envFrom: [{ configMapRef: { name: 'env-from' } }, { secretRef: { name: 'env-from' } }],
        volumeMounts: ['c', 's', 'p', 'b'].map(mount),
      },
    ],
  };
  await reloader.workload('web', { kind, annotations: AUTO, spec });
  const wanted = configs.length + secrets.length;
  await eventually(async () => Object.keys(await reloader.recorded('web', kind)).length === wanted);

  // All in one patch, which must leave the containers in their order.
  await reloader.operator.stop();
  await set('2');
  reloader.startOperator();
  const stakater = async (container: string) =>
    Object.keys(await reloader.variables('web', container, kind))
      .filter((name) => name.startsWith('STAKATER_'))
      .sort();
  await eventually(
    async () => (await stakater('app')).length + (await stakater('side')).length === wanted,
  );
  await reloader.handled();

  const { containers } = (await reloader.live('web', kind)).spec.template.spec;
  expect(containers.map(({ name }) => name)).toEqual(['app', 'side']);
  expect(reloader.rollouts('web', kind)).toBe(1);
  expect(await stakater('app')).toEqual([
    'STAKATER_INIT_ENV_SECRET',
    'STAKATER_INIT_VOLUME_CONFIGMAP',
  ]);
  expect(await stakater('side')).toEqual([
    'STAKATER_BOTH_CONFIGMAP',
    'STAKATER_ENV_CONFIGMAP',
    'STAKATER_ENV_FROM_CONFIGMAP',
    'STAKATER_ENV_FROM_SECRET',
    'STAKATER_ENV_SECRET',
    'STAKATER_PROJECTED_CONFIGMAP',
    'STAKATER_PROJECTED_SECRET',
    'STAKATER_VOLUME_CONFIGMAP',
    'STAKATER_VOLUME_SECRET',
  ]);
});

test('[reloader 8] the hashes of objects from the API server equal the hashes of the original operator', async () => {
  const reloader = await startReloader();
  const binary = (...bytes: number[]) => Buffer.from(bytes).toString('base64');
  const put = (name: string, content: object) =>
    reloader.apply([{ ...configMap(name), ...content } as never]);
  await put('h1', { data: undefined });
  await put('h4', { data: { a: '1', 'a-b': '2' } });
  await put('h5', { data: { k: 'v' }, binaryData: { bin: binary(0, 255, 16) }, immutable: true });
  await put('h6', { data: { 'app.properties': 'x=1\ny=2\n' } });
  await put('h8', { data: { k: '\u00e9' } });
  await reloader.secret('h9', { user: 'admin', password: 'p455w0rd' });
  const tls = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'h10' } };
  await reloader.apply([{ ...tls, data: { 'tls.key': binary(255, 254, 0) } } as never]);
  await reloader.secret('h11', { k: '' });
  const configs = ['h1', 'h4', 'h5', 'h6', 'h8'].map((name) => `configmap/${name}` as const);
  const secrets = ['h10', 'h11', 'h9'].map((name) => `secret/${name}` as const);
  await reloader.workload('web', { annotations: AUTO, ...envFrom(...configs, ...secrets) });
  await eventually(async () => Object.keys(await reloader.recorded('web')).length === 8);

  expect(await reloader.recorded('web')).toEqual({
    'configmap/h1': 'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'configmap/h4': 'c84ab684ba8b31449f333adb8a148da918699967',
    'configmap/h5': '5c3a6972f7dc1eed02ba6a6533cff832b2e4d748',
    'configmap/h6': 'b303c6fa2becc709d55712e3e769dbab8bc85eb4',
    'configmap/h8': 'ce314b01e2f69eef84b805badd8c8c4189c4c8a0',
    'secret/h10': '2e71815bb07a26c32acc4bb5718af7d85069734f',
    'secret/h11': 'a2a640403bda81368faf0dd24c36f66cb0206460',
    'secret/h9': '98e8484cebbac4d79c8ebfb7cf56dca572e76f6a',
  });
});

test('[reloader 1] workloads without Pods, with the strategy OnDelete, and with long names restart like other workloads', async () => {
  const reloader = await startReloader();
  const long = `a${'b.'.repeat(125)}cd`;
  expect(long).toHaveLength(253);
  await reloader.config(long, { mode: '1' });
  const given = { annotations: AUTO, ...envFrom(`configmap/${long}`) };
  await reloader.workload('none', { ...given, more: { replicas: 0 } });
  const updateStrategy = { type: 'OnDelete' };
  await reloader.workload('db', { kind: 'StatefulSet', ...given, more: { updateStrategy } });
  await reloader.workload('agent', { kind: 'DaemonSet', ...given, more: { updateStrategy } });
  await reloader.recorded('none');
  await reloader.recorded('db', 'StatefulSet');
  await reloader.recorded('agent', 'DaemonSet');

  await reloader.config(long, { mode: '2' });
  await reloader.rolledOut('none', 1);
  await reloader.rolledOut('db', 1, 'StatefulSet');
  await reloader.rolledOut('agent', 1, 'DaemonSet');

  const variable = `STAKATER_A${'B_'.repeat(125)}CD_CONFIGMAP`;
  expect(Object.keys(await reloader.variables('none'))).toEqual([variable]);
});

test('[reloader 5] with annotation keys from flags, the records stay when annotations move to the Pod template', async () => {
  const args = ['configmap-auto', 'search', 'match', 'ignore', 'configmap'].map((word) => {
    const flag = { search: 'auto-search', match: 'search-match' }[word] ?? word;
    return `--${flag}-annotation=example.com/${word}`;
  });
  const reloader = await startReloader({ args });
  const own = (word: string, value = 'true'): Data => ({ [`example.com/${word}`]: value });
  const stock = AUTO_OF('configmap', 'true');
  await reloader.config('app', { mode: '1' });
  await reloader.config('found', { mode: '1' }, { annotations: own('match') });
  await reloader.config('left', { mode: '1' }, { annotations: own('ignore') });
  const references = envFrom('configmap/app', 'configmap/found', 'configmap/left');
  await reloader.workload('web', { annotations: own('configmap-auto'), ...references });
  await reloader.workload('search', { annotations: own('search'), ...references });
  await reloader.workload('named', { annotations: own('configmap', 'app') });
  await reloader.workload('stock', { annotations: stock, ...references });
  await reloader.handled();
  const keys = async (name: string) => Object.keys(await reloader.recorded(name));
  expect(await keys('web')).toEqual(['configmap/app', 'configmap/found']);
  expect(await keys('search')).toEqual(['configmap/found']);
  expect(await keys('named')).toEqual(['configmap/app']);
  expect((await reloader.live('stock')).metadata.annotations).toEqual(stock);

  const { metadata } = await reloader.live('web');
  const { 'example.com/configmap-auto': _, ...annotations } = metadata.annotations ?? {};
  await reloader.workload('web', {
    annotations,
    templateAnnotations: own('configmap-auto'),
    ...references,
  });
  await reloader.handled();
  const moved = reloader.rollouts('web');
  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', moved + 1);
  await reloader.handled();

  expect(moved).toBe(1);
  expect(Object.keys(await reloader.variables('web'))).toEqual(['STAKATER_APP_CONFIGMAP']);
  expect(reloader.rollouts('search')).toBe(0);
  expect(reloader.rollouts('named')).toBe(1);
});
