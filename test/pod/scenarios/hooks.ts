/** A hook of 20 lines in a Pod that is made from a ConfigMap and the image `chancery-hooks`: nothing else is built. */
import { readFileSync } from 'node:fs';
import { deployment, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { buildTarget } from '../../images/support/build-image.ts';
import { stateOf, toolNamed } from '../../tools/tools.ts';
import { inOperator } from '../support/in-operator.ts';
import { PATIENCE, startWorld, type World } from '../support/world.ts';
import type { Place } from './place.ts';

const NAMESPACE = 'hooks';
const EXAMPLE = new URL('../../../examples/hooks/', import.meta.url);

/** What docs/reference/hooks.md promises a hook, and what bash adds. */
const ALLOWED = [
  ...['HOME', 'HOSTNAME', 'LANG', 'PATH', 'POD_NAME', 'POD_NAMESPACE', 'TMPDIR', 'TZ'],
  ...['ADMISSION_RESPONSE_PATH', 'BINDING_CONTEXT_PATH', 'CHANCERY_API_URL', 'CHANCERY_RUN'],
  ...['CONVERSION_RESPONSE_PATH', 'KUBERNETES_PATCH_PATH', 'METRICS_PATH'],
  ...['VALIDATING_RESPONSE_PATH', 'OLDPWD', 'PWD', 'SHLVL', '_'],
];

export function hooks({ means, images }: Place): void {
  const canBuild = ['buildah', 'debootstrap'].every(
    (tool) => stateOf(toolNamed(tool)).state === 'found',
  );

  const start = async (edit: (object: KubernetesObject) => KubernetesObject): Promise<World> => {
    const world = await startWorld({
      means,
      images: { ...images(), 'chancery-hooks': await buildTarget('hooks') },
      overlay: 'examples/hooks/manifests/overlays/namespaced',
      namespace: NAMESPACE,
      edit: (objects) => objects.map(edit),
    });
    onTestFinished(() => world.end());
    return world;
  };

  test.skipIf(!canBuild)(
    '[security 45] [hooks 23] [hooks S4] the config-watcher hook from a ConfigMap restarts a Deployment, and sees no token and only allowed variables',
    { timeout: 600_000 },
    async () => {
      const world = await start(onlyBash);
      const { server, pod } = world;
      await eventually(() => pod.isReady(), PATIENCE);
      create(world);
      await eventually(() => hashOf(world) !== undefined, PATIENCE);
      const before = hashOf(world);
      server.patch('v1', 'ConfigMap', NAMESPACE, 'settings', { data: { value: 'two' } });
      await eventually(() => hashOf(world) !== before, PATIENCE);

      const operator = pod.container('operator');
      const seen = JSON.parse(await inOperator(operator, 'look-around'));
      const said = operator.lines.map((line) => JSON.parse(line) as LogLine);
      const written = said.flatMap(({ msg, line = '' }) => (msg === 'the hook wrote' ? line : []));
      const variables = written.flatMap((line) => /^variable (\w+)=/.exec(line)?.[1] ?? []);
      const files = written.flatMap((line) => /^file (.+)$/.exec(line)?.[1] ?? []);

      expect(seen.credentials).toEqual([]);
      expect(seen.writable[0]).toBe('/tmp');
      expect(seen.writable.filter((path: string) => !/^[/]tmp(?![^/])/.test(path))).toEqual([]);
      expect(variables).toContain('BINDING_CONTEXT_PATH');
      expect(variables.filter((name) => !ALLOWED.includes(name))).toEqual([]);
      expect(files.length).toBeGreaterThan(5);
      expect(files.filter((path) => /token|ca[.]crt|secrets/.test(path))).toEqual([]);
      expect(said.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    },
  );

  test.skipIf(!canBuild)(
    '[security 46] [found 4] a hook cannot read environment, memory or open files of the runner or of the first process, and cannot open an inspector',
    { timeout: 600_000 },
    async () => {
      const world = await start(onlySpy);
      const operator = world.pod.container('operator');
      const spied = (): readonly string[] =>
        operator.lines.flatMap((line) => /"line":"spied (\w+ \w+)"/.exec(line)?.[1] ?? []);
      await eventually(() => spied().includes('end now'), PATIENCE);
      await eventually(() => world.pod.isReady(), PATIENCE);

      // What it finds in its own folder shows that it knows how to look.
      const own = ['environ', 'mem', 'maps', 'auxv', 'fd', 'cwd', 'root', 'exe'];
      expect(spied()).toEqual([...own.map((file) => `itself ${file}`), 'end now']);
      expect(operator.lines.filter((line) => /Debugger/.test(line))).toEqual([]);
      expect(operator.isRunning).toBe(true);
    },
  );
}

/** One hook, which looks at its parent and at the first process as an intruder would. */
function onlySpy(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'ConfigMap' || !('data' in object)) return object;
  const spy = readFileSync(new URL('../inside/spy.sh', import.meta.url), 'utf8');
  return { ...object, data: { 'spy.sh': spy } } as KubernetesObject;
}

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly line?: string;
}

/** The scripts that the image without Python runs, and one that tells what a hook sees. */
function onlyBash(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'ConfigMap' || !('data' in object)) return object;
  const scripts = Object.entries(object.data as Record<string, string>);
  const bash = scripts.filter(([name]) => name.startsWith('config-watcher'));
  const lookAround = readFileSync(new URL('demo/look-around.sh', EXAMPLE), 'utf8');
  const data = { ...Object.fromEntries(bash), 'look-around.sh': lookAround };
  return { ...object, data } as KubernetesObject;
}

function create({ server }: World): void {
  const podSpec = { containers: [{ name: 'web', image: 'web' }] };
  server.create(deployment('web', { namespace: NAMESPACE, podSpec }));
  const web = server.get('apps/v1', 'Deployment', NAMESPACE, 'web') as Deployment;
  const [[label, value] = []] = Object.entries(web.spec.selector.matchLabels);
  const annotations = { 'k8spatterns.io/podDeleteSelector': `${label}=${value}` };
  server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: NAMESPACE, annotations },
    data: { value: 'one' },
  } as KubernetesObject);
}

interface Deployment extends KubernetesObject {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
    };
  };
}

function hashOf({ server }: World): string | undefined {
  const web = server.get('apps/v1', 'Deployment', NAMESPACE, 'web') as Deployment | undefined;
  return web?.spec.template.metadata.annotations?.['settings/sha256'];
}
