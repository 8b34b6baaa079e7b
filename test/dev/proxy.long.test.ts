/** `chancery proxy` with a program in place of kubectl that keeps what it was asked. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { allGone, HELLO, PATIENT, Project, startChancery } from './support/project.ts';

const VERSION = 'v1.33.1';

/** It says where it would serve, and goes on for ever, or ends as the project says. */
function kubectlOf(version: string, ending: string = 'while :; do sleep 1; done'): string {
  return `#!/bin/sh
if [ "$1" = version ]; then
  echo '{"clientVersion":{"gitVersion":"${version}"}}'
  exit 0
fi
for word in "$@"; do echo "$word"; done > "$(dirname "$0")/arguments"
echo "Starting to serve on 127.0.0.1:1"
${ending}
`;
}

function projectWith(kubectl: string): Project {
  const project = new Project({ ...HELLO, kubectl });
  project.makeExecutable('kubectl');
  return project;
}

test('[DEV-13] `chancery proxy` starts kubectl with the generated filter and the arguments after "--"', async () => {
  const project = projectWith(kubectlOf(VERSION));
  const options = ['-n', 'demo', '--port', '0', '--context', 'kind', '--', '--v=4'];
  const child = startChancery(project, ['proxy', 'src/operator.ts', ...options]);
  await child.stdout.until(() => child.stdout.lines.length > 0);

  expect(child.stdout.lines).toEqual(['Starting to serve on 127.0.0.1:1']);
  const given = project.read('arguments').trim().split('\n');
  expect(given[0]).toBe('proxy');
  expect(given).toEqual(
    expect.arrayContaining([
      '--context=kind',
      '--address=127.0.0.1',
      '--port=0',
      '--disable-filter=false',
    ]),
  );
  const paths = given.find((word) => word.startsWith('--accept-paths='));
  expect(paths).toContain('^/api/v1/namespaces/demo/configmaps');
  expect(given.join('\n')).not.toContain('$(');
  expect(given.at(-1)).toBe('--v=4');
});

test('[DEV-13] `chancery proxy` passes on the exit code of kubectl', async () => {
  const project = projectWith(kubectlOf(VERSION, 'echo broken >&2; exit 5'));

  const child = startChancery(project, ['proxy', 'src/operator.ts']);

  expect(await child.exit).toBe(5);
  expect(child.stderr.lines).toEqual(['broken']);
});

test.each([
  'SIGTERM',
  'SIGINT',
] as const)('[DEV-13] %s ends kubectl, and `chancery proxy` exits with 0', async (signal) => {
  const project = projectWith(kubectlOf(VERSION, `echo $$ >&2; exec sleep 1000`));
  const child = startChancery(project, ['proxy', 'src/operator.ts']);
  await child.stderr.until(() => child.stderr.lines.length > 0);

  child.kill(signal);

  expect(await child.exit).toBe(0);
  await allGone([Number(child.stderr.lines[0])]);
});

test('[DEV-10] kubectl ends when `chancery proxy` gets SIGKILL', async () => {
  const project = projectWith(kubectlOf(VERSION, `echo $$ >&2; exec sleep 1000`));
  const child = startChancery(project, ['proxy', 'src/operator.ts']);
  await child.stderr.until(() => child.stderr.lines.length > 0);

  child.kill('SIGKILL');

  await allGone([Number(child.stderr.lines[0])]);
  await eventually(async () => (await child.exit) === 'SIGKILL', PATIENT);
});

test.each([
  ['missing', undefined, /KUBECTL names ".*kubectl", which is no program/],
  [
    'too old',
    kubectlOf('v1.29.9'),
    /is kubectl v1\.29\.9, and 1\.30 or newer is needed: install a newer/,
  ],
  ['no kubectl', '#!/bin/sh\nexit 1\n', /does not tell its version as kubectl does/],
])('[DEV-13] `chancery proxy` exits with 2, and prints a remedy, if kubectl is %s', async (_, text, message) => {
  const project = new Project(text === undefined ? HELLO : { ...HELLO, kubectl: text });
  if (text !== undefined) project.makeExecutable('kubectl');

  const child = startChancery(project, ['proxy', 'src/operator.ts']);

  expect(await child.exit).toBe(2);
  expect(child.stderr.lines).toHaveLength(1);
  expect(child.stderr.lines[0]).toMatch(message);
});

test('an error is reported if KUBECTL is not set and there is no kubectl on the PATH', async () => {
  const child = startChancery(new Project(HELLO), ['proxy', 'src/operator.ts'], {
    KUBECTL: '',
    PATH: '/nowhere',
  });

  expect(await child.exit).toBe(2);
  expect(child.stderr.lines).toEqual([
    'chancery proxy: no kubectl on the PATH: install it (https://kubernetes.io/docs/tasks/tools), or name ' +
      'one with KUBECTL',
  ]);
});
