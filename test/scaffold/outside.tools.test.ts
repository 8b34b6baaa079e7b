/**
 * From an empty folder to an operator: archives as npm would send them, the npm and the Node of the system, and
 * every command of the README of the new project as it stands there.
 *
 * @module-tag kubectl
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, eventually } from '@chancery/testing';
import { formatYaml } from 'chancery/low-level';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type Archives,
  background,
  linkThirdParty,
  packArchives,
  shell,
  systemEnvironment,
} from './support/outside.ts';
import { commandsOf, RUN_OUTSIDE } from './support/readme-commands.ts';

const BUILD_TIMEOUT_MS = 240_000;
const PATIENT = { timeout: 240_000 };
const BUNDLER = 'npx tsc --module preserve --moduleResolution bundler';
/** No script of a package runs: the Node of the repository is linked, and not downloaded. */
const INSTALL = 'npm install --ignore-scripts --no-audit --no-fund';

let archives: Archives;

beforeAll(async () => {
  archives = await packArchives();
}, BUILD_TIMEOUT_MS);

afterAll(() => archives?.remove());

/** An empty folder outside the repository. */
async function emptyFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'chancery-outside-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A cluster for `kubectl`. */
async function startCluster(folder: string): Promise<{ server: ApiServer; kubeconfig: string }> {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const kubeconfig = join(folder, 'kubeconfig.yaml');
  const name = 'cluster';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: server.url } }],
    contexts: [{ name, context: { cluster: name, user: '' } }],
    'current-context': name,
  };
  await writeFile(kubeconfig, formatYaml(config));
  return { server, kubeconfig };
}

/** `npm run dev`: the status page answers, and a Pod of the sample runs; then Ctrl-C. */
async function runsPodOfSample(
  line: string,
  project: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const dev = background(line, project, env);
  onTestFinished(() => dev.interrupt());
  /** What the first of the printed addresses says that has `text` at this path. */
  const saying = (path: string, text: string): Promise<string> =>
    eventually(
      async () => {
        const origins = new Set(dev.text().match(/http:\/\/127\.0\.0\.1:\d+/g));
        for (const origin of origins) {
          const answer = await fetch(`${origin}${path}`).then(
            (response) => response.text(),
            () => '',
          );
          if (answer.includes(text)) return answer;
        }
        return undefined;
      },
      { timeoutMs: 60_000 },
    ).catch((cause: unknown) => {
      throw new Error(`no ${text} at ${path}:\n${dev.text()}`, { cause });
    });

  const page = await saying('/status', '<h1 id="name">');
  const pods = await saying('/api/v1/pods', '"phase":"Running"');

  expect(page).toContain('<html');
  expect(JSON.parse(pods)).toMatchObject({ kind: 'PodList' });
  await dev.interrupt();
}

test.each(['custom-resource', 'built-in', 'composite'])(
  '[S-1] [S-4] [S-5] a new project of the template %s can be installed, tested, checked and deployed, also with a second kind',
  PATIENT,
  async (template) => {
    const folder = await emptyFolder();
    const env = { ...systemEnvironment(), CHANCERY_PACKAGES: archives.folder };
    const { server, kubeconfig } = await startCluster(folder);
    const create = `npm exec --yes --package ${archives.creator} -- create-chancery demo`;
    await shell(`${create} --template ${template}`, folder, env);
    const project = join(folder, 'demo');
    const run = (line: string): Promise<string> =>
      shell(line, project, { ...env, KUBECONFIG: kubeconfig });
    linkThirdParty(project);
    const readme = commandsOf(readFileSync(join(project, 'README.md'), 'utf8'));
    const [install, itsTest, dev = '', createApi = '', generate, check, , deploy] = readme;
    expect([install, itsTest, dev, generate, check]).toEqual([
      'npm install',
      'npm test',
      'npm run dev',
      'npm run generate',
      'npm run check',
    ]);
    expect(RUN_OUTSIDE).toEqual(expect.arrayContaining([createApi, deploy]));

    await run(INSTALL);
    const first = await run('npm test');
    await runsPodOfSample(dev, project, env);
    await run('npm run generate');
    await run('npm run check');
    await run(BUNDLER);
    await run(createApi);
    const second = await run('npm test');
    await runsPodOfSample(dev, project, env);
    await expect(run('npm run check')).rejects.toThrow(
      /not as generated|is missing|not as it would be/,
    );
    await run('npm run generate');
    await run('npm run check');
    await run(BUNDLER);
    await run(deploy ?? '');
    const linted = await run('kubectl kustomize deploy/overlays/namespaced | npx chancery lint -');

    const upgrade = await run('npx chancery upgrade --dry-run');

    expect(
      upgrade
        .trim()
        .split('\n')
        .filter((line) => !/^left /.test(line)),
    ).toEqual([]);
    expect(first).toMatch(/^# fail 0$|^ℹ fail 0$/m);
    const passed = (text: string): number => Number(/^(?:#|ℹ) pass (\d+)$/m.exec(text)?.[1]);
    expect(passed(second)).toBe(passed(first) + 2);
    expect(server.get('apps/v1', 'Deployment', 'demo', 'demo')).toMatchObject({
      kind: 'Deployment',
    });
    expect(linted).not.toMatch(/^error/m);
  },
);
