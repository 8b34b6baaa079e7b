/** Rules that all Dockerfiles keep; each with a Dockerfile that breaks it, so that the rule can fail. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { projectImageFiles } from '../../operator/generate/image/project-image.ts';
import { readLock } from '../../proxy/kubectl-lock.ts';
import { type ParsedDockerfile, parseDockerfile } from './support/dockerfile.ts';
import { brokenRules } from './support/image-rules.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const GOOD = `ARG IMAGE=kubectl:1@${DIGEST}
FROM \${IMAGE} AS kubectl
FROM scratch
COPY --from=kubectl /bin/kubectl /kubectl
USER 65531:65531
ENTRYPOINT ["/kubectl", "proxy"]
`;

const read = (name: string): Promise<string> =>
  readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

function projectDockerfile(): string {
  return projectImageFiles().find(({ path }) => path === 'Dockerfile')?.text ?? '';
}

/** An instruction of the last stage. */
function last({ stages }: ParsedDockerfile, name: string): string {
  return stages.at(-1)?.instructions.find((instruction) => instruction.name === name)?.text ?? '';
}

test.each([
  ['Dockerfile.proxy', true],
  ['Dockerfile.gate', false],
  ['Dockerfile.operator', false],
  ['Dockerfile.apiserver', false],
])('[security 24] %s follows the rules for Dockerfiles', async (name, ambassador) => {
  const dockerfile = await read(name);

  expect(brokenRules(dockerfile, { ambassador })).toEqual({});
});

test.each([
  ['hooks', 3],
  ['metacontroller', 4],
  ['certificates', 5],
])('[security 24] the target %s of Dockerfile.operator follows the rules', async (name, count) => {
  const dockerfile = await read('Dockerfile.operator');
  const { stages } = parseDockerfile(dockerfile);
  const upToTarget = dockerfile
    .split(/^(?=FROM )/m)
    .slice(0, count + 1)
    .join('');

  expect(stages[count - 1]?.name).toBe(name);
  expect(brokenRules(upToTarget, { ambassador: false })).toEqual({});
});

test('the targets `hooks` and `metacontroller` differ only in the package of the command', async () => {
  const { stages } = parseDockerfile(await read('Dockerfile.operator'));
  const texts = (target: string, name: string): readonly string[] =>
    (stages.find((stage) => stage.name === target)?.instructions ?? [])
      .filter((instruction) => instruction.name === name)
      .map(({ text }) => text);

  for (const name of ['USER', 'EXPOSE', 'ENTRYPOINT']) {
    expect(texts('metacontroller', name)).toEqual(texts('hooks', name));
  }
  for (const target of ['hooks', 'metacontroller']) {
    const packages = texts(target, 'COPY').flatMap((text) => /@chancery\/\w+/.exec(text) ?? []);
    expect(new Set(packages)).toEqual(new Set([`@chancery/${target}`]));
    expect(JSON.parse(texts(target, 'CMD')[0] ?? '')[0]).toBe(target);
  }
});

test('the default target of Dockerfile.operator does not copy the packages for hooks and Metacontroller', async () => {
  const { stages } = parseDockerfile(await read('Dockerfile.operator'));

  const copied = (stages.at(-1)?.instructions ?? []).filter(({ name }) => name === 'COPY');
  expect(copied.length).toBeGreaterThan(3);
  expect(copied.filter(({ text }) => /built|@chancery|_of_hooks/.test(text))).toEqual([]);
});

test('[security 24] the Dockerfile of a project follows the rules', () => {
  expect(brokenRules(projectDockerfile(), { ambassador: false })).toEqual({});
});

test("[I-3] a project's Dockerfile has the base images, user and Node options of Dockerfile.operator", async () => {
  const ours = parseDockerfile(await read('Dockerfile.operator'));
  const project = parseDockerfile(projectDockerfile());

  const { PROGRAMS_IMAGE, ...bases } = ours.defaults;
  expect(PROGRAMS_IMAGE).toBe(bases.BUILD_IMAGE); // one digest to keep up to date
  expect(project.defaults).toEqual(bases);
  for (const name of ['USER', 'ENV', 'EXPOSE']) expect(last(project, name)).toBe(last(ours, name));
  const [node, options, , run] = JSON.parse(last(ours, 'ENTRYPOINT'));
  const main = '/app/node_modules/chancery/dist/operator/cli/main.js';
  expect(JSON.parse(last(project, 'ENTRYPOINT'))).toEqual([node, options, main, run]);
});

