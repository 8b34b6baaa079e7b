/**
 * A project outside the repository, from packed archives: the Dockerfile and the manifests that the installed
 * command writes there, its image, and the image started as the Deployment says.
 *
 * @module-tag buildah
 * @module-tag kubectl
 * @module-tag unshare
 * @module-tag setpriv
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  containerNamed,
  type PodSpec,
  podSpec,
  render,
  renderText,
} from '../manifests/support/rendered.ts';
import { BUILD_TIMEOUT_MS, type BuiltImage, buildProject } from './support/build-image.ts';
import { filesBelow } from './support/files-below.ts';
import { runInRoot } from './support/in-root.ts';
import { type OutsideProject, outsideProject } from './support/outside-project.ts';

const FILES = {
  'src/operator.ts': `import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { NAME } from './name.ts';

export default controller({ name: NAME, for: configMaps, reconcile: async () => ({}) });
`,
  'src/name.ts': "export const NAME: string = 'outside';\n",
  'src/operator.test.ts': "import '@chancery/testing';\n",
  'src/.env': 'PASSWORD=secret\n',
  '.env': 'PASSWORD=secret\n',
};
const GENERATE = ['generate', 'manifests', 'src/operator.ts', '-o', 'deploy'];
const IMAGE = ['--operator-image', 'registry.example/outside:1.0.0'];

let project: OutsideProject;
let image: BuiltImage;
let pod: PodSpec;

beforeAll(async () => {
  project = await outsideProject(FILES);
  await project.chancery([...GENERATE, ...IMAGE]);
  pod = podSpec(await render(join(project.folder, 'deploy/overlays/namespaced')));
  image = await buildProject(project.folder, project.packages);
}, BUILD_TIMEOUT_MS);

afterAll(() => project?.remove());

test("[I-3] a project's image contains the sources and the toolkit, but no npm, shell, test, test kit or password", async () => {
  const paths = (await filesBelow(image.rootfs)).map(({ path }) => path);

  expect(paths).toEqual(
    expect.arrayContaining([
      '/app/package.json',
      '/app/src/operator.ts',
      '/app/src/name.ts',
      '/app/node_modules/chancery/dist/operator/cli/main.js',
    ]),
  );
  const tools = /\/(npm|npx|corepack|yarn|pnpm|sh|bash|dash|busybox)$/;
  const development = /@chancery\/testing|\/node_modules\/(asn1js|re2js)\/|\/\.bin\//;
  const unused = /\/src\/.*\.test\.ts$|\.env$|\.d\.[cm]?ts$|\.map$|package-lock\.json$/;
  for (const expression of [tools, development, unused]) {
    expect(paths.filter((path) => expression.test(path))).toEqual([]);
  }
  process.stdout.write(`Dockerfile of a project: ${(image.size / 1e6).toFixed(1)} MB\n`);
});

test("[I-3] all users can read each file of a project's image, and only root can write it", async () => {
  const files = await filesBelow(join(image.rootfs, 'app'));

  const wrong = files.filter(
    ({ uid, mode }) => uid !== 0 || (mode & 0o022) !== 0 || (mode & 4) === 0,
  );
  expect(wrong).toEqual([]);
});

test("[I-1] with the image and command of its Deployment, a project's module runs on a read-only root filesystem", async () => {
  const operator = containerNamed(pod, 'operator');

  const ended = await runInRoot(image, { args: [...(operator.args ?? []), '--check'] });
  const byDefault = await runInRoot(image, { args: [...image.config.Cmd, '--check'] });

  expect(operator.image).toBe('registry.example/outside:1.0.0');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject({ controller: 'outside' });
  expect(byDefault).toEqual(ended);
  const { runAsUser, runAsGroup } = operator.securityContext ?? {};
  expect(image.config.User).toBe(`${runAsUser}:${runAsGroup}`);
});

test("`kubectl kustomize` and `chancery lint` accept a project's manifests; lint warns only about image tags", async () => {
  for (const overlay of ['namespaced', 'cluster-scoped']) {
    const rendered = await renderText(join(project.folder, 'deploy/overlays', overlay));

    const lines = (await project.chancery(['lint', '-'], rendered)).trim().split('\n');
    expect(lines.map((line) => /fixed-images/.test(line))).toEqual([true, true]);
  }
});

test('[I-2] an edited Dockerfile of a project is not overwritten, and `--check` accepts it', async () => {
  const dockerfile = join(project.folder, 'Dockerfile');
  const edited = `${await readFile(dockerfile, 'utf8')}LABEL mine=1\n`;
  await writeFile(dockerfile, edited);

  await project.chancery([...GENERATE, ...IMAGE]);
  const said = await project.chancery([...GENERATE, ...IMAGE, '--check']);

  expect(said).toBe('');
  expect(await readFile(dockerfile, 'utf8')).toBe(edited);
});