test('Dockerfile.apiserver has the base images and the user of Dockerfile.operator', async () => {
  const operator = parseDockerfile(await read('Dockerfile.operator'));
  const apiserver = parseDockerfile(await read('Dockerfile.apiserver'));

  const { PROGRAMS_IMAGE: _, ...bases } = operator.defaults;
  expect(apiserver.defaults).toEqual(bases);
  for (const name of ['USER', 'ENV']) expect(last(apiserver, name)).toBe(last(operator, name));
});

test('the Dockerfile of the reloader uses the pinned base image, and starts the same command', async () => {
  const ours = parseDockerfile(await read('Dockerfile.operator'));
  const example = parseDockerfile(await read('examples/reloader/Dockerfile'));

  const withoutFlags = (dockerfile: ParsedDockerfile): readonly string[] =>
    JSON.parse(last(dockerfile, 'ENTRYPOINT')).filter((word: string) => !word.startsWith('--'));
  expect(example.defaults.BUILD_IMAGE).toBe(ours.defaults.BUILD_IMAGE);
  expect(withoutFlags(example)).toEqual(withoutFlags(ours));
});

test('for a small Dockerfile that follows the rules nothing is reported', () => {
  expect(brokenRules(GOOD, { ambassador: true })).toEqual({});
});

test.each([
  ['every base image is pinned by its digest', `@${DIGEST}`, ''],
  ['every base image is pinned by its digest', 'FROM scratch', 'FROM alpine'],
  [
    'nothing is downloaded without a checksum',
    'USER',
    'ADD https://dl.k8s.io/kubectl /kubectl\nUSER',
  ],
  ['the image has a user, a number that is not root', 'USER 65531:65531\n', ''],
  ['the image has a user, a number that is not root', '65531:65531', '0:0'],
  ['the image has a user, a number that is not root', '65531:65531', 'nonroot'],
  ['the image has a user, a number that is not root', 'ENTRYPOINT', 'USER root\nENTRYPOINT'],
  ['entry point and command are JSON', '["/kubectl", "proxy"]', '/kubectl proxy'],
  ['entry point and command are JSON', '["/kubectl", "proxy"]', '["/kubectl", "proxy"]\nCMD sh'],
  ['entry point and command are JSON', 'USER', 'HEALTHCHECK CMD curl localhost\nUSER'],
  ['the image has an entry point', 'ENTRYPOINT ["/kubectl", "proxy"]\n', ''],
  ['nothing runs in the last stage, which has no shell', 'USER', 'RUN chmod +x /kubectl\nUSER'],
  ['no secret is an argument or in the environment', 'USER', 'ENV API_TOKEN=x\nUSER'],
  ['the image begins with nothing', 'FROM scratch', `FROM alpine@${DIGEST}`],
  [
    'nothing runs in any stage, so that no architecture needs an emulator',
    'FROM scratch',
    'RUN true\nFROM scratch',
  ],
  ['one file is copied', 'USER', 'COPY --from=kubectl /bin/sh /sh\nUSER'],
])('the rule "%s" is broken if %j is replaced by %j', (rule, from, to) => {
  const broken = GOOD.replace(from, to);

  expect(Object.keys(brokenRules(broken, { ambassador: true }))).toContain(rule);
});

test('[security 24] Dockerfile.proxy has the same version and digest as the lock file', async () => {
  const { defaults } = parseDockerfile(await read('Dockerfile.proxy'));
  const { version, image, digest } = await readLock();

  expect(defaults).toEqual({
    KUBECTL_VERSION: version,
    KUBECTL_DIGEST: digest,
    KUBECTL_IMAGE: `${image}:${version}@${digest}`,
  });
});

test('the pinned version of kubectl reloads the CA of the cluster when the CA changes', async () => {
  const { version, date, digest, binaries, sources } = await readLock();

  const [, minor] = /^v1\.(\d+)\.\d+$/.exec(version) ?? [];
  expect(Number(minor)).toBeGreaterThanOrEqual(36);
  expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(Object.keys(binaries)).toEqual(expect.arrayContaining(['amd64', 'arm64']));
  expect(Object.values(binaries).filter((sum) => !/^[0-9a-f]{64}$/.test(sum))).toEqual([]);
  expect(sources.length).toBeGreaterThan(0);
});
